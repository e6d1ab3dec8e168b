/// Knows which CTA is in which slot, which slot a {rank, offset} address means, and which warp sent an update that an mbarrier of another
/// CTA takes. Rules: D-38 (posted updates), D-66 (addresses). A commit names the sender's warp and tag but not its CTA: if two CTAs have
/// equal ones in flight to one object, the older packet is taken to come first.
#pragma once
#include <deque>
#include <optional>
#include <unordered_map>
#include <vector>

#include "golden/chip_layout.hpp"

namespace gsu {

class ClusterMap {
public:
    /// The sender of an update, and the cycle in which it was presented.
    struct Origin {
        WarpRef at;
        Cycle since{};
    };

    explicit ClusterMap(ChipLayout chip)
        : chip_(chip), slots_(std::size_t{chip.sms()} * kMaxCtas), ranks_(chip.clusterSlots())
    {
    }
    void route(const ClusterRoute& route);
    void launch(const Launch& launch);
    /// The last launch of a slot; nullptr for a slot never used.
    [[nodiscard]] const Launch* at(unsigned sm, unsigned cta) const noexcept;
    /// SM and CTA slot (warp 0) that own `address` for a request of `from`; its own slot if the cluster is not known.
    [[nodiscard]] WarpRef owner(WarpRef from, std::uint32_t address) const noexcept;
    /// Notes the updates of a request for mbarriers of other CTAs. Atomics are none: nobody takes them.
    void request(Cycle now, const SyncRequest& request);
    /// The sender of a commit with source Remote; none if it was not seen.
    [[nodiscard]] std::optional<Origin> take(const Commit& commit);

private:
    struct Sent {
        Origin origin;
        Lanes lanes{};
    };
    struct Slot {
        Launch launch;
        bool used{};
    };
    [[nodiscard]] static std::uint64_t keyOf(WarpRef owner, std::uint8_t warp, std::uint16_t tag,
                                             std::uint32_t address) noexcept;

    ChipLayout chip_;
    std::vector<Slot> slots_;
    std::vector<std::array<WarpRef, kMaxRanks>> ranks_;  ///< by ChipLayout::clusterOf()
    std::unordered_map<std::uint64_t, std::deque<Sent>> sent_;
};

}  // namespace gsu
