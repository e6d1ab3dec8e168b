/// The device of a process and its contents, made by the first call. All calls hold its lock, so that any thread may make them.
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
    /// The platform, made by the first call; never destroyed, because programs call it from their own destructors.
    static Platform& get();

    Platform(const Platform&) = delete;
    Platform& operator=(const Platform&) = delete;

    /// Begins a launch; nullptr: it cannot be executed, or the device has an error. Errors of the kernel become the device's error, as they
    /// would asynchronously.
    [[nodiscard]] std::unique_ptr<Flight> launch(const LaunchCall& call);
    /// Loads device code as PTX as a module. Throws Refusal.
    CodeModule& load(const std::vector<std::string>& texts, const std::string& name,
                     const std::vector<std::string>& managed) override;
    CodeModule& load(const std::vector<std::string>& texts, const std::string& name)
    {
        return load(texts, name, {});
    }
    void unload(CodeModule& module) override;
    /// The module of a handle, or nullptr.
    [[nodiscard]] CodeModule* moduleOf(const void* handle) const noexcept;
    /// The state that launches of a kernel share, made at its first use. Throws Refusal.
    Kernel& kernelOf(CodeModule& module, const std::string& name) override;
    [[nodiscard]] unsigned target() const noexcept override { return settings.sm; }
    [[nodiscard]] bool isKernel(const void* handle) const noexcept;

    /// The sticky error of the device; it stays until the device is reset.
    [[nodiscard]] Status error() const noexcept { return error_; }
    void reset();
    /// Waits for all work. Returns the device's error, or that of failed work.
    [[nodiscard]] Status synchronize();
    /// Call after the program has waited with result `status`: prints the output of kernels. Returns the device's error, else `status`.
    [[nodiscard]] Status synchronized(Status status);
    /// A call begins: as long as calls come, they do the pending work.
    void called() noexcept { lastCall_ = std::chrono::steady_clock::now(); }
    /// A call ends. Launches may be running that wait for the next act of the program.
    void left()
    {
        if (!goesOn_ && streams.schedule().underWay()) goOnAlone();
    }
    /// The process ends: does all work.
    void end();
    /// A limit (cudaLimit and CUlimit share their numbers). Limits are kept, and limit nothing.
    [[nodiscard]] Status getLimit(int limit, std::size_t& value) const noexcept;
    [[nodiscard]] Status setLimit(int limit, std::size_t value) noexcept;
    /// True after fork(): the child has no device.
    [[nodiscard]] bool forked() const noexcept;
    /// Takes the result of a launch: a sticky error becomes the device's.
    void failed(Status status) noexcept;
    /// Appends output of a kernel.
    void printed(const std::string& text) { output_ += text; }
    /// Writes the output of kernels so far to standard output.
    void flushOutput();
    /// Whether a timing model gives the time of launches.
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

/// Runs a function of the program without the lock: it may wait for threads that make calls, and its own calls are not part of the present
/// one. Throws Refusal if it throws.
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
