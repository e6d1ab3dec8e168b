// The numbers of gsu_types.h are those of the generated layout; names.
#include <cstddef>

#include "capi/gsu.h"
#include "golden/findings.hpp"

namespace {

using namespace gsu;

// One line per number; a new one in the layout that gsu_types.h lacks shows in the tests, which walk all numbers.
#define GSU_SAME(c, cpp) static_assert(c == int(cpp), #c " differs from " #cpp)
GSU_SAME(GSU_SEM_RELAXED, Sem::Relaxed);
GSU_SAME(GSU_SEM_ACQUIRE, Sem::Acquire);
GSU_SAME(GSU_SEM_RELEASE, Sem::Release);
GSU_SAME(GSU_SEM_ACQ_REL, Sem::AcqRel);
GSU_SAME(GSU_SCOPE_NONE, Scope::None);
GSU_SAME(GSU_SCOPE_CTA, Scope::Cta);
GSU_SAME(GSU_SCOPE_CLUSTER, Scope::Cluster);
GSU_SAME(GSU_SCOPE_GPU, Scope::Gpu);
GSU_SAME(GSU_SCOPE_SYS, Scope::Sys);
GSU_SAME(GSU_CAUSE_DONE, Cause::Done);
GSU_SAME(GSU_CAUSE_ALREADY_TRUE, Cause::AlreadyTrue);
GSU_SAME(GSU_CAUSE_FLIP, Cause::Flip);
GSU_SAME(GSU_CAUSE_TIMEOUT, Cause::Timeout);
GSU_SAME(GSU_CAUSE_CAM_FULL, Cause::CamFull);
GSU_SAME(GSU_CAUSE_DIVERGED, Cause::Diverged);
GSU_SAME(GSU_CAUSE_KILLED, Cause::Killed);
GSU_SAME(GSU_CAUSE_REFUSED, Cause::Refused);
GSU_SAME(GSU_SRC_LOCAL, Src::Local);
GSU_SAME(GSU_SRC_CP_ASYNC, Src::CpAsync);
GSU_SAME(GSU_SRC_ASYNC_COPY, Src::AsyncCopy);
GSU_SAME(GSU_SRC_REMOTE, Src::Remote);
GSU_SAME(GSU_SRC_EXIT, Src::Exit);
GSU_SAME(GSU_SRC_TIMER, Src::Timer);
GSU_SAME(GSU_SRC_NETWORK, Src::Network);
GSU_SAME(GSU_SRC_AGENT, Src::Agent);
GSU_SAME(GSU_PART_CTA, Unit::Cta);
GSU_SAME(GSU_PART_NAMED, Unit::Named);
GSU_SAME(GSU_PART_WARP_SYNC, Unit::WarpSync);
GSU_SAME(GSU_PART_CLUSTER, Unit::Cluster);
GSU_SAME(GSU_PART_MBARRIER, Unit::Mbarrier);
GSU_SAME(GSU_PART_FENCE, Unit::Fence);
GSU_SAME(GSU_PART_NETWORK, Unit::Network);
GSU_SAME(GSU_PART_NULL, Unit::Null);
GSU_SAME(GSU_PART_GRID, Unit::Grid);
GSU_SAME(GSU_ASYNC_COMPLETE_TX, AsyncKind::CompleteTx);
GSU_SAME(GSU_ASYNC_ARRIVE_ON, AsyncKind::ArriveOn);
GSU_SAME(GSU_ASYNC_AGENT_ARRIVE, AsyncKind::AgentArrive);
GSU_SAME(GSU_FAULT_DIVERGENCE, Fault::Kind::Divergence);
GSU_SAME(GSU_FAULT_ASSERTION, Fault::Kind::Assertion);
GSU_SAME(GSU_FAULT_PROTOCOL, Fault::Kind::Protocol);
GSU_SAME(GSU_SEVERITY_ERROR, Severity::Error);
GSU_SAME(GSU_SEVERITY_WARNING, Severity::Warning);
GSU_SAME(GSU_EFFECT_REFUSED, Effect::Refused);
GSU_SAME(GSU_EFFECT_APPLIED, Effect::Applied);
GSU_SAME(GSU_EFFECT_IGNORED, Effect::Ignored);
GSU_SAME(GSU_EFFECT_SEEN, Effect::Seen);
#undef GSU_SAME

// The structures are part of the ABI: their sizes never change, they grow by new members at the end and a new minor number.
static_assert(sizeof(gsu_request) == 552);
static_assert(sizeof(gsu_response) == 48);
static_assert(sizeof(gsu_release) == 32);
static_assert(offsetof(gsu_release, lanes) == 24);  // all before 1.3
static_assert(sizeof(gsu_commit) == 64);
static_assert(sizeof(gsu_delivered) == 24);
static_assert(offsetof(gsu_delivered, lanes) == 16);  // all before 1.5
static_assert(sizeof(gsu_finding) == 56);
static_assert(sizeof(gsu_waves) == 32);
static_assert(offsetof(gsu_callbacks, on_finding) == 72);  // all of 1.0
static_assert(offsetof(gsu_options, threads) == 48);
static_assert(sizeof(gsu_cta_free) == 16);
static_assert(sizeof(gsu_launch) == 24);
static_assert(offsetof(gsu_launch, era) == 20);  // all before 1.3
static_assert(sizeof(gsu_exit) == 12);
static_assert(sizeof(gsu_route) == 12);
static_assert(sizeof(gsu_async) == 20);
static_assert(sizeof(gsu_grid) == 16);
static_assert(sizeof(gsu_grid_event) == 16);

/// "?" is what nameOf says of a number without a name.
const char* orNull(const char* name) noexcept { return name[0] == '?' ? nullptr : name; }
template <typename Enum> const char* named(uint32_t value) noexcept
{
    return value > 0xff ? nullptr : orNull(nameOf(Enum(value)));
}

}  // namespace

const char* gsu_op_name(uint32_t op) { return op == 0 ? nullptr : named<Op>(op); }
const char* gsu_cause_name(uint32_t cause) { return named<Cause>(cause); }
const char* gsu_source_name(uint32_t source) { return named<Src>(source); }
const char* gsu_part_name(uint32_t part) { return named<Unit>(part); }

const char* gsu_status_name(gsu_status status)
{
    switch (status) {
        case GSU_OK: return "GSU_OK";
        case GSU_E_ARGUMENT: return "GSU_E_ARGUMENT";
        case GSU_E_VERSION: return "GSU_E_VERSION";
        case GSU_E_BUSY: return "GSU_E_BUSY";
        case GSU_E_STATE: return "GSU_E_STATE";
        case GSU_E_NESTED: return "GSU_E_NESTED";
        case GSU_E_MEMORY: return "GSU_E_MEMORY";
        case GSU_E_INTERNAL: return "GSU_E_INTERNAL";
        default: return nullptr;  // a plain integer comes in: not an enumeration
    }
}
