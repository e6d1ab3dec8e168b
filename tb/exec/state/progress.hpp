/// The clock of a run and the counters of its progress: changes of memory and of barriers, instructions, the simulator's own work. The detection of hangs and
/// the limits of RunOptions read them (hang_watch.cpp, loop_watcher.cpp).
#pragma once
#include <algorithm>
#include <cassert>
#include <cstdint>

#include "golden/types.hpp"

namespace gsu::exec {

class Progress {
public:
    /// Counters of a run. `quiet`: instructions without a change before loops are compared (ExecParams::quiet).
    explicit Progress(std::uint32_t quiet) noexcept : quiet_(quiet) {}

    /// The cycle that is being executed.
    [[nodiscard]] Cycle now() const noexcept { return now_; }
    void setNow(Cycle now) noexcept
    {
        assert(now >= now_);
        now_ = now;
    }

    /// Counts warp instructions with this many threads each.
    void issued(unsigned threads, std::uint32_t times = 1) noexcept
    {
        instructions_ += times;
        threadInstructions_ += std::uint64_t{threads} * times;
    }
    [[nodiscard]] std::uint64_t instructions() const noexcept { return instructions_; }
    [[nodiscard]] std::uint64_t threadInstructions() const noexcept { return threadInstructions_; }

    /// Call when memory or a barrier has changed, or something that waited continues; `times`: from 1.
    void changed(std::uint64_t times = 1) noexcept
    {
        changes_ += times;
        moved();
        lastChangeAt_ = now_;
    }
    /// Makes loops be compared afresh, at once: an unreported change may have happened.
    void again() noexcept { ++changes_; }
    /// Call when held lanes continue: loops are examined afresh, though nothing has changed.
    void moved() noexcept { lastChange_ = instructions_; }
    [[nodiscard]] std::uint64_t changes() const noexcept { return changes_; }
    [[nodiscard]] Cycle lastChangeAt() const noexcept { return lastChangeAt_; }
    /// True if nothing has changed for so long that comparing loops is worth it; suspended waits make loops of few instructions slow.
    [[nodiscard]] bool settled() const noexcept
    {
        constexpr Cycle kClocksPerInstruction = 64;
        return instructions_ - lastChange_ >= quiet_ ||
               now_ - lastChangeAt_ >= kClocksPerInstruction * quiet_;
    }

    /// Counts an executed cycle.
    void turn() noexcept
    {
        ++turns_;
        if (workChanges_ == changes_) return;
        workChanges_ = changes_;
        quietFrom_ = work();
    }
    /// How far the counters may go before somebody has to look at them.
    struct Room {
        std::uint64_t instructions{};  ///< fewer
        std::uint64_t quiet{}, cta{};  ///< at most as much quietWork() and ctaWork()
    };
    /// Evaluates the next cycle as turn() does; false, and does not, if there is no room for it or it is one of each 4096.
    [[nodiscard]] bool turnWithin(const Room& room) noexcept
    {
        const std::uint64_t then = work() + kTurn;
        const bool quiet = workChanges_ == changes_;
        if (instructions_ >= room.instructions || (quiet && then - quietFrom_ > room.quiet) ||
            then - ctaFrom_ > room.cta || (turns_ + 1) % kLook == 0)
            return false;
        turn();
        return true;
    }
    /// So many of the next cycles are evaluated as turn() does whatever they issue, up to `most` instructions each, if nothing changes.
    [[nodiscard]] std::uint64_t turnsWithin(const Room& room, std::uint64_t most) const noexcept
    {
        const auto left = [](std::uint64_t limit, std::uint64_t used) {
            return limit > used ? limit - used : 0;
        };
        const std::uint64_t each = most + kTurn;
        return std::min({left(room.instructions, instructions_) / each,
                         left(room.quiet, quietWork()) / each, left(room.cta, ctaWork()) / each,
                         kLook - 1 - turns_ % kLook});
    }
    /// Evaluates one of them; false, and does not, if something has changed since.
    [[nodiscard]] bool turnUnchanged() noexcept
    {
        if (workChanges_ != changes_) return false;
        ++turns_;
        return true;
    }
    /// Whoever looks at a run does so in each of so many evaluated cycles.
    static constexpr std::uint64_t kLook = 4096;
    /// Number of executed cycles.
    [[nodiscard]] std::uint64_t turns() const noexcept { return turns_; }
    /// Call when a CTA has started or ended.
    void ctaMoved() noexcept { ctaFrom_ = work(); }
    /// Work since the last change (RunOptions::quietWork), and since a CTA started or ended (RunOptions::ctaWork).
    [[nodiscard]] std::uint64_t quietWork() const noexcept { return work() - quietFrom_; }
    [[nodiscard]] std::uint64_t ctaWork() const noexcept { return work() - ctaFrom_; }

private:
    static constexpr std::uint64_t kTurn = 16;  ///< instructions that are as much work as a turn
    [[nodiscard]] std::uint64_t work() const noexcept { return instructions_ + kTurn * turns_; }

    std::uint32_t quiet_;
    Cycle now_{};
    std::uint64_t instructions_{};
    std::uint64_t changes_{}, lastChange_{};  ///< instructions at the last change
    std::uint64_t threadInstructions_{};
    Cycle lastChangeAt_{};
    std::uint64_t turns_{};
    std::uint64_t workChanges_{},
        quietFrom_{};  ///< `changes_`, and the work done, when they last differed
    std::uint64_t ctaFrom_{};
};

}  // namespace gsu::exec
