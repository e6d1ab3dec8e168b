/// The events of a run, and which event leads to which. The rules are those of tb/races/README.md and rtl/doc/ordering.md, stated here
/// without the race detector's code and without clocks, so that the two can be compared. All events are kept: for programs of a few
/// thousand accesses.
#pragma once
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <unordered_set>

#include "causality/graph.hpp"
#include "exec/result/accesses.hpp"
#include "golden/port_observer.hpp"

namespace gsu::causality {

/// The range of a scope: the CTA, the cluster, the device.
[[nodiscard]] constexpr unsigned reachOf(Scope scope) noexcept
{
    return scope == Scope::Cta ? 0 : scope == Scope::Cluster ? 1 : 2;
}

/// An access to memory of one lane, or of an asynchronous operation.
struct Touching {
    std::uint32_t cta{}, line{}, instruction{};  ///< the same for lanes that execute together
    std::uint8_t warp{}, lane{};
    MemoryRange range;
    bool reads{}, writes{}, strong{}, proxy{}, alone{};  ///< `alone`: asynchronous
    unsigned reach{};
    std::uint32_t value{};  ///< stands for the written value, 0: not known
    Node before{kNone};     ///< the last event of its thread
    Node end{kNone};        ///< end of an asynchronous operation
    std::uint32_t next{};   ///< of a thread: index of its next event
};

/// A question: is one event before another?
struct Question {
    Node from{kNone}, to{kNone};
    Need need{};
    std::uint32_t first{}, second{};  ///< lines
    const char* what{};
};

class Events final : public PortObserver, public AccessObserver {
public:
    void onLaunch(Cycle, const Launch& launch) override;
    void onExit(Cycle, const Exit& exit) override;
    void onRequest(Cycle, const SyncRequest& request) override;
    void onResponse(const SyncResponse& response) override;
    void onRelease(const Release& release) override;
    void onCommit(const Commit& commit) override;
    void onCtaFree(const CtaFree& free) override;
    void onAccess(const Access& access) override;
    void onAsync(const AsyncOp& op) override;
    void completes(std::uint64_t name) override;
    void onGroup(const GroupStep& step) override;

    /// Sets the lines of mbarrier operations without a written scope: programs rely on cluster scope there.
    void setUnscoped(std::unordered_set<std::uint32_t> lines) { unscoped_ = std::move(lines); }
    /// All questions, about conflicting accesses, that must be answered with yes. Call once, when the run is over.
    [[nodiscard]] std::vector<Question> questions();
    [[nodiscard]] Graph& graph() noexcept { return graph_; }

private:
    struct Fence {
        Node at{};
        std::uint32_t line{};
        unsigned reach{};
    };
    struct Saw {
        Node what{};
        unsigned needed{};
    };
    /// A lane.
    struct Thread {
        std::vector<Node> events;
        std::vector<Fence> fences;
        std::vector<Saw> saw;
        std::uint32_t clusterArrivals{};
        /// Ends of operations: in no group, and by groups.
        struct Groups {
            std::vector<Node> open;
            std::deque<std::vector<Node>> closed;
        } copies, bulk, bulkRead;
        std::vector<Node> allCopies;  ///< cp.async
    };
    struct Object {
        std::vector<std::pair<Node, Edge>> near, far;
        std::array<Node, 2> doneNear{kNone, kNone}, doneFar{kNone, kNone};
        Node init{kNone};
        std::uint32_t initLine{}, initThread{};
        std::deque<Node> completing;
        /// arrivals of tcgen05.commit: CTA, and event
        std::deque<std::pair<std::uint32_t, Node>> arriving;
    };
    struct Generation {
        std::vector<Node> arrived;
        std::vector<std::uint32_t> waiting;  ///< threads
    };
    struct Cta {
        std::uint32_t number{}, cluster{};
        Launch launch;
        Node start{}, end{};
        std::vector<Thread> threads;
        std::vector<Lanes> clusterWaits;
        /// Threads that have come to a named barrier, by thread and id: the event, and whether they wait there.
        std::map<std::pair<std::uint32_t, std::uint32_t>, std::deque<std::pair<Node, bool>>> coming;
        std::map<std::uint32_t, Generation> named;
        std::map<std::uint32_t, Object> objects;
        std::vector<Node> exits;
    };
    /// A request in flight: the event of each of its lanes.
    struct Sent {
        SyncRequest request;
        std::array<Node, 32> at{};
        Lanes left{};
    };
    struct Head {
        Node at{};
        unsigned reach{};
    };
    /// A write that a read may see.
    struct Written {
        std::uint32_t cta{}, thread{};
        unsigned reach{};
        std::vector<Head> heads;
        Node at{};
    };

    [[nodiscard]] Cta* at(unsigned sm, unsigned slot);
    [[nodiscard]] Cta* at(const WarpRef& warp) { return at(warp.sm, warp.cta); }
    [[nodiscard]] Cta* ownerOf(const Cta& own, std::uint32_t address);
    [[nodiscard]] static std::uint32_t threadOf(unsigned warp, unsigned lane)
    {
        return 32 * warp + lane;
    }
    Node step(Cta& cta, std::uint32_t thread, std::uint8_t shows = 0);
    void after(Cta& cta, unsigned warp, Lanes lanes, const std::vector<Node>& from);
    void fence(Cta& cta, const SyncRequest& request);
    void clusterArrive(Cta& cta, const SyncRequest& request);
    void clusterDone(Cta& cta, unsigned warp, Lanes lanes);
    void named(Cta& cta, const Commit& commit);
    void uses(Cta& cta, const SyncRequest& request);
    void send(Cta& cta, const SyncRequest& request);
    void arrival(Object& object, Cta& owner, const Commit& commit);
    void seesState(const Object& object, Cta& owner, const Sent& sent, Lanes lanes);
    void arrives(std::vector<std::pair<Node, Edge>>& phase, const Cta& cta, const Sent& sent,
                 Lanes lanes, unsigned needed, unsigned reach);
    void commitMbarrier(const Commit& commit);
    void completesBytes(Object& object, const Commit& commit);
    void agentArrives(Object& object, const Cta& owner, const Commit& commit);
    void completesLater(const AsyncOp& op, const Thread& thread, Node end);
    void flip(Object& object, bool odd);
    void waited(Cta& cta, const Sent& sent, Lanes lanes);
    [[nodiscard]] unsigned reachAt(const SyncRequest& r) const
    {
        return unscoped_.contains(r.source) ? 1 : reachOf(r.scope);
    }
    void strong(const Access& access, unsigned lane);
    static void supersede(std::vector<Written>& list, Written& by);
    void touch(Touching t);
    void pair(const Touching& a, const Touching& b, std::vector<Question>& all);
    [[nodiscard]] bool together(const Touching& a, const Touching& b) const;
    void lifetimes(std::vector<Question>& all);
    [[nodiscard]] Node afterOf(const Touching& t) const;
    [[nodiscard]] unsigned between(std::uint32_t a, std::uint32_t b) const;

    Graph graph_;
    std::vector<std::unique_ptr<Cta>> ctas_;
    std::map<std::pair<unsigned, unsigned>, std::uint32_t> slots_;
    std::map<std::uint32_t, std::uint32_t> clusterOf_;
    std::uint32_t clusters_{};
    std::map<std::pair<std::uint32_t, std::uint32_t>, Node> generations_;  ///< of cluster barriers
    std::map<std::uint32_t, std::vector<Node>> exited_;                    ///< by cluster
    std::map<std::pair<unsigned, unsigned>, Sent> sent_;                   ///< by SM and tag
    std::map<std::uint32_t, std::deque<Sent>> posted_;  ///< to other CTAs, by CTA
    std::map<std::array<std::uint32_t, 3>, std::deque<std::vector<Node>>> copyArrivals_;
    std::map<std::uint64_t, std::pair<Node, std::vector<Node>>>
        named_;  ///< operations by name: the end, earlier fences
    std::map<std::uint64_t, std::pair<std::uint32_t, std::uint32_t>> objectOf_;
    std::map<std::uint64_t, std::pair<std::uint32_t, Node>> commits_;  ///< tcgen05.commit by name
    std::map<std::pair<std::uint64_t, std::uint64_t>, std::vector<Written>> written_;
    std::vector<Touching> touched_;
    std::vector<std::uint64_t> memoryOf_;  ///< memory of touched_
    std::vector<Question> asked_;
    std::uint32_t instructions_{};
    std::unordered_set<std::uint32_t> unscoped_;
};

}  // namespace gsu::causality
