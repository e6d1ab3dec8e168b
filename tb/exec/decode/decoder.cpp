#include "exec/decode/decoder.hpp"

#include "base/align.hpp"
#include "exec/alu/special.hpp"
#include "exec/decode/instruction_facts.hpp"
#include "exec/ops/mem_ops.hpp"

namespace gsu::exec {
namespace {

/// Row or predicate of the register with that name.
Slot registerSlot(const ptx::Function& f, const std::string& name)
{
    Slot s;
    std::int32_t row = 0, pred = 0;
    for (const ptx::Register& r : f.registers) {
        const bool isPred = r.type == ptx::Type::Pred;
        if (r.name == name) (isPred ? s.pred : s.reg) = isPred ? pred : row;
        if (isPred)
            ++pred;
        else
            row += sizeOf(r.type) > 8 ? 2 : 1;
    }
    return s;
}

}  // namespace

void Decoder::declare(std::uint32_t index)
{
    Code& code = p_.codes[index];
    const ptx::Function& f = *code.function;
    for (const ptx::Register& r : f.registers) {
        if (r.type == Type::Pred)
            ++code.preds;
        else
            code.rows += sizeOf(r.type) > 8 ? 2 : 1;
    }
    std::uint64_t at = 0;
    const auto place = [&](const ptx::Variable& v) {
        at = alignUp(at, v.align);
        return std::exchange(at, at + v.bytes);
    };
    const auto add = [&](std::vector<Slot>& slots, const ptx::Variable& v) {
        if (v.space != Space::Reg) {
            const std::uint64_t offset = place(v);
            slots.push_back({offset, v.bytes});
        } else if (v.vector == 1) {
            slots.push_back(registerSlot(f, v.name));
        } else {
            for (unsigned i = 0; i < v.vector; ++i)
                slots.push_back(registerSlot(f, ptx::componentName(v.name, i)));
        }
    };
    if (!f.entry) {
        for (const ptx::Variable& v : f.params) add(code.params, v);
        for (const ptx::Variable& v : f.returns) add(code.returns, v);
    }
    code.frameBytes = at;
}

void Decoder::body(std::uint32_t index)
{
    code_ = &p_.codes[index];
    f_ = code_->function;
    slot_.clear();
    frame_.clear();
    labels_.clear();
    fixups_.clear();
    tableFixups_.clear();
    carry_ = -1;
    stackRow_ = kNoRow;
    std::int32_t row = 0, pred = 0;
    for (const ptx::Register& r : f_->registers) {
        slot_.push_back(r.type == Type::Pred ? pred++ : row);
        if (r.type != Type::Pred) row += sizeOf(r.type) > 8 ? 2 : 1;
    }
    namedRows_ = row;
    if (p_.timed) assemble();
    const auto enter = [&](const std::vector<ptx::Variable>& list, const std::vector<Slot>& slots) {
        std::size_t slot = 0;  // a vector register takes one per component
        for (const ptx::Variable& v : list) {
            if (v.space != Space::Reg) frame_[v.name] = {slots[slot].offset, &v};
            slot += v.space == Space::Reg ? v.vector : 1;
        }
    };
    for (std::size_t i = 0; i < f_->params.size() && f_->entry; ++i)
        frame_[f_->params[i].name] = {parameters_[i], &f_->params[i]};
    if (!f_->entry) {
        enter(f_->params, code_->params);
        enter(f_->returns, code_->returns);
    }
    placeVariables(code_->frameBytes);
    instructions();
    postDominators();
}

void Decoder::instructions()
{
    const bool stack =
        std::any_of(f_->body.begin(), f_->body.end(),
                    [](const ptx::Instruction& in) { return in.opcode == "alloca"; });
    if (stack && !f_->entry) keepStack(0);
    std::vector<std::uint32_t> start;
    for (const ptx::Instruction& in : f_->body) {
        start.push_back(static_cast<std::uint32_t>(code_->ops.size()));
        instruction(in);
    }
    start.push_back(static_cast<std::uint32_t>(code_->ops.size()));
    in_ = nullptr;
    if (stackRow_ != kNoRow) keepStack(1);
    MicroOp& end = code_->ops.emplace_back();  // running off the end returns
    end.kind = Kind::Ret;
    end.line = f_->body.empty() ? f_->at.line : f_->body.back().at.line;
    straightRuns();
    settleLabels(start);
}

/// Branches to labels become branches to micro-operations.
void Decoder::settleLabels(const std::vector<std::uint32_t>& start)
{
    for (const ptx::Label& l : f_->labels)
        labels_[l.name] = start[std::min<std::size_t>(l.target, start.size() - 1)];
    for (const auto& [op, label] : fixups_) code_->ops[op].target = labels_.at(label);
    for (const auto& [table, names] : tableFixups_) {
        for (const std::string& n : names) p_.tables[table].push_back(labels_.at(n));
    }
}

void Decoder::instruction(const ptx::Instruction& in)
{
    in_ = &in;
    first_ = code_->ops.size();
    const auto sync = ptx::decodeSync(in);
    const auto found = sync ? handlers().end() : handlers().find(in.opcode);
    try {
        if (!sync && found == handlers().end()) unsupported();
        if (in.guard.reg != ptx::kNone && f_->registers[in.guard.reg].type != Type::Pred)
            unsupported("guard that is no predicate");
        if (sync) {
            chapter(*sync);
        } else {
            checkForm();
            (this->*found->second)();
        }
        for (std::size_t i = first_; i < code_->ops.size(); ++i) checkRows(code_->ops[i]);
    } catch (const NotSupported& e) {
        code_->ops.resize(first_);
        std::string text = in.opcode;
        for (const std::string& m : in.modifiers) text += '.' + m;
        if (!e.why.empty()) text += " (" + e.why + ")";
        MicroOp& op = emit(Kind::Unsupported);
        op.extra = static_cast<std::uint32_t>(p_.unsupported.size());
        p_.unsupported.push_back(std::move(text));
    }
    finishInstruction(first_);
    watchRegisters(in);
    if (sync) isa_ = nullptr;  // it belongs to the last instruction outside the chapter
    addTiming(sync.has_value());
}

MicroOp& Decoder::emit(Kind kind, ExecFn fn)
{
    MicroOp& op = code_->ops.emplace_back();
    op.kind = kind;
    op.fn = fn;
    op.line = in_->at.line;
    if (in_->guard.reg != ptx::kNone && f_->registers[in_->guard.reg].type == Type::Pred)
        op.guard = {slot_[in_->guard.reg], in_->guard.negated};
    return op;
}

/// Checks rows: rows that the function does not have would be memory of others.
void Decoder::checkRows(const MicroOp& op) const
{
    const auto rows = static_cast<Row>(code_->rows);
    const auto constants = static_cast<Row>(p_.consts.size() / 32);
    for (const Row r : {op.d, op.a, op.b, op.c, op.e}) {
        if (r != kNoRow && (r >= rows || (r < 0 && ~r >= constants))) unsupported("operand");
    }
}

void Decoder::finishInstruction(std::size_t first)
{
    for (std::size_t i = first; i + 1 < code_->ops.size(); ++i) code_->ops[i].counted = false;
}

void Decoder::unsupported(std::string why) const { throw NotSupported{std::move(why)}; }

bool Decoder::has(std::string_view modifier) const { return hasModifier(*in_, modifier); }

bool Decoder::hasAny(std::initializer_list<std::string_view> modifiers) const
{
    return std::any_of(modifiers.begin(), modifiers.end(),
                       [&](std::string_view m) { return has(m); });
}

std::string_view Decoder::mod(std::size_t i) const
{
    return i < in_->modifiers.size() ? std::string_view(in_->modifiers[i]) : std::string_view();
}

ptx::Type Decoder::type(std::size_t fromEnd) const
{
    for (auto it = in_->modifiers.rbegin(); it != in_->modifiers.rend(); ++it) {
        const auto t = ptx::typeOf(*it);
        if (t && fromEnd-- == 0) return *t;
    }
    return Type::None;
}

const ptx::Operand& Decoder::operand(std::size_t i) const
{
    if (i >= in_->operands.size()) unsupported("too few operands");
    return in_->operands[i];
}

Row Decoder::constant(std::uint64_t value)
{
    const auto [at, fresh] = constants_->emplace(value, 0);
    if (fresh) {
        at->second = ~static_cast<Row>(p_.consts.size() / 32);
        p_.consts.insert(p_.consts.end(), 32, value);
    }
    return at->second;
}

Row Decoder::temp() { return static_cast<Row>(code_->rows++); }

Row Decoder::integerSource(const Operand& o, Type as)
{
    const unsigned bytes = std::max(sizeOf(as), 1u);
    const std::uint64_t mask = bytes >= 8 ? ~0ull : (1ull << bytes * 8) - 1;
    const auto n = static_cast<double>(o.integer);
    if (as == Type::F32) return constant(std::bit_cast<std::uint32_t>(static_cast<float>(n)));
    if (as == Type::F64) return constant(std::bit_cast<std::uint64_t>(n));
    return constant(static_cast<std::uint64_t>(o.integer) & mask);
}

Row Decoder::floatSource(const Operand& o, Type as)
{
    const bool single = o.type == Type::F32;
    const double value = single
                             ? double{std::bit_cast<float>(static_cast<std::uint32_t>(o.integer))}
                             : std::bit_cast<double>(o.integer);
    if (as == Type::F64 || (sizeOf(as) == 8 && !single))
        return constant(std::bit_cast<std::uint64_t>(value));
    if (as == Type::F16) return constant(halfOf(value));
    if (as == Type::BF16) return constant(bfloatOf(value));
    if (single) return constant(static_cast<std::uint64_t>(o.integer) & 0xffff'ffff);
    return constant(std::bit_cast<std::uint32_t>(static_cast<float>(value)));
}

Row Decoder::specialSource(const Operand& o)
{
    const int which = specialIndex(o.name);
    if (which < 0) unsupported("special register " + o.name);
    const Row row = temp();
    MicroOp& op = emit(Kind::Exec, specialOp);
    op.d = row;
    op.extra = static_cast<std::uint32_t>(which);
    op.visible = specialIsTime(which);
    return row;
}

Row Decoder::symbolSource(const Operand& o, std::uint64_t mask)
{
    const auto place = symbol(o.name);
    if (!place) unsupported("symbol " + o.name);
    if (p_.rankedAddresses && place->space == Space::SharedCta)
        return ownAddress((place->value + static_cast<std::uint64_t>(o.offset)) & mask);
    if (!place->frame)
        return constant((place->value + static_cast<std::uint64_t>(o.offset)) & mask);
    const Row row = temp();
    MicroOp& op = emit(Kind::Exec, frameAddressOp);
    op.d = row;
    op.offset = sum(static_cast<std::int64_t>(place->value), o.offset);
    return row;
}

Row Decoder::source(const Operand& o, Type as)
{
    const unsigned bytes = std::max(sizeOf(as), 1u);
    const std::uint64_t mask = bytes >= 8 ? ~0ull : (1ull << bytes * 8) - 1;
    if (bytes == 16 && o.kind != Operand::Kind::Register) unsupported("128-bit constant");
    switch (o.kind) {
        case Operand::Kind::Register:
            if (!o.name.empty()) unsupported("sub-register selector");
            if (o.negated) unsupported("negated register");
            if (isPredicate(o)) unsupported("predicate as a value");
            checkWide(o, as);
            return slot_[o.index];
        case Operand::Kind::Integer: return integerSource(o, as);
        case Operand::Kind::Float: return floatSource(o, as);
        case Operand::Kind::Special: return specialSource(o);
        case Operand::Kind::Symbol: return symbolSource(o, mask);
        case Operand::Kind::Address:
        case Operand::Kind::Vector:
        case Operand::Kind::Pair:
        case Operand::Kind::Sink:
        case Operand::Kind::List: break;
    }
    unsupported("operand form");
}

/// A 128-bit value takes two rows, which only a register of that width has.
void Decoder::checkWide(const Operand& o, Type as) const
{
    if (sizeOf(as) == 16 && registerBytes(o) != 16) unsupported("128 bits in a narrower register");
}

Row Decoder::destination(const Operand& o, Type as) const
{
    if (o.kind != Operand::Kind::Register || !o.name.empty() || isPredicate(o))
        unsupported("destination");
    checkWide(o, as);
    return slot_[o.index];
}

const ptx::Operand& Decoder::part(const Operand& o, std::size_t i) const
{
    if (i >= o.elements.size()) unsupported("too few elements");
    return o.elements[i];
}

unsigned Decoder::registerBytes(const Operand& o) const
{
    return o.kind == Operand::Kind::Register ? sizeOf(f_->registers[o.index].type) : 8;
}

bool Decoder::isPredicate(const Operand& o) const
{
    return o.kind == Operand::Kind::Register && f_->registers[o.index].type == Type::Pred;
}

PredRef Decoder::predicate(const Operand& o) const
{
    if (o.kind == Operand::Kind::Integer) return {-1, o.integer != 0};
    if (!isPredicate(o)) unsupported("predicate operand");
    return {slot_[o.index], o.negated};
}

std::int32_t Decoder::predicateDst(const Operand& o) const
{
    if (o.kind == Operand::Kind::Sink) return -1;
    if (!isPredicate(o)) unsupported("predicate destination");
    return slot_[o.index];
}

std::uint32_t Decoder::rowList(const std::vector<Row>& rows)
{
    const auto at = static_cast<std::uint32_t>(p_.rows.size());
    p_.rows.insert(p_.rows.end(), rows.begin(), rows.end());
    return at;
}

std::vector<Row> Decoder::vectorRows(const Operand& o, Type as, bool write)
{
    std::vector<Row> rows;
    const auto one = [&](const Operand& e) {
        rows.push_back(write ? destinationOrSink(e, as) : source(e, as));
        if (sizeOf(as) == 16) rows.push_back(rows.back() == kNoRow ? kNoRow : rows.back() + 1);
    };
    if (o.kind == Operand::Kind::Vector) {
        for (const Operand& e : o.elements) one(e);
    } else {
        one(o);
    }
    return rows;
}

std::optional<Decoder::SymbolPlace> Decoder::symbol(const std::string& name) const
{
    if (const auto at = frame_.find(name); at != frame_.end()) {
        const bool kernelParam =
            f_->entry && at->second.second->space == Space::Param &&
            std::any_of(f_->params.begin(), f_->params.end(),
                        [&](const ptx::Variable& v) { return v.name == name; });
        return SymbolPlace{kernelParam ? Space::Param : Space::Local, at->second.first,
                           !kernelParam};
    }
    for (const std::string& key : {f_->name + '/' + name, name}) {
        if (const auto s = symbols_.shared->find(key); s != symbols_.shared->end())
            return SymbolPlace{Space::SharedCta, s->second, false};
        if (const auto c = symbols_.constants->find(key); c != symbols_.constants->end())
            return SymbolPlace{Space::Const, c->second, false};
        if (const auto g = symbols_.globals->find(key); g != symbols_.globals->end())
            return SymbolPlace{Space::Global, g->second, false};
    }
    if (const auto f = symbols_.functions.find(name); f != symbols_.functions.end()) {
        return SymbolPlace{Space::Generic, kCodeBase + 16ull * p_.codes[f->second].number, false};
    }
    return std::nullopt;
}

}  // namespace gsu::exec
