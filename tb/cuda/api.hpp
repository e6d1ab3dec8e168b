/// How functions of the APIs are written down: their symbols with the versions that programs are linked against, and what all of them do around their
/// work: the lock, the device's error, exceptions as codes.
#pragma once
#include <new>
#include <utility>

#include "base/input_error.hpp"
#include "cuda/platform.hpp"

// A function of the runtime that returns `type`. Programs of nvcc 11, 12 and 13 ask for the same name under three versions.
#define GSU_RUNTIME_AS(type, name)                                                                 \
    __asm__(".symver gsu_" #name "," #name "@libcudart.so.11.0\n"                                  \
            ".symver gsu_" #name "," #name "@libcudart.so.12\n"                                    \
            ".symver gsu_" #name "," #name "@@libcudart.so.13\n");                                 \
    extern "C" __attribute__((visibility("default"))) type gsu_##name
#define GSU_RUNTIME(name) GSU_RUNTIME_AS(int, name)
// One whose meaning depends on the version.
#define GSU_RUNTIME_11(name)                                                                       \
    __asm__(".symver gsu11_" #name "," #name "@libcudart.so.11.0\n");                              \
    extern "C" __attribute__((visibility("default"))) int gsu11_##name
#define GSU_RUNTIME_12(name)                                                                       \
    __asm__(".symver gsu12_" #name "," #name "@libcudart.so.12\n");                                \
    extern "C" __attribute__((visibility("default"))) int gsu12_##name
#define GSU_RUNTIME_13(name)                                                                       \
    __asm__(".symver gsu_" #name "," #name "@@libcudart.so.13\n");                                 \
    extern "C" __attribute__((visibility("default"))) int gsu_##name
// Another name of a function that this file defines: what programs call that are compiled with --default-stream per-thread. All work is done in the
// order of the calls, whatever the default stream is.
#define GSU_PER_THREAD(name, suffix)                                                               \
    __asm__(".symver gsu_" #name "," #name suffix "@libcudart.so.11.0\n"                           \
            ".symver gsu_" #name "," #name suffix "@libcudart.so.12\n"                             \
            ".symver gsu_" #name "," #name suffix "@@libcudart.so.13\n")
// A function of the driver, whose symbols have no versions.
#define GSU_DRIVER(name) extern "C" __attribute__((visibility("default"))) int name

#define GSU_SITE __builtin_return_address(0)

namespace gsu::cuda {

/// Error of the calling thread's last call of the runtime that failed.
extern thread_local Status lastError;

/// Holds the lock and turns exceptions into codes. `name`: of the function, for messages.
template <class F> Status guarded(const char* name, F&& work) noexcept
{
    try {
        Platform& platform = Platform::get();
        if (platform.forked()) {
            say(std::string(name) + ": this process was forked from the one that has the device");
            return Status::NotInitialised;
        }
        const std::lock_guard lock(platform.mutex);
        return work(platform);
    } catch (const Refusal& refusal) {
        if (!refusal.message.empty()) say(std::string(name) + ": " + refusal.message);
        return refusal.status;
    } catch (const InputError& error) {
        say(std::string(name) + ": " + error.what());
        return Status::InvalidValue;
    } catch (const std::bad_alloc&) {
        return Status::OutOfMemory;
    } catch (const std::exception& error) {
        say(std::string(name) + ": internal error: " + error.what());
        return Status::Unknown;
    }
}

/// The runtime is used: the driver is initialised, and its primary context is the thread's, unless it has another one.
void useRuntime();

/// A call of the runtime that fails while the device has an error that stays.
template <class F> int runtimeCall(const char* name, F&& work) noexcept
{
    const Status status = guarded(name, [&](Platform& platform) {
        useRuntime();
        if (platform.error() != Status::Success) return platform.error();
        return work(platform);
    });
    if (status != Status::Success && status != Status::NotReady) lastError = status;
    return static_cast<int>(status);
}

/// A call that this device does not have: said once per name.
[[nodiscard]] Status unsupported(const char* name);

}  // namespace gsu::cuda
