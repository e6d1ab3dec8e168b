#include "capi/barrier_mirror.hpp"

#include "golden/op_traits.hpp"

namespace gsu::capi {

void BarrierMirror::saw(const Commit& c)
{
    Cta& cta = at(c.at.sm, c.at.cta);
    if (tellsMbarrier(c)) {
        Mbarrier& object = cta.mbarriers[clusterOffset(c.object)];
        object.word = c.newWord;
        object.known = true;
        object.phases += c.flip ? 1 : 0;
        return;
    }
    if (c.unit == Unit::Named) {
        // The exit of a warp is reported once for the CTA, and once more for each barrier that it completes.
        if (c.object >= kMaxBars || c.refused || (c.op == Op::EvWarpExit && !c.flip)) return;
        cta.named[c.object] = c.newWord;
        cta.completions[c.object] += c.flip ? 1 : 0;
        return;
    }
    if (c.unit != Unit::Cluster || c.refused) return;
    cta.clusterArrived = static_cast<Lanes>(c.newWord);
    cta.generations += c.op == Op::EvClusterFlip ? 1 : 0;
}

void BarrierMirror::stored(unsigned sm, unsigned cta, std::uint32_t from, std::uint32_t bytes)
{
    for (auto& [offset, object] : at(sm, cta).mbarriers) {
        const bool hit = std::uint64_t{offset} + 8 > from && offset < std::uint64_t{from} + bytes;
        object.known = object.known && !hit;
    }
}

BarrierMirror::Mbarrier BarrierMirror::mbarrier(unsigned sm, unsigned cta,
                                                std::uint32_t offset) const
{
    const auto& objects = at(sm, cta).mbarriers;
    const auto found = objects.find(offset);
    return found != objects.end() ? found->second : Mbarrier{};
}

}  // namespace gsu::capi
