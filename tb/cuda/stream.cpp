#include "cuda/stream.hpp"

#include <algorithm>

namespace gsu::cuda {

Node* Graph::add(Work work, std::vector<Node*> before)
{
    auto node = std::make_unique<Node>();
    node->work = std::move(work);
    node->before = std::move(before);
    node->graph = this;
    node->number = nodes.size();
    nodes.push_back(std::move(node));
    return nodes.back().get();
}

Streams::Streams() : legacy_{.number = 0}, perThread_{.number = 1} {}

Stream* Streams::of(void* handle) noexcept
{
    const auto value = reinterpret_cast<std::uintptr_t>(handle);
    if (value <= 1) return &legacy_;
    if (value == 2) return &perThread_;
    return knownStreams_.contains(handle) ? static_cast<Stream*>(handle) : nullptr;
}

Stream* Streams::make(std::uint32_t flags, int priority)
{
    auto stream = std::make_unique<Stream>();
    stream->number = numbers_++;
    stream->flags = flags;
    stream->priority = priority;
    Stream* made = stream.get();
    knownStreams_.insert(made);
    made_.insert(std::move(stream));
    return made;
}

bool Streams::destroy(void* handle)
{
    const auto found =
        std::find_if(made_.begin(), made_.end(), [&](const auto& s) { return s.get() == handle; });
    if (found == made_.end()) return false;
    if ((*found)->capture && (*found)->capture->origin == handle) --captures_;
    knownStreams_.erase(handle);
    made_.erase(found);
    return true;
}

Event* Streams::eventOf(void* handle) noexcept
{
    return knownEvents_.contains(handle) ? static_cast<Event*>(handle) : nullptr;
}

Event* Streams::makeEvent(std::uint32_t flags)
{
    auto event = std::make_unique<Event>();
    event->flags = flags;
    Event* made = event.get();
    knownEvents_.insert(made);
    events_.insert(std::move(event));
    return made;
}

bool Streams::destroyEvent(void* handle)
{
    const auto found = std::find_if(events_.begin(), events_.end(),
                                    [&](const auto& e) { return e.get() == handle; });
    if (found == events_.end()) return false;
    knownEvents_.erase(handle);
    events_.erase(found);
    return true;
}

Status Streams::submit(Stream& stream, Work work)
{
    if (!stream.capture) return work.run();
    if (stream.capture->spoilt) return Status::CaptureInvalidated;
    stream.last = {stream.capture->graph->add(std::move(work), stream.last)};
    return Status::Success;
}

Status Streams::record(Event& event, Stream& stream)
{
    event.capture = stream.capture;
    event.nodes = stream.last;
    event.recorded = !stream.capture;
    event.at = std::chrono::steady_clock::now();
    event.cycles = cycles;
    return Status::Success;
}

Status Streams::wait(Stream& stream, Event& event)
{
    if (!event.capture || !event.capture->graph) {
        // All that was recorded is done. Work outside a capture cannot be waited for in it.
        return stream.capture && event.recorded ? Status::CaptureUnsupported : Status::Success;
    }
    if (!stream.capture) {  // the stream joins the capture
        if (&stream == &legacy_) return Status::CaptureImplicit;
        stream.capture = event.capture;
        stream.last = event.nodes;
        return Status::Success;
    }
    if (stream.capture != event.capture) return Status::CaptureInvalidated;
    for (Node* node : event.nodes) {
        if (std::find(stream.last.begin(), stream.last.end(), node) == stream.last.end())
            stream.last.push_back(node);
    }
    return Status::Success;
}

Status Streams::elapsed(const Event& from, const Event& to, unsigned clockMhz,
                        float& milliseconds) noexcept
{
    constexpr std::uint32_t kNoTiming = 2;
    if (!from.recorded || !to.recorded || ((from.flags | to.flags) & kNoTiming) != 0)
        return Status::InvalidHandle;
    const double clocks = static_cast<double>(to.cycles) - static_cast<double>(from.cycles);
    milliseconds = static_cast<float>(clocks / (clockMhz * 1e3));
    return Status::Success;
}

Status Streams::beginCapture(Stream& stream)
{
    if (&stream == &legacy_) return Status::CaptureUnsupported;
    if (stream.capture) return Status::IllegalState;
    stream.capture = std::make_shared<Capture>();
    stream.capture->graph = std::make_shared<Graph>();
    stream.capture->origin = &stream;
    stream.capture->id = ++captureIds_;
    stream.last.clear();
    ++captures_;
    return Status::Success;
}

Status Streams::endCapture(Stream& stream, std::shared_ptr<Graph>& graph)
{
    graph.reset();
    if (!stream.capture) return Status::IllegalState;
    if (stream.capture->origin != &stream) return Status::CaptureUnmatched;
    const std::shared_ptr<Capture> capture = stream.capture;
    std::vector<Node*> ends = stream.last;
    bool joined = true;
    const auto leave = [&](Stream& s) {
        if (s.capture != capture) return;
        // Its last work has to be something that the origin waits for, directly or not.
        for (Node* last : s.last) {
            const bool waited = std::find(ends.begin(), ends.end(), last) != ends.end() ||
                                std::any_of(capture->graph->nodes.begin(),
                                            capture->graph->nodes.end(), [&](const auto& n) {
                                                return std::find(n->before.begin(), n->before.end(),
                                                                 last) != n->before.end();
                                            });
            joined = joined && waited;
        }
        s.capture.reset();
        s.last.clear();
    };
    for (const auto& s : made_) {
        if (s.get() != &stream) leave(*s);
    }
    leave(perThread_);
    stream.capture.reset();
    stream.last.clear();
    --captures_;
    if (capture->spoilt) return Status::CaptureInvalidated;
    if (!joined) return Status::CaptureUnjoined;
    graph = std::move(capture->graph);
    return Status::Success;
}

}  // namespace gsu::cuda
