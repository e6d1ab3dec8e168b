/// Follower: replays a device's commits on the golden units, and checks their values and whether their order is legal (D-01, D-70). The
/// device decides when and in which order things happen; the follower decides whether that was allowed, and the correct results.
///
/// Checks: A lane group commits exactly once, after it was presented and before its answer. A join commits with exactly the lanes that met.
/// Each unit sees each warp exit once, after the CTA table. A completion by exit precedes any other commit of its barrier. Fences, arrivals
/// and bar.warp.sync follow the older operations that they order. Waiting lanes are answered by one release of their generation, all others
/// by one response. Nothing is left when a CTA ends, and nothing stays open for longer than `bound` clocks. Pre of every call: arguments
/// name launched CTAs, as SyncPort demands; a driver that breaks this is reported as Fault::Kind::Protocol.
#pragma once
#include <optional>
#include <vector>

#include "golden/golden_units.hpp"
#include "golden/grid_table.hpp"
#include "golden/port_observer.hpp"
#include "lockstep/lockstep.hpp"
#include "lockstep/mbarrier_follower.hpp"
#include "lockstep/problem.hpp"
#include "lockstep/slots.hpp"

namespace gsu {

class Follower final : public PortObserver {
public:
    Follower(unsigned sms, LockstepOptions options = {},
             const Structure& structure = defaultStructure());
    Follower(const Follower&) = delete;
    Follower& operator=(const Follower&) = delete;

    void onRequest(Cycle now, const SyncRequest& request) override;
    void onRoute(Cycle, const ClusterRoute& route) override { unit_.route(route); }
    void onGridStart(Cycle now, const GridStart& start) override;
    void onLaunch(Cycle now, const Launch& launch) override;
    void onExit(Cycle now, const Exit& exit) override;
    void onNotify(Cycle now, const AsyncUpdate& update) override;
    void onCancelAnswer(Cycle now, const CancelAnswer& answer) override;
    void onAccesses(Cycle now, const Accesses& accesses, bool performed) override;
    void onStored(Cycle, std::uint8_t sm, std::uint32_t address, std::uint32_t bytes) override
    {
        mbar_.stored(sm, address, bytes);
    }
    void onCommit(const Commit& commit) override;
    void onResponse(const SyncResponse& response) override;
    void onRelease(const Release& release) override;
    void onDelivered(const Delivered& delivered) override;
    void onCtaFree(const CtaFree& free) override;
    void onGrid(const GridEvent& event) override;
    void onCancel(const CancelQuery& query) override;

    /// Call around every step of the device. epochOf(CTA) is the epoch in which its packets are counted now.
    template <class EpochOf> void sample(EpochOf&& epochOf, bool after)
    {
        mbar_.sample(epochOf, after);
    }
    /// Advances time to `now`, and looks from time to time for overdue events.
    void tick(Cycle now)
    {
        if (now >= nextScan_) scan(now);
    }
    /// The device reports that nothing will happen without input: then no event may be due.
    void checkIdle(Cycle now)
    {
        const bool quiet = debts() == 0 && !clusterMoved_ && gridWaiting_ == 0 && gridOwed_.empty();
        if (quiet || mbar_.order().anyAccesses() || mbar_.awaitsAnswer())
            return;  // it may wait for the driver
        clusterMoved_ = false;
        reportOverdue(lockstep::TimeLimit::idle(now));
    }

    [[nodiscard]] const std::optional<Fault>& fault() const noexcept { return fault_; }
    [[nodiscard]] const GoldenUnits& unit() const noexcept { return unit_; }
    [[nodiscard]] std::uint64_t commits() const noexcept { return commits_; }
    /// Number of reports that the device still owes; 0 once every CTA is gone.
    [[nodiscard]] std::uint64_t debts() const noexcept { return debts_ + mbar_.debts(); }

private:
    /// Committed lanes that await a response; `orRelease`: a wait that found its generation complete.
    struct Expected {
        Lanes lanes{};
        std::uint16_t tag{};
        Cause cause{};
        bool orRelease{}, only{}, more{};
        bool
            parts{};  ///< has results, and may be one of several answers to one group: the last of them is marked
        Lanes pred{};      ///< result, where `predMask` has bits
        Lanes predMask{};  ///< all: the field is defined
        std::uint64_t value{}, valueMask{};
        Cycle since{};
    };
    /// Committed lanes that await the release of a generation.
    struct Waiting {
        Lanes lanes{};
        bool cluster{};
        std::uint8_t id{};
        std::uint32_t generation{};
    };
    /// A record of the release of a completed generation that has not come yet.
    struct Due {
        std::uint8_t cta{}, id{};
        bool cluster{};
        Lanes warps{}, lanes{};
        bool hasResult{};
        std::uint16_t popc{};
        bool all{}, any{};
        std::uint32_t generation{};
        Cycle since{};
    };
    struct Warp {
        Lanes open{};                                  ///< lanes with an unanswered request
        std::array<OrderBook::Since, kLanes> since{};  ///< per lane: what its request waits for
        std::array<std::uint16_t, kLanes> tag{};       ///< per lane: tag of its request
        Lanes together{};  ///< lanes of the latest request: `since` and `tag` are the same for them
        Lanes gridWaits{};                      ///< lanes at griddepcontrol.wait
        std::array<Cycle, kLanes> gridSince{};  ///< per such lane: when it began to wait
        Lanes held{};     ///< lanes whose request may have had to wait for older operations
        Lanes exiting{};  ///< lanes whose exit was given
        bool goneTable{}, goneNamed{}, goneCluster{};
        Cycle exitedAt{};
        std::array<Lanes, kLanes> liveSeen{};  ///< per join group: live lanes when it was presented
        lockstep::Slots<Expected> expected;
        lockstep::Slots<Waiting> waiting;
    };
    struct Cta {
        std::array<std::uint32_t, kMaxBars> generation{};
        BarMask flipsDue{};  ///< barriers that an exit completed, not yet committed
        BarMask leftDue{};   ///< barriers that the last exit left with arrivals
        Cycle flipsSince{};
        bool opened{}, freed{};
        bool signalled{};  ///< griddepcontrol.launch_dependents
    };
    struct Queued {
        Exit exit{};
        Cycle since{};
    };
    struct Started {
        std::uint8_t cta{};
        Cycle since{};
    };
    struct Sm {
        std::array<Warp, kMaxWarpSlots> warps{};
        std::array<Cta, kMaxCtas> ctas{};
        lockstep::Fifo<Queued> exits;
        lockstep::Fifo<Started> launches;
        std::vector<Due> due;
        Lanes used{};  ///< CTA slots
    };
    struct Net {
        std::uint32_t flips{};
        bool opened{}, freed{};
        Cycle completedAt{};
    };

    /// Inputs of the driver for a grid slot.
    struct GivenGrid {
        bool used{};
        std::uint32_t launches{};  ///< still to come
        bool elsewhere{};
    };
    struct GridInput {
        GridStart start{};
        Cycle since{};
    };
    /// A report of a CTA that the grid table has not seen yet.
    struct GridOwed {
        std::uint8_t sm{}, cta{}, grid{};
        bool signals{}, ends{};
        Cycle since{};
    };
    /// Events that have not been reported to the driver.
    struct GridNews {
        bool signalled{}, complete{};
        Cycle since{};
    };

    [[nodiscard]] Warp& warp(const WarpRef& at) { return sms_[at.sm].warps[unit_.slotOf(at)]; }
    [[nodiscard]] Cta& cta(const WarpRef& at) { return sms_[at.sm].ctas[at.cta]; }
    [[nodiscard]] bool known(const WarpRef& at, bool anyWarp) const;

    bool commitCta(const Commit& c);
    bool commitTableExit(const Commit& c);
    bool commitFree(const Commit& c);
    bool commitNamed(const Commit& c);
    bool commitNamedExit(const Commit& c);
    bool commitNamedFlip(const Commit& c);
    bool commitNamedLeft(const Commit& c);
    bool commitArrival(const Commit& c, const JoinGroup& group, const NamedNext& next,
                       std::uint64_t before);
    bool commitWarpSync(const Commit& c);
    void expectWarpOp(const JoinGroup& group, const Commit& c);
    bool commitNull(const Commit& c);
    bool commitAck(const Commit& c);
    bool commitFence(const Commit& c);
    /// Whether the older operations that these lanes' requests wait for have acted.
    bool mayCommit(const Commit& c, Lanes lanes);
    [[nodiscard]] static OrderBook::Since sinceOf(const Warp& warp, Lanes lanes) noexcept;
    bool commitMbarrier(const Commit& c);
    bool report(Cycle cycle, const lockstep::Problem& problem, const std::string& device);
    bool commitCluster(const Commit& c);
    bool commitClusterGroup(const Commit& c);
    bool commitClusterExit(const Commit& c);
    bool commitClusterEvent(const Commit& c);
    bool commitNetwork(const Commit& c);
    [[nodiscard]] bool mayLaunch(const Launch& launch);
    bool commitGrid(const Commit& c);
    bool commitGridWait(const Commit& c);
    bool commitGridInput(const Commit& c);
    bool commitGridReport(const Commit& c);
    bool commitGridFewer(const Commit& c, const GridStart& start);
    void gridIsOver(unsigned index, Cycle now);
    void gridCtaEnds(const WarpRef& at, Cycle now);

    /// Takes the group of a commit out of the join; nothing after a fault.
    std::optional<JoinGroup> take(const Commit& c, Unit unit, Lanes& liveSeen);
    /// Whether the request `tag` may have completed the group: it came last, or it waited for older operations while younger requests of
    /// its warp did not.
    [[nodiscard]] bool mayComplete(const JoinGroup& g, std::uint16_t tag);
    /// Judges `diverged` as the device may: the device may or may not have seen the exits in flight.
    [[nodiscard]] bool mayDiverge(const JoinGroup& g, Lanes liveSeen, bool claimed);
    void expect(const JoinGroup& group, Lanes lanes, const Commit& c, bool orRelease);
    void expect(const JoinGroup& group, const Commit& c, Expected e);
    void wait(const JoinGroup& group, bool cluster, std::uint8_t id, std::uint32_t generation);
    void completed(const WarpRef& at, unsigned id, const NamedBarrier& done, Cycle now);
    bool advanceCluster(const Commit& c);

    bool releaseNamed(const Release& r);
    bool releaseCluster(const Release& r);
    void close(const WarpRef& at, const Due& due);
    [[nodiscard]] static const char* wrongIn(const SyncResponse& r, const Expected& e, Warp& warp);
    void answer(Warp& warp, const Expected* expected);

    void scan(Cycle now);
    void reportOverdue(const lockstep::TimeLimit& limit);
    // Finds the first overdue event; nothing if all is in time.
    [[nodiscard]] lockstep::Verdict overdue(const lockstep::TimeLimit& limit);
    [[nodiscard]] lockstep::Verdict overdueInSm(unsigned sm, const lockstep::TimeLimit& limit);
    [[nodiscard]] lockstep::Verdict overdueInCta(const WarpRef& at,
                                                 const lockstep::TimeLimit& limit);
    [[nodiscard]] lockstep::Verdict overdueInWarp(const WarpRef& at,
                                                  const lockstep::TimeLimit& limit);
    [[nodiscard]] lockstep::Verdict overdueOfGrids(const lockstep::TimeLimit& limit) const;

    bool fail(Cycle cycle, const std::string& what, const std::string& device,
              const std::string& golden, const std::string& before);
    bool differ(const Commit& c, const char* field, std::uint64_t golden,
                const std::string& request, const std::string& before);
    [[nodiscard]] unsigned readyGroups(const WarpRef& at);
    void protocol(Cycle cycle, const std::string& what);

    GoldenUnits unit_;
    lockstep::MbarrierFollower mbar_;
    std::vector<Sm> sms_;
    std::array<Net, kMaxClusters> net_{};
    GridTable grids_;
    std::array<GivenGrid, kMaxGrids> gridGiven_{};
    lockstep::Fifo<GridInput> gridInputs_;
    std::vector<GridOwed> gridOwed_;
    std::array<GridNews, kMaxGrids> gridNews_{};
    std::array<Cycle, kMaxGrids> gridReady_{};  ///< when its last prerequisite became complete
    std::uint32_t gridWaiting_{};               ///< lanes at griddepcontrol.wait
    LockstepOptions options_;
    Cycle nextScan_{};
    std::uint64_t nextSeq_{};
    std::uint64_t commits_{};
    /// Exits, launches, ready groups, completions, responses and releases that the device still has to report.
    std::uint64_t debts_{};
    bool clusterMoved_{};  ///< a cluster commit since the last idle check: deliveries may be owed
    std::optional<Fault> fault_;
};

}  // namespace gsu
