/// StepPool: shares the independent parts of one simulation cycle with a second thread.
///
/// A thread takes the next free part: the caller never waits for a part that has not begun. It does wait for a part that the helper has
/// begun and lost its processor in; worthwhile() notices when that costs more than the sharing gains. Results do not depend on which thread
/// evaluates a part: parts share no data.
#pragma once
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>

namespace gsu {

class StepPool {
public:
    /// Starts one helper thread, which takes no signals.
    StepPool();
    ~StepPool();
    StepPool(const StepPool&) = delete;
    StepPool& operator=(const StepPool&) = delete;

    /// Calls work(context, part) once for each part below `parts` (at most 64), on this thread and the helper; returns when all are done.
    void run(unsigned parts, void (*work)(void*, unsigned), void* context);
    /// Whether to share the next cycle, of `parts` parts. On a busy machine sharing can be much slower than one thread. So both ways are
    /// timed now and then, and the faster one is used.
    [[nodiscard]] bool worthwhile(unsigned parts);
    /// Number of calls of run() so far.
    [[nodiscard]] std::uint64_t rounds() const noexcept { return rounds_; }

private:
    using Clock = std::chrono::steady_clock;
    enum class Phase : std::uint8_t { TryShared, TryAlone, Go };
    void nextPhase();

    void serve();
    /// Takes and does parts of round `round` until none is free.
    void drain(std::uint32_t round);

    // {round, parts, parts taken}: one word, so that a helper that comes late cannot take a part of a later round by mistake.
    // While a part of a round is not done, work_ and context_ are those of the round.
    std::atomic<std::uint64_t> ticket_{0};
    std::atomic<unsigned> done_{0};
    void (*work_)(void*, unsigned){};
    void* context_{};
    std::atomic<bool> asleep_{false}, stop_{false};
    std::mutex mutex_;
    std::condition_variable wake_;
    std::uint64_t rounds_{};
    Phase phase_{Phase::TryShared};
    bool share_{true};
    unsigned left_{kTrial};  ///< cycles left in this trial
    std::uint64_t parts_{};  ///< parts in this trial
    double sharedTime_{};    ///< seconds per part, in the last trial
    Clock::time_point begun_{Clock::now()};
    static constexpr unsigned kTrial = 512, kGo = 1u << 15;
    std::thread helper_;
};

}  // namespace gsu
