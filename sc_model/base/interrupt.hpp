/// SIGINT and SIGTERM as a flag that loops test, so that a run ends with its report and complete files.
#pragma once
#include <atomic>

namespace gsu {

/// Set by the first SIGINT or SIGTERM after catchInterrupts(); for options that take a flag to stop at.
[[nodiscard]] const std::atomic<bool>& interruptFlag() noexcept;

/// From now on both signals set the flag, except one that the process was started to ignore. Whoever insists a second later or more ends the
/// process at once with status 128 + signal; files under temporary names are removed even then. (Not sooner: timeout(1), for
/// one, sends its signal twice.) Writing past a file size limit becomes an error of that write.
void catchInterrupts();

/// Thrown where there is no result yet that could say "interrupted".
struct Interrupted {};

inline void throwIfInterrupted(const std::atomic<bool>* flag)
{
    if (flag != nullptr && flag->load(std::memory_order_relaxed)) throw Interrupted{};
}

}  // namespace gsu
