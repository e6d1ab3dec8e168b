/// Functions on streams and events for both APIs. An invalid handle is a Refusal; null pointers are Status::InvalidValue.
#pragma once
#include "cuda/device/types.hpp"
#include "cuda/platform/platform.hpp"

namespace gsu::cuda {

using HostFunction = void (*)(void*);
using StreamCallback = void (*)(Handle, int, void*);

[[nodiscard]] Event& eventOf(Platform& platform, Handle handle);
/// Submits work to the stream of a handle.
[[nodiscard]] Status submit(Platform& platform, Handle stream, Work work);
/// Submits work to the default stream and waits for it. The output of kernels so far is printed.
[[nodiscard]] Status submitAndWait(Platform& platform, Work work);
/// Work that calls a function of the program. It runs without the lock, because it may wait for threads that make calls.
[[nodiscard]] Work hostWork(Platform& platform, HostFunction function, void* data);

[[nodiscard]] Status makeStream(Platform& platform, Handle* to, unsigned flags, int priority);
[[nodiscard]] Status destroyStream(Platform& platform, Handle stream);
[[nodiscard]] Status synchronizeStream(Platform& platform, Handle stream);
[[nodiscard]] Status queryStream(Platform& platform, Handle stream);
[[nodiscard]] Status waitForEvent(Platform& platform, Handle stream, Handle event);
[[nodiscard]] Status addCallback(Platform& platform, Handle stream, StreamCallback callback,
                                 void* data);

/// Makes an event. `interprocess`: name of the flag that is not supported.
[[nodiscard]] Status makeEvent(Platform& platform, Handle* to, unsigned flags,
                               const char* interprocess);
[[nodiscard]] Status destroyEvent(Platform& platform, Handle event);
[[nodiscard]] Status recordEvent(Platform& platform, Handle event, Handle stream);
[[nodiscard]] Status synchronizeEvent(Platform& platform, Handle event);
[[nodiscard]] Status queryEvent(Platform& platform, Handle event);
[[nodiscard]] Status elapsedTime(Platform& platform, float* milliseconds, Handle from, Handle to);

}  // namespace gsu::cuda
