#include "exec/lanes/loop_watcher.hpp"

#include <cstring>

#include "exec/memory/access.hpp"

namespace gsu::exec {
namespace {

bool sameRow(const std::uint64_t* a, const std::uint64_t* b, Lanes lanes)
{
    if (lanes == ~Lanes{0}) return std::memcmp(a, b, 32 * sizeof *a) == 0;
    std::uint64_t differ = 0;
    eachLane(lanes, [&](unsigned lane) { differ |= a[lane] ^ b[lane]; });
    return differ == 0;
}

bool sameState(const Warp& w, const Group& g, std::uint32_t rows, std::uint32_t preds)
{
    const LoopWatch& l = g.loop;
    if (l.pc != g.pc || l.code != g.code || l.lanes != g.lanes || l.stack != g.stack) return false;
    if (l.cells.size() != std::size_t{rows} * 32 || l.preds.size() != preds) return false;
    for (std::uint32_t r = 0; r < rows; ++r) {
        if (!sameRow(l.cells.data() + std::size_t{r} * 32, w.regs.data() + std::size_t{r} * 32,
                     g.lanes))
            return false;
    }
    for (std::uint32_t p = 0; p < preds; ++p) {
        if (((l.preds[p] ^ w.preds[p]) & g.lanes) != 0) return false;
    }
    if (l.local.size() != w.local.size()) return false;
    if (w.localStride == 0) return true;
    bool same = true;
    eachLane(g.lanes, [&](unsigned lane) {
        same = same && std::memcmp(l.local.data() + lane * w.localStride,
                                   w.local.data() + lane * w.localStride, w.localStride) == 0;
    });
    return same;
}

}  // namespace

void watchRead(const Ctx& ctx, const MicroOp& op, Lanes lanes)
{
    if (!op.polled) return;
    ReadWatch& reads = ctx.group->reads;
    reads.strong |= op.touch == Touch::Updates || op.strong;
    const auto first = static_cast<unsigned>(__builtin_ctz(lanes));
    reads.here = (reads.here ^ addressOf(ctx, op, first)) * 0x9e37'79b9'7f4a'7c15ull + op.line;
}

bool LoopWatcher::takeSuspicion() noexcept
{
    if (!suspected_) return false;
    suspected_ = false;
    suspectedAt_ = s_.progress.instructions();
    return true;
}

void LoopWatcher::backward(Warp& warp, Group& group)
{
    if (!group.tokens.empty()) {
        group.polling = group.reads.turn();
        if (group.polling) group.slice = s_.ep.slice;  // other groups of the warp first
    }
    constexpr Cycle kStill = 6000;  // a loop that polls shows itself in two rounds
    if (s_.progress.settled() || s_.now() - s_.progress.lastChangeAt() >= kStill)
        compare(warp, group);
}

void LoopWatcher::compare(const Warp& warp, Group& group)
{
    LoopWatch& l = group.loop;
    const Code& code = s_.program.codes[group.code];
    const std::uint32_t rows = group.regBase + code.rows, preds = group.predBase + code.preds;
    if (l.changes == s_.progress.changes()) {
        if (!l.looping && sameState(warp, group, rows, preds)) {
            l.looping = suspected_ = true;
            return;
        }
        if (l.looping) {  // others may have stopped since
            suspected_ = suspected_ || s_.progress.instructions() - suspectedAt_ >= s_.ep.quiet;
            return;
        }
        if (++l.steps < l.power) return;
        l.power *= 2;
    } else {
        l.power = 1;
        l.changes = s_.progress.changes();
    }
    l.steps = 0;
    l.looping = l.polled = false;
    l.pc = group.pc;
    l.code = group.code;
    l.lanes = group.lanes;
    l.stack = group.stack;
    l.cells.assign(warp.regs.begin(),
                   warp.regs.begin() + static_cast<std::ptrdiff_t>(std::size_t{rows} * 32));
    l.preds.assign(warp.preds.begin(), warp.preds.begin() + preds);
    l.local = warp.local;
}

}  // namespace gsu::exec
