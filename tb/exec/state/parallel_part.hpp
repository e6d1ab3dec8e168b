/// One part of a launch that runs on several threads: some of its SMs (machine/parallel_run.hpp). It must not depend on the other parts. If
/// it would, it calls giveUp(), and the whole launch is repeated on one thread.
#pragma once
#include "exec/state/shared_lines.hpp"

namespace gsu::exec {

class ParallelPart {
public:
    /// The SMs [first, first + count); `lines` outlives it.
    ParallelPart(SharedLines& lines, unsigned part, unsigned first, unsigned count) noexcept
        : lines_(lines), part_(part), first_(first), count_(count)
    {
    }
    [[nodiscard]] unsigned first() const noexcept { return first_; }
    [[nodiscard]] unsigned end() const noexcept { return first_ + count_; }

    /// Abandons the parallel run: its result is not used.
    void giveUp(const char* why) noexcept
    {
        if (why_ == nullptr) why_ = why;
    }
    /// The reason given to giveUp(); nullptr: it was not called.
    [[nodiscard]] const char* why() const noexcept { return why_; }
    /// Call when global memory is read or written.
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
