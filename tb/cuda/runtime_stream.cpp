// Streams and events of the runtime.
#include <cstring>

#include "cuda/api.hpp"
#include "cuda/launching.hpp"
#include "cuda/types.hpp"

using namespace gsu::cuda;

namespace {

Event& eventOf(Platform& p, Handle handle)
{
    Event* event = p.streams.eventOf(handle);
    if (event == nullptr) throw Refusal{Status::InvalidHandle, "this is not an event"};
    return *event;
}

using HostFunction = void (*)(void*);
using StreamCallback = void (*)(Handle, int, void*);

/// Functions of the program run without the lock: they may wait for threads that make calls.
template <class F> Status unlocked(Platform& p, F&& call)
{
    p.mutex.unlock();
    call();
    p.mutex.lock();
    return Status::Success;
}

}  // namespace

GSU_RUNTIME(cudaStreamCreateWithPriority)(Handle* to, unsigned flags, int priority)
{
    return runtimeCall("cudaStreamCreate", [&](Platform& p) {
        if (to == nullptr || flags > 1) return Status::InvalidValue;
        *to = p.streams.make(flags, priority);
        return Status::Success;
    });
}

GSU_RUNTIME(cudaStreamCreate)(Handle* to) { return gsu_cudaStreamCreateWithPriority(to, 0, 0); }

GSU_RUNTIME(cudaStreamCreateWithFlags)(Handle* to, unsigned flags)
{
    return gsu_cudaStreamCreateWithPriority(to, flags, 0);
}

GSU_RUNTIME(cudaStreamDestroy)(Handle stream)
{
    return runtimeCall("cudaStreamDestroy", [&](Platform& p) {
        return p.streams.destroy(stream) ? Status::Success : Status::InvalidHandle;
    });
}

GSU_RUNTIME(cudaStreamSynchronize)(Handle stream)
{
    return runtimeCall("cudaStreamSynchronize", [&](Platform& p) {
        Stream& s = streamOf(p, stream);
        if (s.capture) {
            p.streams.spoil(s);
            return Status::CaptureUnsupported;
        }
        p.flushOutput();
        return Status::Success;
    });
}

GSU_RUNTIME(cudaStreamQuery)(Handle stream)
{
    return runtimeCall("cudaStreamQuery", [&](Platform& p) {
        return streamOf(p, stream).capture ? Status::CaptureUnsupported : Status::Success;
    });
}

GSU_RUNTIME(cudaStreamWaitEvent)(Handle stream, Handle event, unsigned)
{
    return runtimeCall("cudaStreamWaitEvent", [&](Platform& p) {
        return p.streams.wait(streamOf(p, stream), eventOf(p, event));
    });
}

GSU_RUNTIME(cudaStreamAddCallback)(Handle stream, StreamCallback callback, void* data, unsigned)
{
    return runtimeCall("cudaStreamAddCallback", [&](Platform& p) {
        return p.streams.submit(streamOf(p, stream),
                                {Work::Kind::Host, [&p, stream, callback, data] {
                                     return unlocked(p, [&] { callback(stream, 0, data); });
                                 }});
    });
}

GSU_RUNTIME(cudaLaunchHostFunc)(Handle stream, HostFunction function, void* data)
{
    return runtimeCall("cudaLaunchHostFunc", [&](Platform& p) {
        return p.streams.submit(streamOf(p, stream), {Work::Kind::Host, [&p, function, data] {
                                                          return unlocked(p,
                                                                          [&] { function(data); });
                                                      }});
    });
}

GSU_RUNTIME(cudaStreamGetPriority)(Handle stream, int* priority)
{
    return runtimeCall("cudaStreamGetPriority", [&](Platform& p) {
        *priority = streamOf(p, stream).priority;
        return Status::Success;
    });
}

GSU_RUNTIME(cudaStreamGetFlags)(Handle stream, unsigned* flags)
{
    return runtimeCall("cudaStreamGetFlags", [&](Platform& p) {
        *flags = streamOf(p, stream).flags;
        return Status::Success;
    });
}

GSU_RUNTIME(cudaStreamGetId)(Handle stream, unsigned long long* id)
{
    return runtimeCall("cudaStreamGetId", [&](Platform& p) {
        *id = streamOf(p, stream).number;
        return Status::Success;
    });
}

GSU_RUNTIME(cudaEventCreateWithFlags)(Handle* to, unsigned flags)
{
    return runtimeCall("cudaEventCreate", [&](Platform& p) {
        if (to == nullptr || flags > 7) return Status::InvalidValue;
        if ((flags & 4) != 0) return unsupported("cudaEventInterprocess");
        *to = p.streams.makeEvent(flags);
        return Status::Success;
    });
}

GSU_RUNTIME(cudaEventCreate)(Handle* to) { return gsu_cudaEventCreateWithFlags(to, 0); }

GSU_RUNTIME(cudaEventDestroy)(Handle event)
{
    return runtimeCall("cudaEventDestroy", [&](Platform& p) {
        return p.streams.destroyEvent(event) ? Status::Success : Status::InvalidHandle;
    });
}

GSU_RUNTIME(cudaEventRecord)(Handle event, Handle stream)
{
    return runtimeCall("cudaEventRecord", [&](Platform& p) {
        return p.streams.record(eventOf(p, event), streamOf(p, stream));
    });
}

GSU_RUNTIME(cudaEventRecordWithFlags)(Handle event, Handle stream, unsigned)
{
    return gsu_cudaEventRecord(event, stream);
}

GSU_RUNTIME(cudaEventSynchronize)(Handle event)
{
    return runtimeCall("cudaEventSynchronize", [&](Platform& p) {
        if (eventOf(p, event).capture) return Status::CapturedEvent;
        p.flushOutput();
        return Status::Success;
    });
}

GSU_RUNTIME(cudaEventQuery)(Handle event)
{
    return runtimeCall("cudaEventQuery", [&](Platform& p) {
        return eventOf(p, event).capture ? Status::CapturedEvent : Status::Success;
    });
}

GSU_RUNTIME(cudaEventElapsedTime)(float* milliseconds, Handle from, Handle to)
{
    return runtimeCall("cudaEventElapsedTime", [&](Platform& p) {
        if (milliseconds == nullptr) return Status::InvalidValue;
        return p.streams.elapsed(eventOf(p, from), eventOf(p, to), p.limits.params.clock_mhz,
                                 *milliseconds);
    });
}

GSU_PER_THREAD(cudaStreamSynchronize, "_ptsz");
GSU_PER_THREAD(cudaStreamQuery, "_ptsz");
GSU_PER_THREAD(cudaStreamWaitEvent, "_ptsz");
GSU_PER_THREAD(cudaStreamAddCallback, "_ptsz");
GSU_PER_THREAD(cudaLaunchHostFunc, "_ptsz");
GSU_PER_THREAD(cudaEventRecord, "_ptsz");
