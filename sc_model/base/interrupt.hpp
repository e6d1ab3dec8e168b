/// SIGINT and SIGTERM as a flag that loops test, so that a run ends with its report and complete files.
#pragma once
#include <atomic>

namespace gsu {

/// The flag that the first SIGINT or SIGTERM after catchInterrupts() sets; for options that take a flag to stop at.
[[nodiscard]] const std::atomic<bool>& interruptFlag() noexcept;

/// Makes both signals set the flag, except a signal that the process was started to ignore. A second signal at least one second later ends
/// the process at once with status 128 + signal; files under temporary names are removed even then. (Not sooner: timeout(1), for one, sends
/// its signal twice.) Writing past a file size limit becomes an error of that write.
void catchInterrupts();

/// Thrown when an interrupt comes before there is a result that could say "interrupted".
struct Interrupted {};

inline void throwIfInterrupted(const std::atomic<bool>* flag)
{
    if (flag != nullptr && flag->load(std::memory_order_relaxed)) throw Interrupted{};
}

}  // namespace gsu
