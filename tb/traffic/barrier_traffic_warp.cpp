// Rendezvous under a member mask: bar.warp.sync, vote, match, redux, elect.
#include <algorithm>

#include "golden/warp_ops.hpp"
#include "traffic/barrier_traffic.hpp"

namespace gsu::traffic {

bool BarrierTraffic::warpSync(Cta& cta, unsigned index, Lanes loose)
{
    Warp& w = cta.warp[index];
    const auto slot = std::find(w.masks.begin(), w.masks.end(), 0u);
    if (slot == w.masks.end()) return false;
    Lanes mask = random_.percent(30) ? loose : random_.subset(loose);
    const Lanes lanes = random_.percent(40) ? mask : random_.subset(mask);
    const Lanes absent = ~w.live;  // exited lanes are reported, lanes that never existed are not
    if (random_.percent(30)) mask |= absent & static_cast<Lanes>(random_.next());
    const Lanes strangers =
        random_.percent(options_.illegal) ? random_.subset(loose) & ~mask : 0;  // BWS-003
    // The same mask with another result would join this rendezvous, so it is left to its own lanes.
    if (std::find(w.masks.begin(), w.masks.end(), mask) != w.masks.end()) return false;
    *slot = mask;
    const auto at = static_cast<std::size_t>(slot - w.masks.begin());
    w.forms[at] = options_.warpOps != 0 && random_.percent(options_.warpOps)
                      ? someForm()
                      : static_cast<std::uint16_t>(unsigned(Op::WarpSync) << 8);
    stats_.strangers += strangers != 0;
    return meet(cta, index, at, lanes | strangers);
}

bool BarrierTraffic::meet(Cta& cta, unsigned index, std::size_t slot, Lanes lanes)
{
    const Warp& w = cta.warp[index];
    SyncRequest r = request(cta, index, static_cast<Op>(w.forms[slot] >> 8), lanes);
    r.arg0 = w.masks[slot];
    r.kind = static_cast<std::uint8_t>(w.forms[slot]);
    if (r.op == Op::WarpSync) return present(cta, r);
    static constexpr std::array<std::uint64_t, 6> kValues{0,           1,           0x8000'0000,
                                                          0x7fc0'0001, 0xffff'ffff, 0x1'0000'0001};
    for (std::uint64_t& value : r.data)
        value = random_.percent(5) ? random_.next() : kValues[random_.below(kValues.size())];
    if (random_.percent(30)) r.data.fill(kValues[random_.below(kValues.size())]);
    return present(cta, r);
}

/// A random operation that meets under a mask, with qualifiers.
std::uint16_t BarrierTraffic::someForm()
{
    static constexpr std::array kOps{Op::VoteSync, Op::MatchAny, Op::MatchAll, Op::Redux,
                                     Op::Elect};
    const Op op = kOps[random_.below(kOps.size())];
    unsigned kind = random_.below(64);
    while (!hasForm(op, static_cast<std::uint8_t>(kind))) kind = random_.below(64);
    return static_cast<std::uint16_t>(unsigned(op) << 8 | kind);
}

}  // namespace gsu::traffic
