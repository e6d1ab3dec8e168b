/// IssueSlots: the issue clocks of the schedulers of an SM, one instruction a clock each, and the pipes behind each of them.
#pragma once
#include <vector>

#include "exec/timing/calendar.hpp"
#include "exec/timing/instruction.hpp"

namespace gsu::timing {

class IssueSlots {
public:
    static constexpr unsigned kSchedulers = 4;

    /// Issues on a scheduler, from `at` on, as soon as its slot and then the pipe for `interval` clocks are free.
    /// Nobody issues before `now` any more, and `at` is no earlier.
    Cycle take(unsigned scheduler, Pipe pipe, unsigned interval, Cycle at, Cycle now) noexcept;
    /// Clocks in which the schedulers issued, and for which they had this pipe taken.
    [[nodiscard]] Cycle issued() const noexcept;
    [[nodiscard]] Cycle busy(Pipe pipe) const noexcept;

private:
    struct Scheduler {
        Calendar issue;
        std::array<Calendar, kPipes> pipes;
    };
    std::vector<Scheduler> schedulers_{kSchedulers};
};

}  // namespace gsu::timing
