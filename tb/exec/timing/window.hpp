/// Window of a warp: how far a later instruction of a basic block may issue before a stalled one, as the assembler would have placed it.
#pragma once
#include <vector>

#include "exec/timing/instruction.hpp"

namespace gsu::timing {

class Window {
public:
    struct Past {
        Cycle front{};  ///< as front(), when it had issued
        Cycle at{};
        Stall why{};
        Order order{Order::Free};
        Footprint footprint;  ///< of Load and Store
    };

    /// `width` instructions: 1 is the order of the text.
    explicit Window(unsigned width, Cycle begin = 0) : ring_(width), front_(begin), floor_(begin) {}

    /// The least clock that the instructions before it leave. When order and not one of them holds it: the cause of whoever issues last.
    [[nodiscard]] Wait earliest(Order order) const noexcept
    {
        Wait wait{floor_, Stall::Issue};
        // Else: the window is full of what came after the oldest.
        wait.later({order == Order::Fixed ? front_ : ring_[next_].front, last_});
        return wait;
    }
    /// Nor before `wait`: of a load or store, behind those that may alias.
    [[nodiscard]] Wait behind(Wait wait, Order order, const Footprint& footprint) const noexcept;
    /// The next instruction in text order issues at `at` and holds the warp for `hold` clocks; `why`: what it waited for. The caller gives a load or
    /// store its footprint.
    Past& issued(Order order, Cycle at, std::uint32_t hold, Stall why) noexcept
    {
        if (at + hold > front_) {
            front_ = at + hold;
            last_ = why;
        }
        if (order == Order::Fixed) floor_ = front_;
        Past& past = ring_[next_];
        past.front = front_;
        past.at = at;
        past.why = why;
        past.order = order;
        next_ = next_ + 1 < ring_.size() ? next_ + 1 : 0;
        return past;
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
    std::vector<Past> ring_;
    std::size_t next_{};
    Cycle front_{}, floor_{};
    Stall last_{Stall::Issue};  ///< what the instruction that issues last waited for
};

}  // namespace gsu::timing
