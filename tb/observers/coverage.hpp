/// Counters for the cover points that can be seen at the port. This class has those of bar, barrier.cluster and bar.warp.sync and of
/// several units together; the others are in coverage_mbarrier.hpp and coverage_warp.hpp. tests/coverage/points.tsv describes each point,
/// and names the points that need the PTX text or a memory model and are shown by tests.
#pragma once
#include <array>
#include <string>
#include <vector>

#include "golden/port_observer.hpp"
#include "observers/coverage_mbarrier.hpp"
#include "observers/coverage_points.hpp"
#include "observers/coverage_warp.hpp"
#include "observers/open_table.hpp"

namespace gsu {

class Coverage final : public PortObserver {
public:
    explicit Coverage(ChipLayout chip);
    Coverage(const Coverage&) = delete;  // its parts count in points_
    Coverage& operator=(const Coverage&) = delete;
    void onLaunch(Cycle now, const Launch& launch) override;
    void onExit(Cycle now, const Exit& exit) override;
    void onRequest(Cycle now, const SyncRequest& request) override;
    void onResponse(const SyncResponse& response) override;
    void onRelease(const Release& release) override;
    void onCommit(const Commit& commit) override;
    void onCancelAnswer(Cycle, const CancelAnswer& answer) override { mbarriers_.answer(answer); }
    void onCtaFree(const CtaFree& free) override;

    /// Adds the counts of another run.
    void add(const Coverage& other);
    [[nodiscard]] const std::vector<CoverPoint>& points() const noexcept { return points_; }
    /// One line per point: "CP-BAR-01 7/16".
    [[nodiscard]] std::string table() const;

private:
    struct Bar {
        bool active{}, flipped{};
        bool omitted{}, explicitSize{}, explicitCount{};  ///< counts named in this generation
        std::uint8_t forms{};                             ///< bit 0 sync, 1 arrive, 2 red
        Cycle flip{};
    };
    struct Cta {
        Launch launch;
        std::array<Bar, kBarsPerCta> bars{};
        std::array<Lanes, kMaxWarps> live{}, launched{};
        std::uint64_t flips{};
        Cycle lastExit{kNever}, lastArrival{kNever};
        WarpRef lastClusterArrival;
        bool lastClusterByExit{};
        bool clusterPending{};    ///< a warp has arrived in the running generation
        unsigned clusterWaits{};  ///< requests that wait for the cluster barrier
    };
    Cta& cta(std::uint8_t sm, std::uint8_t slot)
    {
        return ctas_[std::size_t{sm} * kMaxCtas + slot];
    }
    void hit(unsigned point, std::size_t bin);
    void barRequest(Cta& c, const SyncRequest& r);
    void warpRequest(const SyncRequest& r);
    void clusterRequest(Cta& c, const SyncRequest& r);
    void namedCommit(const Commit& commit);
    void namedFlip(Cta& c, Bar& b, const Commit& commit, bool byExit);
    void clusterCommit(const Commit& commit);
    void clusterArrival(Cta& c, const Commit& commit);
    /// Whether the two CTAs are in one cluster.
    [[nodiscard]] bool together(const Cta& a, const Cta& b) const noexcept;
    void pending(Cta& c, WarpRef exiting);

    ChipLayout chip_;
    std::vector<CoverPoint> points_;
    WarpCoverage warps_;
    MbarrierCoverage mbarriers_;
    std::vector<Cta> ctas_;
    OpenTable open_;
    Cycle lastNamed_{kNever};
    std::uint32_t lastNamedId_{};
};

}  // namespace gsu
