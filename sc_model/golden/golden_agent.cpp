// Arrivals of agents that are no threads, on the golden port.
#include "golden/golden_port.hpp"

namespace gsu {

/// tcgen05.commit: one arrival at the same offset in each CTA of the mask, its own at once. A mask that names no CTA, or a CTA that the
/// cluster does not have, does nothing.
void GoldenPort::mbarAgent(const AsyncUpdate& u)
{
    const WarpRef at{u.sm, u.cta, u.warp};
    const CtaEntry& entry = unit_.cta(at);
    const Launch& own = entry.launch;
    const std::uint32_t offset = clusterOffset(u.addr);
    const std::uint8_t rank = own.ctas > 1 ? own.rank : std::uint8_t{0};
    const MbarUse use{at,
                      static_cast<std::uint16_t>(u.tag & 0xfff),
                      clusterAddress(rank, offset),
                      own.base + offset,
                      {Op::EvAgentArrive, 1, false},
                      false,
                      Src::Agent};
    if (!entry.used || own.era != u.era || u.amount == 0 || u.amount >> own.ctas != 0)
        return mbarRefuse(use, 1, kMbErrUndeliverable);
    for (std::uint8_t to = 0; to < own.ctas; ++to) {
        if ((u.amount >> to & 1) == 0 || to == rank) continue;
        packets_.push_back(packetOf(at, Op::EvAgentArrive, use.tag, 0, 1, to, offset));
        ++sms_[at.sm].owed[at.cta];
    }
    if ((u.amount >> rank & 1) == 0) return;
    const std::uint16_t errs = mbarOffsetErrs(offset, own.size);
    if (errs != 0) return mbarRefuse(use, 1, errs);
    std::uint64_t result = 0;
    bool refused = false;
    (void)mbarUpdate(use, 1, result, refused);
}

}  // namespace gsu
