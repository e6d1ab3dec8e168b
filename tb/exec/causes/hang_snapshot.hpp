/// The state of a run that hangs: the waiters, what each would do next, the history of the objects.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "causes/cause_kinds.hpp"
#include "exec/ctas/launcher.hpp"
#include "exec/lookahead/lookahead.hpp"
#include "golden/mbarrier.hpp"

namespace gsu::exec {

/// A loop that lanes never leave, whatever others do.
enum class Endless : std::uint8_t {
    No,
    Closed,  ///< it has no way out
    Alone  ///< it reads nothing that others may change, and its registers come back to the same values
};

/// A waiting lane group. Its index in HangSnapshot::nodes() is that of HangReport::waiting.
struct WaitNode {
    Cta* cta{};
    Warp* warp{};
    const Group* group{};
    WaitKind kind{};
    WordAt object{};  ///< mbarrier or polled word; of a named barrier `at` is its id
    std::uint32_t line{}, code{}, pc{};
    std::optional<unsigned> asked;  ///< parity of the awaited phase
    Cycle since{};
    Future future;
    bool lock{};               ///< a spin that takes the word by an atomic
    bool ofWarp{};             ///< it waits for lanes of its own warp, perhaps beside other things
    Endless endless{};         ///< a spin that waits for nothing
    std::uint32_t headLine{};  ///< line at which the loop begins
    std::uint32_t pollPc{ptx::kNone};  ///< spin: its load or atomic; kNone: not known
    std::uint64_t value{};  ///< present value there; of a named barrier: the count, 0: not given
    [[nodiscard]] WarpId id() const noexcept { return {cta->linear, warp->index}; }
    /// A spin of which no word is known that it waits for.
    [[nodiscard]] bool wordless() const noexcept
    {
        return kind == WaitKind::Spin && (endless != Endless::No || pollPc == ptx::kNone);
    }
    [[nodiscard]] Lookahead::From from(std::uint32_t at) const
    {
        return {code, at, group->regBase, group->predBase, group->localBase, group->lanes};
    }
};

/// A static instruction.
struct Site {
    std::uint32_t code{}, pc{};
    const MicroOp* op{};
};

class HangSnapshot {
public:
    HangSnapshot(RunState& state, const Residents& residents, const SyncClient& client,
                 const Launcher& launcher, Memory& memory, const LaunchPlan& plan);

    [[nodiscard]] const std::vector<WaitNode>& nodes() const noexcept { return nodes_; }
    [[nodiscard]] RunState& state() const noexcept { return s_; }
    [[nodiscard]] const Residents& residents() const noexcept { return residents_; }
    [[nodiscard]] const Launcher& launcher() const noexcept { return launcher_; }
    [[nodiscard]] const History& history() const noexcept { return s_.history; }
    [[nodiscard]] Lookahead& ahead() const noexcept { return ahead_; }
    [[nodiscard]] Memory& memory() const noexcept { return memory_; }
    [[nodiscard]] const Program& program() const noexcept { return s_.program; }
    [[nodiscard]] const ControlFlow& flow() const noexcept { return ahead_.flow(); }

    /// The CTA of a word's `owner`; nullptr: it has ended, or the word is global.
    [[nodiscard]] Cta* ownerOf(const WordAt& object) const;
    [[nodiscard]] Cta* ctaOf(std::uint32_t linear) const;
    [[nodiscard]] Warp* warpOf(const WarpId& id) const;
    [[nodiscard]] const OpNote* noteOf(const Warp& warp, const MicroOp& op) const;
    /// The state of an mbarrier.
    [[nodiscard]] MbarState mbar(const WordAt& object) const;
    /// The history of an mbarrier. Never null: an empty one if nothing has happened.
    [[nodiscard]] const MbarHistory& past(const WordAt& object) const;
    /// Instructions for which `is` holds.
    [[nodiscard]] std::vector<Site> sites(const std::function<bool(const MicroOp&)>& is) const;
    [[nodiscard]] const SyncInfo* syncOf(const MicroOp& op) const;
    /// Calls f for every resident warp.
    void eachWarp(const std::function<void(Cta&, Warp&)>& f) const;
    /// The line by which these lanes of a warp exited; for no lanes: by which its last ones did. 0: they have not.
    [[nodiscard]] std::uint32_t exitLine(const CtaNotes& notes, std::uint32_t warp,
                                         Lanes lanes) const
    {
        return lastExit(notes, warp, lanes).line;
    }
    struct Exit {
        std::uint32_t line{};
        Cycle at{};  ///< 0: no exit of these lanes is noted
    };
    /// The same with its cycle.
    [[nodiscard]] Exit lastExit(const CtaNotes& notes, std::uint32_t warp, Lanes lanes) const;
    /// A warp at an instruction, as if it were there now.
    [[nodiscard]] Lookahead::From at(const Warp& warp, const Site& site) const;

    // Words.
    /// "empty[1] (CTA 0 +0x18)".
    [[nodiscard]] std::string name(const WordAt& object) const;
    /// "mbarrier empty[1] (CTA 0 +0x18)", "barrier 3 of CTA 0", ...
    [[nodiscard]] std::string name(const WaitNode& node) const;
    [[nodiscard]] std::string nameOfSpin(const WaitNode& node) const;
    [[nodiscard]] std::string line(std::uint32_t line) const;
    [[nodiscard]] std::string warp(const WarpId& id) const;
    [[nodiscard]] std::string warps(const std::vector<WarpId>& ids) const;
    [[nodiscard]] bool severalCtas() const noexcept;

private:
    void addNode(Cta& cta, Warp& warp, const Group& group);
    void fromRequest(WaitNode& node) const;
    void fromLoop(WaitNode& node) const;
    [[nodiscard]] Endless endlessOf(WaitNode& node) const;
    [[nodiscard]] bool takesLock(const WaitNode& node) const;
    RunState& s_;
    const Residents& residents_;
    const SyncClient& client_;
    const Launcher& launcher_;
    Memory& memory_;
    const LaunchPlan& plan_;
    mutable Lookahead ahead_;
    std::vector<WaitNode> nodes_;
};

}  // namespace gsu::exec
