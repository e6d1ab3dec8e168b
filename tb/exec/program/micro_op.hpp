/// Decoded instructions, which the executor runs. One PTX instruction becomes one or a few micro-operations. Operands are rows of 32 cells (one per lane, 64
/// bits, zero-extended to the register's width); predicates are lane masks.
#pragma once
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "exec/program/operands.hpp"
#include "exec/program/touch.hpp"
#include "exec/tensor/form.hpp"
#include "exec/timing/instruction.hpp"
#include "exec/tmem/movement.hpp"
#include "golden/types.hpp"
#include "ptx/ast.hpp"

namespace gsu::exec {

struct Ctx;
struct MicroOp;

/// A row of registers: >= 0: of the frame; < 0: row ~r of the program's constants.
using Row = std::int32_t;
inline constexpr Row kNoRow = INT32_MIN;
inline constexpr Row kWrites = 1 << 24;  ///< in Code::touched
/// Executes one micro-operation for the lanes of the mask (never 0).
using ExecFn = void (*)(Ctx&, const MicroOp&, Lanes);

enum class Kind : std::uint8_t {
    Exec,  ///< `fn` does everything
    Branch,
    BranchIndexed,
    Call,
    Ret,
    Exit,
    Trap,
    Break,
    Sync,        ///< a request on the port: `extra` indexes Program::syncs
    Rendezvous,  ///< vote, match, redux, elect, shfl
    Collective,  ///< .sync.aligned without a result on the port: `fn` runs when the warp is together
    Sleep,
    Group /* cp.async waits */,
    Unsupported
};

enum class Class : std::uint8_t {
    Alu,
    Wide,
    Sfu,
    Shared,
    Global,
    Atomic,
    Control,
    Mma  ///< mma, wmma.mma
};

/// A predicate operand: index into the frame's predicates, or a constant.
struct PredRef {
    std::int32_t index{-1};  ///< -1: constant false before negation
    bool negated{};
};

struct MicroOp {
    ExecFn fn{};
    Kind kind{Kind::Exec};
    Class cls{Class::Alu};
    bool visible{};      ///< touches memory or time: not batched
    bool counted{true};  ///< last micro-operation of its instruction
    PredRef guard{-1, true};
    Row d{kNoRow}, a{kNoRow}, b{kNoRow}, c{kNoRow};
    Row e{kNoRow};                ///< member mask of vote, match, redux, elect, shfl
    std::int32_t pd{-1}, pq{-1};  ///< predicate destinations
    PredRef pa, pb;
    ptx::Space space{ptx::Space::Generic};
    bool frame{};   ///< address relative to the group's local frame
    bool strong{};  ///< a load that may see concurrent writes of other threads
    bool polled{};  ///< a loop may wait for the value that it reads
    bool copies{};  ///< starts an asynchronous copy
    Touch touch{Touch::None};
    Strength order;                    ///< of a memory access
    std::uint8_t bytes{}, lanesOf{1};  ///< element size and vector length of a memory access
    /// More operands, by the family of instructions: `fn` determines the valid member.
    union {
        std::uint8_t none[4]{};
        FloatOperands real;
        ConvertOperands convert;
        PackOperands pack;
        CompareOperands compare;
        PredicateLogic logic;
        LookUpOperands lookUp;
        PermuteMode permute;
        MaskOperands mask;
        DotOperands dot;
        FunnelOperands funnel;
        SelectOperands select;
        TestOperands test;
        VideoOperands video;
        bool signedCarry;  ///< mad.hi.cc
        std::uint8_t
            elementBytes;  ///< of a vector that is packed or unpacked; of an address, by cvta
        LoadOperands load;
        AtomOperands atom;
        ReleaseOperands release;
        MultimemOperands multimem;
        MatrixOperands matrix;
        CopyOperands copy;
        ShuffleOperands shuffle;
        BulkOperands bulk;
        TensorOperands tensor;
        TensorField field;  ///< of tensormap.replace
        GroupOperands group;
        CtaidPart ctaid;
        Tcgen05Operands tcgen05;
    };
    std::int64_t offset{};
    std::uint32_t list{}, count{};  ///< Program::rows[list .. list+count)
    std::uint32_t target{};         ///< branch target, callee, table
    std::uint32_t extra{};
    std::uint32_t line{};
    std::uint32_t
        note{};  ///< number among the operations that the history notes, from 1; 0: not noted
};

/// Request of a synchronization instruction, and the places of its operands and results.
struct SyncInfo {
    Op op{};
    Sem sem{};
    Scope scope{};
    std::uint8_t kind{};
    bool aligned{}, noComplete{}, wantValue{}, remote{}, remoteForm{};
    bool addressed{};  ///< names an mbarrier
    bool namesMap{};   ///< a fence that names a tensormap: `addr`, `offset`
    /// may block until other warps or lanes act: lanes whose guard is false continue alone
    bool splits{};
    Row arg0{kNoRow}, arg1{kNoRow};
    PredRef pred;
    Row addr{kNoRow}, data{kNoRow}, limit{kNoRow}, payload{kNoRow};
    std::int64_t offset{};
    ptx::Space space{ptx::Space::Generic};
    Row d{kNoRow};
    std::int32_t pd{-1};
    /// an arrive in a function that waits by state: the mbarrier of the state is remembered
    bool keepsOrigin{};
    std::vector<Row> states;  ///< a wait by state: possible sources of the state, if they are known
    // st.async and red.async:
    unsigned bytes{};              ///< bytes of one value
    std::uint32_t payloadCount{};  ///< values, in Program::rows[payload..)
    Row target{kNoRow}, targetOffset{kNoRow};
    std::uint8_t reduce{}, reduceType{};  ///< 1 + AtomOp, ptx::Type
};

struct Slot {
    std::uint64_t offset{}, bytes{};  ///< in the callee's local frame
    Row reg{kNoRow};                  ///< the register, if the parameter is one
    std::int32_t pred{-1};
};

/// A PTX instruction as the timing model sees it, by its first micro-operation.
struct TimedInstruction {
    timing::Instruction what;  ///< the instruction; its registers are in `registers`
    std::vector<timing::Register> registers;
    bool waits{};            ///< others can see its effect, so it is not executed before its time
    timing::Drain drains{};  ///< operations that it waits for before it is executed
    timing::Tail tail{};     ///< what follows its answer
    bool uncached{};         ///< L1 does not answer
    bool goesOn{};    ///< an arrive whose state nobody reads: the warp does not wait for its answer
    bool renames{};   ///< a move that the assembler turns into another name of the register
    bool ahead{};     ///< neither of these: it is executed as soon as its time is known and near
    bool accesses{};  ///< a memory instruction: the model gets its lanes' addresses
    bool within{};  ///< an access that the assembler makes a part of another one: it takes no slot
    std::uint8_t
        whole{};  ///< bytes of an access that others are a part of, else 0; below, from its own first byte to that of the whole
    std::int8_t shift{};
};

/// One function.
struct Code {
    std::string name;
    const ptx::Function* function{};
    std::uint32_t number{};  ///< index in the module: its address is the same in every launch
    std::vector<MicroOp> ops;
    std::vector<std::uint32_t>
        reconverge;  ///< per op: immediate post-dominator, kNone: the function's end
    /// Per op: how many from it on all lanes of a group execute, each by its function alone, without an effect that others or the history could see.
    std::vector<std::uint32_t> plain;
    std::uint32_t rows{}, preds{};
    std::uint64_t frameBytes{};
    std::vector<Slot> params, returns;
    /// For a function with wgmma.mma_async or tcgen05.ld, per op: rows that its instruction names, written rows with kWrites added.
    std::vector<std::vector<Row>> touched;
    /// If times are asked for: per op the index in `timed` of the instruction that begins with it, else kNone.
    std::vector<std::uint32_t> timedAt;
    std::vector<TimedInstruction> timed;
    /// There too, beside `timed`: those that only give registers values which only the warp's registers decide; others have no steps.
    std::vector<timing::Computation> computations;
    /// Per op that begins such an instruction: how many from it on belong to such, which follow each other.
    std::vector<std::uint32_t> straight;
};

struct CallInfo {
    std::uint32_t callee{ptx::kNone};  ///< kNone: through the register row `via`
    Row via{kNoRow};
    std::vector<Slot> args, results;  ///< in the caller's frame
};

struct Builtin {
    enum class Kind : std::uint8_t { Vprintf, Malloc, Free, AssertFail } kind{};
    std::vector<Slot> args, results;
};

/// mma, mma.sp, wmma.mma: fragments are rows[MicroOp::list..): a, b, c, d one after the other.
struct MmaInfo {
    tensor::Form form;
    unsigned a{}, b{}, c{}, d{};  ///< registers of each
    Row metadata{kNoRow};
    unsigned selector{};
    Row scaleA{kNoRow}, byteA{kNoRow}, laneA{kNoRow};
    Row scaleB{kNoRow}, byteB{kNoRow}, laneB{kNoRow};
};

/// wmma.load, wmma.store: one fragment, rows[MicroOp::list..), its memory `columns` or rows contiguous.
struct WmmaInfo {
    tensor::Form form;
    char which{};    ///< 'a', 'b', 'c' (also d)
    bool columns{};  ///< .col
    unsigned registers{};
    Row stride{kNoRow};  ///< in elements; kNoRow: as wide as the matrix
};

/// wgmma.mma_async: rows[MicroOp::list..): A's registers (none: MicroOp::a has its descriptor), then d.
struct WgmmaInfo {
    tensor::Form form;                ///< of one warp: m is 16
    unsigned a{}, d{};                ///< registers
    bool transposeA{}, transposeB{};  ///< MN-major in shared memory
    bool negateA{}, negateB{};
    PredRef scaleD;
    Row metadata{kNoRow};
    unsigned selector{};
};

/// tcgen05: the qualifiers, and the places of the operands. Registers of ld and st are rows[MicroOp::list..).
struct Tcgen05Info {
    /// [register + offset] in tensor memory.
    struct Address {
        Row row{kNoRow};
        std::int32_t offset{};
    };
    unsigned group{};  ///< .cta_group; 0: the instruction has none
    tmem::Modifiers modifiers;
    unsigned collector{};  ///< buffer of .ws
    tmem::Transfer transfer;
    tmem::Copy copy;
    Address d, a, metadata, scaleA, scaleB;
    Row descriptor{kNoRow};  ///< of A in shared memory, of the source of cp; the number of columns
    Row b{kNoRow}, instruction{kNoRow}, zeroColumns{kNoRow};
    Row ctaMask{kNoRow};  ///< of a commit with .multicast
    PredRef enable;       ///< enable-input-d
};

struct Program {
    std::vector<Code> codes;
    std::vector<std::uint32_t> byNumber;  ///< index in `codes`, kNone: not in this kernel
    std::vector<std::uint64_t> consts;    ///< rows of 32
    std::vector<Row> rows;
    std::vector<SyncInfo> syncs;
    std::vector<CallInfo> calls;
    std::vector<Builtin> builtins;
    std::vector<std::vector<std::uint32_t>> tables;
    std::vector<MmaInfo> mmas;
    std::vector<WmmaInfo> wmmas;
    std::vector<WgmmaInfo> wgmmas;
    std::vector<Tcgen05Info> tcgen05s;
    std::vector<std::string> unsupported;
    std::uint32_t entry{};
    std::uint32_t notes{};  ///< number of instructions whose executions are noted (MicroOp::note)
    bool timed{};           ///< its instructions have descriptions for the timing model
    bool gridControl{};     ///< it has a griddepcontrol
    bool signals{};         ///< it has a griddepcontrol.launch_dependents
    /// Bits 24 and up of shared addresses are a rank, and addresses of a CTA's own variables contain its own rank: kernels with
    /// .cta_group::2 clear bit 24 for the even CTA of the pair. Otherwise 0 there means the executing CTA, and n the CTA of rank n - 1.
    bool rankedAddresses{};

    [[nodiscard]] std::uint32_t rankField(std::uint32_t rank) const noexcept
    {
        return rankedAddresses ? rank : rank + 1;
    }
    /// The rank that a shared address means for a CTA of rank `own`.
    [[nodiscard]] std::uint32_t rankOf(std::uint64_t address, std::uint32_t own) const noexcept
    {
        const auto field = static_cast<std::uint32_t>(address >> 24 & 0xff);
        return rankedAddresses ? field : field == 0 ? own : field - 1;
    }
};

inline constexpr std::uint64_t kCodeBase =
    0x0000'7e00'0000'0000ull;  ///< function addresses: kCodeBase + 16 * Code::number

}  // namespace gsu::exec
