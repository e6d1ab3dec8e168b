/// The future of waiting lanes, if their wait returned: a copy of their registers is executed further through the program. It changes
/// neither memory nor the port. Further waits return at once, memory is read as it is, atomics return the present value, and calls are
/// stepped over.
#pragma once
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "exec/client/sync_client.hpp"
#include "exec/lookahead/control_flow.hpp"
#include "exec/memory/memory.hpp"

namespace gsu::exec {

/// A word of memory: of a CTA's shared memory, or global.
struct WordAt {
    std::uint64_t owner{};  ///< serial of the CTA, plus 1; 0: global memory
    std::uint64_t at{};     ///< offset in its window, or address
    auto operator<=>(const WordAt&) const = default;
};

/// One future act of lanes.
struct FutureStep {
    enum class Kind : std::uint8_t {
        Arrives,    ///< at an mbarrier
        Announces,  ///< bytes
        Copies,     ///< a copy that completes on an mbarrier; amount 0: bytes not known
        Waits,      ///< at an mbarrier
        Sets,       ///< init, inval
        Named,
        Cluster,
        Lanes,  ///< an operation of the whole warp
        Writes,
        Updates,  ///< atomics
        Signals,  ///< griddepcontrol.launch_dependents
        Leaves
    };
    Kind kind{};
    Op op{};
    std::uint32_t line{}, code{}, pc{};
    Lanes lanes{};
    WordAt object{};  ///< mbarrier or word; of a named barrier `at` is its id
    std::uint64_t amount{}, value{};
    bool remote{};  ///< in another CTA
};

struct Future {
    std::vector<FutureStep> steps;
    bool again{};            ///< some lanes reach the same wait again
    bool leaves{};           ///< some lanes exit
    bool unsure{};           ///< not followed to its end
    std::uint32_t wayOut{};  ///< spin: line of the branch that leaves it
};

class Lookahead {
public:
    /// All arguments must outlive it.
    Lookahead(RunState& state, Memory& memory, const SyncClient& client)
        : s_(state), memory_(memory), client_(client), flow_(state.program)
    {
    }
    [[nodiscard]] const ControlFlow& flow() const noexcept { return flow_; }

    /// The future if the group's wait returns.
    [[nodiscard]] Future ifReturned(Warp& warp, const Group& group);
    /// A start: lanes of a warp, live or not, at an operation, with the present registers.
    struct From {
        std::uint32_t code{}, pc{}, regBase{}, predBase{};
        std::uint64_t localBase{};
        Lanes lanes{};
    };
    [[nodiscard]] Future ifAt(Warp& warp, const From& from);
    /// Whether the group, if its wait ends without success, comes back to it with nothing changed, and does nothing between.
    [[nodiscard]] bool comesBack(Warp& warp, const Group& group);

    /// Whether the group's loop on memory is left if its load or atomic at `pc` returns `value`.
    [[nodiscard]] bool exitsWith(Warp& warp, const Group& group, std::uint32_t pc,
                                 std::uint64_t value);
    /// The loads and atomics of the group's loop without whose value it is not left, in program order.
    [[nodiscard]] std::vector<std::uint32_t> polls(Warp& warp, const Group& group);

    /// What the group does from where it stands until it stands there again, with the memory that is there.
    struct Round {
        bool
            same{};  ///< it comes back with the same registers, and has read nothing that others may change
        std::uint32_t read{
            ptx::kNone};  ///< the first load or atomic of the loop on memory that others may change
    };
    [[nodiscard]] Round roundOf(Warp& warp, const Group& group);

    /// The address of a synchronization, store, atomic or load for a lane; nothing if it is invalid.
    [[nodiscard]] std::optional<WordAt> objectOf(Warp& warp, const From& from, Lanes lanes);
    /// The word at an address of a lane.
    [[nodiscard]] std::optional<WordAt> wordAt(Ctx& ctx, ptx::Space space, std::uint64_t address,
                                               unsigned lane);

private:
    struct Path {
        std::uint32_t code{}, pc{}, regBase{}, predBase{};
        std::uint64_t localBase{};
        Lanes lanes{};
        std::vector<Frame> stack{};
        bool returned{true};  ///< the wait at its start has returned
    };
    struct Start {
        std::uint32_t code{ptx::kNone}, pc{ptx::kNone};  ///< the wait
        std::optional<WordAt> object{};
        const Loop* spin{};  ///< a loop on memory, to be left
        std::set<WordAt> polled{};
    };
    void begin(Warp& warp);
    void walk(Path path);
    /// Executes one operation. False: the path ends.
    [[nodiscard]] bool step(Path& path);
    [[nodiscard]] bool jumpIndexed(Path& path, const MicroOp& op, Lanes lanes);
    [[nodiscard]] static bool comeHome(Path& path);
    [[nodiscard]] bool branch(Path& path, const MicroOp& op, Lanes lanes);
    [[nodiscard]] bool jump(Path& path, std::uint32_t target, bool guarded);
    void leave(Path& path, const MicroOp& op, Lanes lanes);
    void execute(Path& path, const MicroOp& op, Lanes lanes);
    [[nodiscard]] bool synchronize(Path& path, const MicroOp& op, Lanes lanes);
    [[nodiscard]] bool mbarStep(Path& path, const MicroOp& op, const SyncInfo& info, Lanes lanes);
    [[nodiscard]] bool waitStep(Path& path, const MicroOp& op, const SyncInfo& info, Lanes lanes);
    [[nodiscard]] std::optional<WordAt> mbarAt(Ctx& ctx, const SyncInfo& info, unsigned lane);
    void warpStep(Path& path, const SyncInfo& info, Lanes lanes);
    void copyStep(Path& path, const MicroOp& op, Lanes lanes);
    void access(Path& path, const MicroOp& op, Lanes lanes);
    void oldValue(Ctx& ctx, const MicroOp& op, Lanes lanes);
    void startsIn(Warp& warp, const Group& group, Path& path);
    void startsInLoop(const Group& group, Path& path);
    [[nodiscard]] bool atStart(const Path& path, const std::optional<WordAt>& object) const;
    [[nodiscard]] Ctx context(const Path& path);
    FutureStep& add(const Path& path, FutureStep::Kind kind, const MicroOp& op, Lanes lanes);

    static constexpr std::uint32_t kOps = 1u << 16, kTurns = 512, kSteps = 2048;
    static constexpr std::uint64_t kAll = 1u << 26;  ///< bound; a second or two
    RunState& s_;
    Memory& memory_;
    const SyncClient& client_;
    ControlFlow flow_;
    Warp* warp_{};
    Group group_;  ///< group that instructions see
    std::vector<std::uint64_t> regs_;
    std::vector<Lanes> preds_;
    std::vector<Path> paths_;
    Start start_;
    Future future_;
    std::map<std::uint32_t, std::pair<std::uint32_t, std::size_t>>
        turns_;  ///< by operation: backward branches taken, and the steps then
    std::uint32_t ops_{};
    std::uint64_t all_{};  ///< operations of all paths so far
};

}  // namespace gsu::exec
