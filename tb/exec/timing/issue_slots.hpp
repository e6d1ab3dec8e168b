/// IssueSlots: the issue clocks of the schedulers of an SM, one instruction a clock each, and the pipes behind each of them.
#pragma once
#include "exec/timing/calendar.hpp"

namespace gsu::timing {

class IssueSlots {
public:
    static constexpr unsigned kSchedulers = 4;

    [[nodiscard]] Calendar& of(unsigned scheduler) noexcept { return schedulers_[scheduler]; }
    /// wgmma executes from clock `from` up to `to`.
    void multiplies(Cycle from, Cycle to, const KeptClocks& kept) noexcept
    {
        for (Calendar& s : schedulers_) s.keep(from, to, kept);
    }
    /// Clocks in which the schedulers issued, and for which they had this pipe taken.
    [[nodiscard]] Cycle issued() const noexcept { return busy(Pipe::None); }
    [[nodiscard]] Cycle busy(Pipe pipe) const noexcept
    {
        Cycle sum = 0;
        for (const Calendar& s : schedulers_) sum += s.busy(pipe);
        return sum;
    }

private:
    std::array<Calendar, kSchedulers> schedulers_;
};

}  // namespace gsu::timing
