#include "cuda/platform/launch_work.hpp"

#include <cstdio>

#include "cuda/platform/platform.hpp"

namespace gsu::cuda {
namespace {

LaunchSpec specOf(const LaunchCall& call, unsigned sms, bool spread)
{
    LaunchSpec spec;
    spec.file = call.kernel->module->name();
    spec.entry = call.kernel->function->name;
    spec.grid = call.grid;
    spec.block = call.block;
    spec.cluster = call.cluster;
    spec.dynamicSmem = call.dynamicSmem;
    spec.cooperative = call.cooperative;
    spec.dependent = call.dependent;
    spec.sms = smsFor(call, sms, spread);
    spec.paramBlock.emplace();
    spec.paramBlock->data.bytes = call.parameters;
    return spec;
}

Status statusOf(TrapKind kind)
{
    switch (kind) {
        case TrapKind::Access: return Status::IllegalAddress;
        case TrapKind::Misaligned: return Status::MisalignedAddress;
        case TrapKind::AddressSpace: return Status::InvalidAddressSpace;
        case TrapKind::Target: return Status::InvalidPc;
        case TrapKind::Stack: return Status::HardwareStack;
        case TrapKind::Assertion: return Status::Assert;
        case TrapKind::Instruction: break;
    }
    return Status::LaunchFailure;
}

Status statusOf(const RunResult& r)
{
    if (r.fault) return Status::Unknown;
    if (!r.trap.empty()) return statusOf(r.trapKind);
    if (r.hang || r.verdict == Verdict::Limit) return Status::LaunchTimeout;
    return Status::Success;
}

}  // namespace

LaunchFlight::LaunchFlight(Platform& platform, LaunchCall call)
    : platform_(platform),
      call_(std::move(call)),
      spec_(specOf(call_, platform.settings.sms, platform.timed())),
      turn_(platform.reporter.begin(call_)),
      patience_(Patience::Clock::now())
{
    try {
        begin();
    } catch (const InputError& error) {
        platform_.reporter.refused(turn_, call_, error.what());
        throw;
    }
}

/// The platform's limits, and lines about the progress of the launch.
RunOptions LaunchFlight::options()
{
    RunOptions options = platform_.limits;
    if (turn_.functional) options.params = execParamsOf(Preset::Ideal);
    options.watch = [this](const RunProgress& p) {
        const auto seconds = patience_.due(Patience::Clock::now());
        if (seconds) platform_.reporter.running(turn_, call_, p, *seconds);
    };
    return options;
}

void LaunchFlight::begin()
{
    platform_.saver.before(turn_.number, call_, spec_, platform_.heap);
    CodeModule& module = *call_.kernel->module;
    executor_ = std::make_unique<Executor>(spec_, module.device(), options());
    if (turn_.chosen) {
        const run::RunSetup setup{platform_.settings.common, platform_.preset, platform_.config,
                                  platform_.limits, module.code()};
        looked_ = std::make_unique<run::LaunchRun>(setup, turn_.options, spec_, *executor_);
        executor_->begin(looked_->port());
        return;
    }
    Executor& executor = *executor_;
    stack_ = std::make_unique<run::UnitStack>(
        turn_.options, executor.sms(),
        platform_.settings.common.forTarget(
            turn_.functional ? configOf(Preset::Ideal) : platform_.config, module.code().target),
        executor.sharedMemory(), [&executor](const MbarNote& note) { executor.note(note); });
    if (!platform_.settings.common.checksRaces()) return executor.begin(stack_->port());
    races_ = std::make_unique<run::RaceWatch>(module.code(), executor.sms());
    races_->watch(executor);
    tap_ = std::make_unique<TapPort>(stack_->port());
    tap_->add(races_->observers());
    executor.begin(*tap_);
}

Flight::State LaunchFlight::advance(std::uint64_t until, std::uint64_t work)
{
    if (platform_.error() != Status::Success) {
        platform_.reporter.refused(turn_, call_, "ended by the error of another launch");
        return State::Ended;
    }
    constexpr std::uint64_t kTurn = 16;  // work of a cycle, as RunOptions::quietWork counts it
    return told([&] {
        for (std::uint64_t done = 0; executor_->now() < until && done < work; done += kTurn) {
            const Executor::Turn turn = executor_->turn();
            if (turn == Executor::Turn::Still) return State::Still;
            if (turn == Executor::Turn::Ended) return end();
        }
        return State::Going;
    });
}

/// Runs `work`. An instruction that cannot be executed ends the launch, with a line about it.
template <class F> Flight::State LaunchFlight::told(F&& work)
{
    try {
        return work();
    } catch (const InputError& error) {
        platform_.reporter.refused(turn_, call_, error.what());
    }
    platform_.failed(Status::Unknown);
    return State::Ended;
}

bool LaunchFlight::quiet() const noexcept
{
    constexpr std::uint64_t kLong = 1 << 24;  // about a second
    return executor_->quietWork() > kLong;
}

void LaunchFlight::giveUp()
{
    // Launches that wait for each other are explained one by one.
    const Status error = platform_.error();
    if (error == Status::Success || error == Status::LaunchTimeout)
        static_cast<void>(told([&] { return end(); }));
    else
        static_cast<void>(advance(0, 0));
}

Flight::State LaunchFlight::end()
{
    run::LaunchOutcome outcome;
    if (looked_) {
        outcome = looked_->finish(executor_->end());
        outcome.outputs.check();
    } else {
        outcome.result = executor_->end();
    }
    const RunResult& r = outcome.result;
    cycles_ = r.cycles;
    platform_.saver.after(r);
    platform_.printed(r.output);
    const Status status = statusOf(r);
    if (looked_ && !outcome.text.empty()) {
        // The text begins with the kernel's output, which the program prints itself.
        std::size_t skip = r.output.size();
        if (skip != 0 && r.output.back() != '\n') ++skip;
        std::fwrite(outcome.text.data() + skip, 1, outcome.text.size() - skip, stderr);
    }
    platform_.reporter.end(turn_, call_, outcome, call_.kernel->module->code(), status);
    platform_.failed(status);
    return State::Ended;
}

}  // namespace gsu::cuda
