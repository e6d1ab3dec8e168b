#include "exec/machine/parallel_run.hpp"

#include <algorithm>
#include <cassert>

#include "exec/machine/kernel_run.hpp"
#include "exec/state/shared_lines.hpp"

namespace gsu {

using exec::KernelRun;
using Pause = KernelRun::Pause;

namespace {

/// Clocks for which parts run before they meet: many, because early parts wait. But a part that has room for a cluster also waits for the
/// others: so few, while clusters wait for a place.
constexpr Cycle kStretch = 4096, kStretchWhileWaiting = 512;

/// Limit of global memory, which is copied before the run.
constexpr std::uint64_t kMostBytes = 1ull << 30;

std::vector<SmSpan> spansOf(const exec::Shape& shape)
{
    std::vector<SmSpan> spans;
    for (unsigned first = 0; first < shape.sms; first += shape.smsOfPart())
        spans.push_back({first, std::min(shape.smsOfPart(), shape.sms - first)});
    return spans;
}

bool mayBeGlobal(ptx::Space space) noexcept
{
    return space == ptx::Space::Global || space == ptx::Space::Generic;
}

/// The instruction by which CTAs of a grid communicate.
const char* meeting(const exec::Program& program)
{
    if (program.gridControl) return "griddepcontrol";
    if (!program.builtins.empty()) return "calls of the device's run-time library";
    for (const exec::SyncInfo& info : program.syncs) {
        if (info.op == Op::ClcTryCancel) return "clusterlaunchcontrol.try_cancel";
    }
    for (const exec::Code& code : program.codes) {
        for (const exec::MicroOp& op : code.ops) {
            if (!mayBeGlobal(op.space)) continue;
            if (op.touch == Touch::Updates) return "atomics on global memory";
            if (op.strong) return "strong loads of global memory";
        }
    }
    return nullptr;
}

}  // namespace

const char* ParallelRun::obstacle(const Executor& executor)
{
    const exec::Kernel& k = executor.machine_->kernel;
    const ExecParams& params = k.options.params;
    if (spansOf(k.shape).size() < 2) return k.shape.sms == 1 ? "one SM" : "one network";
    if (executor.machine_->state.ownResources == nullptr) return "a unit that launches share";
    std::uint64_t bytes = 0;
    for (const exec::GlobalMemory::Block& b : k.device.global.blocks()) bytes += b.bytes;
    if (bytes > kMostBytes) return "more memory than is kept twice";
    if (params.timing != Timing::Simple) return "a timing whose L2 is shared";
    if (params.of != 0) return "a part of a chip";
    if (params.memory == static_cast<std::uint32_t>(visibility::Form::Weak)) return "weak memory";
    if (!k.options.storeTimes.empty() || k.options.watch) return "a run that is looked at";
    if (k.device.global.watched() != nullptr) return "a check of what was written";
    if (k.spec.cooperative) return "a cooperative launch";
    return meeting(k.program);
}

/// State that all parts share.
struct ParallelRun::Shared {
    exec::Placement placement;
    exec::SharedLines lines;
};

struct ParallelRun::Part {
    Part(KernelRun& whole, exec::SharedLines& lines, unsigned index, SmSpan sms)
        : part(lines, index, sms.first, sms.count), run(whole.kernel, &whole.state.resources, &part)
    {
    }
    exec::ParallelPart part;
    KernelRun run;
    Pause pause{Pause::Over};
    [[nodiscard]] Cycle now() const { return run.state.port.now(); }
};

ParallelRun::ParallelRun(Executor& executor)
    : whole_(*executor.machine_), spans_(spansOf(whole_.shape))
{
    std::uint64_t first = ~std::uint64_t{0}, end = 0;
    for (const exec::GlobalMemory::Block& b : whole_.device.global.blocks()) {
        before_.emplace_back(b.data.get(), b.data.get() + b.bytes);
        first = std::min(first, b.base);
        end = std::max(end, b.base + b.bytes);
    }
    const std::uint64_t bytes = first < end ? end - first : 0;
    const auto count = static_cast<unsigned>(spans_.size());
    shared_.reset(new Shared{{whole_.shape, whole_.state.resources, 0}, {first, bytes, count}});
    for (unsigned i = 0; i < count; ++i)
        parts_.push_back(std::make_unique<Part>(whole_, shared_->lines, i, spans_[i]));
}
ParallelRun::~ParallelRun() = default;

void ParallelRun::undo()
{
    for (std::size_t i = 0; i < before_.size(); ++i) {
        const exec::GlobalMemory::Block& b = whole_.device.global.blocks()[i];
        std::copy(before_[i].begin(), before_[i].end(), b.data.get());
    }
}

void ParallelRun::addObserver(unsigned part, ExecObserver& observer)
{
    parts_[part]->run.state.observers.push_back(&observer);
}
void ParallelRun::watchTensor(unsigned part, TensorObserver& observer)
{
    parts_[part]->run.tensorCores.watch(observer);
}
void ParallelRun::note(unsigned part, const MbarNote& note)
{
    parts_[part]->run.state.findings.note(note);
}

/// In cycle `now` these parts have freed places: waiting clusters are placed as one thread does.
void ParallelRun::place(const std::vector<Part*>& freed, Cycle now)
{
    for (Part* p : freed) {
        for (const auto& [launch, last] : p->run.launcher.takeFreed()) {
            shared_->placement.freed(launch);
            if (last) shared_->placement.clusterFreed(launch.sm, launch.cluster);
        }
    }
    while (const auto placed = shared_->placement.next(0)) {
        Part& to = *parts_[placed->ctas.front().launch.sm / whole_.shape.smsOfPart()];
        if (to.now() != now) return void(left_ = "a place in a part that is at another time");
        to.run.launcher.accept(*placed);
        to.pause = Pause::Freed;  // it continues
    }
}

/// Runs these parts up to the cycle `until`.
void ParallelRun::advance(const std::vector<Part*>& going, Cycle until, const Share& share)
{
    const bool waiting = shared_->placement.left() != 0;
    share(static_cast<unsigned>(going.size()), [&](unsigned i) {
        try {
            going[i]->pause = going[i]->run.turnsUntil(until, waiting);
        } catch (const std::exception&) {  // one thread finds which is the first
            going[i]->pause = Pause::Left;
            going[i]->part.giveUp("an error");
        }
    });
}

/// Call when all parts have paused. False: everything is over, or has to run on one thread.
bool ParallelRun::exchange(Cycle until)
{
    std::vector<Part*> freed;
    Cycle first = until;
    std::uint64_t instructions = 0;
    for (const auto& p : parts_) {
        const RunResult& r = p->run.state.result;
        if (p->pause == Pause::Left) left_ = p->part.why();
        if (!r.findings.empty() || r.warningsNotListed != 0 ||
            std::any_of(r.ignored.begin(), r.ignored.end(), [](auto n) { return n != 0; }))
            left_ = "a finding";
        if (p->pause == Pause::Freed) first = std::min(first, p->now());
        instructions += p->run.state.progress.instructions();
    }
    if (instructions >= whole_.options.maxInstructions) left_ = "a limit";
    if (left_ != nullptr) return false;
    for (const auto& p : parts_) {
        if (p->pause == Pause::Freed && p->now() == first) freed.push_back(p.get());
    }
    if (!freed.empty()) place(freed, first);
    return left_ == nullptr && std::any_of(parts_.begin(), parts_.end(),
                                           [](const auto& p) { return p->pause != Pause::Over; });
}

/// Whether the order in which parts ran in this stretch can be seen.
bool ParallelRun::conflict()
{
    if (!shared_->lines.takeConflict()) return false;
    left_ = "parts that touch the same bytes";
    return true;
}

RunResult ParallelRun::result(Cycle begun) const
{
    RunResult all = whole_.state.result;
    for (const auto& p : parts_) {
        const exec::Progress& progress = p->run.state.progress;
        all.cycles = std::max(all.cycles, p->now() - begun);
        all.lastChange = std::max(all.lastChange, progress.lastChangeAt());
        all.instructions += progress.instructions();
        all.threadInstructions += progress.threadInstructions();
        all.syncRequests += p->run.state.result.syncRequests;
    }
    return all;
}

std::optional<RunResult> ParallelRun::run(const std::vector<SyncPort*>& ports, const Share& share,
                                          const std::function<void(Cycle)>& exchanged)
{
    assert(ports.size() == parts_.size());
    for (std::size_t i = 0; i < ports.size(); ++i) parts_[i]->run.begin(*ports[i]);
    const Cycle begun = parts_.front()->now();
    place({}, begun);
    std::vector<Part*> going;
    const auto stretch = [&] {
        return shared_->placement.left() != 0 ? kStretchWhileWaiting : kStretch;
    };
    Cycle until = begun + stretch();
    while (exchange(until)) {
        if (whole_.options.stop != nullptr && *whole_.options.stop) {
            RunResult stopped = result(begun);
            stopped.verdict = Verdict::Interrupted;
            return whole_.judged(std::move(stopped));
        }
        going.clear();
        Cycle least = kNever;
        for (const auto& p : parts_) {
            if (p->pause == Pause::Over) continue;
            least = std::min(least, p->now());
            if (p->now() < until && !(p->pause == Pause::Freed && p->run.launcher.hasFreed()))
                going.push_back(p.get());
        }
        if (going.empty()) {  // the stretch is over
            if (conflict()) break;
            exchanged(until);
            until = std::max(until, least) + stretch();
            continue;
        }
        advance(going, until, share);
    }
    if (left_ != nullptr || conflict()) return std::nullopt;
    exchanged(kNever);
    return whole_.judged(result(begun));
}

}  // namespace gsu
