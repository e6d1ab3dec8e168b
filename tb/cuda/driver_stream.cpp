// Streams, events and host functions of the driver: those of the runtime under other names.
#include "cuda/driver.hpp"
#include "cuda/launching.hpp"

using namespace gsu::cuda;

namespace {

Event& eventOf(Platform& p, Handle handle)
{
    Event* event = p.streams.eventOf(handle);
    if (event == nullptr) throw Refusal{Status::InvalidHandle, "this is not an event"};
    return *event;
}

}  // namespace

GSU_DRIVER(cuStreamCreateWithPriority)(Handle* to, unsigned flags, int priority)
{
    return contextCall("cuStreamCreate", [&](Platform& p) {
        if (to == nullptr || flags > 1) return Status::InvalidValue;
        *to = p.streams.make(flags, priority);
        return Status::Success;
    });
}

GSU_DRIVER(cuStreamCreate)(Handle* to, unsigned flags)
{
    return cuStreamCreateWithPriority(to, flags, 0);
}

GSU_DRIVER(cuStreamDestroy_v2)(Handle stream)
{
    return driverCall("cuStreamDestroy", [&](Platform& p) {
        return p.streams.destroy(stream) ? Status::Success : Status::InvalidHandle;
    });
}

GSU_DRIVER(cuStreamSynchronize)(Handle stream)
{
    return contextCall("cuStreamSynchronize", [&](Platform& p) {
        Stream& s = streamOf(p, stream);
        if (s.capture) {
            p.streams.spoil(s);
            return Status::CaptureUnsupported;
        }
        p.flushOutput();
        return Status::Success;
    });
}

GSU_DRIVER(cuStreamQuery)(Handle stream)
{
    return contextCall("cuStreamQuery", [&](Platform& p) {
        return streamOf(p, stream).capture ? Status::CaptureUnsupported : Status::Success;
    });
}

GSU_DRIVER(cuStreamWaitEvent)(Handle stream, Handle event, unsigned)
{
    return contextCall("cuStreamWaitEvent", [&](Platform& p) {
        return p.streams.wait(streamOf(p, stream), eventOf(p, event));
    });
}

GSU_DRIVER(cuStreamGetFlags)(Handle stream, unsigned* flags)
{
    return contextCall("cuStreamGetFlags", [&](Platform& p) {
        *flags = streamOf(p, stream).flags;
        return Status::Success;
    });
}

GSU_DRIVER(cuStreamGetPriority)(Handle stream, int* priority)
{
    return contextCall("cuStreamGetPriority", [&](Platform& p) {
        *priority = streamOf(p, stream).priority;
        return Status::Success;
    });
}

GSU_DRIVER(cuStreamGetCtx)(Handle stream, Handle* context)
{
    return contextCall("cuStreamGetCtx", [&](Platform& p) {
        static_cast<void>(streamOf(p, stream));
        *context = contextStack().back();
        return Status::Success;
    });
}

GSU_DRIVER(cuStreamIsCapturing)(Handle stream, int* state)
{
    return contextCall("cuStreamIsCapturing", [&](Platform& p) {
        const Stream& s = streamOf(p, stream);
        *state = !s.capture ? 0 : s.capture->spoilt ? 2 : 1;
        return Status::Success;
    });
}

GSU_DRIVER(cuStreamAddCallback)
(Handle stream, void (*callback)(Handle, int, void*), void* data, unsigned)
{
    return contextCall("cuStreamAddCallback", [&](Platform& p) {
        return p.streams.submit(streamOf(p, stream),
                                {Work::Kind::Host, [&p, stream, callback, data] {
                                     p.mutex.unlock();
                                     callback(stream, 0, data);
                                     p.mutex.lock();
                                     return Status::Success;
                                 }});
    });
}

GSU_DRIVER(cuLaunchHostFunc)(Handle stream, void (*function)(void*), void* data)
{
    return contextCall("cuLaunchHostFunc", [&](Platform& p) {
        return p.streams.submit(streamOf(p, stream), {Work::Kind::Host, [&p, function, data] {
                                                          p.mutex.unlock();
                                                          function(data);
                                                          p.mutex.lock();
                                                          return Status::Success;
                                                      }});
    });
}

GSU_DRIVER(cuEventCreate)(Handle* to, unsigned flags)
{
    return contextCall("cuEventCreate", [&](Platform& p) {
        if (to == nullptr || flags > 7) return Status::InvalidValue;
        if ((flags & 4) != 0) return unsupported("CU_EVENT_INTERPROCESS");
        *to = p.streams.makeEvent(flags);
        return Status::Success;
    });
}

GSU_DRIVER(cuEventDestroy_v2)(Handle event)
{
    return driverCall("cuEventDestroy", [&](Platform& p) {
        return p.streams.destroyEvent(event) ? Status::Success : Status::InvalidHandle;
    });
}

GSU_DRIVER(cuEventRecord)(Handle event, Handle stream)
{
    return contextCall("cuEventRecord", [&](Platform& p) {
        return p.streams.record(eventOf(p, event), streamOf(p, stream));
    });
}

GSU_DRIVER(cuEventSynchronize)(Handle event)
{
    return contextCall("cuEventSynchronize", [&](Platform& p) {
        if (eventOf(p, event).capture) return Status::CapturedEvent;
        p.flushOutput();
        return Status::Success;
    });
}

GSU_DRIVER(cuEventQuery)(Handle event)
{
    return contextCall("cuEventQuery", [&](Platform& p) {
        return eventOf(p, event).capture ? Status::CapturedEvent : Status::Success;
    });
}

GSU_DRIVER(cuEventElapsedTime)(float* milliseconds, Handle from, Handle to)
{
    return contextCall("cuEventElapsedTime", [&](Platform& p) {
        return p.streams.elapsed(eventOf(p, from), eventOf(p, to), p.limits.params.clock_mhz,
                                 *milliseconds);
    });
}

GSU_DRIVER(cuEventElapsedTime_v2)(float* milliseconds, Handle from, Handle to)
{
    return cuEventElapsedTime(milliseconds, from, to);
}
