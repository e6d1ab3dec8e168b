/// The table of calls: a row for each function, with its name in the runtime, in the driver or in both, its parameters, and its action. The
/// action is an expression of Status; in it `p` is the Platform and `site` the place in the program that calls. The macros add the frame
/// (lock, sticky errors, exceptions, symbols and their versions, forms for per-thread default streams).
#pragma once
#include "cuda/api/driver.hpp"

#define GSU_RUN(call, name, ...)                                                                   \
    {                                                                                              \
        [[maybe_unused]] const void* const site = GSU_SITE;                                        \
        return call(#name, [&]([[maybe_unused]] Platform& p) -> Status { return __VA_ARGS__; });   \
    }
// The same with the calling thread's own default stream.
#define GSU_RUN_PER_THREAD(call, name, ...)                                                        \
    {                                                                                              \
        const PerThreadDefault scope(__builtin_return_address(0));                                 \
        [[maybe_unused]] const void* const site = GSU_SITE;                                        \
        return call(#name, [&]([[maybe_unused]] Platform& p) -> Status { return __VA_ARGS__; });   \
    }

// A call of the runtime; with `suffix` (_ptsz, and _ptds for functions that name no stream) also its form for per-thread default streams.
#define GSU_RUNTIME_CALL(name, parameters, ...)                                                    \
    GSU_RUNTIME(name) parameters GSU_RUN(runtimeCall, name, __VA_ARGS__)
#define GSU_RUNTIME_STREAM_CALL(name, suffix, parameters, ...)                                     \
    GSU_RUNTIME_CALL(name, parameters, __VA_ARGS__)                                                \
    GSU_RUNTIME(name##suffix) parameters GSU_RUN_PER_THREAD(runtimeCall, name, __VA_ARGS__)

// A call of the driver that needs a context.
#define GSU_DRIVER_CALL(name, parameters, ...)                                                     \
    GSU_DRIVER(name) parameters GSU_RUN(contextCall, name, __VA_ARGS__)
#define GSU_DRIVER_STREAM_CALL(name, suffix, parameters, ...)                                      \
    GSU_DRIVER_CALL(name, parameters, __VA_ARGS__)                                                 \
    GSU_DRIVER(name##suffix) parameters GSU_RUN_PER_THREAD(contextCall, name, __VA_ARGS__)
// A call that needs no current context. Calls that free something are of this kind: they find the object by its handle.
#define GSU_DRIVER_FREE_CALL(name, parameters, ...)                                                \
    GSU_DRIVER(name) parameters GSU_RUN(driverCall, name, __VA_ARGS__)

// A call of both APIs, which have the same parameters.
#define GSU_CALL(runtime, driver, parameters, ...)                                                 \
    GSU_RUNTIME_CALL(runtime, parameters, __VA_ARGS__)                                             \
    GSU_DRIVER_CALL(driver, parameters, __VA_ARGS__)
#define GSU_STREAM_CALL(runtime, driver, parameters, ...)                                          \
    GSU_RUNTIME_STREAM_CALL(runtime, _ptsz, parameters, __VA_ARGS__)                               \
    GSU_DRIVER_STREAM_CALL(driver, _ptsz, parameters, __VA_ARGS__)
#define GSU_RELEASE(runtime, driver, parameters, ...)                                              \
    GSU_RUNTIME_CALL(runtime, parameters, __VA_ARGS__)                                             \
    GSU_DRIVER_FREE_CALL(driver, parameters, __VA_ARGS__)

// A call that is accepted and does nothing.
#define GSU_NOTHING_TO_DO(runtime, driver, parameters)                                             \
    GSU_RUNTIME(runtime) parameters { return 0; }                                                  \
    GSU_DRIVER(driver) parameters { return 0; }

namespace gsu::cuda {

/// Writes a call's result. Throws Refusal for a null pointer.
template <class T, class V> [[nodiscard]] Status give(T* to, V&& value)
{
    out(to) = std::forward<V>(value);
    return Status::Success;
}

// Answers of both APIs about the device.
[[nodiscard]] Status attributeValue(const Platform& p, int* value, int id);
/// Range of the priorities of streams; null pointers are left out.
[[nodiscard]] Status priorities(int* least, int* greatest);

}  // namespace gsu::cuda
