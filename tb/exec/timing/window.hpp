/// Window of a warp: how far a later instruction of a basic block may issue before a stalled one, as the assembler would have placed it.
#pragma once
#include <array>
#include <vector>

#include "exec/timing/instruction.hpp"

namespace gsu::timing {

class Window {
public:
    /// `width` instructions, 1..64: 1 is the order of the text.
    explicit Window(unsigned width) : width_(static_cast<std::uint8_t>(width)), accesses_(width) {}

    /// A warp begins.
    void begin(Cycle at) noexcept
    {
        fronts_ = {};
        accessed_ = stores_ = next_ = 0;
        front_ = floor_ = at;
        last_ = Stall::Issue;
    }
    /// The least clock that the instructions before it leave. When order and not one of them holds it: the cause of whoever issues last.
    [[nodiscard]] Wait earliest(Order order) const noexcept
    {
        Wait wait{floor_, Stall::Issue};
        // Else: the window is full of what came after the oldest.
        wait.later({order == Order::Fixed ? front_ : fronts_[next_], last_});
        return wait;
    }
    /// The same of Order::Free, of rank 14 or more.
    [[nodiscard]] PackedWait earliestFree() const noexcept
    {
        return std::max(ranked(packed(floor_, Stall::Issue), 15),
                        ranked(packed(fronts_[next_], last_), 14));
    }
    /// Nor before `wait`: of a load or store, behind those that may alias.
    [[nodiscard]] Wait behind(Wait wait, Order order, const Footprint& footprint) const noexcept;
    /// The next instruction in text order issues at `at` and holds the warp for `hold` clocks; `why`: what it waited for.
    void issued(Order order, Cycle at, std::uint32_t hold, Stall why) noexcept
    {
        if (at + hold > front_) {
            front_ = at + hold;
            last_ = why;
        }
        if (order == Order::Fixed) floor_ = front_;
        step();
    }
    /// The same of Order::Free, for what front() is then.
    void issuedFree(Cycle front, Stall why) noexcept
    {
        last_ = front > front_ ? why : last_;
        front_ = front;
        step();
    }
    /// The same of a load or store.
    void issued(Order order, Cycle at, std::uint32_t hold, Stall why,
                const Footprint& footprint) noexcept
    {
        const std::size_t place = next_;
        issued(order, at, hold, why);
        accessed_ |= std::uint64_t{1} << place;
        if (order == Order::Store) stores_ |= std::uint64_t{1} << place;
        accesses_[place] = {at, why, footprint};
    }
    /// Nothing of the warp issues before `at`: it waited for a barrier, for copies, for its branch.
    void block(Cycle at) noexcept
    {
        front_ = std::max(front_, at);
        floor_ = std::max(floor_, at);
    }
    /// All instructions so far have issued before it.
    [[nodiscard]] Cycle front() const noexcept { return front_; }

private:
    void step() noexcept
    {
        fronts_[next_] = front_;
        if (accessed_ != 0) {
            const std::uint64_t rest = ~(std::uint64_t{1} << next_);
            accessed_ &= rest;
            stores_ &= rest;
        }
        const auto next = static_cast<std::uint8_t>(next_ + 1);
        next_ = next == width_ ? 0 : next;
    }
    struct Access {
        Cycle at{};
        Stall why{};
        Footprint footprint;
    };
    Cycle front_{}, floor_{};
    std::uint64_t accessed_{};  ///< a bit for each place of the rings: loads and stores
    std::uint8_t next_{}, width_;
    Stall last_{Stall::Issue};  ///< stall of the instruction that issues last
    std::array<Cycle, 64>
        fronts_{};            ///< a ring: front() when each of the last instructions had issued
    std::uint64_t stores_{};  ///< of accessed_
    std::vector<Access> accesses_;  ///< the same ring, of these
};

}  // namespace gsu::timing
