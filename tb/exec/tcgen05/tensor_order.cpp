#include "exec/tcgen05/tensor_order.hpp"

#include <algorithm>
#include <utility>

namespace gsu::exec {
namespace {

using OpKind = TensorOp::Kind;
using Part = TensorOrder::Part;

bool overlap(const tmem::Window& a, const tmem::Window& b) noexcept
{
    return a.at.column < b.at.column + b.columns && b.at.column < a.at.column + a.columns &&
           a.at.lane < b.at.lane + b.lanes && b.at.lane < a.at.lane + a.lanes;
}

/// Use of the same cells by two operations.
struct Conflict {
    bool readsWritten{};   ///< the second reads what the first writes
    bool writesWritten{};  ///< both write
    bool writesRead{};     ///< the second writes what the first reads
    /// the second writes all cells that the first writes, and does not only read them
    bool plain{true};
    [[nodiscard]] bool any() const noexcept { return readsWritten || writesWritten || writesRead; }
};

Conflict conflictOf(const TensorOp& first, unsigned firstSide, const TensorOp& second,
                    unsigned side)
{
    Conflict c;
    for (const tmem::CellAccess& a : first.plan->cells) {
        if (a.cta != firstSide) continue;
        for (const tmem::CellAccess& b : second.plan->cells) {
            if (b.cta != side || !(a.writes || b.writes) || !overlap(a.window, b.window)) continue;
            c.readsWritten |= a.writes && b.reads;
            c.writesWritten |= a.writes && b.writes;
            c.writesRead |= a.reads && b.writes;
            c.plain &= !a.writes || b.writes;
        }
    }
    return c;
}

bool sameThread(const TensorOp& a, const TensorOp& b) noexcept
{
    return a.issuer == b.issuer && a.warp == b.warp && a.lane == b.lane;
}

bool sameWarp(const TensorOp& a, const TensorOp& b) noexcept
{
    return a.issuer == b.issuer && a.warp == b.warp;
}

TensorProblem problem(const char* rule, const char* text, const TensorOp& with)
{
    return {rule, text, &with};
}

/// A synchronization is there, and only its fence is missing.
TensorProblem missingFence(const char* rule, const char* text, const TensorOp& with)
{
    return {rule, text, &with, true};
}

/// Checks the two fences between threads: after the first operation, before the second one.
std::optional<TensorProblem> problemOfFences(const TensorOp& first, const TensorOp& second,
                                             std::uint64_t after)
{
    const bool committed = first.onCore() && first.awaited != 0;  // a commit holds the first fence
    if (sameWarp(first, second) && !committed) return std::nullopt;
    if (!committed && first.fenced == 0)
        return missingFence("TC5-083",
                            "no tcgen05.fence::before_thread_sync of its warp has followed", first);
    if (after > (committed ? first.awaited : first.fenced)) return std::nullopt;
    return missingFence(
        "TC5-084",
        "no tcgen05.fence::after_thread_sync stands between the synchronization with it "
        "and this",
        first);
}

/// Whether a shift is kept in order: after a product, and before one or a cp.4x256b.
bool shiftKeptInOrder(const TensorOp& first, const TensorOp& second)
{
    if (first.kind == OpKind::Multiply || second.kind == OpKind::Multiply) return true;
    return second.kind == OpKind::Copy && second.narrow;
}

/// Whether the tensor core performs them in the order of their issue by a thread. A copy or product that overwrites the operands of the
/// preceding product is common in public kernels, and kept in order, too.
bool keptInOrder(const TensorOp& first, const TensorOp& second, const Conflict& c)
{
    if (first.kind == OpKind::Shift || second.kind == OpKind::Shift)
        return shiftKeptInOrder(first, second);
    if (first.kind == OpKind::Copy || (!c.readsWritten && !c.writesWritten)) return true;
    return second.kind == OpKind::Multiply && c.plain && first.accumulator == second.accumulator;
}

/// Whether neither needs a wait for the other.
bool follows(const TensorOp& first, const TensorOp& second, const Conflict& c, std::uint64_t after)
{
    return keptInOrder(first, second, c) &&
           (sameThread(first, second) || (first.fenced != 0 && after > first.fenced));
}

std::optional<TensorProblem> problemOnCore(const TensorOp& first, const TensorOp& second,
                                           const Conflict& c, std::uint64_t after)
{
    if (follows(first, second, c, after)) return std::nullopt;
    if (!keptInOrder(first, second, c) && first.awaited == 0)
        return problem("TC5-087",
                       first.kind == OpKind::Shift || second.kind == OpKind::Shift
                           ? "a shift is kept in order with products and a later cp.4x256b, not "
                             "with this, and no wait has found a commit after the first"
                           : "another accumulator or shape: they are not kept in order, and no "
                             "wait has found a commit after the first",
                       first);
    return problemOfFences(first, second, after);
}

std::optional<TensorProblem> judge(const TensorOp& first, const TensorOp& second, const Conflict& c,
                                   std::uint64_t after)
{
    if (first.onCore() && second.onCore()) return problemOnCore(first, second, c, after);
    if (first.awaited != 0) return problemOfFences(first, second, after);
    switch (first.kind) {
        case OpKind::Multiply:
        case OpKind::Copy:
        case OpKind::Shift:
            return c.readsWritten || c.writesWritten
                       ? problem("TC5-080", "no wait has found a later commit", first)
                       : problem("TC5-085",
                                 "which still reads it: no wait has found a later commit", first);
        case OpKind::Load:
            return problem("TC5-082", "no tcgen05.wait::ld of its warp has followed", first);
        case OpKind::Store:
            if (sameWarp(first, second) && second.kind == OpKind::Store) return std::nullopt;
            return problem("TC5-081", "no tcgen05.wait::st of its warp has followed", first);
    }
    return std::nullopt;
}

void markAwaited(TensorOp& op, std::uint64_t now)
{
    op.awaited = now;
    for (const std::shared_ptr<TensorOp>& earlier : std::exchange(op.before, {}))
        if (earlier->awaited == 0) markAwaited(*earlier, now);
}

bool touches(const Part& part, unsigned column, unsigned columns)
{
    const auto& cells = part.op->plan->cells;
    return std::any_of(cells.begin(), cells.end(), [&](const tmem::CellAccess& c) {
        return c.cta == part.side && c.window.at.column < column + columns &&
               column < c.window.at.column + c.window.columns;
    });
}

}  // namespace

const char* TensorOp::name() const noexcept
{
    constexpr std::array<const char*, 5> kNames{"tcgen05.mma", "tcgen05.cp", "tcgen05.shift",
                                                "tcgen05.ld", "tcgen05.st"};
    return kNames[static_cast<std::size_t>(kind)];
}

std::optional<TensorProblem> TensorOrder::problemOf(const TensorOp& op, unsigned side,
                                                    std::uint64_t fencedAfter) const
{
    // The youngest first: it is the one that a kernel's author thinks of. A missing fence hides no worse error.
    std::optional<TensorProblem> fence;
    for (auto part = parts_.rbegin(); part != parts_.rend(); ++part) {
        const Conflict c = conflictOf(*part->op, part->side, op, side);
        if (!c.any()) continue;
        const auto found = judge(*part->op, op, c, fencedAfter);
        if (found && !found->fence) return found;
        if (!fence) fence = found;
    }
    return fence;
}

void TensorOrder::add(const std::shared_ptr<TensorOp>& op, unsigned side, std::uint64_t fencedAfter)
{
    for (const Part& p : parts_) {
        if (!op->onCore() || !p.op->onCore() || p.op->awaited != 0 || sameThread(*p.op, *op))
            continue;
        const Conflict c = conflictOf(*p.op, p.side, *op, side);
        if (c.any() && follows(*p.op, *op, c, fencedAfter)) op->before.push_back(p.op);
    }
    std::erase_if(parts_, [&](const Part& p) {
        return p.side == side && p.op->kind == op->kind && p.op->plan == op->plan &&
               sameThread(*p.op, *op);
    });
    Part part{op, side};
    for (const tmem::SharedAccess& a : op->plan->shared) {
        if (a.cta != side) continue;
        part.low = std::min(part.low, a.first);
        part.high = std::max(part.high, a.first + a.bytes);
    }
    parts_.push_back(part);
}

void TensorOrder::awaited(const CtaKey& issuer, unsigned warp, unsigned lane, std::uint64_t moment,
                          std::uint64_t now)
{
    for (const Part& p : parts_) {
        TensorOp& op = *p.op;
        if (op.onCore() && op.awaited == 0 && op.issued <= moment && op.issuer == issuer &&
            op.warp == warp && op.lane == lane)
            markAwaited(op, now);
    }
}

void TensorOrder::waited(const CtaKey& issuer, unsigned warp, TensorOp::Kind kind,
                         std::uint64_t now)
{
    for (const Part& p : parts_) {
        TensorOp& op = *p.op;
        if (op.kind == kind && op.awaited == 0 && op.issuer == issuer && op.warp == warp)
            op.awaited = now;
    }
}

void TensorOrder::fenced(const CtaKey& issuer, unsigned warp, std::uint64_t now)
{
    for (const Part& p : parts_) {
        TensorOp& op = *p.op;
        const bool counts = op.onCore() || op.awaited != 0;
        if (op.fenced == 0 && counts && op.issuer == issuer && op.warp == warp) op.fenced = now;
    }
}

Cycle TensorOrder::movesBefore(const TensorOp& op) const
{
    Cycle last = 0;
    for (const Part& p : parts_) {
        if (p.op->onCore() || p.op->performed || p.op->performs <= last) continue;
        if (conflictOf(*p.op, p.side, op, 0).any()) last = p.op->performs;
    }
    return last;
}

const TensorOp* TensorOrder::reading(std::uint32_t offset, std::uint32_t bytes) const
{
    for (const Part& p : parts_) {
        if (offset >= p.high || offset + bytes <= p.low || p.op->awaited != 0) continue;
        for (const tmem::SharedAccess& a : p.op->plan->shared) {
            if (a.cta == p.side && offset < a.first + a.bytes && a.first < offset + bytes)
                return p.op.get();
        }
    }
    return nullptr;
}

const TensorOp* TensorOrder::user(unsigned column, unsigned columns) const
{
    for (const Part& p : parts_) {
        const bool open = p.op->onCore() ? p.op->awaited == 0 : !p.op->performed;
        if (open && touches(p, column, columns)) return p.op.get();
    }
    return nullptr;
}

void TensorOrder::forget(unsigned column, unsigned columns)
{
    std::erase_if(parts_, [&](const Part& p) { return touches(p, column, columns); });
}

}  // namespace gsu::exec
