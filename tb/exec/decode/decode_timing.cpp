// Facts about an instruction for the timing model: its class, its registers, and its order among others.
#include <functional>
#include <unordered_map>

#include "exec/alu/special.hpp"
#include "exec/decode/decoder.hpp"
#include "exec/ops/async_ops.hpp"
#include "exec/ops/tensor_ops.hpp"
#include "golden/op_traits.hpp"

namespace gsu::exec {
namespace {

using ptx::Type;
using timing::InstructionClass;
using timing::Order;

/// Classes of instructions outside the chapter that the opcode alone determines.
// long: a table
const std::unordered_map<std::string_view, InstructionClass>& classes()
{
    using enum InstructionClass;
    static const std::unordered_map<std::string_view, InstructionClass> table{
        {"ex2", Special},
        {"lg2", Special},
        {"sin", Special},
        {"cos", Special},
        {"tanh", Special},
        {"rcp", Reciprocal},
        {"rsqrt", Reciprocal},
        {"sqrt", Reciprocal},
        {"div", Reciprocal},
        {"rem", Reciprocal},
        {"popc", Count},
        {"clz", Count},
        {"brev", Count},
        {"bfind", Count},
        {"fns", Count},
        {"movmatrix", Shuffle},
        {"ld", Memory},
        {"ldu", Memory},
        {"st", Memory},
        {"multimem", Memory},
        {"wmma", Memory},
        {"ldmatrix", Matrix},
        {"stmatrix", Matrix},
        {"mma", MmaSync},
        {"bra", Branch},
        {"brx", Branch},
        {"call", Branch},
        {"ret", Branch},
        {"exit", Branch},
        {"trap", Branch},
        {"brkpt", Branch},
        {"wgmma", Control},
        {"tcgen05", Control},
        {"nanosleep", Control},
        {"setmaxnreg", Control},
        {"tensormap", Control},
        {"alloca", Control},
        {"stacksave", Control},
        {"stackrestore", Control},
        {"pmevent", Control},
        {"cp", Copy},
        {"dp4a", Fma},
        {"dp2a", Fma},
        {"mul24", Fma},
        {"mad24", Fma}};
    return table;
}

bool isHalf(Type t)
{
    return t == Type::F16 || t == Type::F16x2 || t == Type::BF16 || t == Type::BF16x2;
}
bool isSmallFloat(Type t) { return t == Type::F32 || isHalf(t); }

InstructionClass arithmeticClass(std::string_view opcode, Type t)
{
    using enum InstructionClass;
    const bool products = opcode == "mul" || opcode == "mad" || opcode == "madc" || opcode == "fma";
    const bool compares = opcode == "min" || opcode == "max" || opcode == "setp" ||
                          opcode == "set" || opcode == "selp" || opcode == "slct";
    if (t == Type::F64) return Double;
    if (t == Type::F32x2) return Packed;
    if (compares) return isSmallFloat(t) ? MinMax : ptx::sizeOf(t) == 8 ? Wide : Integer;
    const bool adds = opcode == "add" || opcode == "sub";
    if (isHalf(t) && (products || adds)) return Half;
    if (products) return isSmallFloat(t) || ptx::sizeOf(t) <= 4 ? Fma : Double;
    if (isSmallFloat(t) && adds) return Fma;
    return ptx::sizeOf(t) == 8 ? Wide : Integer;
}

bool isInteger(Type t) { return t >= Type::B8 && t <= Type::S64 && t != Type::B128; }

}  // namespace

/// A conversion between integers is another name of the register, unless it has to make or clear bits.
bool Decoder::renames() const
{
    const std::string& name = in_->opcode;
    if (name == "cvta" || contracted_->vanishes(place())) return true;
    if (name == "ld") return has("param");
    if (name == "mov") {
        for (const Operand& o : in_->operands)
            if (o.kind == Operand::Kind::Special) return false;
        return true;
    }
    if (name != "cvt" || in_->modifiers.size() != 2) return false;
    const Type to = type(1), from = type(0);
    if (!isInteger(to) || !isInteger(from)) return false;
    const bool extendsSign = sizeOf(to) > sizeOf(from) && from >= Type::S8;
    return !extendsSign && sizeOf(from) >= 4;
}

/// Whether another instruction names the result register of this one.
bool Decoder::resultIsRead() const
{
    const Operand& result = in_->operands.front();
    if (result.kind != Operand::Kind::Register) return false;
    const std::function<bool(const Operand&)> names = [&](const Operand& o) {
        return (o.kind == Operand::Kind::Register && o.index == result.index) ||
               std::ranges::any_of(o.elements, names);
    };
    return std::ranges::any_of(f_->body, [&](const ptx::Instruction& other) {
        return &other != in_ && std::ranges::any_of(other.operands, names);
    });
}

/// Whether it reads a register that others see change.
bool Decoder::readsClock() const
{
    return std::ranges::any_of(code_->ops.begin() + static_cast<std::ptrdiff_t>(first_),
                               code_->ops.end(),
                               [](const MicroOp& op) { return op.fn == specialOp && op.visible; });
}

/// The class of an instruction of the chapter, or of a copy, from its micro-operations.
InstructionClass Decoder::requestClass() const
{
    using enum InstructionClass;
    for (std::size_t i = first_; i < code_->ops.size(); ++i) {
        const MicroOp& op = code_->ops[i];
        const bool bulk = op.fn == cpBulkOp, tensor = op.fn == tensorCopyOp;
        if (op.kind == Kind::Rendezvous) return Shuffle;
        if (op.fn == atomOp || op.fn == redReleaseOp) return Memory;
        if (op.fn == cpAsyncOp) return CopyAsync;
        if (bulk || tensor) return p_.rows[op.list + (bulk ? 5 : 4)] != kNoRow ? Multicast : Copy;
        if (op.kind == Kind::Sync && isMbarArrive(p_.syncs[op.extra].op)) return Arrive;
    }
    return Control;
}

InstructionClass Decoder::timingClass(bool chapter) const
{
    using enum InstructionClass;
    const std::string& name = in_->opcode;
    if (chapter || name == "cp") return requestClass();
    const auto found = classes().find(name);
    if (found != classes().end()) {
        if (name == "wgmma" && has("mma_async")) return Product;
        if (name == "tcgen05" && has("mma")) return Product;
        // Without a range to scale it is the special function unit's instruction alone.
        if (found->second == Reciprocal && has("approx") && has("ftz") && name != "div")
            return name == "sqrt" ? Reciprocal : Special;
        return name == "wmma" && has("mma") ? MmaSync : found->second;
    }
    if (readsClock()) return Clock;
    if (contracted_->multiplies(place())) return Fma;
    if (name == "cvt") {
        if (isInteger(type(1))) return isInteger(type(0)) ? Integer : Special;
        return Convert;
    }
    return arithmeticClass(name, type());
}

/// The order of a load, store or reduction: the window may move accesses if nobody else can see it.
Order Decoder::memoryOrder() const
{
    const MicroOp& op = code_->ops.back();
    if (op.kind == Kind::Sync || op.strong || op.fn == atomOp || op.fn == redReleaseOp)
        return Order::Fixed;
    for (const char* strong : {"volatile", "relaxed", "mmio"})
        if (has(strong)) return Order::Fixed;
    const std::string& name = in_->opcode;
    if (name == "ld" || name == "ldu" || name == "ldmatrix" || has("load")) return Order::Load;
    return name == "st" || name == "stmatrix" || has("store") ? Order::Store : Order::Fixed;
}

Order Decoder::timingOrder(InstructionClass cls) const
{
    using enum InstructionClass;
    if (cls == Memory || cls == Matrix) return memoryOrder();
    if (cls == Branch && predicated_->has(place())) return Order::Free;
    if (cls == Product || cls == CopyAsync || cls == Copy || cls == Multicast || cls == Arrive ||
        cls == Control || cls == Branch)
        return Order::Fixed;
    return readsClock() ? Order::Fixed : Order::Free;
}

/// Number of a register. Predicates are numbered after the rows: those of a called function come after all of its caller's.
timing::Register Decoder::timedRegister(std::uint32_t index) const
{
    const bool predicate = f_->registers[index].type == Type::Pred;
    return static_cast<timing::Register>(slot_[index] + (predicate ? namedRows_ : 0));
}

void Decoder::addTimed(std::vector<timing::Register>& to, const Operand& o) const
{
    if (o.kind == Operand::Kind::Register) {
        if (slot_[o.index] < 0) return;
        const timing::Register named = timedRegister(o.index);
        to.push_back(named);
        if (!isPredicate(o) && registerBytes(o) > 8) to.push_back(named + 1);
    }
    for (const Operand& element : o.elements) addTimed(to, element);
}

timing::Footprint Decoder::timingFootprint() const
{
    using Touches = timing::Footprint::Space;
    timing::Footprint f;
    switch (spaceOf(ptx::Space::Generic)) {
        case ptx::Space::Global: f.space = Touches::Global; break;
        case ptx::Space::SharedCta: f.space = Touches::Shared; break;
        case ptx::Space::Local: f.space = Touches::Local; break;
        case ptx::Space::Const:
        case ptx::Space::Param: f.space = Touches::Constant; break;
        default: break;
    }
    constexpr timing::Register kNoRegister = 1u << 30;
    f.base = kNoRegister;
    for (const Operand& o : in_->operands) {
        if (o.kind != Operand::Kind::Address) continue;
        f.offset = o.offset;
        if (o.elements.empty()) continue;
        const Operand& base = o.elements.front();
        if (base.kind == Operand::Kind::Register)
            f.base = static_cast<timing::Register>(slot_[base.index]);
        else if (const auto place = symbol(base.name))
            f.offset += static_cast<std::int64_t>(place->value);
    }
    const bool matrix = in_->opcode == "ldmatrix" || in_->opcode == "stmatrix";
    f.bytes = matrix ? 16 : sizeOf(type()) * (has("v2") ? 2 : has("v4") ? 4 : has("v8") ? 8 : 1);
    return f;
}

/// An instruction of which nobody sees when it is executed, that leaves no lane out and cannot fail; or a branch.
timing::Computation Decoder::computationOf(const TimedInstruction& t, std::size_t begin,
                                           std::size_t end) const
{
    const timing::Instruction& what = t.what;
    timing::Computation c;
    if (end - begin == 1 && code_->ops[begin].kind == Kind::Branch) {
        c.kind = timing::Computation::Kind::Branches;
        c.line = what.line;
        return c;
    }
    const bool registers =
        std::all_of(code_->ops.begin() + static_cast<std::ptrdiff_t>(begin),
                    code_->ops.begin() + static_cast<std::ptrdiff_t>(end), [](const MicroOp& op) {
                        return op.kind == Kind::Exec && op.touch == Touch::None && !op.visible;
                    });
    if (!registers || what.order != Order::Free || what.cls > InstructionClass::Double ||
        what.cls == InstructionClass::Shuffle || in_->guard.reg != ptx::kNone ||
        t.registers.size() > c.registers.size() || end - begin > UINT8_MAX)
        return c;
    c.name(what.reads, what.writes);
    c.cls = what.cls;
    if (t.renames)
        c.kind = timing::Computation::Kind::Renames;
    else
        c.pad();
    c.steps = static_cast<std::uint8_t>(end - begin);
    c.line = what.line;
    return c;
}

void Decoder::plainRuns()
{
    code_->plain.resize(code_->ops.size());
    std::uint32_t run = 0;
    for (std::size_t pc = code_->ops.size(); pc-- != 0;) {
        const MicroOp& op = code_->ops[pc];
        const bool plain = op.kind == Kind::Exec && !op.visible && !op.copies &&
                           op.guard.index < 0 && op.guard.negated &&
                           (op.touch == Touch::None || op.touch == Touch::Reads);
        code_->plain[pc] = run = plain ? run + 1 : 0;
    }
}

/// What instructions do that only compute can be done at once, as far as they follow each other. Not where registers change or are read by themselves.
void Decoder::straightRuns()
{
    plainRuns();
    if (!p_.timed) return;
    code_->timedAt.resize(code_->ops.size(), ptx::kNone);
    code_->straight.resize(code_->ops.size());
    if (!code_->touched.empty()) return;
    std::size_t behind = code_->ops.size();
    for (std::size_t pc = behind; pc-- != 0;) {
        const std::uint32_t timed = code_->timedAt[pc];
        if (timed == ptx::kNone) continue;
        const unsigned steps = code_->computations[timed].steps;
        if (steps != 0)
            code_->straight[pc] = steps + (pc + steps == behind ? code_->straight[behind] : 0);
        behind = pc;
    }
}

/// Adds the instruction whose micro-operations begin at first_: one entry, and one for each part after a request that it makes.
void Decoder::addTiming(bool chapter)
{
    if (!p_.timed || first_ == code_->ops.size()) return;
    std::vector<MicroOp>& ops = code_->ops;
    code_->timedAt.resize(ops.size(), ptx::kNone);
    const InstructionClass whole = timingClass(chapter);
    const bool request = whole == InstructionClass::Control || whole == InstructionClass::Arrive;
    for (std::size_t begin = first_; begin < ops.size();) {
        std::size_t end = begin + 1;
        while (end < ops.size() && ops[end - 1].kind != Kind::Sync) ++end;
        // A fence before or after the access of the instruction.
        const bool apart = ops[end - 1].kind == Kind::Sync && !request;
        TimedInstruction t = timedOf(apart ? InstructionClass::Control : whole);
        t.renames = !apart && renames();
        for (std::size_t i = begin; i < end; ++i) {
            const bool registers = ops[i].kind == Kind::Exec || ops[i].kind == Kind::Branch ||
                                   ops[i].kind == Kind::Rendezvous;
            if (!registers || ops[i].visible) t.waits = true;
        }
        if (t.what.cls == InstructionClass::MmaSync || t.what.cls == InstructionClass::Shuffle)
            t.waits = false;
        timingDrains(t, ops[end - 1]);
        t.tail = timingTail(ops[end - 1]);
        t.ahead = !t.waits && !t.renames;
        t.accesses =
            !t.renames && !t.within &&
            (t.what.cls == InstructionClass::Memory || t.what.cls == InstructionClass::Matrix ||
             t.what.cls == InstructionClass::CopyAsync);
        code_->computations.push_back(t.waits ? timing::Computation{}
                                              : computationOf(t, begin, end));
        code_->timedAt[begin] = static_cast<std::uint32_t>(code_->timed.size());
        code_->timed.push_back(std::move(t));
        begin = end;
    }
}

TimedInstruction Decoder::timedOf(InstructionClass cls) const
{
    TimedInstruction t;
    t.what.cls = cls;
    t.what.line = in_->at.line;
    t.what.order = timingOrder(cls);
    if (cls == InstructionClass::Memory && isa_ != nullptr) {
        const std::string_view cache = word("cop");  // all except .ca bypass L1
        t.uncached = code_->ops.back().strong || (!cache.empty() && cache.back() != 'a');
    }
    t.goesOn = cls == InstructionClass::Arrive && !resultIsRead();
    if (t.what.order == Order::Load || t.what.order == Order::Store)
        t.what.footprint = timingFootprint();
    timedRegisters(t, cls);
    if (cls == InstructionClass::MmaSync && !p_.mmas.empty()) {
        const tensor::Form& f = p_.mmas.back().form;
        t.what.work = f.m * f.n * f.storedK() * tensor::bitsOf(f.a) / 16;
    }
    return t;
}

}  // namespace gsu::exec
