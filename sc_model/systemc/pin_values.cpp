#include "systemc/pin_values.hpp"

#include <bit>

#include "golden/op_traits.hpp"

namespace gsu::pins {

namespace {

constexpr unsigned kLanesPerBeat = 4;

[[nodiscard]] bool givesLimits(const SyncRequest& r) { return r.kind != 0 && isMbarTryWait(r.op); }

/// Whether one beat serves all lanes of a request: they ask the same (states: the same phase).
[[nodiscard]] bool sameForAll(const SyncRequest& r)
{
    if (!isMbarRequest(r) && !hasValues(r.op)) return false;
    const bool states = isMbarState(r.op);
    bool same = true;
    unsigned lead = kLanes;
    for (unsigned lane = 0; lane < kLanes; ++lane) {
        if ((r.lanes >> lane & 1) == 0) continue;
        if (lead == kLanes) lead = lane;
        same = same && r.addr[lane] == r.addr[lead];
        same = same &&
               (states ? r.data[lane] >> 63 == r.data[lead] >> 63 : r.data[lane] == r.data[lead]);
        same = same && (!givesLimits(r) || r.limit[lane] == r.limit[lead]);
    }
    return same;
}

}  // namespace

raw::SyncReq requestPins(const SyncRequest& r)
{
    raw::SyncReq out = toRaw(r);
    out.bcast = sameForAll(r);
    return out;
}

std::vector<raw::OpndBeat> operandsOf(const SyncRequest& r)
{
    std::vector<raw::OpndBeat> beats;
    if (!isMbarRequest(r) && !hasValues(r.op)) return beats;
    const bool bcast = sameForAll(r);
    for (const bool second : {false, true}) {
        if (second && !givesLimits(r)) break;
        if (bcast) {
            beats.push_back({.quad = 0, .last = false, .half = second, .mask = 1, .lane = {}});
            continue;
        }
        for (unsigned lane = 0; lane < kLanes; ++lane) {
            if ((r.lanes >> lane & 1) == 0) continue;
            const auto quad = std::uint8_t(lane / kLanesPerBeat);
            if (beats.empty() || beats.back().quad != quad || beats.back().half != second)
                beats.push_back(
                    {.quad = quad, .last = false, .half = second, .mask = 0, .lane = {}});
            raw::OpndBeat& beat = beats.back();
            beat.mask = std::uint8_t(beat.mask | 1u << lane % kLanesPerBeat);
        }
    }
    // Lanes without a bit in the mask have any value of the request: they must not be read.
    const auto lead = unsigned(std::countr_zero(r.lanes));
    for (raw::OpndBeat& beat : beats) {
        beat.warp = hasValues(r.op);
        for (unsigned k = 0; k < kLanesPerBeat; ++k) {
            const unsigned lane = bcast ? lead : beat.quad * kLanesPerBeat + k;
            beat.lane[k] = {.addr = r.addr[lane], .data = beat.half ? r.limit[lane] : r.data[lane]};
        }
    }
    if (!beats.empty()) beats.back().last = true;
    return beats;
}

}  // namespace gsu::pins
