/// StepPool: shares the independent parts of one simulation cycle with a second thread.
///
/// A thread takes the next free part: the caller never waits for a part that has not begun. Between parts it does what follows from those that are
/// done, while the helper goes on. It does wait for a part that the helper has begun and lost its processor in; worthwhile() notices when that
/// costs more than the sharing gains. Results do not depend on which thread evaluates a part: parts share no data.
#pragma once
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>

namespace gsu {

class StepPool {
public:
    /// Starts one helper thread, which takes no signals. `always`: sharing is always worthwhile.
    explicit StepPool(bool always = false);
    ~StepPool();
    StepPool(const StepPool&) = delete;
    StepPool& operator=(const StepPool&) = delete;

    /// A cycle. Each part below `parts` (1..64) is done once, in their order, by a call of work(context, part): by the helper, or in wait().
    /// More parts may follow; no more than 64 in all. The destructor returns when all are done.
    class Round {
    public:
        Round(StepPool& pool, unsigned parts, void (*work)(void*, unsigned), void* context)
            : pool_(pool), parts_(parts)
        {
            pool.begin(parts, work, context);
        }
        ~Round()
        {
            for (unsigned part = 0; part < parts_; ++part) pool_.wait(part);
        }
        Round(const Round&) = delete;
        Round& operator=(const Round&) = delete;
        void more(unsigned parts)
        {
            parts_ += parts;
            pool_.more(parts);
        }
        /// Returns when the part is done; until then this thread does parts that nobody has begun.
        void wait(unsigned part) { pool_.wait(part); }

    private:
        StepPool& pool_;
        unsigned parts_;
    };
    /// Whether to share the next cycle, of `parts` parts. On a busy machine sharing can be much slower than one thread. So now and then both
    /// ways are timed in turns, and the one that is faster in the median is used.
    [[nodiscard]] bool worthwhile(unsigned parts);
    /// The last answer of worthwhile().
    [[nodiscard]] bool shares() const noexcept { return always_ || share_; }
    /// Number of rounds so far.
    [[nodiscard]] std::uint64_t rounds() const noexcept { return rounds_; }

private:
    using Clock = std::chrono::steady_clock;
    void nextStretch();
    void begin(unsigned parts, void (*work)(void*, unsigned), void* context);
    void more(unsigned parts);
    void wakeHelper();
    void wait(unsigned part);
    void serve();
    /// Whether a part is left that nobody has begun.
    [[nodiscard]] bool left() const noexcept;
    /// Takes a part of the round and does it. False: none is free.
    bool doOne(std::uint32_t round);

    // {round, parts, parts taken}: one word, so that a helper that comes late cannot take a part of a later round by mistake.
    // While a part of a round is not done, work_ and context_ are those of the round.
    std::atomic<std::uint64_t> ticket_{0};
    std::atomic<std::uint64_t> done_{0};  ///< bit per part
    void (*work_)(void*, unsigned){};
    void* context_{};
    std::atomic<bool> asleep_{false}, stop_{false};
    std::mutex mutex_;
    std::condition_variable wake_;
    std::uint64_t rounds_{};
    static constexpr unsigned kTurns = 10;  ///< of a comparison, shared ones and others
    static constexpr unsigned kSettle =
        16;  ///< cycles of a turn before its time counts: the helper may have to wake up
    static constexpr unsigned kTurn = 40;  ///< cycles of a turn
    /// Cycles between two comparisons, twice as many each time: the first ones may be of a thread and caches that are not warm yet.
    static constexpr unsigned kLeastBetween = 1u << 12, kMostBetween = 1u << 15;
    unsigned between_{kLeastBetween};
    bool always_{}, share_{};
    unsigned turn_{kTurns};  ///< kTurns: none, the faster way is used
    unsigned left_{};        ///< cycles left of the turn, or until the next comparison
    std::uint64_t parts_{};  ///< parts of the turn
    Clock::time_point begun_;
    std::array<std::array<double, kTurns / 2>, 2> times_{};  ///< seconds per part: alone, shared
    std::thread helper_;
};

}  // namespace gsu
