// Streams, events and host functions of the driver: those of the runtime under other names.
#include "cuda/api/driver.hpp"
#include "cuda/api/stream_calls.hpp"
#include "cuda/platform/launching.hpp"

using namespace gsu::cuda;

GSU_DRIVER(cuStreamCreateWithPriority)(Handle* to, unsigned flags, int priority)
{
    return contextCall("cuStreamCreate",
                       [&](Platform& p) { return makeStream(p, to, flags, priority); });
}

GSU_DRIVER(cuStreamCreate)(Handle* to, unsigned flags)
{
    return cuStreamCreateWithPriority(to, flags, 0);
}

GSU_DRIVER(cuStreamDestroy_v2)(Handle stream)
{
    return driverCall("cuStreamDestroy", [&](Platform& p) { return destroyStream(p, stream); });
}

GSU_DRIVER(cuStreamSynchronize)(Handle stream)
{
    return contextCall("cuStreamSynchronize",
                       [&](Platform& p) { return synchronizeStream(p, stream); });
}

GSU_DRIVER(cuStreamQuery)(Handle stream)
{
    return contextCall("cuStreamQuery", [&](Platform& p) { return queryStream(p, stream); });
}

GSU_DRIVER(cuStreamWaitEvent)(Handle stream, Handle event, unsigned)
{
    return contextCall("cuStreamWaitEvent",
                       [&](Platform& p) { return waitForEvent(p, stream, event); });
}

GSU_DRIVER(cuStreamGetFlags)(Handle stream, unsigned* flags)
{
    return contextCall("cuStreamGetFlags", [&](Platform& p) {
        out(flags) = streamOf(p, stream).flags;
        return Status::Success;
    });
}

GSU_DRIVER(cuStreamGetPriority)(Handle stream, int* priority)
{
    return contextCall("cuStreamGetPriority", [&](Platform& p) {
        out(priority) = streamOf(p, stream).priority;
        return Status::Success;
    });
}

GSU_DRIVER(cuStreamGetCtx)(Handle stream, Handle* context)
{
    return contextCall("cuStreamGetCtx", [&](Platform& p) {
        static_cast<void>(streamOf(p, stream));
        out(context) = contextStack().back();
        return Status::Success;
    });
}

/// `green`: a context of a part of the device, of which there are none.
GSU_DRIVER(cuStreamGetCtx_v2)(Handle stream, Handle* context, Handle* green)
{
    const int status = cuStreamGetCtx(stream, context);
    if (status == 0 && green != nullptr) *green = nullptr;
    return status;
}

GSU_DRIVER(cuStreamGetDevice)(Handle stream, int* device)
{
    return contextCall("cuStreamGetDevice", [&](Platform& p) {
        static_cast<void>(streamOf(p, stream));
        out(device) = 0;
        return Status::Success;
    });
}

GSU_DRIVER(cuStreamAddCallback)
(Handle stream, StreamCallback callback, void* data, unsigned)
{
    return contextCall("cuStreamAddCallback",
                       [&](Platform& p) { return addCallback(p, stream, callback, data); });
}

GSU_DRIVER(cuLaunchHostFunc)(Handle stream, HostFunction function, void* data)
{
    return contextCall("cuLaunchHostFunc",
                       [&](Platform& p) { return submit(p, stream, hostWork(p, function, data)); });
}

GSU_DRIVER(cuEventCreate)(Handle* to, unsigned flags)
{
    return contextCall("cuEventCreate", [&](Platform& p) {
        return makeEvent(p, to, flags, "CU_EVENT_INTERPROCESS");
    });
}

GSU_DRIVER(cuEventDestroy_v2)(Handle event)
{
    return driverCall("cuEventDestroy", [&](Platform& p) { return destroyEvent(p, event); });
}

GSU_DRIVER(cuEventRecord)(Handle event, Handle stream)
{
    return contextCall("cuEventRecord", [&](Platform& p) { return recordEvent(p, event, stream); });
}
GSU_DRIVER(cuEventRecordWithFlags)(Handle event, Handle stream, unsigned)
{
    return cuEventRecord(event, stream);
}

GSU_DRIVER(cuEventSynchronize)(Handle event)
{
    return contextCall("cuEventSynchronize",
                       [&](Platform& p) { return synchronizeEvent(p, event); });
}

GSU_DRIVER(cuEventQuery)(Handle event)
{
    return contextCall("cuEventQuery", [&](Platform& p) { return queryEvent(p, event); });
}

GSU_DRIVER(cuEventElapsedTime)(float* milliseconds, Handle from, Handle to)
{
    return contextCall("cuEventElapsedTime",
                       [&](Platform& p) { return elapsedTime(p, milliseconds, from, to); });
}

GSU_DRIVER(cuEventElapsedTime_v2)(float* milliseconds, Handle from, Handle to)
{
    return cuEventElapsedTime(milliseconds, from, to);
}
