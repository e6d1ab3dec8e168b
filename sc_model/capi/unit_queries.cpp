// Queries of a driver: inputs that the unit takes in this cycle, its memory, the state of its barriers and the waiters there.
#include <fmt/format.h>

#include "capi/unit.hpp"
#include "golden/mbarrier.hpp"
#include "golden/op_traits.hpp"
#include "golden/wait_text.hpp"

using gsu::capi::Refusal;

namespace {

template <typename T> T start(std::uint32_t sm, std::uint32_t cta)
{
    T out{};
    out.size = sizeof(T);
    out.sm = static_cast<std::uint8_t>(sm);
    out.cta = static_cast<std::uint8_t>(cta);
    return out;
}

}  // namespace

bool gsu_unit::canPresent(std::uint32_t sm) const
{
    mayUse(sm);
    return !stepping_ && chip_->canPresent(std::uint8_t(sm));
}

bool gsu_unit::canNotify(std::uint32_t sm) const
{
    mayUse(sm);
    return !stepping_ && chip_->canNotify(std::uint8_t(sm));
}

bool gsu_unit::canAnswerCancel(std::uint32_t sm) const
{
    mayUse(sm);
    return !stepping_ && chip_->canAnswerCancel(std::uint8_t(sm));
}

std::uint8_t gsu_unit::epoch(std::uint32_t sm, std::uint32_t cta, std::uint32_t warp,
                             std::uint32_t reach) const
{
    mayUse(sm);
    if (reach > GSU_REACH_EVERYONE || cta >= options_.structure.ctas || warp >= gsu::kMaxWarps)
        throw Refusal{GSU_E_ARGUMENT, "no such CTA slot, warp or reach"};
    const gsu::WarpRef at{std::uint8_t(sm), std::uint8_t(cta), std::uint8_t(warp)};
    const std::string problem = checker_.noWarp(at, 0);
    if (!problem.empty()) throw Refusal{GSU_E_STATE, problem};
    return chip_->epoch(at, gsu::Reach(reach));
}

gsu::Cycle gsu_unit::quietUntil() const
{
    if (stepping_ || given_) return now();
    return chip_->quietUntil();
}

std::uint64_t gsu_unit::word(std::uint32_t sm, std::uint32_t addr) const
{
    mayUse(sm);
    if (addr >= gsu::kSharedBytes || addr % 8 != 0)
        throw Refusal{GSU_E_ARGUMENT, fmt::format("no word of shared memory at byte {}", addr)};
    return peek(sm, addr);
}

const std::optional<gsu::Fault>& gsu_unit::fault()
{
    if (!fault_) fault_ = chip_->fault();
    return fault_;
}

const gsu::Launch& gsu_unit::mayAsk(std::uint32_t sm, std::uint32_t cta) const
{
    mayUse(sm);
    if (cta >= options_.structure.ctas)
        throw Refusal{GSU_E_ARGUMENT,
                      fmt::format("CTA slot {} of {}", cta, options_.structure.ctas)};
    const gsu::Launch* launch = checker_.launched(sm, cta);
    if (launch == nullptr)
        throw Refusal{GSU_E_STATE, fmt::format("SM {} CTA {} was not launched", sm, cta)};
    return *launch;
}

template <typename Waits>
std::uint32_t gsu_unit::openWarps(std::uint32_t sm, std::uint32_t cta, Waits&& waits) const
{
    std::uint32_t warps = 0;
    for (const auto& open : checker_.open(sm))
        if (open.at.cta == cta && waits(open)) warps |= 1u << open.at.warp;
    return warps;
}

gsu_barrier_state gsu_unit::barrier(std::uint32_t sm, std::uint32_t cta, std::uint32_t id) const
{
    (void)mayAsk(sm, cta);
    if (id >= options_.structure.bars)
        throw Refusal{GSU_E_ARGUMENT, fmt::format("barrier {} of {}", id, options_.structure.bars)};
    const std::uint64_t value = barriers_.named(sm, cta, id);
    const std::uint32_t halves[2]{std::uint32_t(value), std::uint32_t(value >> 32)};
    gsu::raw::NbWord word;
    gsu::raw::unpack(word, halves);
    auto out = start<gsu_barrier_state>(sm, cta);
    out.id = std::uint8_t(id);
    out.generations = barriers_.completions(sm, cta, id);
    out.waiting = openWarps(sm, cta, [&](const gsu::capi::InputChecker::Open& open) {
        return gsu::waitKindOf(open.op) == gsu::WaitKind::Named && open.id == id;
    });
    out.mode = word.mode;
    if (word.mode == GSU_BARRIER_IDLE) return out;
    const std::uint32_t live = checker_.liveWarps(sm, cta);
    out.arrived = word.arrived;
    out.missing = live & ~word.arrived;
    out.arrived_count = std::uint32_t{word.n} * gsu::kLanes;
    out.expected = std::uint32_t{word.target} * gsu::kLanes;
    out.popc = word.popc;
    out.all = word.all;
    out.any = word.any;
    return out;
}

std::uint64_t gsu_unit::mbarrierWord(std::uint32_t sm, std::uint32_t cta, std::uint32_t addr) const
{
    const gsu::capi::BarrierMirror::Mbarrier known = barriers_.mbarrier(sm, cta, addr);
    return known.known ? known.word : peek(sm, checker_.launched(sm, cta)->base + addr);
}

gsu_mbarrier_state gsu_unit::mbarrier(std::uint32_t sm, std::uint32_t cta, std::uint32_t addr) const
{
    const gsu::Launch& launch = mayAsk(sm, cta);
    if (addr % 8 != 0 || launch.size < 8 || addr > launch.size - 8)
        throw Refusal{GSU_E_ARGUMENT, fmt::format("no word at byte {} of the {} bytes of the CTA",
                                                  addr, launch.size)};
    auto out = start<gsu_mbarrier_state>(sm, cta);
    out.addr = addr;
    out.word = mbarrierWord(sm, cta, addr);
    const gsu::MbarState state = gsu::unpackMbar(out.word);
    out.phase = state.phase;
    out.locked = state.lock;
    out.pending = state.pending;
    out.expected = state.expected;
    out.tx = state.tx;
    const gsu::capi::BarrierMirror::Mbarrier known = barriers_.mbarrier(sm, cta, addr);
    out.known = known.known;
    out.phases = known.phases;
    out.waiting = openWarps(sm, cta, [&](const gsu::capi::InputChecker::Open& open) {
        return gsu::isMbarWait(open.op) && gsu::clusterOffset(open.addr) == addr;
    });
    return out;
}

gsu_cluster_state gsu_unit::cluster(std::uint32_t sm, std::uint32_t cta) const
{
    const gsu::Launch& launch = mayAsk(sm, cta);
    auto out = start<gsu_cluster_state>(sm, cta);
    out.rank = launch.rank;
    out.ctas = launch.ctas;
    out.arrived = barriers_.clusterArrived(sm, cta);
    out.missing = checker_.liveWarps(sm, cta) & ~out.arrived;
    out.generations = barriers_.generations(sm, cta);
    out.waiting = openWarps(sm, cta, [](const gsu::capi::InputChecker::Open& open) {
        return gsu::waitsForCluster(open.op);
    });
    const auto& cluster = checker_.cluster(sm, launch.cluster);
    for (unsigned rank = 0; rank < launch.ctas; ++rank) {
        const unsigned where = launch.ctas > 1 ? cluster.ranks[rank].sm : sm;
        const unsigned slot = launch.ctas > 1 ? cluster.ranks[rank].cta : cta;
        const bool there = launch.ctas == 1 || (cluster.launched >> rank & 1) != 0;
        const bool left = launch.ctas > 1 && (cluster.freed >> rank & 1) != 0;
        const bool all = there && (left || (checker_.liveWarps(where, slot) &
                                            ~barriers_.clusterArrived(where, slot)) == 0);
        out.launched |= std::uint32_t{there} << rank;
        (all ? out.ranks_arrived : out.ranks_missing) |= 1u << rank;
    }
    return out;
}
