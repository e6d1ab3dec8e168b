#include "lockstep/describe.hpp"

#include <bit>

namespace gsu::lockstep {

std::string hex(std::uint64_t value)
{
    constexpr const char* kDigits = "0123456789abcdef";
    std::string text;
    do {
        text.insert(text.begin(), kDigits[value & 15]);
        value >>= 4;
    } while (value != 0);
    return "0x" + text;
}

std::string describe(const WarpRef& at)
{
    return "sm " + std::to_string(at.sm) + " cta " + std::to_string(at.cta) + " warp " +
           std::to_string(at.warp);
}

std::string describe(const Commit& c)
{
    std::string text = std::string(nameOf(c.unit)) + " commit " + nameOf(c.op) + " of " +
                       describe(c.at) + " lanes " + hex(c.lanes) + " tag " + std::to_string(c.tag) +
                       " object " + std::to_string(c.object) + " errs " + hex(c.errs) + " src " +
                       nameOf(c.src);
    if (c.flip) text += " flip";
    if (c.refused) text += " refused";
    return text + " words " + hex(c.oldWord) + " -> " + hex(c.newWord);
}

std::string describe(const SyncResponse& r)
{
    return "response tag " + std::to_string(r.tag) + " of " + describe(r.at) + " lanes " +
           hex(r.lanes) + " cause " + nameOf(r.cause) + " pred " + hex(r.pred) + " value " +
           hex(r.value) + (r.last ? " last" : "");
}

std::string describe(const Release& r)
{
    return "release of sm " + std::to_string(r.sm) + " cta " + std::to_string(r.cta) +
           (r.cluster ? " cluster barrier" : " barrier " + std::to_string(r.id)) + " warps " +
           hex(r.warps) + " lanes " + hex(r.lanes) + " popc " + std::to_string(r.popc) + " all " +
           std::to_string(r.all) + " any " + std::to_string(r.any);
}

std::string describe(const JoinGroup& g)
{
    std::string ops;
    for (std::uint64_t rest = g.ops; rest != 0; rest &= rest - 1) {
        if (!ops.empty()) ops += '+';
        ops += nameOf(static_cast<Op>(std::countr_zero(rest)));
    }
    return "request " + ops + " of " + describe(g.at) + " lanes " + hex(g.lanes) + " tag " +
           std::to_string(g.tag) + " arg0 " + hex(g.arg0) + " arg1 " + std::to_string(g.arg1) +
           (g.form != 0 ? " kind " + std::to_string(g.kind()) : "") + " presented in cycle " +
           std::to_string(g.since);
}

std::string describe(const NamedBarrier& b)
{
    switch (b.mode) {
        case NamedBarrier::Mode::Idle: return "idle";
        case NamedBarrier::Mode::Explicit:
        case NamedBarrier::Mode::Implicit: break;
    }
    return std::string(b.mode == NamedBarrier::Mode::Explicit ? "explicit" : "implicit") +
           " count " + std::to_string(b.count) + " arrivals " + std::to_string(b.n) + " arrived " +
           hex(b.arrived) + " waiting " + hex(b.waiting) + " redops " + std::to_string(b.redops) +
           " popc " + std::to_string(b.popc) + " all " + std::to_string(b.all) + " any " +
           std::to_string(b.any);
}

std::string describeCluster(std::uint64_t word, std::uint32_t generation)
{
    return "live " + hex(word >> 32) + " arrived " + hex(word & 0xffff'ffff) + " generation " +
           std::to_string(generation);
}

}  // namespace gsu::lockstep
