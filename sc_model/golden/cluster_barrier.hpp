/// The cluster barrier (CLU-005..CLU-014, CLU-024, CLU-025, D-46..D-54): the part of one CTA, and the cluster above it. No latencies. The
/// cluster completes a generation by itself; a CTA sees it when the completion is delivered to it (D-53).
#pragma once
#include "golden/types.hpp"

namespace gsu {

/// One commit of a CTA's part.
struct ClusterNext {
    std::uint16_t errs{};  ///< kCbErr*
    bool refused{};
    bool parks{};   ///< a wait that must be released by its generation
    Cause cause{};  ///< cause of the commit, and of the answer if the request does not park
};

/// The warps of a CTA: which are live, have arrived in the CTA's generation, have arrived and not waited since (D-49), or wait.
class ClusterPart {
public:
    void launch(unsigned warps) noexcept;
    /// The warp arrives or waits. `diverged`: aligned form by a part of the live lanes (CLU-015): refused.
    ClusterNext commit(Op op, unsigned warp, bool diverged) noexcept;
    /// The warp's last lane has exited; kCbErrUnwaited if the warp has arrived and not waited since (CLU-014).
    ClusterNext exit(unsigned warp) noexcept;
    /// Delivers the generation to the CTA. Returns the warps whose wait it ends.
    [[nodiscard]] Lanes flip() noexcept;

    /// The state, packed as raw::CbWord.
    [[nodiscard]] std::uint64_t word() const noexcept
    {
        return std::uint64_t{live_} << 32 | arrived_;
    }
    [[nodiscard]] Lanes live() const noexcept { return live_; }
    [[nodiscard]] Lanes arrived() const noexcept { return arrived_; }
    [[nodiscard]] Lanes waiting() const noexcept { return waiting_; }
    [[nodiscard]] std::uint32_t generation() const noexcept { return generation_; }

private:
    Lanes live_{}, arrived_{}, owed_{}, waiting_{};
    std::uint32_t generation_{};  ///< generations delivered to this CTA
};

/// A cluster slot: its members and how many generations it has completed.
class Cluster {
public:
    struct Member {
        std::uint8_t sm{}, cta{};
        bool launched{}, freed{};
    };

    void route(const ClusterRoute& route) noexcept;
    void launched(unsigned rank) noexcept { members_[rank].launched = true; }
    /// The slot is idle again once every member is freed.
    void freed(unsigned rank) noexcept;

    [[nodiscard]] bool open() const noexcept;  ///< every CTA launched (entry gate)
    /// Completes generation `generations()` if every member allows it; `partOf(sm, cta)` gives a member's part.
    template <class PartOf> bool advance(PartOf&& partOf) noexcept
    {
        if (!open()) return false;
        bool any = false, anyLive = false;
        for (unsigned r = 0; r < ctas_; ++r) {
            const ClusterPart& part = partOf(members_[r].sm, members_[r].cta);
            anyLive = anyLive || part.live() != 0;
            if (part.generation() !=
                generations_) {  // the last generation is not delivered to it yet, so it cannot have arrived again
                if (part.live() != 0) return false;
                continue;
            }
            if ((part.live() & ~part.arrived()) != 0) return false;
            any = any || part.arrived() != 0;
        }
        // A cluster that has exited altogether is discarded without an event (D-48).
        if (!any || !anyLive) return false;
        ++generations_;
        return true;
    }
    template <class PartOf> [[nodiscard]] bool gone(PartOf&& partOf) const noexcept
    {
        if (!open()) return false;
        for (unsigned r = 0; r < ctas_; ++r)
            if (!members_[r].freed && partOf(members_[r].sm, members_[r].cta).live() != 0)
                return false;
        return true;  // a freed member's slot may hold another CTA by now
    }

    [[nodiscard]] std::uint32_t generations() const noexcept { return generations_; }
    [[nodiscard]] unsigned ctas() const noexcept { return ctas_; }
    [[nodiscard]] const Member& member(unsigned rank) const noexcept { return members_[rank]; }

private:
    std::array<Member, kMaxRanks> members_{};
    unsigned ctas_{};
    std::uint32_t generations_{};
};

}  // namespace gsu
