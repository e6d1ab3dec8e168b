// Ordinary accesses of a replay: announced and performed under the epochs of now, whatever they were when they were recorded.
#include <algorithm>

#include "trace/replayer.hpp"

namespace gsu::trace {

void Replayer::giveAnnounce(Accesses accesses)
{
    const std::uint8_t recorded = accesses.epoch;
    accesses.epoch = port_.epoch(accesses.at, accesses.reach);
    port_.announce(accesses);
    outstanding_.push_back({accesses, recorded});
}

/// Under the epochs of their announcements now. False: on other parameters not all are announced yet.
bool Replayer::givePerform(Accesses accesses)
{
    const auto same = [&](const Outstanding& o) {
        return o.recorded == accesses.epoch && countedFor(o.accesses) == countedFor(accesses) &&
               o.accesses.reach == accesses.reach;
    };
    std::uint32_t there = 0;
    for (const Outstanding& o : outstanding_) there += same(o) ? o.accesses.count : 0u;
    if (there < accesses.count) return false;
    std::uint32_t left = accesses.count;
    for (Outstanding& o : outstanding_) {
        if (left == 0 || !same(o)) continue;
        Accesses some = o.accesses;
        some.count = std::uint16_t(std::min<std::uint32_t>(left, some.count));
        port_.performed(some);
        o.accesses.count = std::uint16_t(o.accesses.count - some.count);
        left -= some.count;
    }
    std::erase_if(outstanding_, [](const Outstanding& o) { return o.accesses.count == 0; });
    return true;
}

}  // namespace gsu::trace
