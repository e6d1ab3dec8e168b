#include "lockstep/describe.hpp"

#include <fmt/format.h>

#include <bit>

namespace gsu::lockstep {

std::string hex(std::uint64_t value) { return fmt::format("{:#x}", value); }

std::string describe(const WarpRef& at)
{
    return fmt::format("sm {} cta {} warp {}", at.sm, at.cta, at.warp);
}

std::string describe(const Commit& c)
{
    return fmt::format("{} commit {} of {} lanes {:#x} tag {} object {} errs {:#x} src {}{}{} "
                       "words {:#x} -> {:#x}",
                       nameOf(c.unit), nameOf(c.op), describe(c.at), c.lanes, c.tag, c.object,
                       c.errs, nameOf(c.src), c.flip ? " flip" : "", c.refused ? " refused" : "",
                       c.oldWord, c.newWord);
}

std::string describe(const SyncResponse& r)
{
    return fmt::format("response tag {} of {} lanes {:#x} cause {} pred {:#x} value {:#x}{}", r.tag,
                       describe(r.at), r.lanes, nameOf(r.cause), r.pred, r.value,
                       r.last ? " last" : "");
}

std::string describe(const Release& r)
{
    return fmt::format(
        "release of sm {} cta {}{} warps {:#x} lanes {:#x} popc {} all {:d} any {:d}", r.sm, r.cta,
        r.cluster ? " cluster barrier" : fmt::format(" barrier {}", r.id), r.warps, r.lanes, r.popc,
        r.all, r.any);
}

std::string describe(const JoinGroup& g)
{
    std::string ops;
    for (std::uint64_t rest = g.ops; rest != 0; rest &= rest - 1) {
        if (!ops.empty()) ops += '+';
        ops += nameOf(static_cast<Op>(std::countr_zero(rest)));
    }
    return fmt::format(
        "request {} of {} lanes {:#x} tag {} arg0 {:#x} arg1 {}{} presented in cycle {}", ops,
        describe(g.at), g.lanes, g.tag, g.arg0, g.arg1,
        g.family == Family::WarpOp ? fmt::format(" kind {}", g.kind()) : "", g.since);
}

std::string describe(const NamedBarrier& b)
{
    switch (b.mode) {
        case NamedBarrier::Mode::Idle: return "idle";
        case NamedBarrier::Mode::Explicit:
        case NamedBarrier::Mode::Implicit: break;
    }
    return fmt::format(
        "{} count {} arrivals {} arrived {:#x} waiting {:#x} redops {} popc {} all {:d} any {:d}",
        b.mode == NamedBarrier::Mode::Explicit ? "explicit" : "implicit", b.count, b.n, b.arrived,
        b.waiting, b.redops, b.popc, b.all, b.any);
}

std::string describeCluster(std::uint64_t word, std::uint32_t generation)
{
    return fmt::format("live {:#x} arrived {:#x} generation {}", word >> 32, word & 0xffff'ffff,
                       generation);
}

}  // namespace gsu::lockstep
