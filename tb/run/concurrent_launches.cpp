#include "run/concurrent_launches.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

#include "observers/tap_port.hpp"
#include "run/race_watch.hpp"
#include "run/run_observers.hpp"
#include "run/trace_header.hpp"
#include "run/unit_stack.hpp"

namespace gsu::run {

namespace {

/// Files that one launch writes; the unit writes the rest for all launches.
CommonOptions ofLaunch(CommonOptions files)
{
    for (std::string* name : {&files.fst, &files.record, &files.timeline, &files.checkName})
        name->clear();
    files.recordAccesses = false;
    return files;
}

/// Files that the unit writes. Coverage and shared memory are reported per launch.
CommonOptions ofUnit(CommonOptions files)
{
    files.coverage = false;
    files.dumpSmem.clear();
    return files;
}

std::string entriesOf(const LaunchFile& file, const ConcurrentLaunches& which,
                      const ptx::Module& module)
{
    std::vector<std::string> names;
    for (const std::size_t index : which) {
        const std::string& name = entryOf(file.launches[index], module).name;
        if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
    return fmt::format("{}", fmt::join(names, "+"));
}

/// Whether the result ends this launch and keeps later launches from beginning.
bool endsAll(const RunResult& r)
{
    return r.fault || r.hang || !r.trap.empty() || r.verdict == Verdict::Limit ||
           r.verdict == Verdict::Interrupted;
}

}  // namespace

CommonOptions optionsOf(const CommonOptions& all, std::size_t index)
{
    CommonOptions one = all;
    for (std::string* name : {&one.fst, &one.record, &one.timeline, &one.dot, &one.dumpSmem})
        *name = numbered(*name, index);
    one.dumpMemory.clear();
    return one;
}

std::vector<ConcurrentLaunches> concurrentLaunches(const std::vector<LaunchSpec>& launches,
                                                   const std::vector<std::size_t>& order,
                                                   const std::vector<LaunchNeeds>& needs)
{
    std::vector<ConcurrentLaunches> all;
    for (const std::size_t index : order) {
        const LaunchSpec& launch = launches[index];
        const auto joins = [&](const ConcurrentLaunches& group) {
            const LaunchSpec& before = launches[group.back()];
            return launch.dependent && launch.stream == before.stream && launch.writes.empty() &&
                   !launch.cooperative && !before.cooperative &&
                   (group.size() > 1 || needs[group.front()].signals);
        };
        if (!all.empty() && joins(all.back()))
            all.back().push_back(index);
        else
            all.push_back({index});
    }
    return all;
}

/// Parts that all launches share.
struct ConcurrentRun::Unit {
    UnitStack stack;
    RunObservers observers;
    std::unique_ptr<RaceWatch> races;
    TapPort tap;

    Unit(const RunSetup& setup, const CommonOptions& files, SharedUnit& shared,
         const std::string& entries)
        : stack(files, shared.resources().sms(), setup.config, shared.sharedMemory(),
                [&shared](const MbarNote& note) { shared.note(note); }),
          observers(files, headerOf(files, setup.preset, setup.config, setup.limits.params,
                                    stack.port().sms(), setup.module, entries)),
          races(RaceWatch::wanted(files)
                    ? std::make_unique<RaceWatch>(files, setup.module, observers, stack.port())
                    : nullptr),
          tap(stack.port())
    {
        tap.add(observers.ports());
        if (races) tap.add(races->observers());
        shared.attach(tap);
    }
};

struct ConcurrentRun::Launch {
    CommonOptions files;
    Executor executor;
    LaunchRun run;
    bool told{};  ///< the launch has been reported as ended, and later launches have been stopped

    Launch(const RunSetup& setup, const CommonOptions& own, const LaunchSpec& spec, Device& device,
           SharedUnit& shared)
        : files(own),
          executor(spec, device, setup.limits, shared.resources()),
          run(setup, files, spec, executor, &shared.newPort())
    {
    }
};

ConcurrentRun::ConcurrentRun(const RunSetup& setup, const LaunchFile& file, Device& device,
                             ConcurrentLaunches which, unsigned sms, bool contents)
    : setup_(forModule(setup, setup.options)),
      file_(file),
      device_(device),
      which_(std::move(which)),
      contents_(contents),
      files_(ofUnit(optionsOf(setup.options, which_.front()))),
      shared_(sms),
      unit_(std::make_unique<Unit>(setup_, files_, shared_, entriesOf(file, which_, setup.module)))
{
}
ConcurrentRun::~ConcurrentRun() = default;

/// Whether launch `k` may begin (GDC-002). No launch begins after one that has failed.
bool ConcurrentRun::mayBegin(std::size_t k) const
{
    if (failed_ || k == which_.size() || !shared_.hasGridSlot()) return false;
    return k == 0 || shared_.signalled(k - 1);
}

void ConcurrentRun::begin(std::size_t k)
{
    const std::size_t index = which_[k];
    const LaunchSpec& spec = file_.launches[index];
    if (k == 0) device_.write(spec);
    launches_.push_back(std::make_unique<Launch>(setup_, ofLaunch(optionsOf(setup_.options, index)),
                                                 spec, device_, shared_));
    Launch& launch = *launches_.back();
    if (unit_->races) unit_->races->watch(launch.executor);
    shared_.begin(launch.executor, launch.run.port());
}

/// Reports launches that have ended, with their state at that time.
void ConcurrentRun::collect(std::vector<Ended>& ended)
{
    for (std::size_t k = 0; k < launches_.size(); ++k) {
        const RunResult* result = shared_.result(k);
        if (result == nullptr || launches_[k] == nullptr || launches_[k]->told) continue;
        ended.push_back({which_[k], shared_.begun(k), launches_[k]->run.finish(*result), {}});
        if (contents_) ended.back().contents = launches_[k]->executor.contents();
        failed_ = failed_ || !result->asExpected || endsAll(*result);
        if (endsAll(*result)) {  // its CTAs still exist
            launches_[k]->told = true;
            shared_.stopBehind(k, fmt::format("by the end of launch {}: {}", which_[k],
                                              gsu::nameOf(result->verdict)));
            continue;
        }
        shared_.retire(k);
        launches_[k].reset();
    }
}

/// Ends launches that stand still as hangs; `behind` launches have not begun.
void ConcurrentRun::giveUp(std::size_t behind)
{
    for (const auto& launch : launches_) {
        if (launch != nullptr) launch->executor.setBehind(static_cast<unsigned>(behind));
    }
    shared_.giveUp();
}

std::vector<ConcurrentRun::Ended> ConcurrentRun::run()
{
    std::vector<Ended> ended;
    std::size_t next = 0;
    for (;;) {
        while (mayBegin(next)) begin(next++);
        if (!shared_.underWay() && (failed_ || next == which_.size())) break;
        if (!shared_.turn()) giveUp(which_.size() - next);
        collect(ended);
    }
    std::sort(ended.begin(), ended.end(),
              [](const Ended& a, const Ended& b) { return a.index < b.index; });
    return ended;
}

Outputs ConcurrentRun::finish()
{
    Outputs outputs;
    unit_->observers.finish({.now = cycles(), .endWaves = [&] { unit_->stack.finishWaves(); }},
                            outputs);
    return outputs;
}

Cycle ConcurrentRun::cycles() const noexcept { return unit_->tap.now(); }

}  // namespace gsu::run
