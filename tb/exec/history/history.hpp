/// The history of a run, from which the cause of a hang is found: the events of each barrier at the port, and the last execution by each
/// warp of each instruction that may explain a hang. The size is bounded: 64 bytes for each such instruction and resident warp, the last
/// phases of mbarriers of resident CTAs, the last CTAs that have ended. It changes nothing in the run.
#pragma once
#include <deque>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include "causes/mbar_history.hpp"
#include "exec/warps/op_note.hpp"
#include "exec/warps/residents.hpp"

namespace gsu::exec {

/// The exit of lanes of a warp.
struct WarpEnd {
    Lanes lanes{};
    std::uint32_t line{}, code{}, pc{}, regBase{}, predBase{};
    Cycle at{};
    bool trap{};
};

/// Notes of the warps of a CTA.
struct CtaNotes {
    std::uint32_t linear{};
    std::uint64_t serial{};
    std::vector<OpNote> ops;  ///< by warp, then MicroOp::note
    std::vector<WarpEnd> ends;
    bool gone{};  ///< the CTA has ended
};

/// A generation of a named barrier.
struct NamedHistory {
    std::uint32_t generations{};
    std::vector<Doer> running;  ///< arrivals of the running generation
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> totals;  ///< warp, line: times
};

/// Numbers the noted instructions (MicroOp::note). Call once, when the program is decoded.
void numberNotes(Program& program);

class History {
public:
    using Mbars = std::map<std::uint32_t, MbarHistory>;    ///< by offset in the window
    using Nameds = std::map<std::uint32_t, NamedHistory>;  ///< by id

    /// Prepares the history; with `on` false nothing is kept.
    void prepare(const Program& program, bool on = true);
    void started(Cta& cta);
    void ended(const Cta& cta);
    /// Notes that lanes of a warp exit at the instruction `op` of their group.
    void left(const Warp& warp, const WarpEnd& end);

    /// Lanes `lanes` of a group execute the instruction. Pre: op.note != 0.
    static OpNote& note(Warp& warp, const MicroOp& op, Lanes group, Lanes lanes, Cycle now) noexcept
    {
        OpNote& n = warp.notes[op.note - 1];
        const bool branch = op.kind == Kind::Branch;
        if (lanes == 0 && !branch) {
            n.passedAt = now;
            ++n.passed;
            return n;
        }
        n.at = now;
        ++n.times;
        n.ran = lanes;
        n.skipped = group & ~lanes;
        return n;
    }
    /// A copy of this warp has given its bytes to the port: its commit comes.
    void copyTold(std::uint64_t owner, std::uint32_t offset, const Doer& doer);
    /// Notes a commit at the port; `owner`: the CTA that owns the object.
    void mbar(const Commit& commit, const Cta& owner, Doer doer);
    void named(const Commit& commit, const Cta& owner, std::uint32_t line);
    void looked(const Cta& owner, std::uint32_t offset, const WarpId& warp, std::uint32_t line,
                Cycle now);

    /// The history of an mbarrier; nullptr: nothing has happened to it.
    [[nodiscard]] const MbarHistory* mbarOf(std::uint64_t serial, std::uint32_t offset) const;
    [[nodiscard]] const Mbars& mbarsOf(std::uint64_t serial) const;
    [[nodiscard]] const NamedHistory* namedOf(std::uint64_t serial, std::uint32_t id) const;
    [[nodiscard]] const Nameds& namedsOf(std::uint64_t serial) const;
    [[nodiscard]] const CtaNotes* notesOf(std::uint64_t serial) const;
    /// Calls f for all known CTAs, including those that have ended last.
    template <class F> void eachCta(F&& f) const
    {
        for (const auto& [serial, notes] : resident_) f(*notes);
        for (const auto& notes : gone_) f(*notes);
    }
    [[nodiscard]] std::uint32_t notes() const noexcept { return count_; }
    /// Number of CTAs that have been started so far.
    [[nodiscard]] std::uint64_t starts() const noexcept { return starts_; }

private:
    static constexpr std::size_t kGone = 64;  ///< number of ended CTAs that are kept
    struct Told {
        std::uint64_t owner{};
        std::uint32_t offset{};
        Doer doer;
    };
    bool on_{true};
    std::uint32_t count_{};
    std::uint64_t starts_{};
    std::map<std::uint64_t, std::unique_ptr<CtaNotes>> resident_;
    std::deque<std::unique_ptr<CtaNotes>> gone_;
    std::unordered_map<std::uint64_t, Mbars> mbars_;
    std::unordered_map<std::uint64_t, Nameds> named_;
    std::deque<Told> told_;
};

}  // namespace gsu::exec
