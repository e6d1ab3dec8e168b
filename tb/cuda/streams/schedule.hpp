/// Pending work and the order of its execution: either immediately, in call order, or in an order drawn by the seed among all that stream
/// rules allow. A launch begins like other work and runs beside other running launches, on SMs of its own: in call order only while it is
/// blocked and waits for others, with a seed whenever that is drawn.
#pragma once
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "cuda/device/call_lock.hpp"
#include "cuda/streams/device_work.hpp"

namespace gsu::cuda {

struct NodeParameters;

/// One piece of work of a stream.
struct Work {
    enum class Kind : std::uint8_t { Kernel, Copy, Fill, Host, Empty, Record, Wait, Child } kind{};
    std::function<Status()> run;
    /// For a launch: begins it; returns nullptr if there is nothing to do. `run` executes it completely, with nothing beside it.
    std::function<std::unique_ptr<Flight>()> begin{};
    /// For a copy from memory that the device cannot reach: reads the bytes now and returns the work that uses them. The program may change
    /// such memory when the call returns.
    std::function<std::function<Status()>()> stage{};
    std::shared_ptr<const NodeParameters> parameters{};  ///< for nodes of graphs
    /// a copy to memory that the device cannot reach: the call returns when it is done
    bool waited{};
    unsigned sms{1};  ///< SMs that a launch occupies
    /// a launch that may begin when the preceding one of its stream has signalled
    bool dependent{};
    /// a launch that is not interrupted for other work, and does not run beside another that is `alone`
    bool alone{};
};

struct Task {
    Work work;
    std::vector<std::shared_ptr<Task>> before;  ///< tasks that it waits for
    /// The task of `before` that need not have ended: a launch that has signalled is enough.
    std::shared_ptr<Task> primary{};
    /// Flying: a launch that is running, or has ended before its primary.
    enum class State : std::uint8_t { Pending, Running, Flying, Done } state{};
    Status status{};
    std::thread::id by{};  ///< thread that runs it
    std::unique_ptr<Flight> flight{};
    std::uint64_t from{};  ///< device's clock when it began, and the time for which it was blocked
    bool still{};          ///< blocked: it continues when something changes
};
using TaskRef = std::shared_ptr<Task>;

class Schedule {
public:
    /// The default seed of `gsu`: work is done in the order of the calls.
    static constexpr std::uint64_t kCalls = 1;

    /// A schedule. `lock`: held by the caller, and released while a function of the program runs. nullptr: there is one thread. `sms`: of
    /// the device, which running launches share.
    Schedule(std::uint64_t seed, CallLock* lock, unsigned sms = 1);

    [[nodiscard]] bool drawn() const noexcept { return seed_ != kCalls; }
    /// Adds work that waits for `before`, and does as much of the pending work as is drawn. `primary`: as in Task.
    TaskRef add(Work work, std::vector<TaskRef> before, TaskRef primary = nullptr);
    /// Does drawn work until `task` is done; returns its status. If then all launches are blocked, they are given up. Throws Refusal if the
    /// calling thread runs the work that it would wait for.
    Status finish(const TaskRef& task);
    void finishAll();
    /// Does one piece of work that waits for nothing. False: there is none.
    bool progress();
    /// The program may have changed memory that launches wait for.
    void wake() noexcept;
    [[nodiscard]] bool empty() const noexcept { return pending_.empty(); }
    /// True if a launch is running that the program's calls have not waited for.
    [[nodiscard]] bool underWay() const noexcept { return !flying_.empty(); }
    /// The status of the first piece that failed since the last call.
    [[nodiscard]] Status takeFailure() noexcept;
    /// Clocks of the device that launches took so far.
    [[nodiscard]] std::uint64_t clock() const noexcept { return clock_; }

private:
    [[nodiscard]] std::uint64_t draw(std::uint64_t below) noexcept;
    [[nodiscard]] bool ready(const Task& task) const;
    [[nodiscard]] bool fits(const Work& work) const;
    void start(const TaskRef& task);
    void run(const TaskRef& task);
    void begin(const TaskRef& task);
    void done(const TaskRef& task, Status status);
    bool fly(const TaskRef& target, std::uint64_t work);
    void landed(const TaskRef& task);
    [[nodiscard]] bool anyGoing() const;
    static void rouse(Task& task, std::uint64_t now) noexcept;
    bool giveUp();
    void waitForOthers(const TaskRef& task);

    std::uint64_t seed_, state_;
    CallLock* lock_;
    const unsigned sms_;
    std::condition_variable_any ended_;
    /// pending, running and flying tasks, in the order of the calls
    std::vector<TaskRef> pending_;
    std::vector<TaskRef> flying_;  ///< the flying ones
    std::uint64_t clock_{};
    Status failure_{};
};

/// Runs a launch until it ends, beside nothing else.
void flyAlone(Flight& flight);

}  // namespace gsu::cuda
