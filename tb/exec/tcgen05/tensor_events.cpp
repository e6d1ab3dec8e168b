// Reports on tcgen05 to an observer.
#include <fmt/format.h>

#include <algorithm>

#include "exec/tcgen05/tensor_cores.hpp"

namespace gsu::exec {
namespace {

TensorActivity::Kind kindOf(TensorOp::Kind kind) noexcept
{
    switch (kind) {
        case TensorOp::Kind::Multiply: return TensorActivity::Kind::Multiply;
        case TensorOp::Kind::Copy: return TensorActivity::Kind::Copy;
        case TensorOp::Kind::Shift: return TensorActivity::Kind::Shift;
        case TensorOp::Kind::Load: return TensorActivity::Kind::Load;
        case TensorOp::Kind::Store: break;
    }
    return TensorActivity::Kind::Store;
}

}  // namespace

void TensorCores::tell(const Flight& flight)
{
    if (observer_ == nullptr) return;
    const TensorOp& op = *flight.op;
    TensorActivity a;
    a.kind = kindOf(op.kind);
    a.at = {op.issuer.sm, op.issuer.slot, op.warp};
    a.from = op.begins;
    a.to = op.performs;
    a.busy = op.busy;
    a.line = op.line;
    a.name = op.name();
    if (const auto* product = std::get_if<Multiply>(&flight.what)) {
        const tmem::Instruction& i = product->instruction;
        a.name += fmt::format(" {} x {} x {}", i.m, i.n, i.k);
    }
    observer_->onTensor(a);
}

void TensorCores::tellCommit(const Ctx& x, const MicroOp& op)
{
    if (observer_ == nullptr) return;
    TensorActivity a;
    a.kind = TensorActivity::Kind::Commit;
    a.at = refOf(*x.warp);
    a.from = a.to = s_.now();
    a.line = op.line;
    observer_->onTensor(a);
}

void TensorCores::tellColumns(TensorActivity::Kind kind, const Cta& cta, const Held& held) const
{
    TensorActivity a;
    a.kind = kind;
    a.at = {cta.launch.sm, cta.launch.cta, held.warp};
    a.from = held.from;
    a.to = s_.now();
    a.column = held.column;
    a.columns = held.columns;
    a.taken = held.taken;
    a.waited = held.waited;
    observer_->onTensor(a);
}

/// The warp's columns are now its CTA's. `now`: it did not have to wait.
void TensorCores::hold(const Cta& cta, const Waiter& waiter, unsigned column, bool now)
{
    if (observer_ == nullptr) return;
    Held held{waiter.warp, column, waiter.columns, 0, !now, waiter.since};
    for (const auto& all : tensorMemory(cta.launch.sm).columns.allocations())
        held.taken += all.columns;
    tellColumns(TensorActivity::Kind::Grant, cta, held);
    held.from = s_.now();
    sideOf(cta).held.push_back(held);
}

void TensorCores::release(const Cta& cta, unsigned column)
{
    std::vector<Held>& held = sideOf(cta).held;
    const auto at =
        std::find_if(held.begin(), held.end(), [&](const Held& h) { return h.column == column; });
    if (at == held.end()) return;
    tellColumns(TensorActivity::Kind::Columns, cta, *at);
    held.erase(at);
}

/// Call when the CTA ends.
void TensorCores::releaseAll(const Cta& cta)
{
    for (const Held& held : sideOf(cta).held) tellColumns(TensorActivity::Kind::Columns, cta, held);
    sideOf(cta).held.clear();
}

}  // namespace gsu::exec
