#include "capi/convert.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace gsu::capi {

namespace {

/// The caller's structure at this library's size. A larger one is fine while what we do not know is 0, a smaller one from `oldest` on:
/// what it lacks is 0.
template <typename T> T sized(const T* in, const char* name, std::size_t oldest = sizeof(T))
{
    if (in == nullptr) throw Refusal{GSU_E_ARGUMENT, std::string(name) + " is NULL"};
    const std::size_t size = in->size;
    if (size < oldest)
        throw Refusal{GSU_E_VERSION, fmt::format("{}: size {} is below {}; was GSU_INIT forgotten?",
                                                 name, size, oldest)};
    const auto* bytes = reinterpret_cast<const unsigned char*>(in);
    if (size > sizeof(T) &&
        std::any_of(bytes + sizeof(T), bytes + std::min<std::size_t>(size, 4096),
                    [](unsigned char byte) { return byte != 0; }))
        throw Refusal{GSU_E_VERSION,
                      std::string(name) + " uses members that this library does not know"};
    T out{};
    std::memcpy(&out, in, std::min(size, sizeof(T)));
    return out;
}

void require(bool good, const char* reason)
{
    if (!good) throw Refusal{GSU_E_ARGUMENT, reason};
}

template <typename T> T start()
{
    T out{};
    out.size = sizeof(T);
    return out;
}

}  // namespace

SyncRequest fromC(const gsu_request* in)
{
    const gsu_request r = sized(in, "gsu_request");
    require(r.reserved[0] == 0 && r.reserved[1] == 0 && r.reserved2 == 0,
            "gsu_request: a reserved member is not 0");
    require(r.sem <= GSU_SEM_ACQ_REL, "gsu_request: sem is none of gsu_sem");
    require(r.scope <= GSU_SCOPE_SYS, "gsu_request: scope is none of gsu_scope");
    SyncRequest out;
    out.op = Op(r.op);
    out.at = {r.sm, r.cta, r.warp};
    out.lanes = r.lanes;
    out.tag = r.tag;
    out.arg0 = r.arg0;
    out.arg1 = r.arg1;
    out.pred = r.pred;
    out.sem = Sem(r.sem);
    out.scope = Scope(r.scope);
    out.kind = r.kind;
    out.aligned = r.aligned != 0;
    out.noComplete = r.no_complete != 0;
    out.wantValue = r.want_value != 0;
    out.diverged = r.diverged != 0;
    out.remote = r.remote != 0;
    std::copy(std::begin(r.addr), std::end(r.addr), out.addr.begin());
    std::copy(std::begin(r.data), std::end(r.data), out.data.begin());
    std::copy(std::begin(r.limit), std::end(r.limit), out.limit.begin());
    return out;
}

Launch fromC(const gsu_launch* in)
{
    const gsu_launch l = sized(in, "gsu_launch", offsetof(gsu_launch, era));
    require((l.reserved[0] | l.reserved[1]) == 0, "gsu_launch: a reserved member is not 0");
    return {.sm = l.sm,
            .cta = l.cta,
            .wbase = l.warp_base,
            .cluster = l.cluster,
            .rank = l.rank,
            .ctas = std::max<std::uint8_t>(l.ctas, 1),
            .threads = l.threads,
            .base = l.smem_base,
            .size = l.smem_size,
            .era = l.era,
            .grid = l.grid};
}

Exit fromC(const gsu_exit* in)
{
    const gsu_exit e = sized(in, "gsu_exit");
    return {.at = {e.sm, e.cta, e.warp}, .lanes = e.lanes, .trap = e.trap != 0};
}

ClusterRoute fromC(const gsu_route* in)
{
    const gsu_route r = sized(in, "gsu_route");
    require((r.reserved[0] | r.reserved[1] | r.reserved[2]) == 0,
            "gsu_route: a reserved member is not 0");
    require(r.ctas >= 2, "gsu_route: a cluster of one CTA needs no route");
    return {.cluster = r.cluster, .rank = r.rank, .sm = r.sm, .cta = r.cta, .ctas = r.ctas};
}

GridInput fromC(const gsu_grid* in)
{
    const gsu_grid g = sized(in, "gsu_grid");
    require(g.what <= GSU_GRID_FEWER, "gsu_grid: what is none of gsu_grid_what");
    return {g.network,
            {.grid = g.grid,
             .ctas = g.ctas,
             .prereqs = g.prereqs,
             .ended = g.what == GSU_GRID_ENDED,
             .fewer = g.what == GSU_GRID_FEWER}};
}

AsyncUpdate fromC(const gsu_async* in)
{
    const gsu_async a = sized(in, "gsu_async");
    require(a.reserved == 0, "gsu_async: a reserved member is not 0");
    require(a.tag <= 4095, "gsu_async: the tag is above 4095");
    return {.kind = AsyncKind(a.kind),
            .sm = a.sm,
            .cta = a.cta,
            .warp = a.warp,
            .addr = a.addr,
            .amount = a.amount,
            .tag = a.tag,
            .era = a.era};
}

Accesses fromC(const gsu_accesses* in)
{
    const gsu_accesses a = sized(in, "gsu_accesses");
    require((a.reserved[0] | a.reserved[1] | a.reserved[2]) == 0,
            "gsu_accesses: a reserved member is not 0");
    require(a.reach <= GSU_REACH_EVERYONE, "gsu_accesses: reach is none of gsu_reach");
    require(a.epoch <= 1, "gsu_accesses: epoch is 0 or 1");
    require(a.count >= 1 && a.count <= 0xffff, "gsu_accesses: count is 1 to 65535");
    return {.at = {a.sm, a.cta, a.warp},
            .reach = Reach(a.reach),
            .epoch = a.epoch,
            .count = std::uint16_t(a.count)};
}

CancelAnswer fromC(const gsu_cancel_answer* in)
{
    const gsu_cancel_answer a = sized(in, "gsu_cancel_answer");
    require(a.reserved == 0 && a.reserved2 == 0, "gsu_cancel_answer: a reserved member is not 0");
    require(a.canceled <= 1, "gsu_cancel_answer: canceled is 0 or 1");
    return {.sm = a.sm,
            .slot = a.slot,
            .canceled = a.canceled != 0,
            .first = {a.first[0], a.first[1], a.first[2]}};
}

gsu_callbacks callbacksOf(const gsu_callbacks* in)
{
    if (in == nullptr) return start<gsu_callbacks>();
    const gsu_callbacks out = sized(in, "gsu_callbacks", offsetof(gsu_callbacks, on_finding));
    require(out.reserved == 0, "gsu_callbacks: a reserved member is not 0");
    require((out.read_word == nullptr) == (out.write_word == nullptr),
            "gsu_callbacks: read_word and write_word come together");
    return out;
}

gsu_options optionsOf(const gsu_options* in)
{
    const gsu_options out = sized(in, "gsu_options", offsetof(gsu_options, threads));
    if (out.abi >> 16 != GSU_ABI_MAJOR || (out.abi & 0xffff) > GSU_ABI_MINOR)
        throw Refusal{GSU_E_VERSION,
                      fmt::format("gsu_options: abi {}.{}, this library has {}.{}", out.abi >> 16,
                                  out.abi & 0xffff, GSU_ABI_MAJOR, GSU_ABI_MINOR)};
    require(out.reserved == 0, "gsu_options: a reserved member is not 0");
    require(out.threads <= 2, "gsu_options: threads is 1 or 2");
    require(out.events <= (GSU_EVENTS_CANCEL << 1) - 1, "gsu_options: events is no gsu_event_mask");
    require(out.journal <= 1, "gsu_options: journal is 0 or 1");
    return out;
}

gsu_waves fromC(const gsu_waves* in)
{
    const gsu_waves out = sized(in, "gsu_waves");
    require(out.reserved == 0, "gsu_waves: a reserved member is not 0");
    require(out.path != nullptr && *out.path != '\0', "gsu_waves: no path");
    require(out.to == 0 || out.from <= out.to, "gsu_waves: from is after to");
    return out;
}

gsu_response toC(const SyncResponse& in)
{
    auto out = start<gsu_response>();
    out.tag = in.tag;
    out.sm = in.at.sm;
    out.cta = in.at.cta;
    out.warp = in.at.warp;
    out.last = in.last;
    out.cause = std::uint8_t(in.cause);
    out.lanes = in.lanes;
    out.pred = in.pred;
    out.stride = in.stride;
    out.cycle = in.cycle;
    out.value = in.value;
    return out;
}

gsu_release toC(const Release& in)
{
    auto out = start<gsu_release>();
    out.sm = in.sm;
    out.cta = in.cta;
    out.cluster = in.cluster;
    out.id = in.id;
    out.warps = in.warps;
    out.popc = in.popc;
    out.all = in.all;
    out.any = in.any;
    out.cycle = in.cycle;
    out.lanes = in.lanes;
    return out;
}

gsu_commit toC(const Commit& in)
{
    auto out = start<gsu_commit>();
    out.tag = in.tag;
    out.part = std::uint8_t(in.unit);
    out.op = std::uint8_t(in.op);
    out.sm = in.at.sm;
    out.cta = in.at.cta;
    out.warp = in.at.warp;
    out.flip = in.flip;
    out.refused = in.refused;
    out.cause = std::uint8_t(in.cause);
    out.source = std::uint8_t(in.src);
    out.lanes = in.lanes;
    out.object = in.object;
    out.errors = in.errs;
    out.seq = in.seq;
    out.cycle = in.cycle;
    out.old_word = in.oldWord;
    out.new_word = in.newWord;
    return out;
}

gsu_finding toC(const FindingRule& rule, const Commit& in)
{
    auto out = start<gsu_finding>();
    out.tag = in.tag;
    out.part = std::uint8_t(rule.unit);
    out.op = std::uint8_t(in.op);
    out.sm = in.at.sm;
    out.cta = in.at.cta;
    out.warp = in.at.warp;
    out.severity = std::uint8_t(rule.severity);
    out.effect = std::uint8_t(rule.effect);
    out.misuse = std::uint8_t(rule.ub);
    out.lanes = in.lanes;
    out.object = in.object;
    out.cycle = in.cycle;
    out.rule = rule.rule;
    out.message = rule.message;
    return out;
}

gsu_finding toC(const FindingRule& rule, const MbarNote& note, const Commit* commit, Cycle now)
{
    Commit none;
    none.op = Op::None;
    none.at = {note.sm, 0xff, 0xff};
    none.cycle = now;
    gsu_finding out = toC(rule, commit != nullptr ? *commit : none);
    out.address = note.address;
    return out;
}

gsu_delivered toC(const Delivered& in)
{
    auto out = start<gsu_delivered>();
    out.tag = in.tag;
    out.sm = in.sm;
    out.cta = in.cta;
    out.cycle = in.cycle;
    out.lanes = in.lanes;
    return out;
}

gsu_grid_event toC(const GridEvent& in)
{
    auto out = start<gsu_grid_event>();
    out.grid = in.grid;
    out.complete = in.complete;
    return out;
}

gsu_cancel toC(const CancelQuery& in)
{
    auto out = start<gsu_cancel>();
    out.tag = in.tag;
    out.sm = in.sm;
    out.cta = in.cta;
    out.lane = in.lane;
    out.slot = in.slot;
    out.multicast = in.multicast;
    out.cycle = in.cycle;
    return out;
}

gsu_cta_free toC(const CtaFree& in)
{
    auto out = start<gsu_cta_free>();
    out.sm = in.sm;
    out.cta = in.cta;
    out.cycle = in.cycle;
    return out;
}

}  // namespace gsu::capi
