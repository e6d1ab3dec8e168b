#include "run/parts_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>

#include "base/thread_pool.hpp"
#include "observers/part_log.hpp"
#include "observers/tap_port.hpp"
#include "run/unit_stack.hpp"
#include "units/sm_range.hpp"

namespace gsu::run {

namespace {

/// Whether an output depends on the order of all events of a cycle, or of all accesses; such an output needs one thread.
bool watchesOrder(const CommonOptions& o)
{
    for (const std::string* file :
         {&o.fst, &o.record, &o.timeline, &o.dot, &o.dumpSmem, &o.checkName}) {
        if (!file->empty()) return true;
    }
    return o.coverage || o.assertions;
}

/// Events in the tensor memory of a part, kept until all parts have reached the same cycle.
struct TensorLog final : TensorObserver {
    void onTensor(const TensorActivity& activity) override { activities.push_back(activity); }
    void tell(TensorObserver& to)
    {
        for (const TensorActivity& a : activities) to.onTensor(a);
        activities.clear();
    }
    std::vector<TensorActivity> activities;
};

/// The unit of a part.
struct PartUnit {
    PartUnit(const UnitOptions& options, unsigned first, const Config& config, SharedMemory& memory)
        : unit(options, first, config, memory)
    {
        tap.add(told);
    }
    SmRange unit;
    TapPort tap{unit};
    PartLog log{tap};
    const std::vector<PortObserver*> told{&log};
    PlaceTeller places{told};
    TensorLog tensor;
};

}  // namespace

PartThreads threadsForParts(const CommonOptions& options, const Executor& executor)
{
    const unsigned wanted = options.threads != 0 ? options.threads : ThreadPool::processors();
    if (wanted < 2) return {};
    if (watchesOrder(options)) return {1, "what is asked for needs all events in their order"};
    if (const char* why = ParallelRun::obstacle(executor)) return {1, why};
    return {wanted, nullptr};
}

void tellWhyWhole(const CommonOptions& options, const Executor& executor, const char* why)
{
    const unsigned used = networkThreads(options, executor.sms());
    if (options.threads <= used) return;
    fmt::print(stderr, "on {} thread{}: {}\n", used == 1 ? "one" : "two", used == 1 ? "" : "s",
               why);
}

std::optional<RunResult> runInParts(const CommonOptions& options, const Config& config,
                                    Executor& executor, unsigned threads, RunObservers& observers)
{
    ParallelRun parallel(executor);
    std::vector<std::unique_ptr<PartUnit>> units;
    std::vector<PartLog*> logs;
    std::vector<SyncPort*> ports;
    for (unsigned i = 0; i < parallel.parts().size(); ++i) {
        const SmSpan sms = parallel.parts()[i];
        UnitOptions unit = unitOptions(options, sms.count,
                                       [&parallel, i](const MbarNote& n) { parallel.note(i, n); });
        unit.threads = 1;
        PartUnit& part = *units.emplace_back(
            std::make_unique<PartUnit>(unit, sms.first, config, executor.sharedMemory()));
        logs.push_back(&part.log);
        ports.push_back(&part.tap);
        parallel.addObserver(i, part.places);
        parallel.watchTensor(i, part.tensor);
    }
    ThreadPool team(std::min(threads, static_cast<unsigned>(ports.size())));
    const auto share = [&](unsigned parts, const std::function<void(unsigned)>& work) {
        team.run(parts, work);
    };
    std::optional<RunResult> result = parallel.run(ports, share, [&](Cycle now) {
        PartLog::tell(logs, observers.ports());
        for (const auto& unit : units) unit->tensor.tell(observers.tensor());
        if (now == kNever) return;
        for (PortObserver* o : observers.ports()) o->onProgress(now);
    });
    if (!result) {
        parallel.undo();
        tellWhyWhole(options, executor, parallel.left());
    }
    return result;
}

}  // namespace gsu::run
