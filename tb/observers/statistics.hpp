/// Costs of barriers and PTX lines: number of requests, clocks blocked, the longest wait, last arrivers. A wait is the time from presenting
/// a request to the answer of its last lane, in RTL clocks; unanswered ones count to the end. Covers named barriers, cluster barriers, warp
/// synchronization and mbarriers.
#pragma once
#include <array>
#include <map>
#include <unordered_map>
#include <vector>

#include "golden/chip_layout.hpp"
#include "golden/port_observer.hpp"
#include "observers/open_table.hpp"

namespace gsu {

enum class BarrierKind : std::uint8_t { Named, Cluster, WarpSync, Mbarrier, Other };
[[nodiscard]] BarrierKind barrierKindOf(Op op) noexcept;
/// "named", "cluster", "warp", "mbarrier", "other"
[[nodiscard]] const char* nameOf(BarrierKind kind) noexcept;

struct WaitStatistics {
    std::uint64_t requests{};
    std::uint64_t answered{};
    std::uint64_t stall{};  ///< clocks, summed over requests
    Cycle longest{};
    WarpRef longestAt;
    Cycle longestFrom{};
    std::uint64_t never{};  ///< requests still unanswered at the end
    void add(Cycle wait, WarpRef at, Cycle from) noexcept;
};

struct BarrierStatistics : WaitStatistics {
    BarrierKind kind{};
    std::uint32_t id{};           ///< named: number; warp: mask; mbarrier: offset; cluster: 0
    std::uint64_t generations{};  ///< completed, over all CTAs
    std::array<std::uint64_t, kMaxWarps> last{};  ///< completing warps, by index in the CTA
    std::uint64_t lastByExit{};
    /// The warp that completed most generations; false if none did.
    [[nodiscard]] bool lastArriver(unsigned& warp, std::uint64_t& times) const noexcept;
};

struct LineStatistics : WaitStatistics {
    std::uint32_t line{};
    Op op{};
};

class Statistics final : public PortObserver {
public:
    explicit Statistics(ChipLayout chip);

    void onRequest(Cycle now, const SyncRequest& request) override;
    void onLaunch(Cycle now, const Launch& launch) override;
    void onResponse(const SyncResponse& response) override;
    void onRelease(const Release& release) override;
    void onCommit(const Commit& commit) override;
    void onEnd(Cycle now) override;

    /// Statistics of barriers, by kind and id.
    [[nodiscard]] std::vector<BarrierStatistics> barriers() const;
    /// Statistics of PTX lines, most stalled clocks first.
    [[nodiscard]] std::vector<LineStatistics> lines() const;
    [[nodiscard]] std::uint64_t requests() const noexcept { return requests_; }
    [[nodiscard]] std::uint64_t commits() const noexcept { return commits_; }
    [[nodiscard]] std::uint64_t ctas() const noexcept { return ctas_; }

private:
    BarrierStatistics& barrier(Op op, std::uint32_t id);
    void answered(WarpRef at, const OpenPart& part, Cycle cycle);
    void clusterCommit(const Commit& commit);

    ChipLayout chip_;
    OpenTable open_;
    std::map<std::uint64_t, BarrierStatistics> barriers_;
    std::unordered_map<std::uint32_t, LineStatistics> lines_;
    std::vector<Launch> launched_;  ///< per SM and CTA slot
    std::vector<std::uint8_t>
        lastInCluster_;  ///< warp of the latest arrival, by ChipLayout::clusterOf()
    std::uint64_t requests_{}, commits_{}, ctas_{};
};

}  // namespace gsu
