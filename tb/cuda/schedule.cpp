#include "cuda/schedule.hpp"

#include <algorithm>

#include "base/random.hpp"
#include "cuda/platform.hpp"

namespace gsu::cuda {
namespace {

/// More than that is not kept waiting.
constexpr std::size_t kMostPending = 1024;

bool ready(const TaskRef& task)
{
    return task->state == Task::State::Pending &&
           std::all_of(task->before.begin(), task->before.end(),
                       [](const TaskRef& b) { return b->state == Task::State::Done; });
}

}  // namespace

Schedule::Schedule(std::uint64_t seed, std::recursive_mutex* mutex)
    : seed_(seed), state_(seed), mutex_(mutex)
{
}

std::uint64_t Schedule::draw(std::uint64_t below) noexcept { return splitmix64(state_) % below; }

TaskRef Schedule::add(Work work, std::vector<TaskRef> before)
{
    auto task = std::make_shared<Task>();
    if (work.stage) work.run = work.stage();
    work.stage = nullptr;
    task->work = std::move(work);
    task->before = std::move(before);
    pending_.push_back(task);
    // The device lags behind the program, or keeps up with it.
    constexpr std::uint64_t kWays = 4;
    for (std::uint64_t n = draw(kWays); n > 1 && progress(); --n) continue;
    while (pending_.size() > kMostPending && progress()) continue;
    return task;
}

bool Schedule::progress()
{
    std::vector<TaskRef> all;
    std::copy_if(pending_.begin(), pending_.end(), std::back_inserter(all), ready);
    if (all.empty()) return false;
    run(all[draw(all.size())]);
    return true;
}

/// `task` is a copy: what runs may add work and wait for work.
void Schedule::run(const TaskRef& task)
{
    const TaskRef kept = task;
    kept->state = Task::State::Running;
    kept->by = std::this_thread::get_id();
    try {
        kept->status = kept->work.run();
    } catch (const Refusal& refusal) {
        if (!refusal.message.empty()) say("work of a stream: " + refusal.message);
        kept->status = refusal.status;
    }
    if (kept->status != Status::Success && failure_ == Status::Success) failure_ = kept->status;
    kept->state = Task::State::Done;
    kept->before.clear();
    kept->work.run = nullptr;
    std::erase(pending_, kept);
    ended_.notify_all();
}

void Schedule::waitForOthers(const TaskRef& task)
{
    const auto mine = [](const TaskRef& t) {
        return t->state == Task::State::Running && t->by == std::this_thread::get_id();
    };
    if (mutex_ == nullptr || std::any_of(pending_.begin(), pending_.end(), mine))
        throw Refusal{Status::NotPermitted,
                      "a function that a stream calls waits for work of the device"};
    ended_.wait(*mutex_, [&] {
        return (task && task->state == Task::State::Done) || pending_.empty() ||
               std::any_of(pending_.begin(), pending_.end(), ready);
    });
}

Status Schedule::finish(const TaskRef& task)
{
    while (task && task->state != Task::State::Done) {
        if (!progress()) waitForOthers(task);
    }
    return task ? task->status : Status::Success;
}

void Schedule::finishAll()
{
    while (!pending_.empty()) {
        if (!progress()) waitForOthers(nullptr);
    }
}

Status Schedule::takeFailure() noexcept { return std::exchange(failure_, Status::Success); }

}  // namespace gsu::cuda
