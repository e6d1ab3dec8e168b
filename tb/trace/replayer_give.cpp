// The replayer's inputs that are not steps of a warp: routes, grids, launches, accesses.
#include <algorithm>

#include "trace/replayer.hpp"

namespace gsu::trace {

void Replayer::setMemory(SharedMemory& memory)
{
    // Other drivers record no parameters of an executor, and their memory keeps what an earlier CTA wrote.
    words_ = program_.header.exec.empty() ? nullptr : &memory;
}

/// Clears the words that overlap [addr, addr+bytes).
void Replayer::clear(std::uint8_t sm, std::uint32_t addr, std::uint32_t bytes)
{
    constexpr std::uint32_t kWord = 8;
    if (words_ == nullptr) return;
    for (std::uint32_t at = addr & ~(kWord - 1); at < addr + bytes; at += kWord)
        words_->writeWord(sm, at, 0);
}

bool Replayer::giveLaunch(const Launch& launch)
{
    for (unsigned w = 0; w < kMaxWarps;
         ++w) {  // with other parameters the slot may still be in use
        if (warps_[OpenTable::indexOf({launch.sm, launch.cta, std::uint8_t(w)})].live != 0)
            return false;
    }
    if (!port_.launch(launch)) return false;
    clear(launch.sm, launch.base, launch.size);
    return true;
}

void Replayer::launched(const Control& c, Cycle now)
{
    for (unsigned w = 0; w < warpsOf(c.launch.threads); ++w) {
        const auto index = OpenTable::indexOf({c.launch.sm, c.launch.cta, std::uint8_t(w)});
        Warp& warp = warps_[index];
        warp.live = lanesOf(c.launch.threads, w);
        warp.answered.set(warp.live, warp.live, now);
        wake({c.launch.sm, c.launch.cta, std::uint8_t(w)}, warp.live, now);
    }
    attach(c.attached, now);
}

bool Replayer::giveControl(const Control& c, Cycle now)
{
    switch (c.what) {
        case Control::What::Route: port_.route(c.route); break;
        case Control::What::Grid:
            if (!c.grid.ended && !c.grid.fewer && (grids_ >> c.grid.grid & 1) != 0)
                return false;  // likewise
            grids_ |= 1u << c.grid.grid;
            port_.grid(c.grid);
            break;
        case Control::What::Launch:
            if (!giveLaunch(c.launch)) return false;
            break;
    }
    ++nextControl_;
    controlScheduled_ = false;
    if (c.what == Control::What::Launch) launched(c, now);
    scheduleControl();
    return true;
}

void Replayer::giveAnnounce(Accesses accesses)
{
    const std::uint8_t recorded = accesses.epoch;
    accesses.epoch = port_.epoch(accesses.at, accesses.reach);
    port_.announce(accesses);
    outstanding_.push_back({accesses, recorded});
}

/// Performs accesses under the current epochs of their announcements. False: with other parameters, not all are announced yet.
bool Replayer::givePerform(Accesses accesses)
{
    const auto same = [&](const Outstanding& o) {
        return o.recorded == accesses.epoch && countedFor(o.accesses) == countedFor(accesses) &&
               o.accesses.reach == accesses.reach;
    };
    std::uint32_t there = 0;
    for (const Outstanding& o : outstanding_) there += same(o) ? o.accesses.count : 0u;
    if (there < accesses.count) return false;
    // Those of one epoch are performed in one call, as they were recorded: each call takes a clock of the port.
    Accesses some = accesses;
    some.count = 0;
    std::uint32_t left = accesses.count;
    for (Outstanding& o : outstanding_) {
        if (left == 0 || !same(o)) continue;
        if (some.count != 0 && some.epoch != o.accesses.epoch) {
            port_.performed(some);
            some.count = 0;
        }
        const auto taken = std::uint16_t(std::min<std::uint32_t>(left, o.accesses.count));
        some.epoch = o.accesses.epoch;
        some.count = std::uint16_t(some.count + taken);
        o.accesses.count = std::uint16_t(o.accesses.count - taken);
        left -= taken;
    }
    if (some.count != 0) port_.performed(some);
    std::erase_if(outstanding_, [](const Outstanding& o) { return o.accesses.count == 0; });
    return true;
}

}  // namespace gsu::trace
