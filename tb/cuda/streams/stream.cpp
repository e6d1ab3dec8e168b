#include "cuda/streams/stream.hpp"

#include <algorithm>

#include "cuda/streams/graphs.hpp"

namespace gsu::cuda {

thread_local CallOrigin callOrigin;

namespace {

bool pending(const TaskRef& task) { return task && task->state != Task::State::Done; }

void add(std::vector<TaskRef>& list, const TaskRef& task)
{
    if (pending(task)) list.push_back(task);
}

}  // namespace

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

Streams::Streams(std::uint64_t seed, CallLock* lock, unsigned sms)
    : schedule_(seed, lock, sms), legacy_{.number = 0}
{
}

Stream& Streams::ofThread()
{
    Stream& stream = threads_[std::this_thread::get_id()];
    stream.number = 1;
    return stream;
}

Stream* Streams::of(void* handle) noexcept
{
    const auto value = reinterpret_cast<std::uintptr_t>(handle);
    if (value == 0) return callOrigin.defaultIsPerThread ? &ofThread() : &legacy_;
    if (value == 1) return &legacy_;
    if (value == 2) return &ofThread();
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
    if (!(*found)->apart()) add(orphans_, (*found)->tail);
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

/// Tasks that the next work of a stream waits for.
std::vector<TaskRef> Streams::waitedFor(const Stream& stream) const
{
    std::vector<TaskRef> list;
    add(list, stream.tail);
    for (const TaskRef& task : stream.waits) add(list, task);
    if (&stream != &legacy_) {
        if (!stream.apart()) add(list, legacy_.tail);
        return list;
    }
    for (const auto& s : made_) {
        if (!s->apart()) add(list, s->tail);
    }
    for (const auto& [thread, s] : threads_) add(list, s.tail);
    for (const TaskRef& task : orphans_) add(list, task);
    return list;
}

/// Adds work, which becomes the last of the stream.
void Streams::follow(Stream& stream, Work work, std::vector<TaskRef> before, TaskRef primary)
{
    stream.waits.clear();
    if (&stream == &legacy_) orphans_.clear();
    stream.tail = schedule_.add(std::move(work), std::move(before), std::move(primary));
}

Status Streams::submit(Stream& stream, Work work)
{
    if (stream.capture) {
        if (stream.capture->spoilt) return Status::CaptureInvalidated;
        stream.last = {stream.capture->graph->add(std::move(work), stream.last)};
        return Status::Success;
    }
    if (atOnce() && !work.begin) return work.run();
    const bool waited = work.waited;
    const bool early =
        work.dependent && pending(stream.tail) && stream.tail->work.kind == Work::Kind::Kernel;
    follow(stream, std::move(work), waitedFor(stream), early ? stream.tail : nullptr);
    return waited ? schedule_.finish(stream.tail) : Status::Success;
}

Status Streams::submit(Stream& stream, const std::shared_ptr<ReadyGraph>& graph)
{
    if (stream.capture)
        return submit(stream, {Work::Kind::Child, [graph] { return run(graph->order); }});
    std::vector<TaskRef> first = waitedFor(stream);
    add(first, graph->last);  // an instance does not run twice at the same time
    std::map<const Node*, TaskRef> tasks;
    std::vector<TaskRef> all = first;
    for (const Node* node : graph->order) {
        std::vector<TaskRef> list = node->before.empty() ? first : std::vector<TaskRef>{};
        for (const Node* b : node->before) add(list, tasks.at(b));
        Work work = node->work;
        work.stage = nullptr;
        if (node->off) work = {Work::Kind::Empty, [] { return Status::Success; }};
        tasks[node] = schedule_.add(std::move(work), std::move(list));
        all.push_back(tasks[node]);
    }
    follow(stream, {Work::Kind::Empty, [] { return Status::Success; }}, std::move(all));
    graph->last = stream.tail;
    return schedule_.drawn() ? Status::Success : schedule_.takeFailure();
}

Status Streams::finish(Stream& stream)
{
    // For the legacy stream, everything that it waits for must be done. For another stream, work of the legacy stream need not be.
    std::vector<TaskRef> list = &stream == &legacy_ ? waitedFor(stream) : stream.waits;
    list.push_back(stream.tail);
    for (const TaskRef& task : list) static_cast<void>(schedule_.finish(task));
    return schedule_.takeFailure();
}

Status Streams::finish(Event& event)
{
    if (pending(event.task)) static_cast<void>(schedule_.finish(event.task));
    return schedule_.takeFailure();
}

Status Streams::finish()
{
    schedule_.finishAll();
    return schedule_.takeFailure();
}

/// Lets the device continue, because the program asks and may have written what launches wait for.
void Streams::goOn()
{
    schedule_.wake();
    static_cast<void>(schedule_.progress());
}

bool Streams::done(const Stream& stream)
{
    const auto all = [&] {
        return !pending(stream.tail) &&
               std::none_of(stream.waits.begin(), stream.waits.end(), pending) &&
               (&stream != &legacy_ || waitedFor(stream).empty());
    };
    if (!all()) goOn();
    return all();
}

bool Streams::done(const Event& event)
{
    if (pending(event.task)) goOn();
    return !pending(event.task);
}

Status Streams::record(Event& event, Stream& stream)
{
    event.capture = stream.capture;
    event.nodes = stream.last;
    event.recorded = !stream.capture;
    event.task.reset();
    event.cycles = std::make_shared<std::uint64_t>(schedule_.clock());
    if (stream.capture || atOnce()) return Status::Success;
    const auto mark = event.cycles;
    follow(stream,
           {Work::Kind::Record,
            [this, mark] {
                *mark = schedule_.clock();
                return Status::Success;
            }},
           waitedFor(stream));
    event.task = stream.tail;
    return Status::Success;
}

void Streams::reach(Event& event)
{
    event.recorded = true;
    event.capture.reset();
    event.task.reset();
    event.cycles = std::make_shared<std::uint64_t>(schedule_.clock());
}

Status Streams::wait(Stream& stream, Event& event)
{
    if (!event.capture || !event.capture->graph) {
        // Captured work cannot wait for work outside the capture.
        if (stream.capture) return event.recorded ? Status::CaptureUnsupported : Status::Success;
        add(stream.waits, event.task);
        return Status::Success;
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
    if (pending(from.task) || pending(to.task)) return Status::NotReady;
    const double clocks = static_cast<double>(*to.cycles) - static_cast<double>(*from.cycles);
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
        // The origin must wait for the stream's last work, directly or not.
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
    for (auto& [thread, s] : threads_) {
        if (&s != &stream) leave(s);
    }
    stream.capture.reset();
    stream.last.clear();
    --captures_;
    if (capture->spoilt) return Status::CaptureInvalidated;
    if (!joined) return Status::CaptureUnjoined;
    graph = std::move(capture->graph);
    return Status::Success;
}

}  // namespace gsu::cuda
