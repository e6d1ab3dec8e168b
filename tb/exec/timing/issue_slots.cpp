#include "exec/timing/issue_slots.hpp"

namespace gsu::timing {

Cycle IssueSlots::take(unsigned scheduler, Pipe pipe, unsigned interval, Cycle at,
                       Cycle now) noexcept
{
    Scheduler& s = schedulers_[scheduler];
    Calendar& unit = s.pipes[static_cast<std::size_t>(pipe)];
    s.issue.forget(now);
    unit.forget(now);
    if (pipe == Pipe::None || interval == 0) return s.issue.take(at, 1);
    for (;;) {
        at = s.issue.find(at, 1);
        const Cycle free = unit.find(at, interval);
        if (free == at) break;
        at = free;
    }
    unit.put(at, interval);
    s.issue.put(at, 1);
    return at;
}

Cycle IssueSlots::issued() const noexcept
{
    Cycle sum = 0;
    for (const Scheduler& s : schedulers_) sum += s.issue.busy();
    return sum;
}

Cycle IssueSlots::busy(Pipe pipe) const noexcept
{
    Cycle sum = 0;
    for (const Scheduler& s : schedulers_) sum += s.pipes[static_cast<std::size_t>(pipe)].busy();
    return sum;
}

}  // namespace gsu::timing
