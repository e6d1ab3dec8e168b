#include "cuda/api/stream_calls.hpp"

#include "cuda/streams/node_parameters.hpp"

#include "cuda/api/api.hpp"
#include "cuda/platform/launching.hpp"

namespace gsu::cuda {
namespace {

template <class F> Work workOfProgram(Platform& p, F&& call)
{
    return {Work::Kind::Host, [&p, call] {
                runForProgram(p, call);
                return Status::Success;
            }};
}

}  // namespace

Event& eventOf(Platform& p, Handle handle)
{
    Event* event = p.streams.eventOf(handle);
    if (event == nullptr) throw Refusal{Status::InvalidHandle, "this is not an event"};
    return *event;
}

Status submit(Platform& p, Handle stream, Work work)
{
    return p.streams.submit(streamOf(p, stream), std::move(work));
}

Status submitAndWait(Platform& p, Work work)
{
    work.waited = true;
    const Status status = submit(p, nullptr, std::move(work));
    return p.synchronized(status);
}

Work hostWork(Platform& p, HostFunction function, void* data)
{
    if (function == nullptr) throw Refusal{Status::InvalidValue, "the function is a null pointer"};
    Work work = workOfProgram(p, [function, data] { function(data); });
    work.parameters = std::make_shared<NodeParameters>(NodeParameters{HostNode{function, data}});
    return work;
}

Status makeStream(Platform& p, Handle* to, unsigned flags, int priority)
{
    if (to == nullptr || flags > 1) return Status::InvalidValue;
    *to = p.streams.make(flags, priority);
    return Status::Success;
}

Status destroyStream(Platform& p, Handle stream)
{
    return p.streams.destroy(stream) ? Status::Success : Status::InvalidHandle;
}

Status synchronizeStream(Platform& p, Handle stream)
{
    Stream& s = streamOf(p, stream);
    if (s.capture) {
        p.streams.spoil(s);
        return Status::CaptureUnsupported;
    }
    return p.synchronized(p.streams.finish(s));
}

Status queryStream(Platform& p, Handle stream)
{
    const Stream& s = streamOf(p, stream);
    if (s.capture) return Status::CaptureUnsupported;
    return p.streams.done(s) ? p.error() : Status::NotReady;
}

Status waitForEvent(Platform& p, Handle stream, Handle event)
{
    return p.streams.wait(streamOf(p, stream), eventOf(p, event));
}

Status addCallback(Platform& p, Handle stream, StreamCallback callback, void* data)
{
    if (callback == nullptr) throw Refusal{Status::InvalidValue, "the callback is a null pointer"};
    return submit(p, stream,
                  workOfProgram(p, [stream, callback, data] { callback(stream, 0, data); }));
}

Status makeEvent(Platform& p, Handle* to, unsigned flags, const char* interprocess)
{
    if (to == nullptr || flags > 7) return Status::InvalidValue;
    if ((flags & 4) != 0) return unsupported(interprocess);
    *to = p.streams.makeEvent(flags);
    return Status::Success;
}

Status destroyEvent(Platform& p, Handle event)
{
    return p.streams.destroyEvent(event) ? Status::Success : Status::InvalidHandle;
}

Status recordEvent(Platform& p, Handle event, Handle stream)
{
    return p.streams.record(eventOf(p, event), streamOf(p, stream));
}

Status synchronizeEvent(Platform& p, Handle event)
{
    Event& e = eventOf(p, event);
    if (e.capture) return Status::CapturedEvent;
    return p.synchronized(p.streams.finish(e));
}

Status queryEvent(Platform& p, Handle event)
{
    const Event& e = eventOf(p, event);
    if (e.capture) return Status::CapturedEvent;
    return p.streams.done(e) ? p.error() : Status::NotReady;
}

Status elapsedTime(Platform& p, float* milliseconds, Handle from, Handle to)
{
    if (milliseconds == nullptr) return Status::InvalidValue;
    return p.streams.elapsed(eventOf(p, from), eventOf(p, to), p.limits.params.clock_mhz,
                             *milliseconds);
}

}  // namespace gsu::cuda
