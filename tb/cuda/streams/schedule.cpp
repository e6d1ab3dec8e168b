#include "cuda/streams/schedule.hpp"

#include <algorithm>

#include "base/random.hpp"
#include "cuda/device/message.hpp"

namespace gsu::cuda {
namespace {

/// The largest number of tasks that are kept pending.
constexpr std::size_t kMostPending = 1024;
/// Work of launches before other tasks are considered: some milliseconds.
constexpr std::uint64_t kStretch = 1 << 16;

bool isDone(const TaskRef& task) { return task->state == Task::State::Done; }

}  // namespace

Schedule::Schedule(std::uint64_t seed, CallLock* lock, unsigned sms)
    : seed_(seed), state_(seed), lock_(lock), sms_(sms)
{
}

std::uint64_t Schedule::draw(std::uint64_t below) noexcept { return splitmix64(state_) % below; }

/// Whether the task waits for nothing and there is room for it.
bool Schedule::ready(const Task& task) const
{
    if (task.state != Task::State::Pending || !fits(task.work)) return false;
    return std::all_of(task.before.begin(), task.before.end(), [&](const TaskRef& b) {
        const bool signalled = b == task.primary && b->state == Task::State::Flying &&
                               (!b->flight || b->flight->signalled());
        return isDone(b) || signalled;
    });
}

bool Schedule::fits(const Work& work) const
{
    if (!work.begin) return true;
    unsigned used = 0;
    for (const TaskRef& t : flying_) {
        if (!t->flight) continue;
        if (work.alone && t->work.alone) return false;
        used += t->work.sms;
    }
    return used == 0 || used + work.sms <= sms_;
}

TaskRef Schedule::add(Work work, std::vector<TaskRef> before, TaskRef primary)
{
    auto task = std::make_shared<Task>();
    if (work.stage) work.run = work.stage();
    work.stage = nullptr;
    task->work = std::move(work);
    task->before = std::move(before);
    task->primary = std::move(primary);
    pending_.push_back(task);
    if (!drawn()) {  // run everything that can run now; launches that stand still continue later
        const auto next = [&] {
            return std::find_if(pending_.begin(), pending_.end(),
                                [&](const TaskRef& t) { return ready(*t); });
        };
        for (auto at = next(); at != pending_.end(); at = next()) start(TaskRef(*at));
        return task;
    }
    // The device falls behind the program or keeps up with it.
    constexpr std::uint64_t kWays = 4;
    for (std::uint64_t n = draw(kWays); n > 1 && progress(); --n) continue;
    while (pending_.size() > kMostPending && progress()) continue;
    return task;
}

bool Schedule::anyGoing() const
{
    return std::any_of(flying_.begin(), flying_.end(),
                       [](const TaskRef& t) { return t->flight && !t->still; });
}

bool Schedule::progress()
{
    std::vector<TaskRef> all;
    std::copy_if(pending_.begin(), pending_.end(), std::back_inserter(all),
                 [&](const TaskRef& t) { return ready(*t); });
    const bool going = anyGoing();
    if (all.empty() && !going) return false;
    const std::uint64_t pick = drawn() ? draw(all.size() + (going ? 1 : 0)) : 0;
    if (pick < all.size()) {
        start(all[pick]);
        return true;
    }
    // Launches in flight run for a random time.
    constexpr std::uint64_t kLongest = 16;
    fly(nullptr, drawn() ? kStretch >> draw(kLongest) : kStretch);
    return true;
}

/// Runs the task, or begins it. A launch runs until it has ended or stands still, unless the random draw lets other work come in between.
/// No copy runs between the begin and the end of a launch that is `alone`, because its saved memory must show its own effects only.
void Schedule::start(const TaskRef& task)
{
    const TaskRef kept = task;  // a copy, because the task may add work
    if (!kept->work.begin) return run(kept);
    begin(kept);
    if (drawn() && !kept->work.alone && draw(2) == 0) return;
    while (!isDone(kept) && kept->flight && !kept->still && !kept->flight->quiet())
        fly(kept, kStretch);
}

void Schedule::begin(const TaskRef& task)
{
    task->flight = task->work.begin();
    if (!task->flight) return done(task, Status::Success);
    task->state = Task::State::Flying;
    task->from = clock_;
    task->flight->setGridsBefore(task->primary && !isDone(task->primary));
    flying_.push_back(task);
}

/// Runs launches on one clock until `target` (nullptr: any of them) has ended or stands still, or until so much work is done.
bool Schedule::fly(const TaskRef& target, std::uint64_t work)
{
    constexpr std::uint64_t kSlice = 4096;
    for (std::uint64_t spent = 0; spent < work; spent += kSlice) {
        TaskRef first;
        std::uint64_t until = ~std::uint64_t{0};
        for (const TaskRef& t : flying_) {
            if (!t->flight || t->still) continue;
            const std::uint64_t at = t->from + t->flight->now();
            if (!first || at < first->from + first->flight->now()) {
                if (first) until = std::min(until, first->from + first->flight->now());
                first = t;
            } else {
                until = std::min(until, at);
            }
        }
        if (!first) return false;
        const std::uint64_t before = first->flight->changes();
        const std::uint64_t upTo = until == ~std::uint64_t{0} ? until : until - first->from + 1;
        const Flight::State state = first->flight->advance(upTo, std::min(kSlice, work));
        if (flying_.size() > 1 && first->flight->changes() != before) {
            for (const TaskRef& t : flying_) {
                if (t == first || !t->flight) continue;
                t->flight->wake();
                rouse(*t, first->from + first->flight->now());
            }
        }
        clock_ = std::max(clock_, first->from + first->flight->now());
        first->still = state == Flight::State::Still;
        if (state == Flight::State::Ended) landed(first);
        if ((state != Flight::State::Going && (!target || first == target))) return true;
    }
    return false;
}

/// Handles the end of a launch: the task is done when everything that it depends on is done.
void Schedule::landed(const TaskRef& task)
{
    const TaskRef kept = task;
    kept->flight.reset();
    if (kept->primary && !isDone(kept->primary)) return;
    done(kept, Status::Success);
}

void Schedule::done(const TaskRef& task, Status status)
{
    const TaskRef kept = task;
    kept->status = status;
    if (status != Status::Success && failure_ == Status::Success) failure_ = status;
    kept->state = Task::State::Done;
    kept->before.clear();
    kept->primary.reset();
    kept->work.run = nullptr;
    kept->work.begin = nullptr;
    std::erase(pending_, kept);
    std::erase(flying_, kept);
    const std::vector<TaskRef> others = flying_;
    for (const TaskRef& t : others) {
        if (t->primary != kept) continue;
        if (!t->flight) {
            done(t, Status::Success);
            continue;
        }
        t->flight->setGridsBefore(false);
        rouse(*t, clock_);
    }
    ended_.notify_all();
}

/// `task` is a copy: a task may add work and wait for work.
void Schedule::run(const TaskRef& task)
{
    task->state = Task::State::Running;
    task->by = std::this_thread::get_id();
    Status status{};
    try {
        status = task->work.run();
    } catch (const Refusal& refusal) {
        if (!refusal.message.empty()) say("work of a stream: " + refusal.message);
        status = refusal.status;
    }
    done(task, status);
    wake();  // the task may have written what launches wait for
}

/// Resumes the launch at this time of the device; its clock was stopped.
void Schedule::rouse(Task& task, std::uint64_t now) noexcept
{
    if (!std::exchange(task.still, false)) return;
    const std::uint64_t at = task.from + task.flight->now();
    task.from += now > at ? now - at : 0;
}

void Schedule::wake() noexcept
{
    for (const TaskRef& t : flying_) {
        if (!t->flight) continue;
        t->flight->wake();
        rouse(*t, clock_);
    }
}

/// Ends launches that stand still. False: there are none.
bool Schedule::giveUp()
{
    std::vector<TaskRef> still;
    std::copy_if(flying_.begin(), flying_.end(), std::back_inserter(still),
                 [](const TaskRef& t) { return t->flight && t->still; });
    for (const TaskRef& t : still) {
        t->flight->giveUp();
        landed(t);
    }
    return !still.empty();
}

void Schedule::waitForOthers(const TaskRef& task)
{
    const auto mine = [](const TaskRef& t) {
        return t->state == Task::State::Running && t->by == std::this_thread::get_id();
    };
    if (lock_ == nullptr || std::any_of(pending_.begin(), pending_.end(), mine))
        throw Refusal{Status::NotPermitted,
                      "a function that a stream calls waits for work of the device"};
    CallLock::Whole whole(*lock_);
    ended_.wait(whole, [&] {
        return (task && isDone(task)) || pending_.empty() || anyGoing() ||
               std::any_of(pending_.begin(), pending_.end(),
                           [&](const TaskRef& t) { return ready(*t); });
    });
}

Status Schedule::finish(const TaskRef& task)
{
    if (task && !isDone(task)) wake();
    while (task && !isDone(task)) {
        if (!progress() && !giveUp()) waitForOthers(task);
    }
    return task ? task->status : Status::Success;
}

void Schedule::finishAll()
{
    wake();
    while (!pending_.empty()) {
        if (!progress() && !giveUp()) waitForOthers(nullptr);
    }
}

Status Schedule::takeFailure() noexcept { return std::exchange(failure_, Status::Success); }

void flyAlone(Flight& flight)
{
    constexpr std::uint64_t kAll = ~std::uint64_t{0};
    Flight::State state = Flight::State::Going;
    while (state == Flight::State::Going) state = flight.advance(kAll, kAll);
    if (state == Flight::State::Still) flight.giveUp();
}

}  // namespace gsu::cuda
