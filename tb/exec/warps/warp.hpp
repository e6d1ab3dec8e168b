/// State of CTAs, warps and lane groups. A warp's live lanes are partitioned into groups that share a program counter and a
/// call stack; groups split at divergent branches and merge at reconvergence points (lanes/reconvergence.cpp).
#pragma once
#include <array>
#include <cassert>
#include <cstdint>
#include <optional>
#include <vector>

#include "exec/program/micro_op.hpp"
#include "exec/timing/timing_model.hpp"
#include "exec/warps/barrier_words.hpp"
#include "exec/warps/op_note.hpp"
#include "exec/warps/register_file.hpp"
#include "golden/types.hpp"

namespace gsu::exec {

struct Cta;
struct Warp;

/// A caller, to which its callee returns.
struct Frame {
    std::uint32_t code{}, returnPc{}, regBase{}, predBase{};
    std::uint64_t localBase{};
    bool operator==(const Frame&) const = default;
};

/// A split: its lanes park at `rpc` until all `expected` have arrived or exited, or will not come by themselves.
struct Token {
    std::uint32_t rpc{}, code{}, depth{};
    Lanes expected{}, arrived{};
    std::uint64_t since{};  ///< Warp::issued when the first lanes parked
};

enum class GroupState : std::uint8_t {
    Ready,
    Waiting,    ///< open requests on the port
    Shuffling,  ///< for the other lanes of a shfl
    Aligned,    ///< at an aligned operation, for the other live lanes
    Parked,     ///< at a reconvergence point
    Copies,     ///< for its own asynchronous copies
    Matrix,     ///< for its own wgmma groups
    Columns     ///< for columns of tensor memory
};

/// Addresses that a diverged group read since its last backward branch.
struct ReadWatch {
    /// hash of the addresses of this and of the last round; 0: none
    std::uint64_t here{}, before{};
    bool strong{};  ///< one of the loads may see concurrent writes of other threads

    /// Call at a backward branch. True: only others can change the memory that was read, so the loop may wait for them.
    bool turn() noexcept
    {
        const bool polls = strong || (here != 0 && here == before);
        before = here;
        here = 0;
        strong = false;
        return polls;
    }
};

/// State of a group at a backward branch, for the exact detection of endless loops (Brent).
struct LoopWatch {
    std::uint64_t changes{~0ull};  ///< Progress::changes() of the snapshot
    std::uint64_t steps{}, power{1};
    std::uint32_t pc{}, code{};
    Lanes lanes{};
    std::vector<Frame> stack;
    std::vector<std::uint64_t> cells;
    std::vector<Lanes> preds;
    std::vector<std::uint8_t> local;
    bool looping{};
    bool polled{};  ///< a test_wait or try_wait since the snapshot
    std::uint32_t pollAddress{}, pollLine{}, pollPc{};
    std::uint64_t pollData{};  ///< parity or state of that wait
    Op pollOp{};
};

/// What each turn looks at comes first, in one line of the host's cache.
struct alignas(64) Group {
    Lanes lanes{};
    std::uint32_t pc{}, code{}, regBase{}, predBase{};
    std::uint32_t parkPc{ptx::kNone};  ///< rpc of the innermost token when it can match
    std::uint32_t open{};              ///< requests not yet answered
    std::uint32_t slice{};             ///< instructions since its last turn
    Cycle readyAt{};
    std::uint64_t turn{};  ///< time of that turn, in turns of the warp
    GroupState state{GroupState::Ready};
    bool forced{};          ///< issue the aligned operation with the lanes that are there
    bool polling{};         ///< in a loop that may wait for others
    timing::Stall stall{};  ///< reason of the stall, for TimingAdapter
    timing::Tail tail{};    ///< the same: what follows the answer
    Cycle asked{};          ///< the same: when it has made its request
    unsigned values{};      ///< the same: different values of a match, but for one
    std::uint32_t line{};   ///< line of the instruction at which it waits
    std::uint64_t localBase{};
    std::vector<Frame> stack;
    std::vector<std::uint32_t> tokens;  ///< innermost last
    ReadWatch reads;
    Lanes copyLanes{};  ///< request of a wait for copies
    std::uint32_t copyMayStay{};
    bool copyBulk{}, copyReads{}, copyAll{};
    LoopWatch loop;
};

/// Source operands, sampled when each lane executes.
struct MeetValues {
    std::array<std::uint64_t, 32> value;
    std::array<std::uint32_t, 32> b, c;
    Lanes pred{};
};

/// Lanes that wait for each other in vote, match, redux, elect or shfl (D-18): one per (opcode with qualifiers, mask).
struct OpenShuffle {
    std::uint32_t key{};
    Lanes mask{}, arrived{};
    struct Part {
        Lanes lanes{};
        const MicroOp* op{};
        std::uint32_t regBase{}, predBase{};
    };
    std::vector<Part> parts;
    MeetValues values;
};

/// Tags of a warp's open requests, oldest first: each has a lane of its own.
class TagList {
public:
    [[nodiscard]] const std::uint16_t* begin() const noexcept { return tags_.data(); }
    [[nodiscard]] const std::uint16_t* end() const noexcept { return tags_.data() + count_; }
    [[nodiscard]] bool empty() const noexcept { return count_ == 0; }
    void add(std::uint16_t tag) noexcept
    {
        assert(count_ < tags_.size());
        tags_[count_++] = tag;
    }
    /// Removes a tag. Pre: it is in the list.
    void remove(std::uint16_t tag) noexcept
    {
        std::size_t i = 0;
        while (i < count_ && tags_[i] != tag) ++i;
        assert(i < count_);
        for (--count_; i < count_; ++i) tags_[i] = tags_[i + 1];
    }

private:
    std::array<std::uint16_t, 32> tags_;
    std::uint32_t count_{};
};

/// What each turn looks at comes first, in one line of the host's cache.
struct alignas(64) Warp {
    std::vector<Group> groups;
    std::uint64_t issued{};
    Cycle nextAt{kNever};               ///< earliest cycle at which the warp has something to do
    timing::WarpTiming* timing{};       ///< as `timed`, for what is asked at each instruction
    const timing::Computation* next{};  ///< the first of `ahead`
    std::uint32_t
        ahead{};  ///< micro-operations of its only group, from pc on, that are executed and have no time yet
    std::uint8_t place{};  ///< index among the warps of its scheduler
    std::uint8_t index{};
    bool goesOn{};  ///< a branch is the last of `ahead`, and what only computes follows it
    Cta* cta{};
    Lanes live{}, full{};
    RegisterFile regs;
    std::vector<Lanes> preds;
    std::vector<std::uint8_t> local;  ///< lane-major
    std::uint64_t localStride{};
    std::vector<std::vector<std::uint8_t>> stacks;  ///< of alloca, by lane; empty: none used
    std::vector<Token> tokens;
    std::vector<OpenShuffle> shuffles;
    std::uint32_t current{};
    std::uint64_t turns{};
    TagList openTags;
    std::uint32_t exitLine{};    ///< line of the instruction by which lanes left last
    bool matrix{};               ///< executes wgmma: its registers are watched
    std::uint32_t loading{};     ///< tcgen05.ld that are still to write registers
    timing::WarpHandle timed{};  ///< of TimingAdapter
    OpNote* notes{};             ///< by MicroOp::note

    /// As a new one, but the memory of groups, registers and local bytes stays allocated.
    void renew();
};

struct Cluster {
    std::array<std::uint32_t, 3> id{};
    std::array<Cta*, kMaxRanks> ranks{};
    std::uint8_t slot{}, ctas{1};
    std::uint8_t era{};     ///< Launch::era of its CTAs
    std::uint32_t index{};  ///< in the order of launch
    std::uint32_t left{};   ///< CTAs not yet free
};

struct Cta {
    std::uint32_t linear{};
    std::array<std::uint32_t, 3> id{};
    Launch launch;
    Cluster* cluster{};
    std::vector<Warp> warps;
    std::uint64_t serial{};  ///< number of the launch: distinguishes CTAs that used one slot
    std::uint32_t liveWarps{};
    std::uint32_t matrixReads{};  ///< matrix instructions that have not yet read its window
    std::uint32_t landing{};      ///< bulk copies that are still writing its window
    bool tensor{};                ///< it has executed tcgen05
    BarrierWords words;
    bool started{}, sawFailure{};  ///< a failed try_cancel response has been looked at (D-57)

    /// As a new one, but its warps, all new, stay allocated.
    void renew();
};

}  // namespace gsu::exec
