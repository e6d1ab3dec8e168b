/// Translates one function of the AST into micro-operations. An instruction that cannot be executed is no error at this time: it becomes a
/// micro-operation that refuses it by name when a lane reaches it. Private to tb/exec.
#pragma once
#include <algorithm>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "exec/alu/alu.hpp"
#include "exec/decode/contractions.hpp"
#include "exec/decode/joined_accesses.hpp"
#include "exec/decode/predicated_branches.hpp"
#include "exec/device/device_memory.hpp"
#include "exec/lanes/shuffle.hpp"
#include "exec/launch/shape.hpp"
#include "exec/ops/mem_ops.hpp"
#include "ptx/isa_form.hpp"
#include "ptx/sync_form.hpp"

namespace gsu::exec {

/// Addresses of the symbols of a module; keys are "name" or "function/name".
struct Symbols {
    const std::map<std::string, std::uint64_t>* shared{};
    const std::map<std::string, std::uint64_t>* constants{};
    const std::map<std::string, std::uint64_t>* globals{};
    std::map<std::string, std::uint32_t, std::less<>> functions;  ///< index in Program::codes
};

/// a + b modulo 2^64: address arithmetic wraps.
[[nodiscard]] constexpr std::int64_t sum(std::int64_t a, std::int64_t b) noexcept
{
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

struct NotSupported {
    std::string why;
};

class Decoder {
public:
    /// All arguments must outlive it. `parameters`: places of the entry's parameters in the bank.
    Decoder(Program& program, const ptx::Module& module,
            const std::vector<std::uint64_t>& parameters, const Symbols& symbols)
        : parameters_(parameters),
          p_(program),
          symbols_(symbols),
          judge_(module, ptx::Dialect::Text, false),
          assembler_(module, ptx::Dialect::Ptxas, false)
    {
    }

    /// Sets register counts, frame layout and parameter slots; must precede the bodies of callers.
    void declare(std::uint32_t index);
    void body(std::uint32_t index);

private:
    using Handler = void (Decoder::*)();
    using Type = ptx::Type;
    using Space = ptx::Space;
    using Operand = ptx::Operand;
    static const std::unordered_map<std::string_view, Handler>& handlers();
    /// Refuses instructions that isa_ops.def does not have, or marks as not executed; sets isa_.
    void checkForm();

    // decoder.cpp: functions, operands and emission.
    void placeVariables(std::uint64_t at);
    void instructions();
    void settleLabels(const std::vector<std::uint32_t>& start);
    void instruction(const ptx::Instruction& in);
    MicroOp& emit(Kind kind, ExecFn fn = nullptr);
    void finishInstruction(std::size_t first);
    [[nodiscard]] bool has(std::string_view modifier) const;
    [[nodiscard]] bool hasAny(std::initializer_list<std::string_view> modifiers) const;
    [[nodiscard]] std::string_view mod(std::size_t i) const;
    /// The word of an instruction outside the chapter for a placeholder of its form; below, its operand of a role.
    [[nodiscard]] std::string_view word(std::string_view name) const { return isa_->word(name); }
    [[nodiscard]] const Operand* role(std::string_view name) const
    {
        return isa_->operandOf(*in_, name);
    }
    [[nodiscard]] Type
    type(std::size_t fromEnd = 0) const;  ///< the n-th type modifier from the end
    [[nodiscard]] const Operand& operand(std::size_t i) const;
    [[nodiscard]] std::size_t operands() const { return in_->operands.size(); }
    [[nodiscard]] bool waitsByState() const;
    [[nodiscard]] std::vector<Row> stateRows(const Operand& state) const;
    [[nodiscard]] Row constant(std::uint64_t value);
    [[nodiscard]] Row temp();
    [[nodiscard]] Row source(const Operand& o, Type as);
    [[nodiscard]] Row integerSource(const Operand& o, Type as);
    [[nodiscard]] Row floatSource(const Operand& o, Type as);
    [[nodiscard]] Row specialSource(const Operand& o);
    [[nodiscard]] Row symbolSource(const Operand& o, std::uint64_t mask);
    [[nodiscard]] Row source(std::size_t i, Type as) { return source(operand(i), as); }
    /// The row that an operand of type `as` writes; a sink is refused.
    [[nodiscard]] Row destination(const Operand& o, Type as = Type::None) const;
    [[nodiscard]] Row destination(std::size_t i) const { return destination(operand(i)); }
    /// The same, and kNoRow for a sink. Only for micro-operations that expect kNoRow.
    [[nodiscard]] Row destinationOrSink(const Operand& o, Type as = Type::None) const
    {
        return o.kind == Operand::Kind::Sink ? kNoRow : destination(o, as);
    }
    /// Element of a vector or pair.
    [[nodiscard]] const Operand& part(const Operand& o, std::size_t i) const;
    void checkWide(const Operand& o, Type as) const;
    void checkRows(const MicroOp& op) const;
    [[nodiscard]] unsigned registerBytes(const Operand& o) const;
    [[nodiscard]] bool isPredicate(const Operand& o) const;
    [[nodiscard]] PredRef predicate(const Operand& o) const;
    [[nodiscard]] std::int32_t predicateDst(const Operand& o) const;
    [[nodiscard]] std::uint32_t rowList(const std::vector<Row>& rows);
    [[nodiscard]] std::vector<Row> vectorRows(const Operand& o, Type as, bool write);
    struct SymbolPlace {
        Space space{};
        std::uint64_t value{};
        bool frame{};
    };
    [[nodiscard]] std::optional<SymbolPlace> symbol(const std::string& name) const;
    void address(MicroOp& op, const Operand& o, std::size_t element = 0);
    [[nodiscard]] Space spaceOf(Space fallback) const;
    [[nodiscard]] Class classOf(Space space) const;
    [[noreturn]] void unsupported(std::string why = {}) const;
    [[nodiscard]] Round roundOf(Round fallback = Round::Rn) const;

    // decode_arith.cpp, decode_move.cpp
    void arith();
    void multiply();
    void logic();
    void bitField();
    void bitOperands(MicroOp& op);
    void lookUp(MicroOp& op);
    void dotOrSet(MicroOp& op);
    void shiftFunnel();
    void selectOp();
    void setpOp();
    void cvt();
    void cvtPack();
    void cvtStochastic();
    void videoOp();
    [[nodiscard]] Row widened(const Operand& o, Type t);
    void mov();
    void movVectors(const Operand& to, const Operand& from, Type t);
    void movPacked(const Operand& to, const Operand& from, Type t);
    void cvta();
    void isspacep();
    void getctarank();
    void testp();
    void floatArith(const std::string& name);
    void predicateLogic();
    // decode_memory.cpp
    void load();
    void store();
    void bulkZero();
    void multimem();
    void matrixMove();
    void matrixMoveBytes();
    void hint();
    // decode_control.cpp
    void bra();
    void brx();
    void callOp();
    [[nodiscard]] Slot callSlot(const Operand& o, bool write);
    [[nodiscard]] std::vector<Slot> callSlots(const Operand& list, bool write);
    void retOp();
    void exitOp();
    void trapOp();
    void sleepOp();
    void noEffect();
    void stackOp();
    void keepStack(std::size_t at);
    void postDominators();
    // decode_tensor.cpp
    void cpTensor();
    void tensormap();
    // decode_mma.cpp
    [[nodiscard]] tensor::Form tensorForm() const;
    void layouts(tensor::Form& f) const;
    unsigned fragment(std::vector<Row>& rows, const Operand& o, tensor::Elem elem, unsigned count,
                      bool write);
    void mma();
    void wmma();
    // decode_wgmma.cpp
    void wgmma();
    void wgmmaAsync();
    [[nodiscard]] tensor::Form wgmmaForm() const;
    // decode_tcgen05.cpp
    void tcgen05();
    [[nodiscard]] Tcgen05Info tcgen05Info() const;
    [[nodiscard]] tmem::Modifiers tcgen05Modifiers() const;
    [[nodiscard]] Tcgen05Info::Address tensorAddress(const Operand& o);
    void tcgen05SharedAddress(MicroOp& op, const Operand& o);
    void tcgen05Place(MicroOp op, const Tcgen05Info& info, Kind kind, ExecFn fn);
    void tcgen05Move();
    void tcgen05Multiply();
    void tcgen05Copy();
    void tcgen05Shift();
    void tcgen05Commit();
    void watchRegisters(const ptx::Instruction& in);
    void addTouched(std::vector<Row>& rows, const Operand& o, bool write) const;
    // decode_timing.cpp
    void addTiming(bool chapter);
    [[nodiscard]] TimedInstruction timedOf(timing::InstructionClass cls) const;
    [[nodiscard]] timing::Computation computationOf(const TimedInstruction& t, std::size_t begin,
                                                    std::size_t end) const;
    void straightRuns();
    void plainRuns();
    [[nodiscard]] timing::InstructionClass timingClass(bool chapter) const;
    [[nodiscard]] timing::InstructionClass requestClass() const;
    [[nodiscard]] timing::Order memoryOrder() const;
    /// Of the instruction in its function.
    [[nodiscard]] std::size_t place() const
    {
        return static_cast<std::size_t>(in_ - f_->body.data());
    }
    [[nodiscard]] timing::Order timingOrder(timing::InstructionClass cls) const;
    [[nodiscard]] timing::Footprint timingFootprint() const;
    [[nodiscard]] timing::Tail timingTail(const MicroOp& op) const;
    [[nodiscard]] bool readsClock() const;
    [[nodiscard]] bool renames() const;
    [[nodiscard]] bool resultIsRead() const;
    [[nodiscard]] timing::Register timedRegister(std::uint32_t index) const;
    void addTimed(std::vector<timing::Register>& to, const Operand& o) const;
    void assemble();
    void timedRegisters(TimedInstruction& t, timing::InstructionClass cls) const;
    void addParts(std::vector<timing::Register>& to, const JoinedAccess& joined) const;
    void timingDrains(TimedInstruction& timed, const MicroOp& op) const;
    // Chapter instructions: everything comes from sync_.
    // decode_sync.cpp
    void chapter(const ptx::DecodedSync& decoded);
    [[nodiscard]] const Operand* written(ptx::SyncField field) const;
    [[nodiscard]] const Operand& needed(ptx::SyncField field) const;
    [[nodiscard]] Sem requestSem() const;
    [[nodiscard]] Scope requestScope(Scope otherwise) const;
    [[nodiscard]] SyncInfo request() const;
    void emitRequest(const SyncInfo& s);
    void requestResult(SyncInfo& s);
    void mbarAddress(SyncInfo& s, const Operand& o, Space space, bool remote);
    void barrier();
    void mbarObject();
    void mbarArrive();
    void mbarWait();
    void copyArrive();
    void pendingCount();
    // decode_warp_values.cpp
    struct MeetResult {
        Row d{kNoRow};
        std::int32_t pd{-1};
    };
    [[nodiscard]] SyncInfo warpRequest() const;
    [[nodiscard]] MeetResult meetResult(bool sink);
    [[nodiscard]] std::uint8_t reduxKind() const;
    void emitWarpRequest(SyncInfo s);
    void vote();
    void match();
    void redux();
    void elect();
    void shuffle();
    void activemask();
    void gridControl();
    // decode_atomic.cpp
    [[nodiscard]] AtomOp reduction() const;
    /// The operation of an instruction outside the chapter (multimem, copies of tensors).
    [[nodiscard]] std::optional<AtomOp> namedReduction() const;
    void atomic();
    void awayForm(MicroOp& op);
    void fence();
    void fenceBefore(Scope scope);
    [[nodiscard]] Scope writtenScope() const;
    [[nodiscard]] Strength writtenStrength() const;
    [[nodiscard]] std::uint8_t proxyKind() const;
    void releaseData();
    // decode_async.cpp
    [[nodiscard]] std::array<Row, 2> addressRows(const Operand& o, Space space);
    MicroOp& place(MicroOp op, Kind kind, ExecFn fn);
    void noWork();
    void copy();
    void copyCommit();
    void copyWait();
    void bulkCopy();
    void remoteData();
    void tryCancel();
    void queryCancel();
    void mapPublish();  // decode_tensor.cpp
    void mapa();        // decode_move.cpp
    [[nodiscard]] Row ownAddress(std::uint64_t offset);

    const std::vector<std::uint64_t>& parameters_;
    Program& p_;
    const Symbols& symbols_;
    ptx::IsaJudge judge_;
    ptx::IsaJudge
        assembler_;  ///< of matrix instructions: it takes literals among the registers of a fragment
    const ptx::IsaVerdict* isa_{};  ///< current instruction outside the chapter
    Code* code_{};
    const ptx::Function* f_{};
    const ptx::Instruction* in_{};
    const ptx::DecodedSync* sync_{};  ///< current chapter instruction
    std::vector<std::int32_t> slot_;  ///< register index -> row or predicate
    std::int32_t namedRows_{};        ///< rows of registers that the function declares
    std::map<std::string, std::pair<std::uint64_t, const ptx::Variable*>> frame_;
    std::map<std::string, std::uint32_t, std::less<>> labels_;  ///< -> micro-operation
    std::unordered_map<std::uint64_t, Row>* constants_{&constantRows_};
    std::unordered_map<std::uint64_t, Row> constantRows_;
    std::optional<JoinedAccesses> joined_;  ///< if times are asked for
    std::optional<PredicatedBranches> predicated_;
    std::optional<Contractions> contracted_;
    std::int32_t carry_{-1};
    Row stackRow_{kNoRow};  ///< in a function with alloca: its stack at entry
    bool watches_{};        ///< the function has wgmma.mma_async or tcgen05.ld
    bool loads_{};          ///< it has tcgen05.ld
    std::size_t first_{};   ///< first micro-operation of the instruction
    std::vector<std::pair<std::size_t, std::string>> fixups_;  ///< branch -> label
    std::vector<std::pair<std::uint32_t, std::vector<std::string>>> tableFixups_;
};

/// Decodes every function of the plan into `program`. Symbols resolve through `plan` and `device`, which outlive the call; `parameters`:
/// places of the entry's parameters in the bank.
void decodeProgram(Program& program, const ptx::Module& module, const LaunchPlan& plan,
                   const DeviceMemory& device, const std::vector<std::uint64_t>& parameters);

}  // namespace gsu::exec
