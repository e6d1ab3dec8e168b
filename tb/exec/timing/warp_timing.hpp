/// WarpTiming: when the instructions of a warp may issue and do, and where its clocks went. What the executor calls for each instruction is inline.
#pragma once
#include <utility>

#include "exec/timing/calendar.hpp"
#include "exec/timing/fence_server.hpp"
#include "exec/timing/scoreboard.hpp"
#include "exec/timing/window.hpp"

namespace gsu::timing {

static_assert(2 * Calendar::kLead + 64 < Calendar::kAhead);

/// An instruction that might issue.
struct Attempt {
    bool issued{};
    Cycle at{};  ///< when it does; else: when to ask again
};

class alignas(64) WarpTiming {
public:
    /// What all warps share.
    struct Shared {
        ClassTable classes;
        std::uint64_t fencesAmidCopies{};
    };

    WarpTiming(Shared& shared, unsigned window) : shared_(&shared), window_(window) {}
    /// Another warp begins, on this scheduler and of this role.
    void begin(Calendar& scheduler, FenceServer& fences, Ledger::Account& role, Cycle at) noexcept;
    /// Up to front() the ledger has its clocks; those up to `to` are added.
    void charge(Stall cause, Cycle to, std::uint32_t line = 0)
    {
        if (to > front()) account_->charge(cause, to - front(), line);
    }

    /// As in TimingModel.
    [[nodiscard]] const Wait& earliest(const Instruction& next);
    Cycle issue(const Instruction& what, Cycle now)
    {
        return issue(what, what.cls, earliest(what), now);
    }
    /// The same of one that is not waited for, or of a branch, which is taken as class `cls`: it issues, unless it lies more than the lead of its scheduler ahead.
    [[nodiscard]] Attempt issueAhead(const Instruction& what, InstructionClass cls, Cycle now)
    {
        const Wait wait = earliest(what);
        if (const Cycle later = tooFarAhead(wait.at, now); later != 0) return {false, later};
        return {true, issue(what, cls, wait, now)};
    }
    /// Whether what only moves registers and could issue at `at` lies too far ahead: 0, or when to ask again.
    [[nodiscard]] Cycle tooFarAhead(Cycle at, Cycle now) const noexcept
    {
        const Cycle lead = scheduler_->lead();
        // While clocks are kept by others, nothing goes far into those which are not kept yet.
        if (lead != Calendar::kLead) at = std::max(at, front());
        return at > now + lead ? at - lead : 0;
    }
    /// What only computes may issue in this turn of the executor.
    void turn(Cycle now) noexcept { scheduler_->forget(now, Calendar::kLead); }
    /// As issueAhead() of what only computes, Plain or not: 0, or when to ask again. Pre: room(), turn(now).
    [[nodiscard]] Cycle computePlain(const Computation& what, Cycle now);
    [[nodiscard]] Cycle computeOther(const Computation& what, Cycle now);
    void rename(const Computation& what) noexcept;
    /// What only computes counts its registers from `base`, and names some below that.
    void room(Register base, Register below) { scoreboard_.room(base, below); }
    void rename(const Instruction& what);
    void waited(Stall cause, Cycle until, std::uint32_t line);
    [[nodiscard]] Cycle front() const noexcept { return window_.front(); }

    /// A load or atomic that has issued gives its results at `ready`.
    void loads(const Instruction& what, Cycle ready, Stall cause);
    /// A store is performed at `at`; `far`: not by its own SM.
    void stores(Cycle at, bool far) noexcept
    {
        (far ? storedFar_ : stored_).later({at, Stall::Fence});
    }
    /// How long ago the load or store that issued last did so: the executor was held by what it passed.
    [[nodiscard]] Cycle late() const noexcept { return late_; }
    /// What is under way of it; not Drain::Nothing.
    [[nodiscard]] Wait underWay(Drain what) const noexcept;
    /// Its next instruction is a fence beyond the CTA that waits for copies until then, if it was no such one already: those that begin meanwhile are none
    /// of its business. Returns until when.
    Cycle fence(Cycle copied) noexcept { return fence_ != kNever ? fence_ : fence_ = copied; }

private:
    /// What earliest() has said since something changed: the executor asks again when the time has come.
    struct Asked {
        std::uint32_t line{};
        InstructionClass cls{};
        Wait wait;
    };
    Cycle issue(const Instruction& what, InstructionClass cls, Wait wait, Cycle now);
    /// What earliest() and compute() have found is no longer true.
    void changed() noexcept
    {
        asked_ = nullptr;
        held_ = nullptr;
    }
    template <bool kPlain> [[nodiscard]] Cycle computeAs(const Computation& what, Cycle now);
    /// An instruction issues.
    void issues(Cycle now)
    {
        changed();
        if (fence_ != kNever) [[unlikely]]
            fenceIssues(now);
    }
    void fenceIssues(Cycle now) noexcept;
    Cycle charge(Wait wait, Cycle issued, Cycle until) noexcept;
    [[nodiscard]] Footprint placed(const Instruction& what) const noexcept;

    Shared* shared_;
    Calendar* scheduler_{};
    FenceServer* fences_{};  ///< of its SM
    Ledger::Account* account_{};
    // What compute() looks at lies in few lines of the host's cache.
    const Computation*
        held_{};  ///< compute() has said when to ask again; nothing after a change of what it looks at
    PackedWait heldUntil_{};
    Scoreboard scoreboard_;
    const Instruction* asked_{};  ///< the same of earliest()
    Cycle fence_{kNever};         ///< of fence(); kNever: there is none
    Window window_;
    Asked askedFor_;
    Cycle late_{};
    Wait stored_,
        storedFar_;  ///< until the last stores of the warp are performed: in its SM, in the chip
};

inline const Wait& WarpTiming::earliest(const Instruction& next)
{
    if (asked_ == &next && askedFor_.line == next.line && askedFor_.cls == next.cls)
        return askedFor_.wait;
    Wait wait = window_.earliest(next.order);
    if (accesses(next.order)) wait = window_.behind(wait, next.order, placed(next));
    asked_ = &next;
    askedFor_ = {next.line, next.cls, scoreboard_.ready(wait, next.reads, next.writes)};
    return askedFor_.wait;
}

inline Cycle WarpTiming::issue(const Instruction& what, InstructionClass cls, Wait wait, Cycle now)
{
    const ClassTimes& times = shared_->classes[static_cast<std::size_t>(cls)];
    // What the window lets pass has issued where it could, even if the executor comes to it only now: it stood at what was passed.
    const bool branch = cls == InstructionClass::Branch || cls == InstructionClass::BackEdge;
    const bool moves = what.order == Order::Free || what.order == Order::Load || branch;
    issues(now);
    scheduler_->forget(now, Calendar::kLead);
    const Cycle issued = scheduler_->take(moves ? wait.at : std::max(now, wait.at), times.pipe,
                                          intervalOf(times, what.work));
    charge(wait, issued, issued + times.hold);
    if (accesses(what.order)) {
        window_.issued(what.order, issued, times.hold, wait.cause, placed(what));
        late_ = now > issued ? now - issued : 0;
    } else {
        window_.issued(what.order, issued, times.hold, wait.cause);
    }
    scoreboard_.issued(what.reads, what.writes, issued,
                       times.latency == 0 ? 0 : issued + times.latency, times.cause);
    return issued;
}

template <bool kPlain>
[[gnu::always_inline]] inline Cycle WarpTiming::computeAs(const Computation& what, Cycle now)
{
    PackedWait until = heldUntil_;
    if (held_ != &what) {
        const PackedWait free = window_.earliestFree();
        until = kPlain ? scoreboard_.readyPlain(free, what) : scoreboard_.ready(free, what);
    }
    const Wait wait = unpacked(until);
    if (const Cycle later = tooFarAhead(wait.at, now); later != 0) {
        held_ = &what;
        heldUntil_ = until;
        return later;
    }
    const ClassTimes& times = shared_->classes[static_cast<std::size_t>(what.cls)];
    issues(now);
    const Cycle issued = scheduler_->take(wait.at, times.pipe, times.interval);
    window_.issuedFree(charge(wait, issued, issued + times.hold), wait.cause);
    const Cycle results = issued + times.latency;
    if constexpr (kPlain)
        scoreboard_.issuedPlain(what, issued, results, times.cause);
    else
        scoreboard_.issued(what, issued, results, times.cause);
    return 0;
}

[[gnu::always_inline]] inline Cycle WarpTiming::computePlain(const Computation& what, Cycle now)
{
    return computeAs<true>(what, now);
}

/// An instruction has waited, then for its slot, and holds the warp; returns up to when clocks are charged. What instructions wait for has no lines.
[[gnu::always_inline]] inline Cycle WarpTiming::charge(Wait wait, Cycle issued,
                                                       Cycle until) noexcept
{
    Cycle charged = front();
    auto& clocks = account_->clocks;
    const auto add = [&clocks, &charged](Stall cause, Cycle to) {  // without branches
        to = std::max(to, charged);
        clocks[static_cast<std::size_t>(cause)] += to - charged;
        charged = to;
    };
    add(wait.cause, wait.at);
    add(Stall::Slot, issued);
    add(Stall::Issue, until);
    return charged;
}

/// Two addresses with one base differ by their offsets only as long as nobody writes the base.
inline Footprint WarpTiming::placed(const Instruction& what) const noexcept
{
    Footprint f = what.footprint;
    f.version = scoreboard_.version(f.base);
    return f;
}

}  // namespace gsu::timing
