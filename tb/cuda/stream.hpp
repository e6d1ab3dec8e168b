/// Streams, events and captures. Work is done when it is submitted, in the order of the program's calls: one of the orders that the rules of
/// streams allow. A stream that is captured keeps its work for a graph.
#pragma once
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <unordered_set>
#include <vector>

#include "cuda/status.hpp"

namespace gsu::cuda {

struct Graph;

/// One piece of work of a stream.
struct Work {
    enum class Kind : std::uint8_t { Kernel, Copy, Fill, Host, Empty, Record, Wait, Child } kind{};
    std::function<Status()> run;
};

struct Node {
    Work work;
    std::vector<Node*> before;
    Graph* graph{};
    std::uint64_t number{};
};

/// Nodes in an order in which each stands behind those it waits for.
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
    std::vector<Node*> last{};  ///< of the capture: what the next node waits for
};

struct Event {
    std::uint32_t flags{};
    bool recorded{};
    std::chrono::steady_clock::time_point at{};
    std::uint64_t cycles{};  ///< RTL clocks of all launches before it
    std::shared_ptr<Capture> capture{};
    std::vector<Node*> nodes{};
};

class Streams {
public:
    Streams();
    /// The stream of a handle: 0, 1 and 2 are the default ones. nullptr: none is there.
    [[nodiscard]] Stream* of(void* handle) noexcept;
    [[nodiscard]] Stream* make(std::uint32_t flags, int priority);
    bool destroy(void* handle);
    [[nodiscard]] Event* eventOf(void* handle) noexcept;
    [[nodiscard]] Event* makeEvent(std::uint32_t flags);
    bool destroyEvent(void* handle);

    /// Does the work, or adds it to the graph that the stream is captured for.
    [[nodiscard]] Status submit(Stream& stream, Work work);
    [[nodiscard]] Status record(Event& event, Stream& stream);
    [[nodiscard]] Status wait(Stream& stream, Event& event);

    /// Time of the device between two events: clocks of the launches in between.
    [[nodiscard]] static Status elapsed(const Event& from, const Event& to, unsigned clockMhz,
                                        float& milliseconds) noexcept;

    [[nodiscard]] Status beginCapture(Stream& stream);
    /// `graph`: what was captured; nullptr after an error.
    [[nodiscard]] Status endCapture(Stream& stream, std::shared_ptr<Graph>& graph);
    /// Anything is captured: calls that wait for the device are not possible then.
    [[nodiscard]] bool capturing() const noexcept { return captures_ != 0; }
    void spoil(Stream& stream) noexcept
    {
        if (stream.capture) stream.capture->spoilt = true;
    }

    /// RTL clocks that launches took so far.
    std::uint64_t cycles{};

private:
    Stream legacy_, perThread_;
    std::set<std::unique_ptr<Stream>> made_;
    std::set<std::unique_ptr<Event>> events_;
    std::unordered_set<const void*> knownStreams_, knownEvents_;
    std::uint64_t numbers_{2}, captureIds_{};
    unsigned captures_{};
};

}  // namespace gsu::cuda
