// tcgen05.ld and st, and the waits for them.
#include <algorithm>

#include "exec/tcgen05/tensor_cores.hpp"
#include "exec/visibility/form.hpp"

namespace gsu::exec {
namespace {

constexpr unsigned kRegisterBytes = 32 * 4;  ///< of all lanes

}  // namespace

/// The place of the warp's registers in tensor memory; false: there is none, and the lanes have a fault.
bool TensorCores::moveOf(Ctx& x, const MicroOp& op, Lanes lanes, Move& move, PlanPtr& plan)
{
    const Tcgen05Info& info = s_.program.tcgen05s[op.extra];
    const bool storing = op.tcgen05.stores;
    checkWarp(x, op, lanes, storing ? "tcgen05.st" : "tcgen05.ld", {info.d.row});
    const auto lane = static_cast<unsigned>(__builtin_ctz(lanes));
    const auto at = tmem::Address::of(static_cast<std::uint32_t>(x.src(info.d.row)[lane]) +
                                      static_cast<std::uint32_t>(info.d.offset));
    if (const auto strict = tmem::firstLane(x.warp->index, at.lane, true); !strict)
        report(x, op.line, strict.refusal(), Severity::Warning);
    move.transfer = info.transfer;
    move.lane = *tmem::firstLane(x.warp->index, at.lane, false);
    move.column = at.column;
    move.rows = s_.program.rows.data() + op.list;
    move.regBase = x.group->regBase;
    move.lanes = lanes;
    const MoveKey key{static_cast<std::uint32_t>(info.transfer.shape),
                      info.transfer.repeat,
                      info.transfer.packed,
                      info.transfer.split,
                      storing,
                      move.lane,
                      move.column};
    PlanPtr& known = moves_[key];
    if (known == nullptr) {
        const auto judged = tmem::planOf(info.transfer, storing, move.lane, move.column);
        if (!judged) {
            refuse(x, op, lanes, judged.refusal());
            return false;
        }
        known = std::make_shared<tmem::Plan>(*judged);
    }
    plan = known;
    x.cta->tensor = true;
    checkColumns(x, op, {{x.cta, nullptr}, 1}, *plan);
    return true;
}

/// Moves on the same cells keep the order of their issue, as public kernels rely on, except under exec.memory=weak: there each is performed
/// at a time of its own, as the text allows.
Cycle TensorCores::performsAfter(const Ctx& x, Cycle& last, const TensorOp& op, const Move& move)
{
    const Cta& cta = *x.cta;
    const unsigned registers = move.transfer.registers();
    Cycle due{};
    if (s_.timingAdapter != nullptr)
        due = std::max(
            s_.timingAdapter->tensorMove(*x.warp, std::uint64_t{registers} * kRegisterBytes),
            s_.now() + 1);
    else
        due = s_.now() + jittered(cta, s_.ep.tmem_lat, s_.ep.tmem_jitter) + registers / 4;
    if (s_.ep.memory != static_cast<std::uint32_t>(visibility::Form::Weak))
        due = std::max(due, sideOf(cta).order.movesBefore(op));
    return last = std::max(last, due);
}

void TensorCores::load(Ctx& x, const MicroOp& op, Lanes lanes)
{
    Move move;
    PlanPtr plan;
    if (!moveOf(x, op, lanes, move, plan)) return;
    WarpSide& warp = warpOf(x);
    const OpPtr made = operation(x, op, TensorOp::Kind::Load, 0, plan);
    made->performs = performsAfter(x, warp.lastLoad, *made, move);
    warp.registersReady.resize(std::max(warp.registersReady.size(), x.warp->regs.size() / 32));
    for (unsigned i = 0; i < move.transfer.registers(); ++i)
        warp.registersReady[move.regBase + static_cast<std::size_t>(move.rows[i])] = made->performs;
    ++x.warp->loading;
    issue(x, made, {{x.cta, nullptr}, 1}, {nullptr, std::move(move)});
}

void TensorCores::store(Ctx& x, const MicroOp& op, Lanes lanes)
{
    Move move;
    PlanPtr plan;
    if (!moveOf(x, op, lanes, move, plan)) return;
    const OpPtr made = operation(x, op, TensorOp::Kind::Store, 0, plan);
    made->performs = performsAfter(x, warpOf(x).lastStore, *made, move);
    move.values.resize(move.transfer.registers());
    for (std::size_t i = 0; i < move.values.size(); ++i) {
        const std::uint64_t* from = x.src(move.rows[i]);
        std::transform(from, from + 32, move.values[i].begin(),
                       [](std::uint64_t v) { return static_cast<std::uint32_t>(v); });
    }
    issue(x, made, {{x.cta, nullptr}, 1}, {nullptr, std::move(move)});
}

void TensorCores::perform(const TensorOp& op, const Move& what)
{
    Cta* cta = residents_.live(op.issuer);
    if (cta == nullptr) return;
    tmem::TensorMemory& memory = tensorMemory(cta->launch.sm).memory;
    if (op.kind == TensorOp::Kind::Store)
        return tmem::store(what.transfer, memory, what.lane, what.column, what.values);
    Warp& warp = cta->warps[op.warp];
    --warp.loading;
    std::vector<std::array<std::uint32_t, 32>> values(what.transfer.registers());
    tmem::load(what.transfer, memory, what.lane, what.column, values);
    for (std::size_t i = 0; i < values.size(); ++i) {
        std::uint64_t* row =
            warp.regs.data() +
            (std::size_t{what.regBase} + static_cast<std::size_t>(what.rows[i])) * 32;
        eachLane(what.lanes & warp.live, [&](unsigned l) { row[l] = values[i][l]; });
    }
}

void TensorCores::wait(Ctx& x, const MicroOp& op, Lanes lanes, TensorOp::Kind kind)
{
    const bool loads = kind == TensorOp::Kind::Load;
    checkWarp(x, op, lanes, loads ? "tcgen05.wait::ld" : "tcgen05.wait::st", {});
    WarpSide& warp = warpOf(x);
    sideOf(*x.cta).order.waited(keyOf(*x.cta), x.warp->index, kind, tick());
    x.group->readyAt = std::max(x.group->readyAt, loads ? warp.lastLoad : warp.lastStore);
}

/// An instruction waits for a register that a load has not yet written if it names the register, a return for all of them; no other
/// instruction waits.
Cycle TensorCores::heldUntil(const Ctx& x)
{
    const Code& code = s_.program.codes[x.group->code];
    const auto& touched = code.touched;
    const std::uint32_t pc = x.group->pc;
    const WarpSide& warp = warpOf(x);
    Cycle until = code.ops[pc].kind == Kind::Ret ? warp.lastLoad : 0;
    if (until <= s_.now() && (pc >= touched.size() || touched[pc].empty())) return 0;
    if (pc >= touched.size()) return until;
    const std::vector<Cycle>& ready = warp.registersReady;
    for (const Row r : touched[pc]) {
        const auto row = x.group->regBase + static_cast<std::size_t>(r & (kWrites - 1));
        if (row < ready.size()) until = std::max(until, ready[row]);
    }
    return until > s_.now() ? until : 0;
}

}  // namespace gsu::exec
