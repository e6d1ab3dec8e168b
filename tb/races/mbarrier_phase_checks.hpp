/// Checks of three rules about the phases of mbarriers that depend on order: an expect_tx that may come after its phase (HS-013), a wait by parity that may be
/// two phases late (MBW-014), an inval that is not ordered after the uses of the object (MBAR-029).
#pragma once
#include "races/race_findings.hpp"

namespace gsu::races {

class MbarrierPhaseChecks {
public:
    /// Checks over `state`, with results in `findings`. Both outlive it.
    MbarrierPhaseChecks(DetectorState& state, RaceFindings& findings) noexcept
        : state_(state), findings_(findings)
    {
    }

    /// Notes a use: the lanes have the same vector clock and are about to use the object.
    static void uses(Mbarrier& object, const CtaState& by, const SyncRequest& request, Lanes lanes);
    /// Call when an expect_tx without arrival, of a thread of the mbarrier's own CTA, is performed.
    void expects(Mbarrier& object, const CtaState& owner, const Commit& commit, std::uint32_t line);
    /// Call for a commit that completes a phase, before the phase counts as complete.
    void completes(Mbarrier& object, const CtaState& owner, const Commit& commit);
    /// Call when a wait by parity has found the phase complete, before its thread's clock is updated.
    void waits(const Mbarrier& object, const CtaState& owner, const SyncRequest& request,
               Lanes lanes);
    void invalidates(const Mbarrier& object, const CtaState& owner, const Commit& commit,
                     std::uint32_t line);

private:
    [[nodiscard]] bool knowsPhase(const Knowledge& k, const Mbarrier& object, const CtaState& owner,
                                  Time phase) const;
    [[nodiscard]] bool knowsLast(const Threads& threads, Lanes lanes, const Mbarrier& object,
                                 const CtaState& owner) const;

    DetectorState& state_;
    RaceFindings& findings_;
};

}  // namespace gsu::races
