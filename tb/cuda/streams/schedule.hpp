/// Work that has been submitted and is not done yet, and the order in which it gets done: that of the calls, each piece at once, or one that a seed
/// draws among those that the rules of streams allow. A launch is begun like other work and goes on beside what else is under way, on SMs of its
/// own: in the order of the calls only when it stands still and waits for others, by a seed whenever that is drawn.
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
    /// Of a launch: begins it; nullptr comes back when there is nothing to do. `run` does all of it, beside nothing else.
    std::function<std::unique_ptr<Flight>()> begin{};
    /// Of a copy from memory that the device cannot reach: takes the bytes now and gives the work that uses them. Such memory is the program's
    /// again when the call returns.
    std::function<std::function<Status()>()> stage{};
    std::shared_ptr<const NodeParameters> parameters{};  ///< for nodes of graphs
    bool waited{};    ///< a copy to such memory: the call returns when it is done
    unsigned sms{1};  ///< that a launch occupies
    bool
        dependent{};  ///< a launch that may begin when the one before it in its stream has signalled
    bool alone{};     ///< a launch that is not left for other work, nor beside one that is `alone`
};

struct Task {
    Work work;
    std::vector<std::shared_ptr<Task>> before;  ///< what it waits for
    /// Of `before`, what need not have ended: a launch that has signalled is enough.
    std::shared_ptr<Task> primary{};
    /// Flying: a launch that is under way, or has ended before its primary has.
    enum class State : std::uint8_t { Pending, Running, Flying, Done } state{};
    Status status{};
    std::thread::id by{};  ///< while it runs
    std::unique_ptr<Flight> flight{};
    std::uint64_t from{};  ///< the device's clock when it began, and the time that it stood still
    bool still{};          ///< it goes on when something changes
};
using TaskRef = std::shared_ptr<Task>;

class Schedule {
public:
    /// The seed of `gsu` when none is given: work is done in the order of the calls.
    static constexpr std::uint64_t kCalls = 1;

    /// `lock`: held by whoever calls, and left while a function of the program runs. nullptr: there is one thread.
    /// `sms`: of the device, which launches that are under way share.
    Schedule(std::uint64_t seed, CallLock* lock, unsigned sms = 1);

    [[nodiscard]] bool drawn() const noexcept { return seed_ != kCalls; }
    /// Takes work that waits for `before`, and does as much of all that is there as is drawn. `primary`: as Task has it.
    TaskRef add(Work work, std::vector<TaskRef> before, TaskRef primary = nullptr);
    /// Does what is drawn until `task` is done; its status. Launches that stand still then, and with them everything, are given up.
    /// Throws Refusal when the calling thread runs what it would wait for.
    Status finish(const TaskRef& task);
    void finishAll();
    /// Does one piece, if there is one that waits for nothing. False: there is none.
    bool progress();
    /// The program may have changed memory that launches wait for.
    void wake() noexcept;
    [[nodiscard]] bool empty() const noexcept { return pending_.empty(); }
    /// A launch is under way that the program's calls have not waited for.
    [[nodiscard]] bool underWay() const noexcept { return !flying_.empty(); }
    /// What the first failed piece gave since the last call.
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
    std::vector<TaskRef> pending_;  ///< in the order of the calls, with those that run or fly
    std::vector<TaskRef> flying_;   ///< of them, launches under way
    std::uint64_t clock_{};
    Status failure_{};
};

/// Goes on with it until it ends, beside nothing else.
void flyAlone(Flight& flight);

}  // namespace gsu::cuda
