/// Checks that an access is ordered after the earlier accesses with which it conflicts, and a use of an mbarrier after its init.
#pragma once
#include <unordered_set>

#include "races/race_findings.hpp"

namespace gsu::races {

class Checks {
public:
    /// Checks over `state`, with results in `findings`. Both outlive it.
    Checks(DetectorState& state, RaceFindings& findings) noexcept
        : state_(state), findings_(findings)
    {
    }

    /// For targets below sm_70: sets the lines of `red` in the module. An atomic operation on shared memory is then not atomic against stores.
    void setOldTarget(std::unordered_set<std::uint32_t> reductions)
    {
        reductions_ = std::make_unique<std::unordered_set<std::uint32_t>>(std::move(reductions));
    }
    void access(const Access& access);
    /// Checks an asynchronous operation. `ending`: index in DetectorState::endings, if it does not end with a group.
    void async(const AsyncOp& op, std::uint32_t ending);
    /// Checks a lane that is about to name an mbarrier; nullptr: there is none.
    void usesMbarrier(const SyncRequest& request, unsigned lane, const CtaState& owner,
                      const Mbarrier* object);
    /// Checks at the exit of the CTA's last thread.
    void ends(const CtaState& cta);

private:
    /// The times of one line of a clock. Neighbouring bytes mostly ask for the same ones.
    class Lookup {
    public:
        [[nodiscard]] bool reached(const Clock& clock, std::uint32_t cta, std::uint32_t key,
                                   Lanes lanes, Time time)
        {
            if (clock_ != &clock || cta_ != cta || key_ != key) {
                clock_ = &clock;
                cta_ = cta;
                key_ = key;
                times_ = clock.find(cta, key);
            }
            return times_ != nullptr && times_->reached(lanes, time);
        }

    private:
        const Clock* clock_{};
        std::uint32_t cta_{}, key_{};
        const LaneTimes* times_{};
    };
    /// The agent of an access. It lives for one access, in which no clock changes.
    struct By {
        const CtaState* cta{};
        const Threads* threads{};
        const Threads::Part* part{};
        bool matrix{};  ///< all lanes of the warp together
        Where where;
        mutable Lookup known, shown, reads;
    };
    void pieces(const MemoryRange& range, Record record, By& by, bool check, bool add);
    /// Checks a record against a block. True: it writes, and is ordered after all accesses that it overlaps.
    bool check(const Block& block, const Record& r, const By& by);
    [[nodiscard]] bool ordered(const Record& old, const Record& r, const By& by) const;
    [[nodiscard]] bool orderedInWarp(const Record& old, const Record& r, const By& by,
                                     const ByteSet& both) const;
    [[nodiscard]] bool known(const Record& old, const Record& r, const By& by) const;
    [[nodiscard]] bool stronglyOrdered(const Record& a, const Record& b) const;
    [[nodiscard]] const char* besideAtomic(const Record& a, const Record& b) const;
    void started(const CtaState& owner, const By& by, const Record& r);
    void missingOfThreads(const Record& old, const Record& r, const By& by, Missing& m) const;
    [[nodiscard]] const char* halfway(const Record& old, const Record& r, const By& by) const;
    [[nodiscard]] Missing missingFor(const Record& old, const Record& r, const By& by) const;

    DetectorState& state_;
    RaceFindings& findings_;
    /// lines of `red`; none: sm_70 or later
    std::unique_ptr<std::unordered_set<std::uint32_t>> reductions_;
    GlobalShadow global_;
};

}  // namespace gsu::races
