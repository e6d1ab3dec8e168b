#include "golden/mbarrier.hpp"

#include <fmt/format.h>

namespace gsu {
namespace {

bool addsTx(MbarOp op)
{
    return op == MbarOp::ExpectTx || op == MbarOp::ArriveExpectTx || op == MbarOp::DropExpectTx;
}
bool drops(MbarOp op) { return op == MbarOp::Drop || op == MbarOp::DropExpectTx; }
bool arrives(MbarOp op)
{
    return op == MbarOp::Arrive || op == MbarOp::ArriveExpectTx || op == MbarOp::CpAsyncArrive ||
           drops(op);
}

/// Arrivals of the operation: the expect_tx and cp.async forms arrive once whatever their amount.
std::uint32_t countOf(const MbarRequest& r)
{
    return r.op == MbarOp::Arrive || r.op == MbarOp::Drop || r.op == MbarOp::Init ? r.amount : 1;
}

std::int64_t txOf(const MbarRequest& r)
{
    if (addsTx(r.op)) return r.amount;
    return r.op == MbarOp::CompleteTx ? -std::int64_t{r.amount} : 0;
}

/// Every condition under which the operation is refused as a whole (D-25..D-28, D-36, D-39, D-42, A-12).
unsigned refusalOf(const MbarState& s, const MbarRequest& r, MbarPolicy policy)
{
    const std::uint32_t count = countOf(r);
    const bool init = r.op == MbarOp::Init;  // overwrites whatever was there
    if (policy.sm80 && (addsTx(r.op) || r.op == MbarOp::CompleteTx)) return kMbErrProfile;
    if (s.lock && !init) return kMbErrLocked;
    if (s.retired() && !init) return kMbErrRetired;
    if (count == 0 || count > kMbarMax) return kMbErrCount;
    if (init) return 0;
    unsigned errs = 0;
    const std::int64_t tx = s.tx + txOf(r);
    if (tx > std::int64_t{kMbarMax} || tx < -std::int64_t{kMbarMax}) errs |= kMbErrTx;
    if (arrives(r.op) && count > s.pending) errs |= kMbErrPending;
    if (drops(r.op) && count > s.expected) errs |= kMbErrDrop;
    if (r.op == MbarOp::CpAsyncIncrement && s.pending == kMbarMax) errs |= kMbErrCpaMax;
    return errs;
}

}  // namespace

const char* nameOf(MbarOp op) noexcept
{
    switch (op) {
        case MbarOp::Init: return "init";
        case MbarOp::ExpectTx: return "expect_tx";
        case MbarOp::CompleteTx: return "complete_tx";
        case MbarOp::Arrive: return "arrive";
        case MbarOp::ArriveExpectTx: return "arrive.expect_tx";
        case MbarOp::Drop: return "arrive_drop";
        case MbarOp::DropExpectTx: return "arrive_drop.expect_tx";
        case MbarOp::CpAsyncIncrement: return "cp.async increment";
        case MbarOp::CpAsyncArrive: return "cp.async arrive";
    }
    return "?";
}

MbarNext mbarNext(MbarState s, const MbarRequest& r, MbarPolicy policy) noexcept
{
    MbarNext next{};
    const unsigned refusal = refusalOf(s, r, policy);
    if (refusal != 0) {
        // An operation that the profile does not have never reads the object.
        const bool looks = r.op != MbarOp::Init && (refusal & kMbErrProfile) == 0;
        s.lock = s.lock || (policy.lockOnError && looks);
        return {s, 0, static_cast<std::uint16_t>(refusal), true, false};
    }
    if (r.op == MbarOp::Init) return {{false, false, r.amount, r.amount, 0}, 0, 0, false, false};
    unsigned errs = 0;
    s.tx = static_cast<std::int32_t>(s.tx + txOf(r));
    if (r.op == MbarOp::CpAsyncIncrement) s.pending += 1;
    if (arrives(r.op)) {
        next.result = packMbar(s);
        s.pending -= countOf(r);
    }
    if (drops(r.op)) {
        s.expected -= countOf(r);
        if (s.expected == 0) errs |= kMbErrDropZero;
    }
    if (s.pending == 0 && s.tx == 0) {
        next.flip = true;
        s.phase = !s.phase;
        s.pending = s.expected;
        if (r.noComplete) errs |= kMbErrNoComplete;
    }
    next.state = s;
    next.errs = static_cast<std::uint16_t>(errs);
    return next;
}

std::string describe(const MbarState& s)
{
    return fmt::format("phase parity {:d}, pending {}, expected {}, tx {}{}{}", s.phase, s.pending,
                       s.expected, s.tx, s.lock ? ", locked" : "", s.retired() ? ", retired" : "");
}

}  // namespace gsu
