/// GoldenPort: the golden units behind SyncPort with every latency 1, for runs without RTL (`--unit golden`).
/// Order inside a cycle and SM follows D-02: launches, deliveries of the cluster network, arrivals, exits.
/// Operations without a golden unit are refused (Unit::Null, kNullErrNoUnit).
#pragma once
#include <deque>
#include <vector>

#include "golden/port.hpp"
#include "golden/sync_unit.hpp"

namespace gsu {

class GoldenPort : public SyncPort {
public:
    explicit GoldenPort(unsigned sms);

    [[nodiscard]] unsigned sms() const override { return unit_.sms(); }
    [[nodiscard]] Cycle now() const override { return now_; }
    void setSink(SyncSink& sink) override { sink_ = &sink; }
    /// Waits for queued exits, so that an aligned barrier is judged by the lanes that are really left.
    [[nodiscard]] bool canPresent(std::uint8_t sm) const override
    {
        return !sms_[sm].hasRequest && sms_[sm].exits.empty();
    }
    void present(const SyncRequest& request) override;
    /// No unit consumes asynchronous updates yet.
    [[nodiscard]] bool canNotify(std::uint8_t) const override { return false; }
    void notify(const AsyncUpdate& update) override;
    void route(const ClusterRoute& route) override { unit_.route(route); }
    bool launch(const Launch& launch) override;
    void exit(const Exit& exit) override { sms_[exit.at.sm].exits.push_back(exit); }
    void stored(std::uint8_t, std::uint32_t, std::uint32_t) override {}
    void step() override;
    [[nodiscard]] Cycle quietUntil() const override;
    void skipTo(Cycle cycle) override { now_ = cycle; }
    [[nodiscard]] std::optional<Fault> fault() const override { return fault_; }

private:
    /// Messages of the cluster network, one bit per CTA slot.
    struct Due {
        Lanes open{}, flip{}, free{};
    };
    struct Sm {
        SyncRequest request{};
        bool hasRequest{};
        std::vector<std::uint8_t> launches;
        std::deque<Exit> exits;
        Due due{}, next{};  ///< messages delivered in this cycle, and in the next
    };

    void stepSm(unsigned sm);
    void stepNetwork();
    void deliver(unsigned sm);
    void freeCta(const WarpRef& at);
    void takeExit(const Exit& exit);
    void applyExit(const Exit& exit, bool warpGone);
    void commitReady(const WarpRef& at, Src src);
    void commitGroup(const JoinGroup& group, Src src);
    void commitBar(const JoinGroup& group, Commit& record);
    void commitCluster(const JoinGroup& group, Commit& record);
    void completeCluster(const WarpRef& at);
    void release(const WarpRef& at, unsigned id, const NamedBarrier& done);
    void respond(const JoinGroup& group, Lanes lanes, Cause cause);
    [[nodiscard]] Commit record(Unit unit, Op op, const WarpRef& at, std::uint32_t object) const;
    void emit(Commit& commit);
    /// Calls `send(sm, cta)` for each CTA of the cluster.
    template <class Send> void toMembers(Cluster& cluster, Send&& send);

    SyncUnit unit_;
    std::vector<Sm> sms_;
    std::vector<Commit> network_;                        ///< network events of this cycle
    std::array<std::uint8_t, kMaxClusters> launched_{};  ///< CTAs started of a cluster not yet open
    SyncSink* sink_{};
    Cycle now_{};
    std::uint64_t seq_{};
    std::optional<Fault> fault_;
};

}  // namespace gsu
