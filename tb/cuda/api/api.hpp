/// Macros for functions of the APIs: their symbols with the versions that programs are linked against, and the frame of each call: the
/// lock, the device's error, exceptions as codes.
#pragma once
#include <mutex>
#include <new>
#include <utility>

#include "base/input_error.hpp"
#include "cuda/platform/platform.hpp"

// A function of the runtime that returns `type`. Programs of nvcc 11, 12 and 13 ask for the same name under three versions.
#define GSU_RUNTIME_AS(type, name)                                                                 \
    __asm__(".symver gsu_" #name "," #name "@libcudart.so.11.0\n"                                  \
            ".symver gsu_" #name "," #name "@libcudart.so.12\n"                                    \
            ".symver gsu_" #name "," #name "@@libcudart.so.13\n");                                 \
    extern "C" __attribute__((visibility("default"))) type gsu_##name
#define GSU_RUNTIME(name) GSU_RUNTIME_AS(int, name)
// A function of the runtime whose meaning depends on the version.
#define GSU_RUNTIME_11(name)                                                                       \
    __asm__(".symver gsu11_" #name "," #name "@libcudart.so.11.0\n");                              \
    extern "C" __attribute__((visibility("default"))) int gsu11_##name
#define GSU_RUNTIME_12(name)                                                                       \
    __asm__(".symver gsu12_" #name "," #name "@libcudart.so.12\n");                                \
    extern "C" __attribute__((visibility("default"))) int gsu12_##name
#define GSU_RUNTIME_13(name)                                                                       \
    __asm__(".symver gsu_" #name "," #name "@@libcudart.so.13\n");                                 \
    extern "C" __attribute__((visibility("default"))) int gsu_##name
// Another form of a function of this file, for programs that are compiled with --default-stream per-thread. `suffix`: _ptsz, and _ptds for
// functions that name no stream.
#define GSU_PER_THREAD(name, suffix, parameters, arguments)                                        \
    __asm__(".symver gsu_" #name #suffix "," #name #suffix "@libcudart.so.11.0\n"                  \
            ".symver gsu_" #name #suffix "," #name #suffix "@libcudart.so.12\n"                    \
            ".symver gsu_" #name #suffix "," #name #suffix "@@libcudart.so.13\n");                 \
    extern "C" __attribute__((visibility("default"))) int gsu_##name##suffix parameters            \
    {                                                                                              \
        const PerThreadDefault scope(__builtin_return_address(0));                                 \
        return gsu_##name arguments;                                                               \
    }
// A function of the driver, whose symbols have no versions.
#define GSU_DRIVER(name) extern "C" __attribute__((visibility("default"))) int name

// The program's address of the call.
#define GSU_SITE gsu::cuda::PerThreadDefault::siteOr(__builtin_return_address(0))

namespace gsu::cuda {

/// While an object of this class lives, the calling thread's default stream is its own, and the program's call came from `site`.
class PerThreadDefault {
public:
    explicit PerThreadDefault(const void* site) noexcept
        : before_(std::exchange(callOrigin, {true, site}))
    {
    }
    ~PerThreadDefault() { callOrigin = before_; }
    PerThreadDefault(const PerThreadDefault&) = delete;
    PerThreadDefault& operator=(const PerThreadDefault&) = delete;
    [[nodiscard]] static const void* siteOr(const void* site) noexcept
    {
        return callOrigin.site != nullptr ? callOrigin.site : site;
    }

private:
    CallOrigin before_;
};

/// Error of the calling thread's last failed call of the runtime.
extern thread_local Status lastError;

/// Name of a function in the API's headers: its symbol may end in a version.
[[nodiscard]] std::string plainName(const char* symbol);

/// Holds the lock during `work` and turns exceptions into codes. `name`: of the function, for messages.
template <class F> Status guarded(const char* name, F&& work) noexcept
{
    try {
        Platform& platform = Platform::get();
        if (platform.forked()) {
            say(plainName(name) + ": this process was forked from the one that has the device");
            return Status::NotInitialised;
        }
        const std::lock_guard lock(platform.lock);
        platform.called();
        const Status status = work(platform);
        platform.left();
        return status;
    } catch (const Refusal& refusal) {
        if (!refusal.message.empty()) say(plainName(name) + ": " + refusal.message);
        return refusal.status;
    } catch (const InputError& error) {
        say(plainName(name) + ": " + error.what());
        return Status::InvalidValue;
    } catch (const std::bad_alloc&) {
        return Status::OutOfMemory;
    } catch (const std::exception& error) {
        say(plainName(name) + ": internal error: " + error.what());
        return Status::Unknown;
    }
}

inline constexpr const char* kNoPlace = "the place of the result is a null pointer";

/// The place for a call's result. Throws Refusal for a null pointer.
template <class T> [[nodiscard]] T& out(T* to)
{
    if (to == nullptr) throw Refusal{Status::InvalidValue, kNoPlace};
    return *to;
}
/// An argument that a call reads through a pointer. Throws Refusal for a null pointer.
template <class T> [[nodiscard]] const T& in(const T* from)
{
    if (from == nullptr) throw Refusal{Status::InvalidValue, "an argument is a null pointer"};
    return *from;
}

/// Writes a constant answer, which needs no device.
template <class T, class V> int answer(const char* name, T* to, const V& value) noexcept
{
    if (to == nullptr) {
        say(std::string(name) + ": " + kNoPlace);
        return static_cast<int>(Status::InvalidValue);
    }
    *to = value;
    return 0;
}

/// The same for the runtime. A failure becomes its last error.
template <class T, class V> int runtimeAnswer(const char* name, T* to, const V& value) noexcept
{
    const int status = answer(name, to, value);
    if (status != 0) lastError = static_cast<Status>(status);
    return status;
}

/// Prepares a call of the runtime: the driver is initialised, and its primary context is the thread's, unless the thread has another one.
void useRuntime();

/// A call of the runtime. It fails while the device has a sticky error.
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

/// Answers a call that this device does not support, with a message once per name.
[[nodiscard]] Status unsupported(const char* name);

}  // namespace gsu::cuda
