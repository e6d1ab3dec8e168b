// The driver loop and the issue of warps: four schedulers per SM, one instruction a clock each.
#include <algorithm>

#include "exec/machine/machine.hpp"
#include "ptx/check.hpp"

namespace gsu::exec {

void Machine::at(Cycle when, std::function<void()> what)
{
    events.push_back({std::max(when, now + 1), eventOrder++, std::move(what)});
    std::push_heap(events.begin(), events.end());
}

void Machine::deliverEvents()
{
    while (!events.empty() && events.front().at <= now) {
        std::pop_heap(events.begin(), events.end());
        const Event event = std::move(events.back());
        events.pop_back();
        event.run();
    }
}

Cycle Machine::nextOwn() const
{
    Cycle next = events.empty() ? kNever : events.front().at;
    if ((launching | queued | updating) != 0) return now + 1;
    for (std::size_t i = 0; !draining && i < sms.size(); ++i) next = std::min(next, due[i]);
    return std::max(next, now + 1);
}

Cycle Machine::firstIssue(const Sm& sm)
{
    Cycle first = kNever;
    for (const Scheduler& s : sm.schedulers) {
        for (const Warp* w : s.warps) {
            if (w->nextAt != kNever) first = std::min(first, std::max(w->nextAt, s.freeAt));
        }
    }
    return first;
}

void Machine::runSm(Sm& sm, Cycle& smDue)
{
    std::array<Warp*, 4> picks{};
    std::array<Scheduler*, 4> owner{};
    unsigned count = 0;
    for (Scheduler& s : sm.schedulers) {
        if (s.freeAt > now || s.warps.empty()) continue;
        const auto n = static_cast<std::uint32_t>(s.warps.size());
        Warp* best = nullptr;
        for (std::uint32_t step = 1; step <= n; ++step) {
            Warp* w = s.warps[(s.last + step) % n];
            if (w->nextAt > now) continue;
            best = w;
            s.last = (s.last + step) % n;
            if ((random() & 3) != 0)
                break;  // loosely round robin: sometimes a later ready warp goes first
        }
        if (best == nullptr) continue;
        owner[count] = &s;
        picks[count++] = best;
    }
    smDue = count != 0 ? now + 1 : firstIssue(sm);
    // Memory-visible instructions of one cycle take effect in warp order.
    for (unsigned done = 0; done < count; ++done) {
        unsigned least = count;
        for (unsigned i = 0; i < count; ++i) {
            if (picks[i] == nullptr) continue;
            const auto key = [&](const Warp* w) { return w->cta->launch.wbase + w->index; };
            if (least == count || key(picks[i]) < key(picks[least])) least = i;
        }
        const std::uint32_t issued = issue(*picks[least]);
        owner[least]->freeAt = now + std::max(issued, 1u);
        picks[least] = nullptr;
        if (trapped) return;
    }
}

void Machine::runSchedulers()
{
    for (std::size_t i = 0; i < sms.size(); ++i) {
        if (due[i] > now) continue;
        runSm(sms[i], due[i]);
        if (trapped) return;
    }
}

bool Machine::limitReached()
{
    if (options.stop != nullptr && options.stop->load(std::memory_order_relaxed)) {
        result.verdict = Verdict::Interrupted;
        return true;
    }
    ++turns;
    if (workChanges != changes) {
        workChanges = changes;
        quietFrom = work();
    }
    if (now >= options.maxCycles) {
        result.limit = "cycle " + std::to_string(options.maxCycles) + " is reached";
    } else if (result.instructions >= options.maxInstructions) {
        result.limit = std::to_string(options.maxInstructions) + " instructions are reached";
    } else if (work() - quietFrom > options.quietWork) {
        result.limit = "no memory and no barrier has changed since cycle " +
                       std::to_string(lastChangeAt) + ", but loops go on whose registers change";
    } else if (work() - ctaFrom > options.ctaWork) {
        result.limit =
            "for very long no CTA has started or ended; a limit of its own lets it go on";
    } else {
        return false;
    }
    result.verdict = Verdict::Limit;
    return true;
}

void Machine::loop()
{
    for (;;) {
        now = port->now();
        inputGiven = false;
        if (auto fault = port->fault()) {
            result.fault = std::move(fault);
            return;
        }
        if (ctasLeft == 0 && events.empty()) return;
        if (limitReached()) return;
        deliverEvents();
        launchMore();
        offerLaunches();
        watchHang();
        if (!draining) runSchedulers();
        if (trapped) return;
        present();
        const Cycle quiet = port->quietUntil();
        if (inputGiven || quiet <= now) {
            port->step();
            if (noUnitLine != 0)
                throw UnsupportedError(module.placeOf(noUnitLine).first,
                                       module.placeOf(noUnitLine).second, 0,
                                       "instruction not supported: the unit behind this port has "
                                       "no hardware for it yet");
            continue;
        }
        const Cycle next = std::min(nextOwn(), quiet);
        if (next == kNever) {
            if (ctasLeft == 0 && events.empty()) return;
            draining = false;
            if (releaseHeld()) continue;
            return reportHang();
        }
        port->skipTo(std::min(next, options.maxCycles));
    }
}

RunResult Machine::run(SyncPort& to)
{
    port = &to;
    port->setSink(*this);
    for (const ExecObserver* o : observers) watchIssue = watchIssue || o->wantsIssue();
    loop();
    result.cycles = port->now();
    finish();
    return std::move(result);
}

}  // namespace gsu::exec

namespace gsu {

namespace {

/// Nothing illegal is executed, not even decoded: the text is that of `gsu check`.
const ptx::Module& requireForms(const ptx::Module& module)
{
    const std::vector<ptx::Diagnostic> errors = ptx::formErrors(module);
    if (errors.empty()) return module;
    const ptx::Diagnostic& e = errors.front();
    const auto [file, line] = module.placeOf(e.at.line);
    throw InputError(file, line, e.at.column,
                     e.message + (e.rule.empty() ? "" : " [" + e.rule + "]"));
}

}  // namespace

Device::Device(const LaunchSpec& common, const ptx::Module& module, const RunOptions& options)
    : module_(requireForms(module)),
      memory_(std::make_unique<exec::DeviceMemory>(common, module, options.memoryBytes))
{
    memory_->placeMultimem({});
    exec::Patcher(common, *memory_, {}).memory();
}
Device::~Device() = default;

void Device::check(const LaunchSpec& launch, const RunOptions& options)
{
    const std::size_t blocks = memory_->global.blocks().size();
    const std::uint64_t left = memory_->left;
    const exec::Machine probe(launch, module_, options, memory_.get());
    memory_->global.keepFirst(blocks);
    memory_->left = left - probe.threadBytes;  // which the machine gives back
}

std::vector<Mismatch> Device::compare() const
{
    std::vector<Mismatch> mismatches;
    exec::compareMemory(*memory_, memory_->spec.expect, {}, mismatches);
    return mismatches;
}

std::vector<MemoryContents> Device::contents(bool withBytes) const
{
    return memory_->contents(withBytes);
}

Executor::Executor(const LaunchSpec& spec, const ptx::Module& module, RunOptions options)
    : machine_(std::make_unique<exec::Machine>(spec, requireForms(module), options, nullptr))
{
}
Executor::Executor(const LaunchSpec& spec, Device& device, RunOptions options)
    : machine_(std::make_unique<exec::Machine>(spec, device.module_, options, device.memory_.get()))
{
}
Executor::~Executor() = default;
unsigned Executor::sms() const noexcept { return machine_->smCount; }
SharedMemory& Executor::sharedMemory() noexcept { return *machine_->shared; }
std::uint32_t Executor::sharedWindow() const noexcept { return machine_->shape.smem; }
void Executor::addObserver(ExecObserver& observer) { machine_->observers.push_back(&observer); }
void Executor::note(const MbarNote& note) { machine_->notes.push_back(note); }
RunResult Executor::run(SyncPort& port) { return machine_->run(port); }

std::vector<MemoryContents> Executor::contents(bool withBytes) const
{
    return machine_->contents(withBytes);
}

std::vector<std::uint8_t> Executor::readBuffer(std::size_t param) const
{
    if (param >= machine_->bufferAddress.size() || machine_->bufferAddress[param] == 0) return {};
    for (const auto& b : machine_->global.blocks()) {
        if (b.base == machine_->bufferAddress[param]) return {b.data.get(), b.data.get() + b.bytes};
    }
    return {};
}

}  // namespace gsu
