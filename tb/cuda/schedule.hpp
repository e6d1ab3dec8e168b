/// Work that has been submitted and is not done yet, and the order in which it gets done: that of the calls, each piece at once, or one that a seed
/// draws among those that the rules of streams allow.
#pragma once
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "cuda/status.hpp"

namespace gsu::cuda {

/// One piece of work of a stream.
struct Work {
    enum class Kind : std::uint8_t { Kernel, Copy, Fill, Host, Empty, Record, Wait, Child } kind{};
    std::function<Status()> run;
    /// Of a copy from memory that the device cannot reach: takes the bytes now and gives the work that uses them. Such memory is the program's
    /// again when the call returns.
    std::function<std::function<Status()>()> stage{};
    bool waited{};  ///< a copy to such memory: the call returns when it is done
};

struct Task {
    Work work;
    std::vector<std::shared_ptr<Task>> before;  ///< what it waits for
    enum class State : std::uint8_t { Pending, Running, Done } state{};
    Status status{};
    std::thread::id by{};  ///< while it runs
};
using TaskRef = std::shared_ptr<Task>;

class Schedule {
public:
    /// The seed of `gsu` when none is given: work is done in the order of the calls.
    static constexpr std::uint64_t kCalls = 1;

    /// `mutex`: held by whoever calls, and left while a function of the program runs. nullptr: there is one thread.
    Schedule(std::uint64_t seed, std::recursive_mutex* mutex);

    [[nodiscard]] bool drawn() const noexcept { return seed_ != kCalls; }
    /// Takes work that waits for `before`, and does as much of all that is there as is drawn.
    TaskRef add(Work work, std::vector<TaskRef> before);
    /// Does what is drawn until `task` is done; its status. Throws Refusal when the calling thread runs what it would wait for.
    Status finish(const TaskRef& task);
    void finishAll();
    /// Does one piece, if there is one that waits for nothing. False: there is none.
    bool progress();
    [[nodiscard]] bool empty() const noexcept { return pending_.empty(); }
    /// What the first failed piece gave since the last call.
    [[nodiscard]] Status takeFailure() noexcept;

private:
    [[nodiscard]] std::uint64_t draw(std::uint64_t below) noexcept;
    void run(const TaskRef& task);
    void waitForOthers(const TaskRef& task);

    std::uint64_t seed_, state_;
    std::recursive_mutex* mutex_;
    std::condition_variable_any ended_;
    std::vector<TaskRef> pending_;  ///< in the order of the calls
    Status failure_{};
};

}  // namespace gsu::cuda
