/// A run of some of the SMs of a launch beside others (machine/parallel_run.hpp), as its parts see it. What they do may not depend on the others: a part
/// that comes to something else says so, and the launch is executed at once.
#pragma once
#include "exec/state/shared_lines.hpp"

namespace gsu::exec {

class Apart {
public:
    /// SMs [first, first + count); `lines` outlives it.
    Apart(SharedLines& lines, unsigned part, unsigned first, unsigned count) noexcept
        : lines_(lines), part_(part), first_(first), count_(count)
    {
    }
    [[nodiscard]] unsigned first() const noexcept { return first_; }
    [[nodiscard]] unsigned end() const noexcept { return first_ + count_; }

    /// The launch must be executed at once: what comes of this run is not used.
    void leave(const char* why) noexcept
    {
        if (why_ == nullptr) why_ = why;
    }
    /// nullptr: nothing of the kind has happened.
    [[nodiscard]] const char* why() const noexcept { return why_; }
    /// Global memory is read, or written.
    void touch(std::uint64_t address, std::uint64_t bytes, bool writes)
    {
        lines_.touch(part_, address, bytes, writes);
    }

private:
    SharedLines& lines_;
    unsigned part_, first_, count_;
    const char* why_{};
};

}  // namespace gsu::exec
