/// Streams, events and captures. By default work runs when it is submitted, except launches that wait for others. With a seed it runs in
/// any order that the rules of streams allow (Schedule): in order within a stream, freely between streams. The legacy default stream waits
/// for all blocking streams, and they wait for it. A stream that is captured keeps its work for a graph.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_set>
#include <vector>

#include "cuda/streams/schedule.hpp"

namespace gsu::cuda {

struct Graph;
struct ReadyGraph;

struct Node {
    Work work;
    std::vector<Node*> before;
    Graph* graph{};
    std::uint64_t number{};
    bool off{};  ///< in an instance: the node is disabled
};

/// Nodes in topological order: each comes after those that it waits for.
struct Graph {
    std::vector<std::unique_ptr<Node>> nodes;
    Node* add(Work work, std::vector<Node*> before);
};

/// Between begin and end of a capture: the graph, and the streams that have joined.
struct Capture {
    std::shared_ptr<Graph> graph;
    struct Stream* origin{};
    std::uint64_t id{};
    bool spoilt{};
};

struct Stream {
    std::uint64_t number{};
    std::uint32_t flags{};
    int priority{};
    std::shared_ptr<Capture> capture{};
    std::vector<Node*> last{};     ///< in a capture: nodes that the next node waits for
    TaskRef tail{};                ///< last task of the stream; it may be done
    std::vector<TaskRef> waits{};  ///< tasks of other streams that its next one waits for

    /// Whether the stream is non-blocking: it and the legacy default stream do not wait for each other.
    [[nodiscard]] bool apart() const noexcept { return (flags & 1) != 0; }
};

struct Event {
    std::uint32_t flags{};
    bool recorded{};
    /// RTL clocks of all earlier launches, once the event is reached.
    std::shared_ptr<std::uint64_t> cycles{};
    TaskRef task{};  ///< task that reaches the event; nullptr: done
    std::shared_ptr<Capture> capture{};
    std::vector<Node*> nodes{};
};

/// Facts about the calling thread's present call of the API.
struct CallOrigin {
    /// Whether stream 0 is the thread's default stream (programs compiled with --default-stream per-thread), not the legacy one.
    bool defaultIsPerThread{};
    const void* site{};  ///< address of the call in the program; nullptr: not known yet
};
extern thread_local CallOrigin callOrigin;

class Streams {
public:
    explicit Streams(std::uint64_t seed = Schedule::kCalls, CallLock* lock = nullptr,
                     unsigned sms = 1);
    /// The stream of a handle: 1 is the legacy default stream, 2 that of the calling thread, 0 one of them (defaultStream). nullptr: no such stream.
    [[nodiscard]] Stream* of(void* handle) noexcept;
    [[nodiscard]] Stream* make(std::uint32_t flags, int priority);
    bool destroy(void* handle);
    [[nodiscard]] Event* eventOf(void* handle) noexcept;
    [[nodiscard]] Event* makeEvent(std::uint32_t flags);
    bool destroyEvent(void* handle);

    /// Does the work, or leaves it pending in the drawn order, or adds it to the graph of the stream's capture.
    [[nodiscard]] Status submit(Stream& stream, Work work);
    /// Submits all nodes of a graph in the same way.
    [[nodiscard]] Status submit(Stream& stream, const std::shared_ptr<ReadyGraph>& graph);
    /// Waits for the work of a stream, of an event, or all work; returns the error of failed work.
    [[nodiscard]] Status finish(Stream& stream);
    [[nodiscard]] Status finish(Event& event);
    [[nodiscard]] Status finish();
    /// Whether all work of a stream is done; if not, does a little more of it.
    [[nodiscard]] bool done(const Stream& stream);
    [[nodiscard]] bool done(const Event& event);
    [[nodiscard]] Schedule& schedule() noexcept { return schedule_; }
    [[nodiscard]] Status record(Event& event, Stream& stream);
    [[nodiscard]] Status wait(Stream& stream, Event& event);
    /// Marks an event as reached by the running work.
    void reach(Event& event);

    /// Time between two events: clocks of the launches between them.
    [[nodiscard]] static Status elapsed(const Event& from, const Event& to, unsigned clockMhz,
                                        float& milliseconds) noexcept;

    [[nodiscard]] Status beginCapture(Stream& stream);
    /// Ends a capture. `graph`: the captured graph; nullptr after an error.
    [[nodiscard]] Status endCapture(Stream& stream, std::shared_ptr<Graph>& graph);
    /// Whether any stream is captured: calls that wait for the device are not possible then.
    [[nodiscard]] bool capturing() const noexcept { return captures_ != 0; }
    void spoil(Stream& stream) noexcept
    {
        if (stream.capture) stream.capture->spoilt = true;
    }

private:
    [[nodiscard]] std::vector<TaskRef> waitedFor(const Stream& stream) const;
    void follow(Stream& stream, Work work, std::vector<TaskRef> before, TaskRef primary = nullptr);
    /// Whether submitted work is done at once.
    [[nodiscard]] bool atOnce() const noexcept { return !schedule_.drawn() && schedule_.empty(); }
    void goOn();
    [[nodiscard]] Stream& ofThread();

    Schedule schedule_;
    Stream legacy_;
    std::map<std::thread::id, Stream> threads_;  ///< the default stream of each thread
    std::vector<TaskRef> orphans_;               ///< tasks of destroyed streams
    std::set<std::unique_ptr<Stream>> made_;
    std::set<std::unique_ptr<Event>> events_;
    std::unordered_set<const void*> knownStreams_, knownEvents_;
    std::uint64_t numbers_{2}, captureIds_{};
    unsigned captures_{};
};

}  // namespace gsu::cuda
