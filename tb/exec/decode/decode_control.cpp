// Branches, calls, and the immediate post-dominators at which split lanes meet again.
#include "exec/decode/decoder.hpp"
#include "exec/ops/device_runtime_calls.hpp"
#include "exec/program/builtin_names.hpp"

namespace gsu::exec {

void Decoder::bra()
{
    const Operand& target = operand(0);
    if (target.kind != Operand::Kind::Symbol) unsupported("branch target");
    emit(Kind::Branch).cls = Class::Control;
    fixups_.emplace_back(code_->ops.size() - 1, target.name);
}

void Decoder::brx()
{
    const Row index = source(0, Type::U32);
    const Operand& list = operand(1);
    for (const ptx::Table& t : f_->tables) {
        if (t.name != list.name || t.kind != ptx::Table::Kind::BranchTargets) continue;
        MicroOp& op = emit(Kind::BranchIndexed);
        op.a = index;
        op.target = static_cast<std::uint32_t>(p_.tables.size());
        p_.tables.emplace_back();
        tableFixups_.emplace_back(op.target, t.entries);
        return;
    }
    unsupported("branch target list");
}

/// The place of one argument or result of a call; a value without a register of its own gets one.
Slot Decoder::callSlot(const Operand& o, bool write)
{
    Slot s;
    if (o.kind == Operand::Kind::Symbol) {
        const auto found = frame_.find(o.name);
        if (found == frame_.end()) unsupported("call argument " + o.name);
        s.offset = found->second.first + static_cast<std::uint64_t>(o.offset);
        s.bytes = found->second.second->bytes;
        if (o.offset != 0) unsupported("call argument with an offset");
    } else if (isPredicate(o)) {
        s.pred = slot_[o.index];
    } else if (write || o.kind == Operand::Kind::Register) {
        s.reg = destinationOrSink(o);
    } else {
        const Row from = source(o, Type::B64);
        s.reg = temp();
        MicroOp& move = emit(Kind::Exec, nullptr);
        move.fn = [](Ctx& x, const MicroOp& m, Lanes lanes) {
            eachLane(lanes, [&](unsigned l) { x.row(m.d)[l] = x.src(m.a)[l]; });
        };
        move.d = s.reg;
        move.a = from;
    }
    return s;
}

/// A vector register passes its components.
std::vector<Slot> Decoder::callSlots(const Operand& list, bool write)
{
    std::vector<Slot> out;
    for (const Operand& o : list.elements) {
        if (o.kind != Operand::Kind::Vector) {
            out.push_back(callSlot(o, write));
            continue;
        }
        for (const Operand& e : o.elements) out.push_back(callSlot(e, write));
    }
    return out;
}

void Decoder::callOp()
{
    std::size_t at = 0;
    std::vector<Slot> results, args;
    if (operand(0).kind == Operand::Kind::List) results = callSlots(operand(at++), true);
    const Operand& target = operand(at++);
    if (at < operands() && operand(at).kind == Operand::Kind::List)
        args = callSlots(operand(at++), false);
    if (target.kind == Operand::Kind::Symbol && !symbols_.functions.contains(target.name)) {
        const auto kind = builtinOf(target.name);
        if (!kind) unsupported(target.name + " is declared, and no module of \"ptx\" defines it");
        MicroOp& op = emit(Kind::Exec, builtinOp);
        op.visible = true;
        op.cls = Class::Global;
        op.extra = static_cast<std::uint32_t>(p_.builtins.size());
        p_.builtins.push_back({*kind, args, results});
        return;
    }
    CallInfo info;
    info.args = std::move(args);
    info.results = std::move(results);
    if (target.kind == Operand::Kind::Symbol) {
        info.callee = symbols_.functions.at(target.name);
    } else {
        info.via = source(target, Type::B64);
    }
    MicroOp& op = emit(Kind::Call);
    op.cls = Class::Control;
    op.extra = static_cast<std::uint32_t>(p_.calls.size());
    p_.calls.push_back(std::move(info));
}

void Decoder::retOp()
{
    if (stackRow_ != kNoRow) keepStack(1);
    emit(Kind::Ret);
}
void Decoder::exitOp() { emit(Kind::Exit); }
void Decoder::trapOp() { emit(in_->opcode == "trap" ? Kind::Trap : Kind::Break); }

void Decoder::sleepOp()
{
    const Row ns = source(0, Type::U32);
    emit(Kind::Sleep).a = ns;
}

/// setmaxnreg moves registers that this model does not count, pmevent triggers counters it does not have.
void Decoder::noEffect()
{
    MicroOp& op = emit(in_->opcode == "setmaxnreg" ? Kind::Collective : Kind::Exec);
    op.fn = [](Ctx&, const MicroOp&, Lanes) {};
}

namespace {

/// Nodes of the reversed graph from the exit, each after those that it reaches.
std::vector<std::uint32_t> postOrder(const std::vector<std::vector<std::uint32_t>>& predecessors)
{
    const auto n = static_cast<std::uint32_t>(predecessors.size() - 1);
    std::vector<std::uint32_t> order;
    std::vector<std::pair<std::uint32_t, std::size_t>> stack{{n, 0}};
    std::vector<bool> seen(n + 1);
    seen[n] = true;
    while (!stack.empty()) {
        auto& [node, next] = stack.back();
        if (next < predecessors[node].size()) {
            const std::uint32_t p = predecessors[node][next++];
            if (!seen[p]) {
                seen[p] = true;
                stack.emplace_back(p, 0);
            }
            continue;
        }
        order.push_back(node);
        stack.pop_back();
    }
    return order;
}

/// Immediate post-dominators over the reversed graph (Cooper, Harvey and Kennedy); node n is the virtual exit.
std::vector<std::uint32_t>
postDominatorsOf(const std::vector<std::vector<std::uint32_t>>& successors)
{
    const auto n = static_cast<std::uint32_t>(successors.size());
    std::vector<std::vector<std::uint32_t>> predecessors(n + 1);
    for (std::uint32_t i = 0; i < n; ++i) {
        for (const std::uint32_t s : successors[i]) predecessors[s].push_back(i);
    }
    const std::vector<std::uint32_t> order = postOrder(predecessors);
    std::vector<std::uint32_t> number(n + 1, ptx::kNone);
    for (std::uint32_t i = 0; i < order.size(); ++i) number[order[i]] = i;
    std::vector<std::uint32_t> idom(n + 1, ptx::kNone);
    idom[n] = n;
    for (bool changed = true; changed;) {
        changed = false;
        for (auto it = order.rbegin(); it != order.rend(); ++it) {
            if (*it == n) continue;
            std::uint32_t best = ptx::kNone;
            for (std::uint32_t s : successors[*it]) {
                if (idom[s] == ptx::kNone) continue;
                if (best == ptx::kNone) {
                    best = s;
                    continue;
                }
                while (s != best) {
                    while (number[s] < number[best]) s = idom[s];
                    while (number[best] < number[s]) best = idom[best];
                }
            }
            if (idom[*it] != best) {
                idom[*it] = best;
                changed = true;
            }
        }
    }
    return idom;
}

}  // namespace

void Decoder::postDominators()
{
    const auto& ops = code_->ops;
    const auto n = static_cast<std::uint32_t>(ops.size());
    std::vector<std::vector<std::uint32_t>> successors(n);
    for (std::uint32_t i = 0; i < n; ++i) {
        const MicroOp& op = ops[i];
        const bool guarded = op.guard.index >= 0;
        const bool ends = op.kind == Kind::Ret || op.kind == Kind::Exit || op.kind == Kind::Trap ||
                          op.kind == Kind::Break || op.kind == Kind::Unsupported;
        if (op.kind == Kind::Branch) successors[i].push_back(op.target);
        if (op.kind == Kind::BranchIndexed) successors[i] = p_.tables[op.target];
        // Lanes that exit under a guard are gone; they do not keep the others from meeting again.
        const bool vanishes = ends && guarded && (op.kind != Kind::Ret || f_->entry);
        if (ends && !vanishes) successors[i].push_back(n);
        const bool falls =
            guarded || (!ends && op.kind != Kind::Branch && op.kind != Kind::BranchIndexed);
        if (falls) successors[i].push_back(i + 1 < n ? i + 1 : n);
    }
    const std::vector<std::uint32_t> idom = postDominatorsOf(successors);
    code_->reconverge.resize(n);
    for (std::uint32_t i = 0; i < n; ++i) {
        code_->reconverge[i] = idom[i] == n ? ptx::kNone : idom[i];
    }
}

}  // namespace gsu::exec
