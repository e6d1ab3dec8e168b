// Assembles the parts of a launch; its begin and end.
#include "exec/machine/kernel_run.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "exec/causes/explain.hpp"
#include "exec/decode/decoder.hpp"
#include "exec/ops/async_ops.hpp"
#include "exec/ops/tensor_ops.hpp"
#include "exec/result/timing_report.hpp"
#include "exec/result/verdict.hpp"
#include "golden/op_traits.hpp"

namespace gsu::exec {
namespace {

/// Adds the variable of a race, and the offset in it.
void namePlace(Finding& f, const DeviceMemory& device, const LaunchPlan& plan)
{
    RaceFacts race = *f.race;
    if (race.space == "global") {
        const GlobalMemory::Block* block = device.global.holding(race.address);
        if (block != nullptr) {
            race.offset = race.address - block->base;
            const std::size_t quote = block->name.find('\'');
            race.memory = quote == std::string::npos
                              ? block->name
                              : block->name.substr(quote + 1, block->name.rfind('\'') - quote - 1);
        }
    } else {
        std::uint64_t best = 0;
        for (const auto& [name, at] : plan.sharedSymbols) {
            if (at > race.address || (!race.memory.empty() && at < best)) continue;
            best = at;
            race.memory = name.substr(name.rfind('/') + 1);  // without its function
            race.offset = race.address - at;
        }
    }
    f.message += race.memory.empty()
                     ? fmt::format("; {} {:#x}", race.space, race.address)
                     : fmt::format("; {} {} + {}", race.space, race.memory, race.offset);
    f.race = std::make_shared<const RaceFacts>(std::move(race));
}

}  // namespace

KernelRun::KernelRun(const LaunchSpec& s, const ptx::Module& m, RunOptions o, DeviceMemory* given,
                     SharedUnitResources* resources)
    : KernelRun(std::make_unique<Kernel>(s, m, o, given), resources)
{
}

KernelRun::KernelRun(std::unique_ptr<Kernel> k, SharedUnitResources* resources)
    : KernelRun(*k, resources, nullptr)
{
    ownKernel_ = std::move(k);
}

std::unique_ptr<KernelRun> KernelRun::again(std::unique_ptr<KernelRun> old)
{
    std::unique_ptr<Kernel> kernel = std::move(old->ownKernel_);
    old.reset();
    return std::unique_ptr<KernelRun>(new KernelRun(std::move(kernel), nullptr));
}

KernelRun::KernelRun(Kernel& k, SharedUnitResources* resources, ParallelPart* part)
    : kernel(k),
      parts{k.spec, k.options, k.module, k.program, k.shape, state,      k.device,
            memory, client,    async,    atomics,   matrix,  tensorCores},
      state(k.options, k.module, k.program, k.shape, &parts, resources, part),
      residents(shape.sms),
      shared(state.resources.shared),
      memory(state, device, shared, k.parameters.bank()),
      schedulers(state),
      client(state, residents, *this),
      loops(state),
      lanes(state, client, schedulers, loops),
      launcher(state, residents, shared, schedulers),
      async(state, memory, client, residents, launcher, lanes),
      atomics(state, memory, residents),
      matrix(state, memory, residents, lanes),
      tensorCores(state, memory, client, residents, lanes, matrix),
      shuffles(state, lanes),
      sync(state, memory, client, async, atomics, lanes),
      warps(state, lanes, loops, shuffles, sync, async, memory, k.threadBytes),
      hang(state, residents, client, async, launcher, schedulers, lanes, loops)
{
    state.findings.ignore(options.ignore);
    state.history.prepare(program, options.explains);
    if (options.params.of != 0)
        state.workCounter = {options.workCounter.address, shape.clusters(),
                             Placement::simulatedOf(shape, options.params.of)};
    state.windows = program.tcgen05s.empty() ? static_cast<WindowWatcher*>(&matrix) : &tensorCores;
    watchCopies();
}

/// Notes whether the kernel has instructions that read memory through the async proxy.
void KernelRun::watchCopies()
{
    if (!program.wgmmas.empty() || !program.tcgen05s.empty()) memory.late().watchMatrix();
    for (const Code& code : program.codes) {
        for (const MicroOp& op : code.ops) {
            const bool tensor = op.fn == tensorCopyOp, bulk = op.fn == cpBulkOp;
            const bool fromGlobal = tensor || (bulk && op.bulk.fromGlobal);
            if (tensor) memory.late().watchMaps();
            const bool stores = (tensor && op.tensor.stores) || (bulk && !fromGlobal);
            if (stores) memory.late().watchMatrix();
            memory.late().watchProxy(tensor || (bulk && !fromGlobal), fromGlobal);
        }
    }
}

void KernelRun::begin(SyncPort& to)
{
    state.port.attach(to, *this);
    begun_ = to.now();
    state.progress.setNow(begun_);
    if (begun_ != 0) state.progress.changed();
    if (program.gridControl && state.ownResources != nullptr) state.grids.use(shape.ctas);
    for (const ExecObserver* o : state.observers) {
        if (o->wantsIssue()) warps.watchIssue();
    }
    if (state.accesses != nullptr) warps.watchAccesses();
}

RunResult KernelRun::run(SyncPort& to)
{
    begin(to);
    for (bool promised = state.grids.used(); advance(true) == Executor::Turn::Going;) {
        if (promised || !launcher.routed()) continue;
        state.port.noMoreRoutes();
        promised = true;
    }
    return end();
}

/// Explains the hang, with its cause.
void KernelRun::explain()
{
    const std::vector<Finding> kept = state.result.findings;  // findings of the look ahead are none
    const HangSnapshot snapshot(state, residents, client, launcher, memory, plan);
    const auto pollLine = [&](const Group& g) {
        for (const WaitNode& n : snapshot.nodes()) {
            if (n.group == &g) return n.line;
        }
        return std::uint32_t{0};
    };
    state.result.hang = reportHang(state, residents, client, memory, pollLine);
    if (options.explains) explainHang(*state.result.hang, snapshot);
    state.result.findings = kept;
}

RunResult KernelRun::end()
{
    const RunResult& r = state.result;
    const bool ended = over() || state.trapped || r.fault || r.verdict != Verdict::Pass;
    if (!ended) explain();
    finish();
    return std::move(state.result);
}

void KernelRun::wake() noexcept
{
    hang.wake();
    state.progress.changed();
}

void KernelRun::setGridsBefore(bool underWay)
{
    state.grids.setBefore(underWay);
    if (!underWay) wake();
}

void KernelRun::onGrid(const GridEvent& event)
{
    state.grids.saw(event);
    state.progress.changed();
}

void KernelRun::finish()
{
    RunResult& result = state.result;
    state.port.catchUp();
    if (!result.fault) memory.late().settleAll();
    result.cycles = state.port.now() - begun_;
    result.lastChange = state.progress.lastChangeAt();
    result.instructions = state.progress.instructions();
    result.threadInstructions = state.progress.threadInstructions();
    if (options.params.of > shape.sms && result.verdict == Verdict::Pass)
        result.verdict = Verdict::Partial;
    reportTiming();
    judge();
}

RunResult KernelRun::judged(RunResult counted)
{
    state.result = std::move(counted);
    judge();
    return std::move(state.result);
}

/// Compares memory and sets the verdict.
void KernelRun::judge()
{
    RunResult& result = state.result;
    if (!result.hang && !state.trapped && !result.fault && result.verdict == Verdict::Pass &&
        state.options.tensor != TensorMode::Skip)
        compareMemory(device, spec.expect, kernel.parameters.buffers(), result.mismatches);
    if (state.accesses != nullptr) {
        for (Finding& f : state.accesses->takeFindings()) {
            if (f.race) namePlace(f, device, plan);
            state.findings.list(std::move(f));
        }
    }
    result.verdict = verdictOf(result, state.findings, state.trapped);
    result.unmet = unmetOf(spec, result, state.findings);
    result.asExpected = result.unmet.empty();
}

void KernelRun::reportTiming()
{
    if (state.timingAdapter == nullptr) return;
    timing::TimingModel& model = state.timingAdapter->model();
    const timing::TimingParams& params = state.timingAdapter->params();
    auto report = std::make_shared<TimingReport>();
    report->timing = nameOf(options.params.timing);
    report->clockMhz = params.clock_mhz;
    report->window = params.window;
    report->sms = shape.sms;
    report->of = options.params.of == 0 ? params.sms : options.params.of;
    report->wholes = static_cast<double>(shape.clusters()) /
                     static_cast<double>(std::max<std::uint64_t>(
                         1, Placement::simulatedOf(shape, options.params.of)));
    report->sharing = options.sharing;
    report->counterLine = options.workCounter.line;
    report->cycles = state.result.cycles;
    report->ledger = model.ledger();
    report->servers = model.utilisation(state.port.now());
    report->bound = model.ledger().bound(report->servers);
    report->multiplyAdds = static_cast<double>(state.timingAdapter->multiplyAdds());
    report->bytes = model.bytesOfHbm();
    report->fencesAmidCopies = model.fencesAmidCopies();
    report->fenceShare =
        static_cast<double>(report->fencesAmidCopies) * params.fence_overlap /
        static_cast<double>(std::max<Cycle>(report->cycles, 1) * std::max(shape.sms, 1u));
    report->activity = model.activity();
    state.result.timing = std::move(report);
}

}  // namespace gsu::exec
