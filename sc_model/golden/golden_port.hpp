/// GoldenPort: the golden units behind SyncPort with every latency 1, for runs without RTL (`--unit golden`). The order inside a cycle and
/// SM follows D-02: launches, deliveries of the cluster network, arrivals, exits. Operations on mbarriers of the SM are answered in the
/// cycle of their request. Remote operations act in the next cycle, data first (D-45). A release, fence or barrier waits until the older
/// operations that it orders have acted (OrderBook). An atom on another CTA's shared memory is answered when all its packets have been
/// delivered. Operations without a golden unit are refused (Unit::Null, kNullErrNoUnit).
#pragma once
#include <bit>
#include <deque>
#include <map>
#include <vector>

#include "golden/golden.hpp"
#include "golden/golden_units.hpp"
#include "golden/grid_table.hpp"
#include "golden/mbarrier_unit.hpp"
#include "golden/order_book.hpp"
#include "golden/port.hpp"

namespace gsu {

/// Calls f(index) for each bit of the mask, lowest first.
template <class Mask, class F> void forBits(Mask mask, F&& f)
{
    for (; mask != 0; mask &= mask - 1) f(static_cast<std::uint8_t>(std::countr_zero(mask)));
}

class GoldenPort : public SyncPort {
public:
    explicit GoldenPort(unsigned sms, GoldenOptions options = {});

    /// Sets the shared memory for the barrier words; it must outlive the port. Without it the port keeps the words itself.
    void setMemory(SharedMemory& memory) { memory_ = &memory; }

    [[nodiscard]] unsigned sms() const override { return unit_.sms(); }
    [[nodiscard]] const Structure& structure() const noexcept override
    {
        return options_.structure;
    }
    [[nodiscard]] Cycle now() const override { return now_; }
    void setSink(SyncSink& sink) override { sink_ = &sink; }
    /// False while exits are queued, so that an aligned barrier is checked against the lanes that are really left.
    [[nodiscard]] bool canPresent(std::uint8_t sm) const override
    {
        return !sms_[sm].hasRequest && sms_[sm].exits.empty();
    }
    void present(const SyncRequest& request) override;
    [[nodiscard]] bool canNotify(std::uint8_t) const override { return true; }
    void notify(const AsyncUpdate& update) override { sms_[update.sm].updates.push_back(update); }
    void route(const ClusterRoute& route) override { unit_.route(route); }
    void grid(const GridStart& grid) override { gridStarts_.push_back(grid); }
    bool launch(const Launch& launch) override;
    void exit(const Exit& exit) override { sms_[exit.at.sm].exits.push_back(exit); }
    void stored(std::uint8_t sm, std::uint32_t addr, std::uint32_t bytes) override
    {
        mbar_.stored(sm, addr, bytes);
    }
    [[nodiscard]] std::uint8_t epoch(const WarpRef& at, Reach reach) const override
    {
        return book_.epoch(at, reach);
    }
    void announce(const Accesses& accesses) override { book_.announce(accesses); }
    void performed(const Accesses& accesses) override;
    void answerCancel(const CancelAnswer& answer) override;
    void step() override;
    [[nodiscard]] Cycle quietUntil() const override;
    void skipTo(Cycle cycle) override { now_ = cycle; }
    [[nodiscard]] std::optional<Fault> fault() const override { return fault_; }

private:
    /// Messages of the cluster network, one bit per CTA slot.
    struct Due {
        Lanes open{}, flip{}, free{};
    };
    /// Suspended lanes of a try_wait on one object, all for the same phase.
    struct Parked {
        WarpRef at{};
        std::uint16_t tag{};
        Lanes lanes{};
        std::uint32_t object{}, address{};
        Op op{};
        Cycle due{};
    };
    /// A group of lanes on its way to the object of another CTA.
    struct Packet {
        SyncRequest request{};  ///< request whose lanes are those of the group
        std::uint8_t cluster{};
        MbarRoute to{};
        OrderBook::Id id{};
        std::uint8_t era{};    ///< era of the launch of its cluster
        std::uint8_t epoch{};  ///< epoch of its CTA when it was posted
        bool own{};            ///< response of try_cancel to the requesting CTA
    };
    /// A lane of try_cancel.
    struct Cancel {
        WarpRef at{};
        std::uint16_t tag{};
        std::uint8_t lane{};
        bool multicast{};
        std::uint32_t offset{};  ///< offset of the mbarrier
    };
    /// A request that waits for older operations.
    struct Held {
        SyncRequest request{};
        OrderBook::Since since{};
    };
    /// The operands of a commit to one object.
    struct MbarUse {
        WarpRef at{};
        std::uint16_t tag{};
        std::uint32_t object{}, address{};
        MbarAccess access{};
        bool keeps{};
        Src src{};
        std::uint8_t srcSm{}, srcCta{};
    };
    /// An atom that waits for its packets.
    struct Reply {
        Lanes lanes{};
        unsigned packets{};
        bool refused{};
    };
    /// A report of a CTA to the grid table.
    struct GridReport {
        WarpRef at{};
        std::uint8_t grid{};
        bool signals{}, ends{};
    };
    struct Sm {
        SyncRequest request{};
        bool hasRequest{};
        std::deque<Held> held;
        std::vector<std::uint8_t> launches;
        std::deque<Exit> exits;
        Due due{}, next{};  ///< messages delivered in this cycle, and in the next
        std::deque<AsyncUpdate> updates;
        std::vector<Parked> parked;
        std::map<std::uint16_t, Reply> replies;  ///< by tag
        std::vector<SyncRequest>
            gridWaits;            ///< griddepcontrol.wait of grids with prerequisites in flight
        Lanes signalled{};        ///< CTAs that have executed griddepcontrol.launch_dependents
        std::deque<Cancel> asks;  ///< queries that have not been reported to the driver
        std::map<std::uint8_t, Cancel> told;  ///< by slot: queries that the driver has not answered
        std::array<std::uint32_t, kMaxCtas>
            owed{};                         ///< per CTA: queries and arrivals of agents in flight
        std::array<Lanes, 4096> waiting{};  ///< per tag: unanswered lanes of a try_wait
    };

    void stepSm(unsigned sm);
    void takeRequest(const SyncRequest& request);
    void takeHeld(Sm& sm);
    void stepNetwork();
    void deliver(unsigned sm);
    void freeCta(const WarpRef& at);
    void takeEnds();
    void takeGrids();
    void takeGrid(const GridStart& start);
    void gridOver(std::uint8_t grid);
    [[nodiscard]] bool gridWait(const SyncRequest& request, Cause cause);
    void commitGridSignal(const JoinGroup& group, Commit& record);
    void gridCtaEnds(const WarpRef& at);
    void stepGrids();
    void takeExit(const Exit& exit);
    void applyExit(const Exit& exit, bool warpGone);
    void commitReady(const WarpRef& at, Src src);
    void commitGroup(const JoinGroup& group, Src src);
    void commitBar(const JoinGroup& group, Commit& record);
    void commitCluster(const JoinGroup& group, Commit& record);
    void completeCluster(const WarpRef& at);
    void release(const WarpRef& at, unsigned id, const NamedBarrier& done);
    void markExited(const JoinGroup& group, Commit& record) const;
    void commitWarpOp(const JoinGroup& group, Commit& record);
    void respond(const JoinGroup& group, Lanes lanes, Cause cause);
    void respond(const JoinGroup& group, SyncResponse response);
    void mbarRequest(const SyncRequest& request);
    [[nodiscard]] Lanes mbarCommitGroup(const SyncRequest& request, Lanes group,
                                        const MbarRoute& to);
    void mbarWait(const SyncRequest& request, Lanes group, const MbarUse& use);
    /// Applies an operation for lanes in ascending order as one commit, for as many lanes as may share one. Returns the lanes served.
    Lanes mbarUpdate(const MbarUse& use, Lanes lanes, std::uint64_t& firstResult, bool& refused);
    void mbarRefuse(const MbarUse& use, Lanes lanes, std::uint16_t errs);
    void mbarAnswer(const WarpRef& at, std::uint16_t tag, Lanes lanes, Cause cause, Lanes pred = 0,
                    std::uint64_t value = 0, std::uint32_t stride = 0);
    void mbarWake(unsigned sm, std::uint32_t address, Cause cause, Lanes pred);
    void mbarTimers(unsigned sm);
    void mbarAsync(const AsyncUpdate& update);
    void mbarAgent(const AsyncUpdate& update);
    void mbarDeliver(const Packet& packet);
    void mbarPost(const SyncRequest& request, Lanes group, const MbarRoute& to);
    void mbarAcknowledge(const Packet& packet, const WarpRef& owner, bool refused);
    void cancelAsk(const SyncRequest& request, unsigned lane, std::uint32_t offset);
    void cancelTell(unsigned sm);
    void cancelSend(const Cancel& cancel, std::uint8_t rank, bool own);
    /// Posts an asynchronous operation of one lane on the mbarrier at an offset in a CTA of the cluster.
    [[nodiscard]] Packet packetOf(const WarpRef& at, Op op, std::uint16_t tag, std::uint8_t lane,
                                  std::uint64_t datum, std::uint8_t rank,
                                  std::uint32_t offset) const;
    [[nodiscard]] WarpRef ownerOf(const Packet& packet);
    [[nodiscard]] std::uint16_t refusal(const Packet& packet, const WarpRef& owner);
    void atomDeliver(const Packet& packet, const MbarUse& use, bool there);
    void atomReply(const Packet& packet, bool refused);
    void mbarNetwork();
    [[nodiscard]] std::uint64_t mbarLoad(unsigned sm, std::uint32_t address);
    [[nodiscard]] Commit record(Unit unit, Op op, const WarpRef& at, std::uint32_t object) const;
    void emit(Commit& commit);
    /// Calls `send(sm, cta)` for each CTA of the cluster.
    template <class Send> void toMembers(Cluster& cluster, Send&& send);

    GoldenOptions options_;
    GoldenUnits unit_;
    MbarrierUnit mbar_;
    OrderBook book_;
    SharedMemory* memory_{};
    std::deque<Packet> packets_, arriving_;  ///< posted in this cycle, delivered in this cycle
    std::vector<Sm> sms_;
    std::vector<Commit> network_;                        ///< network events of this cycle
    std::array<std::uint8_t, kMaxClusters> launched_{};  ///< CTAs started of a cluster not yet open
    SyncSink* sink_{};
    Cycle now_{};
    std::uint64_t seq_{};
    std::vector<WarpRef> ends_;  ///< a CTA of each cluster that waits for accesses to be performed
    GridTable grids_;
    std::deque<GridStart> gridStarts_;     ///< inputs of the driver since the last cycle
    std::vector<GridReport> gridReports_;  ///< reports of this cycle
    std::vector<std::uint8_t> gridsOver_;  ///< grids that completed in the preceding cycle
    bool gridNews_{};                      ///< a prerequisite has completed, so waits may end
    bool poked_{};                         ///< accesses were performed since the last step
    std::optional<Fault> fault_;
};

}  // namespace gsu
