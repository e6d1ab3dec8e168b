/// Window of a warp: how far a later instruction of a basic block may issue before a stalled one, as the assembler would have placed it.
#pragma once
#include <vector>

#include "exec/timing/instruction.hpp"

namespace gsu::timing {

class Window {
public:
    /// `width` instructions: 1 is the order of the text.
    explicit Window(unsigned width, Cycle begin = 0) : ring_(width), front_(begin), floor_(begin) {}

    /// The least clock that the instructions before it leave. When order and not one of them holds it: the cause of whoever issues last.
    [[nodiscard]] Wait earliest(Order order, const Footprint& footprint) const noexcept;
    /// The next instruction in text order issues at `at` and holds the warp for `hold` clocks; `why`: what it waited for.
    void issued(Order order, const Footprint& footprint, Cycle at, std::uint32_t hold,
                Stall why) noexcept;
    /// Nothing of the warp issues before `at`: it waited for a barrier, for copies, for its branch.
    void block(Cycle at) noexcept
    {
        front_ = std::max(front_, at);
        floor_ = std::max(floor_, at);
    }
    /// All instructions so far have issued before it.
    [[nodiscard]] Cycle front() const noexcept { return front_; }

private:
    struct Past {
        Cycle front{};  ///< as front(), when it had issued
        Cycle at{};
        Stall why{};
        Order order{Order::Free};
        Footprint footprint;
    };
    std::vector<Past> ring_;
    std::size_t next_{};
    Cycle front_{}, floor_{};
    Stall last_{Stall::Issue};  ///< what the instruction that issues last waited for
};

}  // namespace gsu::timing
