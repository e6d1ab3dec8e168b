// Streams, events and host functions of both APIs.
#include "cuda/api/calls.hpp"
#include "cuda/api/stream_calls.hpp"
#include "cuda/platform/launching.hpp"

using namespace gsu::cuda;

GSU_CALL(cudaStreamCreateWithPriority, cuStreamCreateWithPriority,
         (Handle * to, unsigned flags, int priority), makeStream(p, to, flags, priority))
GSU_RUNTIME_CALL(cudaStreamCreate, (Handle * to), makeStream(p, to, 0, 0))
GSU_RUNTIME_CALL(cudaStreamCreateWithFlags, (Handle * to, unsigned flags),
                 makeStream(p, to, flags, 0))
GSU_DRIVER_CALL(cuStreamCreate, (Handle * to, unsigned flags), makeStream(p, to, flags, 0))
GSU_RELEASE(cudaStreamDestroy, cuStreamDestroy_v2, (Handle stream), destroyStream(p, stream))

GSU_STREAM_CALL(cudaStreamSynchronize, cuStreamSynchronize, (Handle stream),
                synchronizeStream(p, stream))
GSU_STREAM_CALL(cudaStreamQuery, cuStreamQuery, (Handle stream), queryStream(p, stream))
GSU_STREAM_CALL(cudaStreamWaitEvent, cuStreamWaitEvent, (Handle stream, Handle event, unsigned),
                waitForEvent(p, stream, event))
GSU_STREAM_CALL(cudaStreamAddCallback, cuStreamAddCallback,
                (Handle stream, StreamCallback callback, void* data, unsigned),
                addCallback(p, stream, callback, data))
GSU_STREAM_CALL(cudaLaunchHostFunc, cuLaunchHostFunc,
                (Handle stream, HostFunction function, void* data),
                submit(p, stream, hostWork(p, function, data)))

GSU_RUNTIME_CALL(cudaStreamGetPriority, (Handle stream, int* priority),
                 give(priority, streamOf(p, stream).priority))
GSU_DRIVER_STREAM_CALL(cuStreamGetPriority, _ptsz, (Handle stream, int* priority),
                       give(priority, streamOf(p, stream).priority))
GSU_RUNTIME_CALL(cudaStreamGetFlags, (Handle stream, unsigned* flags),
                 give(flags, streamOf(p, stream).flags))
GSU_DRIVER_STREAM_CALL(cuStreamGetFlags, _ptsz, (Handle stream, unsigned* flags),
                       give(flags, streamOf(p, stream).flags))
GSU_RUNTIME_CALL(cudaStreamGetId, (Handle stream, unsigned long long* id),
                 give(id, streamOf(p, stream).number))
GSU_DRIVER_STREAM_CALL(cuStreamGetCtx, _ptsz, (Handle stream, Handle* context),
                       (void(streamOf(p, stream)), give(context, contextStack().back())))
GSU_DRIVER_CALL(cuStreamGetDevice, (Handle stream, int* device),
                (void(streamOf(p, stream)), give(device, 0)))

/// `green`: a context for a part of the device; there are none.
GSU_DRIVER(cuStreamGetCtx_v2)(Handle stream, Handle* context, Handle* green)
{
    const int status = cuStreamGetCtx(stream, context);
    if (status == 0 && green != nullptr) *green = nullptr;
    return status;
}

GSU_RUNTIME_CALL(cudaStreamSetAttribute, (Handle stream, int, const void*),
                 (void(streamOf(p, stream)), Status::Success))
GSU_RUNTIME_CALL(cudaStreamCopyAttributes, (Handle to, Handle from),
                 give(&streamOf(p, to).priority, streamOf(p, from).priority))

GSU_RUNTIME_CALL(cudaEventCreateWithFlags, (Handle * to, unsigned flags),
                 makeEvent(p, to, flags, "cudaEventInterprocess"))
GSU_RUNTIME_CALL(cudaEventCreate, (Handle * to), makeEvent(p, to, 0, ""))
GSU_DRIVER_CALL(cuEventCreate, (Handle * to, unsigned flags),
                makeEvent(p, to, flags, "CU_EVENT_INTERPROCESS"))
GSU_RELEASE(cudaEventDestroy, cuEventDestroy_v2, (Handle event), destroyEvent(p, event))
GSU_STREAM_CALL(cudaEventRecord, cuEventRecord, (Handle event, Handle stream),
                recordEvent(p, event, stream))
GSU_CALL(cudaEventRecordWithFlags, cuEventRecordWithFlags, (Handle event, Handle stream, unsigned),
         recordEvent(p, event, stream))
GSU_CALL(cudaEventSynchronize, cuEventSynchronize, (Handle event), synchronizeEvent(p, event))
GSU_CALL(cudaEventQuery, cuEventQuery, (Handle event), queryEvent(p, event))
GSU_CALL(cudaEventElapsedTime, cuEventElapsedTime, (float* milliseconds, Handle from, Handle to),
         elapsedTime(p, milliseconds, from, to))
GSU_DRIVER_CALL(cuEventElapsedTime_v2, (float* milliseconds, Handle from, Handle to),
                elapsedTime(p, milliseconds, from, to))
