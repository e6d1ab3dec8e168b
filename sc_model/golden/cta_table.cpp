#include "golden/cta_table.hpp"

namespace gsu {

bool CtaTable::launch(const Launch& launch) noexcept
{
    const unsigned warps = warpsOf(launch.threads);
    if (launch.cta >= kMaxCtas || warps == 0 || warps > kMaxWarps) return false;
    if (launch.wbase + warps > kMaxWarpSlots) return false;
    CtaEntry& entry = entries_[launch.cta];
    if (entry.used) return false;
    entry = {launch, true, firstBits(warps), {}};
    for (unsigned w = 0; w < warps; ++w) entry.live[w] = entry.launched(w);
    return true;
}

bool CtaTable::exit(unsigned cta, unsigned warp, Lanes lanes) noexcept
{
    CtaEntry& entry = entries_[cta];
    const Lanes before = entry.live[warp];
    entry.live[warp] = before & ~lanes;
    if (before == 0 || entry.live[warp] != 0) return false;
    entry.liveWarps &= ~(Lanes{1} << warp);
    return true;
}

}  // namespace gsu
