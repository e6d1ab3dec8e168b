/// The device and what a program has on it: one for the process, made by the first call. All calls hold its lock, so that any thread may
/// make them.
#pragma once
#include <sys/types.h>

#include <array>
#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "cuda/code/code_module.hpp"
#include "cuda/code/launch.hpp"
#include "cuda/code/registry.hpp"
#include "cuda/device/heap.hpp"
#include "cuda/device/message.hpp"
#include "cuda/report/reporter.hpp"
#include "cuda/report/saver.hpp"
#include "cuda/streams/device_work.hpp"
#include "cuda/streams/graphs.hpp"
#include "cuda/streams/stream.hpp"
#include "run/exec_settings.hpp"

namespace gsu::cuda {

class Platform final : public CodeLoader {
public:
    /// Made by the first call; never destroyed, as programs call it from their own destructors.
    static Platform& get();

    Platform(const Platform&) = delete;
    Platform& operator=(const Platform&) = delete;

    /// Begins it; nullptr: it cannot be executed, or the device has an error. What the kernel does wrong becomes the device's error, as it would
    /// asynchronously.
    [[nodiscard]] std::unique_ptr<Flight> launch(const LaunchCall& call);
    /// Device code as PTX, which becomes a module. Throws Refusal.
    CodeModule& load(const std::vector<std::string>& texts, const std::string& name,
                     const std::vector<std::string>& managed) override;
    CodeModule& load(const std::vector<std::string>& texts, const std::string& name)
    {
        return load(texts, name, {});
    }
    void unload(CodeModule& module) override;
    /// nullptr: no module has this handle.
    [[nodiscard]] CodeModule* moduleOf(const void* handle) const noexcept;
    /// What launches of the kernel share, made at its first use. Throws Refusal.
    Kernel& kernelOf(CodeModule& module, const std::string& name) override;
    [[nodiscard]] unsigned target() const noexcept override { return settings.sm; }
    [[nodiscard]] bool isKernel(const void* handle) const noexcept;

    /// The error that stays until the device is reset.
    [[nodiscard]] Status error() const noexcept { return error_; }
    void reset();
    /// Waits for all work; the device's error, or what failed of the work.
    [[nodiscard]] Status synchronize();
    /// The program has waited, and `status` came of it: what kernels printed appears. The device's error, else `status`.
    [[nodiscard]] Status synchronized(Status status);
    /// A call begins: as long as calls come, pending work is theirs.
    void called() noexcept { lastCall_ = std::chrono::steady_clock::now(); }
    /// A call ends. Launches may be under way that wait for what the program does next.
    void left()
    {
        if (!goesOn_ && streams.schedule().underWay()) goOnAlone();
    }
    /// The process ends: all work is done.
    void end();
    /// cudaLimit and CUlimit, which share their numbers. They are kept, and limit nothing.
    [[nodiscard]] Status getLimit(int limit, std::size_t& value) const noexcept;
    [[nodiscard]] Status setLimit(int limit, std::size_t value) noexcept;
    /// After fork() the child has no device.
    [[nodiscard]] bool forked() const noexcept;
    /// What came of a launch: an error that stays becomes the device's.
    void failed(Status status) noexcept;
    /// A kernel has printed it.
    void printed(const std::string& text) { output_ += text; }
    /// What kernels printed so far goes to standard output.
    void flushOutput();
    /// Whether a model says how long launches take.
    [[nodiscard]] bool timed() const noexcept { return limits.params.timing != Timing::Simple; }

    const run::ExecSettings settings;
    const Preset preset;
    RunOptions limits;
    const Config config;
    CallLock lock;
    Heap heap;
    Reporter reporter;
    Saver saver;
    Streams streams;
    Graphs graphs;
    Registry registry;

private:
    Platform();
    void goOnAlone();

    pid_t pid_;
    std::chrono::steady_clock::time_point lastCall_{};
    bool ended_{}, goesOn_{};
    /// Stack, printf, heap, depth and number of launches by kernels, L2 fetches, persisting L2.
    std::array<std::size_t, 7> deviceLimits_{1024, 1 << 20, 8 << 20, 2, 2048, 128, 0};
    Status error_{};
    std::string output_;
    std::vector<std::shared_ptr<CodeModule>> modules_;
    std::uint64_t loaded_{};
    std::map<std::pair<CodeModule*, std::string>, std::shared_ptr<Kernel>> kernels_;
};

/// Runs a function of the program: without the lock, as it may wait for threads that make calls, and its own calls are no part of the one that it is
/// run by. Throws Refusal for what it throws.
template <class F> auto runForProgram(Platform& platform, F&& function)
{
    struct Outside {
        CallOrigin before{std::exchange(callOrigin, CallOrigin{})};
        ~Outside() { callOrigin = before; }
    };
    const CallLock::Away away(platform.lock);
    const Outside outside;
    const std::string threw = "a function of the program threw an exception";
    try {
        return function();
    } catch (const std::exception& error) {
        throw Refusal{Status::Unknown, threw + ": " + error.what()};
    } catch (...) {
        throw Refusal{Status::Unknown, threw};
    }
}

}  // namespace gsu::cuda
