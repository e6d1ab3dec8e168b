/// Rules about the life and the phases of mbarriers that depend on what is ordered: an expect_tx that may come after its phase (HS-013), a wait by parity
/// that may be two phases late (MBW-014), an inval that nothing orders behind the uses of the object (MBAR-029).
#pragma once
#include "races/race_findings.hpp"

namespace gsu::races {

class MbarrierPhaseChecks {
public:
    /// Both outlive it.
    MbarrierPhaseChecks(DetectorState& state, RaceFindings& findings) noexcept
        : state_(state), findings_(findings)
    {
    }

    /// Lanes of a warp, which know the same, are about to use the object.
    static void uses(Mbarrier& object, const CtaState& by, const SyncRequest& request, Lanes lanes);
    /// An expect_tx, without arrival, of its own CTA is performed.
    void expects(Mbarrier& object, const CtaState& owner, const Commit& commit, std::uint32_t line);
    /// Before the phase that a commit completes counts as complete.
    void completes(Mbarrier& object, const CtaState& owner, const Commit& commit);
    /// A wait by parity has found the phase of this number complete; before its thread knows so.
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
