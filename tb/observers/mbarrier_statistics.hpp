/// Statistics of each mbarrier of each CTA: completed phases, arrivals, bytes, waits with their time, last arrivers. A wait begins with the
/// first test_wait or try_wait of a warp on the object and ends with the answer `true`; a wait that is true at its first request blocks no
/// warp. Times in RTL clocks. Rules: MBAR-010, MBAR-011, MBW-004..007, D-22 (word), D-38, D-45.
#pragma once
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

#include "golden/cluster_names.hpp"
#include "golden/port_observer.hpp"
#include "observers/cluster_map.hpp"
#include "observers/open_table.hpp"

namespace gsu {

/// An arriver that can complete a phase.
struct MbarrierArriver {
    enum class Kind : std::uint8_t {
        Warp,
        RemoteWarp,
        RemoteData,
        BulkCopy,
        CpAsync,
        Cancel,
        Agent  ///< a tensor core
    } kind{};
    std::uint32_t cta{};  ///< CTA of the warp; Warp: the object's own
    std::uint8_t warp{};
    auto operator<=>(const MbarrierArriver&) const = default;
};
/// "warp", "remote warp", "st.async", "bulk copy", "cp.async", "try_cancel"
[[nodiscard]] const char* nameOf(MbarrierArriver::Kind kind) noexcept;

/// A warp of the grid. `cta` as in MbarrierRecord.
struct GridWarp {
    std::uint32_t cta{};
    std::uint8_t warp{};
    auto operator<=>(const GridWarp&) const = default;
};

struct MbarrierRecord {
    std::uint32_t cta{};       ///< linear index in the grid; in a replay the number of the launch
    std::uint32_t offset{};    ///< offset in the CTA's shared window
    std::uint32_t cluster{};   ///< number of its cluster, in launch order
    std::uint32_t expected{};  ///< expected count of the latest init
    std::uint64_t inits{}, completions{}, arrivals{}, txBytes{};
    std::uint64_t waits{}, polls{};  ///< waits that began; requests of these waits
    std::uint64_t blocked{};         ///< clocks, summed over waits
    std::uint64_t never{};           ///< waits that did not end
    Cycle longest{}, longestFrom{};
    std::uint8_t longestWarp{};
    Cycle firstFlip{kNever}, firstUse{kNever}, lastUse{};
    std::uint64_t word{};  ///< latest word
    /// completed phases by the arriver that completed them
    std::map<MbarrierArriver, std::uint64_t> last;
    std::set<GridWarp>
        arrivers;  ///< warps that arrived, expected bytes, or committed an agent's work
    std::map<std::uint8_t, std::uint64_t> waiters;  ///< warps of the CTA, with blocked clocks
    /// The arriver that completed most phases; nullptr if none was completed.
    [[nodiscard]] const MbarrierArriver* lastArriver(std::uint64_t& times) const noexcept;
};

class MbarrierStatistics final : public PortObserver {
public:
    explicit MbarrierStatistics(ChipLayout chip);

    void onPlace(const Launch& launch, std::uint32_t linear) override;
    void onRoute(Cycle now, const ClusterRoute& route) override;
    void onLaunch(Cycle now, const Launch& launch) override;
    void onRequest(Cycle now, const SyncRequest& request) override;
    void onResponse(const SyncResponse& response) override;
    void onNotify(Cycle now, const AsyncUpdate& update) override;
    void onCommit(const Commit& commit) override;
    void onCtaFree(const CtaFree& free) override;
    void onEnd(Cycle now) override;

    /// All records, by CTA and offset.
    [[nodiscard]] std::vector<const MbarrierRecord*> records() const;

private:
    struct Wait {
        Cycle since{};
        bool again{};  ///< answered false before
    };
    struct Resident {
        std::uint32_t cta{}, cluster{};
        std::optional<std::uint32_t> placed;  ///< number of the CTA that is launched here next
    };
    [[nodiscard]] Resident& resident(unsigned sm, unsigned cta)
    {
        return resident_[std::size_t{sm} * kMaxCtas + cta];
    }
    MbarrierRecord& record(unsigned sm, unsigned cta, std::uint32_t offset);
    void ended(MbarrierRecord& r, WarpRef at, const Wait& wait, Cycle cycle);

    ClusterNames names_;
    ClusterMap map_;
    OpenTable open_;
    std::vector<Resident> resident_;
    std::map<std::uint64_t, MbarrierRecord> records_;  ///< by CTA and offset
    std::unordered_map<std::uint64_t, Wait> waiting_;  ///< by warp and offset
    std::uint32_t launched_{};
};

}  // namespace gsu
