/// Counters for the cover points of bar, barrier.cluster and bar.warp.sync that can be seen at the port.
/// Names of points are those of the coverage map (CP-BAR-01 ...); what needs the PTX text or a memory model is not here:
/// CP-BAR-04 (operand kinds), CP-BAR-14, X-CLU-02.
#pragma once
#include <array>
#include <string>
#include <vector>

#include "golden/port_observer.hpp"
#include "observers/open_table.hpp"

namespace gsu {

struct CoverBin {
    std::string name;
    std::uint64_t hits{};
};
struct CoverPoint {
    const char* id;
    std::vector<CoverBin> bins;
    [[nodiscard]] std::size_t reached() const noexcept;
};

class Coverage final : public PortObserver {
public:
    explicit Coverage(unsigned sms);
    void onLaunch(Cycle now, const Launch& launch) override;
    void onExit(Cycle now, const Exit& exit) override;
    void onRequest(Cycle now, const SyncRequest& request) override;
    void onResponse(const SyncResponse& response) override;
    void onRelease(const Release& release) override;
    void onCommit(const Commit& commit) override;

    [[nodiscard]] const std::vector<CoverPoint>& points() const noexcept { return points_; }
    /// "CP-BAR-01 7/16" per point, one per line.
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

    std::vector<CoverPoint> points_;
    std::vector<Cta> ctas_;
    OpenTable open_;
    Cycle lastNamed_{kNever};
    std::uint32_t lastNamedId_{};
};

}  // namespace gsu
