#include "cuda/platform/platform.hpp"

#include <fmt/format.h>
#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "base/quiet_thread.hpp"
#include "cuda/platform/launch_work.hpp"

namespace gsu::cuda {
namespace {

run::ExecSettings settingsOfProcess()
{
    const char* text = std::getenv(run::kExecSettings);
    if (text == nullptr) return {};
    try {
        return run::ExecSettings::of(text);
    } catch (const InputError& error) {
        say(error.what());
        return {};
    }
}

RunOptions limitsOf(const run::CommonOptions& options)
{
    RunOptions limits;
    limits.ignore = options.suppressions();
    limits.seed = options.seed;
    limits.keepGoing = options.keepGoing;
    limits.serverActivity = !options.timeline.empty();
    if (options.maxCycles) {
        limits.maxCycles = *options.maxCycles;
        limits.quietWork = limits.ctaWork = ~0ull;
    }
    return limits;
}

void atEnd()
{
    Platform& platform = Platform::get();
    if (platform.forked()) return;
    platform.end();
}

}  // namespace

namespace {

/// Keeps freed memory in the process. Each launch allocates and frees the memory of a machine; glibc would return it to the system, and
/// page faults of the next launch would take longer than a small launch.
void keepFreedMemory()
{
#ifdef __GLIBC__
    constexpr int kKept = 64 << 20, kOwnPages = 32 << 20;  // bytes
    ::mallopt(M_TRIM_THRESHOLD, kKept);
    // setting one value stops glibc from choosing the other
    ::mallopt(M_MMAP_THRESHOLD, kOwnPages);
#endif
}

}  // namespace

Platform& Platform::get()
{
    static Platform* const platform = [] {
        keepFreedMemory();
        auto* made = new Platform();
        std::atexit(atEnd);
        return made;
    }();
    return *platform;
}

Platform::Platform()
    : settings(settingsOfProcess()),
      preset(settings.common.preset().value_or(settings.sm >= 100  ? Preset::Blackwell
                                               : settings.sm >= 90 ? Preset::Hopper
                                                                   : Preset::Ampere)),
      limits(limitsOf(settings.common)),
      config(settings.common.settings(preset, limits.params)),
      heap(settings.memory != 0 ? settings.memory : run::ExecSettings::kDefaultMemory,
           settings.checkUninit),
      reporter(settings),
      saver(settings.save),
      streams(settings.common.seed, &lock, settings.sms),
      pid_(::getpid())
{
    if (streams.schedule().drawn()) goOnAlone();
}

/// Runs pending work without a call. A program may wait for its device by reading memory that both see; if no call has come for a while, a
/// thread does the pending work.
void Platform::goOnAlone()
{
    goesOn_ = true;
    constexpr auto kLook = std::chrono::milliseconds(100), kQuiet = std::chrono::milliseconds(1000);
    quietThread([this, kLook, kQuiet] {
        for (;;) {
            std::this_thread::sleep_for(kLook);
            const std::unique_lock held(lock, std::try_to_lock);
            if (!held) continue;
            if (ended_) return;
            if (std::chrono::steady_clock::now() - lastCall_ < kQuiet) continue;
            streams.schedule().wake();
            static_cast<void>(streams.schedule().progress());
        }
    }).detach();
}

Status Platform::synchronize() { return synchronized(streams.finish()); }

Status Platform::synchronized(Status status)
{
    flushOutput();
    return error_ != Status::Success ? error_ : status;
}

void Platform::end()
{
    const std::lock_guard held(lock);
    ended_ = true;
    static_cast<void>(synchronize());
    try {
        saver.writeList();
    } catch (const InputError& error) {
        say(error.what());
    }
    reporter.leaks(heap);
}

Status Platform::getLimit(int limit, std::size_t& value) const noexcept
{
    if (limit < 0 || limit >= static_cast<int>(deviceLimits_.size()))
        return Status::UnsupportedLimit;
    value = deviceLimits_[static_cast<std::size_t>(limit)];
    return Status::Success;
}

Status Platform::setLimit(int limit, std::size_t value) noexcept
{
    if (limit < 0 || limit >= static_cast<int>(deviceLimits_.size()))
        return Status::UnsupportedLimit;
    deviceLimits_[static_cast<std::size_t>(limit)] = value;
    return Status::Success;
}

bool Platform::forked() const noexcept { return ::getpid() != pid_; }

void Platform::flushOutput()
{
    if (output_.empty()) return;
    std::fwrite(output_.data(), 1, output_.size(), stdout);
    std::fflush(stdout);
    output_.clear();
}

CodeModule& Platform::load(const std::vector<std::string>& texts, const std::string& name,
                           const std::vector<std::string>& managed)
{
    try {
        modules_.push_back(
            std::make_shared<CodeModule>(texts, name, managed, loaded_++, heap, limits));
    } catch (const InputError& error) {
        throw Refusal{Status::InvalidPtx, error.what()};
    }
    return *modules_.back();
}

void Platform::unload(CodeModule& module)
{
    static_cast<void>(streams.finish());
    std::erase_if(kernels_, [&](const auto& k) { return k.first.first == &module; });
    std::erase_if(modules_, [&](const auto& m) { return m.get() == &module; });
}

CodeModule* Platform::moduleOf(const void* handle) const noexcept
{
    const auto found = std::find_if(modules_.begin(), modules_.end(),
                                    [&](const auto& m) { return m.get() == handle; });
    return found == modules_.end() ? nullptr : found->get();
}

Kernel& Platform::kernelOf(CodeModule& module, const std::string& name)
{
    if (const auto found = kernels_.find({&module, name}); found != kernels_.end())
        return *found->second;
    const ptx::Function* function = module.kernel(name);
    if (function == nullptr)
        throw Refusal{Status::NotFound, "no kernel '" + name + "' in " + module.name()};
    const auto kernel = std::make_shared<Kernel>();
    kernel->module = module.shared_from_this();
    kernel->function = function;
    kernel->readable = demangled(name);
    try {
        kernel->staticSmem = staticShared(module, *function);
    } catch (const InputError& error) {
        throw Refusal{Status::InvalidImage, error.what()};
    }
    kernels_[{&module, name}] = kernel;
    return *kernel;
}

bool Platform::isKernel(const void* handle) const noexcept
{
    return std::any_of(kernels_.begin(), kernels_.end(),
                       [&](const auto& k) { return k.second.get() == handle; });
}

void Platform::reset()
{
    static_cast<void>(synchronize());
    heap.releaseAll();
    error_ = Status::Success;
}

std::unique_ptr<Flight> Platform::launch(const LaunchCall& call)
{
    if (error_ != Status::Success) return nullptr;
    try {
        return std::make_unique<LaunchFlight>(*this, call);
    } catch (const InputError&) {
    }
    failed(Status::Unknown);
    return nullptr;
}

void Platform::failed(Status status) noexcept
{
    if (sticky(status) && error_ == Status::Success) error_ = status;
}

}  // namespace gsu::cuda
