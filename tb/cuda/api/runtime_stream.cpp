// Streams and events of the runtime.
#include "cuda/api/api.hpp"
#include "cuda/api/stream_calls.hpp"
#include "cuda/platform/launching.hpp"

using namespace gsu::cuda;

GSU_RUNTIME(cudaStreamCreateWithPriority)(Handle* to, unsigned flags, int priority)
{
    return runtimeCall("cudaStreamCreate",
                       [&](Platform& p) { return makeStream(p, to, flags, priority); });
}

GSU_RUNTIME(cudaStreamCreate)(Handle* to) { return gsu_cudaStreamCreateWithPriority(to, 0, 0); }

GSU_RUNTIME(cudaStreamCreateWithFlags)(Handle* to, unsigned flags)
{
    return gsu_cudaStreamCreateWithPriority(to, flags, 0);
}

GSU_RUNTIME(cudaStreamDestroy)(Handle stream)
{
    return runtimeCall("cudaStreamDestroy", [&](Platform& p) { return destroyStream(p, stream); });
}

GSU_RUNTIME(cudaStreamSynchronize)(Handle stream)
{
    return runtimeCall("cudaStreamSynchronize",
                       [&](Platform& p) { return synchronizeStream(p, stream); });
}

GSU_RUNTIME(cudaStreamQuery)(Handle stream)
{
    return runtimeCall("cudaStreamQuery", [&](Platform& p) { return queryStream(p, stream); });
}

GSU_RUNTIME(cudaStreamWaitEvent)(Handle stream, Handle event, unsigned)
{
    return runtimeCall("cudaStreamWaitEvent",
                       [&](Platform& p) { return waitForEvent(p, stream, event); });
}

GSU_RUNTIME(cudaStreamAddCallback)(Handle stream, StreamCallback callback, void* data, unsigned)
{
    return runtimeCall("cudaStreamAddCallback",
                       [&](Platform& p) { return addCallback(p, stream, callback, data); });
}

GSU_RUNTIME(cudaLaunchHostFunc)(Handle stream, HostFunction function, void* data)
{
    return runtimeCall("cudaLaunchHostFunc",
                       [&](Platform& p) { return submit(p, stream, hostWork(p, function, data)); });
}

GSU_RUNTIME(cudaStreamGetPriority)(Handle stream, int* priority)
{
    return runtimeCall("cudaStreamGetPriority", [&](Platform& p) {
        out(priority) = streamOf(p, stream).priority;
        return Status::Success;
    });
}

GSU_RUNTIME(cudaStreamGetFlags)(Handle stream, unsigned* flags)
{
    return runtimeCall("cudaStreamGetFlags", [&](Platform& p) {
        out(flags) = streamOf(p, stream).flags;
        return Status::Success;
    });
}

GSU_RUNTIME(cudaStreamGetId)(Handle stream, unsigned long long* id)
{
    return runtimeCall("cudaStreamGetId", [&](Platform& p) {
        out(id) = streamOf(p, stream).number;
        return Status::Success;
    });
}

GSU_RUNTIME(cudaEventCreateWithFlags)(Handle* to, unsigned flags)
{
    return runtimeCall("cudaEventCreate", [&](Platform& p) {
        return makeEvent(p, to, flags, "cudaEventInterprocess");
    });
}

GSU_RUNTIME(cudaEventCreate)(Handle* to) { return gsu_cudaEventCreateWithFlags(to, 0); }

GSU_RUNTIME(cudaEventDestroy)(Handle event)
{
    return runtimeCall("cudaEventDestroy", [&](Platform& p) { return destroyEvent(p, event); });
}

GSU_RUNTIME(cudaEventRecord)(Handle event, Handle stream)
{
    return runtimeCall("cudaEventRecord",
                       [&](Platform& p) { return recordEvent(p, event, stream); });
}

GSU_RUNTIME(cudaEventRecordWithFlags)(Handle event, Handle stream, unsigned)
{
    return gsu_cudaEventRecord(event, stream);
}

GSU_RUNTIME(cudaEventSynchronize)(Handle event)
{
    return runtimeCall("cudaEventSynchronize",
                       [&](Platform& p) { return synchronizeEvent(p, event); });
}

GSU_RUNTIME(cudaEventQuery)(Handle event)
{
    return runtimeCall("cudaEventQuery", [&](Platform& p) { return queryEvent(p, event); });
}

GSU_RUNTIME(cudaEventElapsedTime)(float* milliseconds, Handle from, Handle to)
{
    return runtimeCall("cudaEventElapsedTime",
                       [&](Platform& p) { return elapsedTime(p, milliseconds, from, to); });
}

GSU_PER_THREAD(cudaStreamSynchronize, _ptsz, (Handle stream), (stream))
GSU_PER_THREAD(cudaStreamQuery, _ptsz, (Handle stream), (stream))
GSU_PER_THREAD(cudaStreamWaitEvent, _ptsz, (Handle stream, Handle event, unsigned c),
               (stream, event, c))
GSU_PER_THREAD(cudaStreamAddCallback, _ptsz,
               (Handle stream, StreamCallback callback, void* data, unsigned d),
               (stream, callback, data, d))
GSU_PER_THREAD(cudaLaunchHostFunc, _ptsz, (Handle stream, HostFunction function, void* data),
               (stream, function, data))
GSU_PER_THREAD(cudaEventRecord, _ptsz, (Handle event, Handle stream), (event, stream))
