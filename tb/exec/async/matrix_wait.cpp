// The end of wgmma: fence, groups, the wait for them, the end of a warp.
#include <fmt/format.h>

#include "exec/async/matrix_parts.hpp"

#include <algorithm>

namespace gsu::exec {

void MatrixEngine::fence(const Ctx& x)
{
    WarpState& w = stateOf(x);
    for (std::uint8_t& f : w.flags) f &= static_cast<std::uint8_t>(~kWritten);
}

void MatrixEngine::commit(const Ctx& x)
{
    ++stateOf(x).group;
    if (s_.accesses != nullptr)
        s_.accesses->onGroup(
            {.kind = AsyncOp::Kind::Matrix, .at = refOf(*x.warp), .lanes = x.group->lanes});
}

void MatrixEngine::wait(Ctx& x, const MicroOp& op, std::uint32_t pending)
{
    WarpState& w = stateOf(x);
    const bool open = std::any_of(w.operations.begin(), w.operations.end(),
                                  [&](const Operation& o) { return o.group == w.group; });
    const bool any = w.group > 1;  // something was ever committed
    if (open || !any)
        report(x, "TEN-016", Severity::Warning,
               open ? "wgmma.wait_group does not wait for the wgmma that are not committed yet"
                    : "wgmma.wait_group waits for nothing: no group was committed",
               op.line);
    if (s_.accesses != nullptr)
        s_.accesses->onGroup({.kind = AsyncOp::Kind::Matrix,
                              .at = refOf(*x.warp),
                              .lanes = x.group->lanes,
                              .line = op.line,
                              .waits = true,
                              .mayStay = pending});
    w.waitsBelow = w.group > pending ? w.group - pending : 0;
    if (w.waitsBelow == 0) return;
    if (!done(w)) {
        x.group->state = GroupState::Matrix;
        x.group->line = op.line;
        return;
    }
    settle(w, *x.warp);
}

/// A wgmma is one operation of the warpgroup: it is complete when the parts of all four warps are.
bool MatrixEngine::done(const WarpState& w) const
{
    const auto covered = static_cast<std::uint64_t>(
        std::count_if(w.operations.begin(), w.operations.end(),
                      [&](const Operation& o) { return o.group < w.waitsBelow; }));
    if (covered == 0) return true;
    const std::uint64_t needed = w.issued - w.operations.size() + covered;
    const Cta* cta = residents_.live(w.cta);
    if (cta == nullptr) return true;
    const unsigned first = w.warp / kWarpgroup * kWarpgroup;
    for (unsigned index = first; index < first + kWarpgroup && index < cta->warps.size(); ++index) {
        if (cta->warps[index].live == 0) continue;
        const auto other = warps_.find(keyOfWarp(w.cta, index));
        if (other == warps_.end() || other->second.issued - other->second.waiting < needed)
            return false;
    }
    return true;
}

/// Ends the wait when all operations that it covers are performed: accumulators that no later operation uses are in their registers again.
void MatrixEngine::settle(WarpState& w, Warp& warp)
{
    if (w.waitsBelow == 0 || !done(w)) return;
    while (!w.operations.empty() && w.operations.front().group < w.waitsBelow) {
        const Operation& o = w.operations.front();
        Accumulator& a = w.accumulators[o.accumulator];
        for (unsigned i = 0; i < o.info->a; ++i) {
            if (o.rows[i] >= 0)
                w.flags[o.regBase + static_cast<std::size_t>(o.rows[i])] &= ~kOperandA;
        }
        if (--a.open == 0) {
            store(warp, a);
            for (const std::uint32_t row : a.rows) {
                if (row != kSink) w.flags[row] &= ~kAccumulator;
            }
        }
        w.operations.pop_front();
    }
    w.waitsBelow = 0;
    // A register may belong to A of an operation that is still in flight.
    for (const Operation& o : w.operations) {
        for (unsigned i = 0; i < o.info->a; ++i) {
            if (o.rows[i] >= 0)
                w.flags[o.regBase + static_cast<std::size_t>(o.rows[i])] |= kOperandA;
        }
    }
    for (std::size_t i = 0; i < warp.groups.size(); ++i) {
        if (warp.groups[i].state != GroupState::Matrix) continue;
        lanes_.wake(warp, warp.groups[i]);
        break;
    }
}

void MatrixEngine::forget(const Warp& warp)
{
    const CtaKey cta = keyOf(*warp.cta);
    const auto found = warps_.find(keyOfWarp(cta, warp.index));
    if (found == warps_.end()) return;
    const auto group = agreements_.find(keyOfWarp(cta, warp.index / kWarpgroup));
    if (group != agreements_.end()) {
        Agreement& a = group->second;
        a.most = std::max(a.most, found->second.issued);
        a.least = std::min(a.least, found->second.issued);
        if (++a.ended == kWarpgroup) {
            if (a.most != a.least)
                s_.findings.add(
                    {"TEN-012", Severity::Error,
                     fmt::format("the warps of a warpgroup executed {} to {} wgmma.mma_async",
                                 a.least, a.most),
                     warp.cta->linear, warp.index, warp.full, 0, s_.now()});
            agreements_.erase(group);
        }
    }
    if (found->second.waiting == 0) warps_.erase(found);
    // waiters for the whole warpgroup wait for one warp less
    for (Warp& sibling : warp.cta->warps) {
        const auto other = warps_.find(keyOfWarp(cta, sibling.index));
        if (sibling.index / kWarpgroup == warp.index / kWarpgroup && sibling.live != 0 &&
            other != warps_.end())
            settle(other->second, sibling);
    }
}

}  // namespace gsu::exec
