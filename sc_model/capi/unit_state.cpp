// Grids, what barriers hold, who waits, and how a unit comes back to where it was.
#include <fmt/format.h>

#include <span>

#include "capi/unit.hpp"
#include "golden/chip_layout.hpp"
#include "golden/limits.hpp"
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

void gsu_unit::grid(const gsu::capi::GridInput& grid)
{
    mayTakeInput();
    if (grid.network >= chip_->networks())
        throw Refusal{GSU_E_ARGUMENT,
                      fmt::format("network {} of {}", grid.network, chip_->networks())};
    std::string problem = gsu::problemOf(grid.start, parts_.sms);
    if (!problem.empty()) throw Refusal{GSU_E_ARGUMENT, std::move(problem)};
    problem = guard_.problem(grid);
    if (!problem.empty()) throw Refusal{GSU_E_STATE, std::move(problem)};
    guard_.took(grid);
    port_.grid(grid.network, grid.start);
    took(grid);
    chip_->networkGrid(grid.network, grid.start);
}

void gsu_unit::stored(std::uint32_t sm, std::uint32_t addr, std::uint32_t bytes)
{
    mayTakeInput();
    mayUse(sm);
    if (bytes > gsu::kSharedBytes || addr > gsu::kSharedBytes - bytes)
        throw Refusal{GSU_E_ARGUMENT,
                      fmt::format("shared memory above {} bytes", gsu::kSharedBytes)};
    took(gsu::capi::Stored{sm, addr, bytes});
    for (unsigned cta = 0; cta < gsu::kMaxCtas; ++cta) {
        const gsu::Launch* launch = guard_.launched(sm, cta);
        if (launch == nullptr || addr + bytes <= launch->base) continue;
        const std::uint32_t skipped = addr < launch->base ? launch->base - addr : 0;
        book_.stored(sm, cta, addr + skipped - launch->base, bytes - skipped);
    }
    reading_ = true;
    chip_->stored(std::uint8_t(sm), addr, bytes);
    reading_ = false;
}

const gsu::Launch& gsu_unit::mayAsk(std::uint32_t sm, std::uint32_t cta) const
{
    mayUse(sm);
    if (cta >= parts_.structure.ctas)
        throw Refusal{GSU_E_ARGUMENT, fmt::format("CTA slot {} of {}", cta, parts_.structure.ctas)};
    const gsu::Launch* launch = guard_.launched(sm, cta);
    if (launch == nullptr)
        throw Refusal{GSU_E_STATE, fmt::format("SM {} CTA {} was not launched", sm, cta)};
    return *launch;
}

template <typename Waits>
std::uint32_t gsu_unit::openWarps(std::uint32_t sm, std::uint32_t cta, Waits&& waits) const
{
    std::uint32_t warps = 0;
    for (const auto& open : guard_.open(sm))
        if (open.at.cta == cta && waits(open)) warps |= 1u << open.at.warp;
    return warps;
}

gsu_barrier_state gsu_unit::barrier(std::uint32_t sm, std::uint32_t cta, std::uint32_t id) const
{
    (void)mayAsk(sm, cta);
    if (id >= parts_.structure.bars)
        throw Refusal{GSU_E_ARGUMENT, fmt::format("barrier {} of {}", id, parts_.structure.bars)};
    const std::uint64_t value = book_.named(sm, cta, id);
    const std::uint32_t halves[2]{std::uint32_t(value), std::uint32_t(value >> 32)};
    gsu::raw::NbWord word;
    gsu::raw::unpack(word, halves);
    auto out = start<gsu_barrier_state>(sm, cta);
    out.id = std::uint8_t(id);
    out.generations = book_.completions(sm, cta, id);
    out.waiting = openWarps(sm, cta, [&](const gsu::capi::Guard::Open& open) {
        return gsu::waitKindOf(open.op) == gsu::WaitKind::Named && open.id == id;
    });
    out.mode = word.mode;
    if (word.mode == GSU_BARRIER_IDLE) return out;
    const std::uint32_t live = guard_.liveWarps(sm, cta);
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
    const gsu::capi::Book::Mbarrier known = book_.mbarrier(sm, cta, addr);
    return known.known ? known.word : peek(sm, guard_.launched(sm, cta)->base + addr);
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
    const gsu::capi::Book::Mbarrier known = book_.mbarrier(sm, cta, addr);
    out.known = known.known;
    out.phases = known.phases;
    out.waiting = openWarps(sm, cta, [&](const gsu::capi::Guard::Open& open) {
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
    out.arrived = book_.clusterArrived(sm, cta);
    out.missing = guard_.liveWarps(sm, cta) & ~out.arrived;
    out.generations = book_.generations(sm, cta);
    out.waiting = openWarps(
        sm, cta, [](const gsu::capi::Guard::Open& open) { return gsu::waitsForCluster(open.op); });
    const auto& cluster = guard_.cluster(sm, launch.cluster);
    for (unsigned rank = 0; rank < launch.ctas; ++rank) {
        const unsigned where = launch.ctas > 1 ? cluster.ranks[rank].sm : sm;
        const unsigned slot = launch.ctas > 1 ? cluster.ranks[rank].cta : cta;
        const bool there = launch.ctas == 1 || (cluster.launched >> rank & 1) != 0;
        const bool left = launch.ctas > 1 && (cluster.freed >> rank & 1) != 0;
        const bool all =
            there &&
            (left || (guard_.liveWarps(where, slot) & ~book_.clusterArrived(where, slot)) == 0);
        out.launched |= std::uint32_t{there} << rank;
        (all ? out.ranks_arrived : out.ranks_missing) |= 1u << rank;
    }
    return out;
}

std::string gsu_unit::save() const
{
    mayTakeInput();
    if (!journals_) throw Refusal{GSU_E_STATE, "the unit was made without gsu_options::journal"};
    return journal_.checkpoint(identity_, now());
}

void gsu_unit::execute(const gsu::capi::Input& input)
{
    using namespace gsu::capi;
    struct Give {
        gsu_unit& unit;
        void operator()(const gsu::SyncRequest& in) const { unit.present(in); }
        void operator()(const gsu::AsyncUpdate& in) const { unit.notify(in); }
        void operator()(const gsu::ClusterRoute& in) const { unit.route(in); }
        void operator()(const gsu::Launch& in) const
        {
            if (!unit.launch(in))
                throw Refusal{GSU_E_INTERNAL, "the checkpoint does not repeat itself"};
        }
        void operator()(const gsu::Exit& in) const { unit.exit(in); }
        void operator()(const Stored& in) const { unit.stored(in.sm, in.addr, in.bytes); }
        void operator()(const gsu::Accesses& in) const { unit.announce(in); }
        void operator()(const Performed& in) const { unit.performed(in.accesses); }
        void operator()(const Steps& in) const
        {
            const gsu::Cycle end = unit.replayed_->cycle();  // a forged count would run for ever
            if (in.count > end || unit.now() > end - in.count)
                throw Refusal{GSU_E_ARGUMENT, "the checkpoint steps beyond its own cycle"};
            for (std::uint64_t n = 0; n < in.count; ++n) unit.step();
        }
        void operator()(const GridInput& in) const { unit.grid(in); }
        void operator()(const SkipTo& in) const { unit.skipTo(in.cycle); }
        void operator()(const gsu::CancelAnswer& in) const { unit.answerCancel(in); }
        void operator()(const AtLine& in) const { unit.line(in.line); }
    };
    std::visit(Give{*this}, input);
}

void gsu_unit::play(gsu::capi::Checkpoint& checkpoint)
{
    gsu::capi::Input input;
    while (checkpoint.next(input)) execute(input);
    if (now() != checkpoint.cycle() || !checkpoint.agrees())
        throw Refusal{GSU_E_INTERNAL, "the checkpoint does not repeat itself"};
}

void gsu_unit::restore(const void* data, std::uint64_t bytes)
{
    mayTakeInput();
    if (!journals_) throw Refusal{GSU_E_STATE, "the unit was made without gsu_options::journal"};
    gsu::capi::Checkpoint checkpoint(
        std::span(static_cast<const unsigned char*>(data), static_cast<std::size_t>(bytes)),
        identity_);
    reset();
    replayed_ = &checkpoint;
    try {
        play(checkpoint);
    } catch (...) {
        replayed_ = nullptr;
        stepping_ = reading_ = false;
        reset();
        throw;
    }
    replayed_ = nullptr;
}
