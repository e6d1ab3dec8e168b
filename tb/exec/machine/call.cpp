// Calls and returns: register frames are stacked per group, parameters live in the lanes' local frames.
#include <cstring>

#include "exec/machine/warp_engine.hpp"

namespace gsu::exec {
namespace {

constexpr std::size_t kMaxDepth = 512;

std::uint64_t strideFor(const Warp& warp, std::uint64_t bytes)
{
    std::uint64_t stride = std::max<std::uint64_t>(warp.localStride, 256);
    while (stride < bytes) stride *= 2;
    return stride;
}

void growLocal(Warp& warp, std::uint64_t bytes)
{
    if (bytes <= warp.localStride) return;
    const std::uint64_t stride = strideFor(warp, bytes);
    std::vector<std::uint8_t> grown(stride * 32);
    for (unsigned lane = 0; lane < 32 && warp.localStride != 0; ++lane) {
        std::memcpy(grown.data() + lane * stride, warp.local.data() + lane * warp.localStride,
                    warp.localStride);
    }
    warp.local = std::move(grown);
    warp.localStride = stride;
}

/// Host bytes that a frame adds to what the warp has.
std::uint64_t growth(const Warp& warp, std::uint64_t localBytes, std::uint64_t rows)
{
    const std::uint64_t local =
        localBytes <= warp.localStride ? 0 : (strideFor(warp, localBytes) - warp.localStride) * 32;
    const std::uint64_t cells = rows * 32;
    return local + (cells <= warp.regs.size() ? 0 : (cells - warp.regs.size()) * 8);
}

/// Copies a parameter or result between two frames of the same lanes.
struct FrameRef {
    std::uint64_t localBase;
    std::uint32_t regBase, predBase;
};

std::uint64_t readSlot(const Warp& w, const FrameRef& f, const Slot& s, unsigned lane)
{
    if (s.reg != kNoRow) return w.regs[(f.regBase + static_cast<std::size_t>(s.reg)) * 32 + lane];
    if (s.pred >= 0) return w.preds[f.predBase + static_cast<std::size_t>(s.pred)] >> lane & 1;
    std::uint64_t value = 0;
    if (s.bytes == 0) return value;
    std::memcpy(&value, w.local.data() + lane * w.localStride + f.localBase + s.offset,
                std::min<std::uint64_t>(s.bytes, 8));
    return value;
}

void copySlot(Warp& w, const FrameRef& from, const Slot& src, const FrameRef& to, const Slot& dst,
              Lanes lanes)
{
    const bool inMemory = src.reg == kNoRow && src.pred < 0 && dst.reg == kNoRow && dst.pred < 0;
    eachLane(lanes, [&](unsigned lane) {
        std::uint8_t* base = w.local.data() + lane * w.localStride;
        if (inMemory) {
            if (src.bytes == 0 || dst.bytes == 0) return;
            std::memcpy(base + to.localBase + dst.offset, base + from.localBase + src.offset,
                        std::min(src.bytes, dst.bytes));
            return;
        }
        const std::uint64_t value = readSlot(w, from, src, lane);
        if (dst.reg != kNoRow) {
            w.regs[(to.regBase + static_cast<std::size_t>(dst.reg)) * 32 + lane] = value;
        } else if (dst.pred >= 0) {
            Lanes& p = w.preds[to.predBase + static_cast<std::size_t>(dst.pred)];
            p = (p & ~(1u << lane)) | (value != 0 ? 1u << lane : 0);
        } else if (dst.bytes != 0) {
            std::memcpy(base + to.localBase + dst.offset, &value,
                        std::min<std::uint64_t>(dst.bytes, 8));
        }
    });
}

/// The function at an address; kNone: there is none.
std::uint32_t codeAt(const Program& program, std::uint64_t address)
{
    const std::uint64_t number = (address - kCodeBase) / 16;
    const bool is = address >= kCodeBase && address % 16 == 0 && number < program.byNumber.size();
    return is ? program.byNumber[number] : ptx::kNone;
}

/// Where the callee's local frame begins.
std::uint64_t calleeLocal(const Group& g, const Code& from)
{
    return g.localBase + ((from.frameBytes + 15) & ~15ull);
}

/// Makes room for the callee's frame after the group's and fills in its parameters.
void enter(Warp& warp, const Group& g, const CallInfo& info, const Code& from, const Code& to,
           Lanes lanes)
{
    const FrameRef mine{g.localBase, g.regBase, g.predBase};
    const FrameRef theirs{calleeLocal(g, from), g.regBase + from.rows, g.predBase + from.preds};
    growLocal(warp, theirs.localBase + to.frameBytes);
    const std::size_t cells = (std::size_t{theirs.regBase} + to.rows) * 32;
    warp.regs.grow(cells);
    if (warp.preds.size() < std::size_t{theirs.predBase} + to.preds)
        warp.preds.resize(theirs.predBase + to.preds);
    for (std::size_t i = 0; i < info.args.size() && i < to.params.size(); ++i)
        copySlot(warp, mine, info.args[i], theirs, to.params[i], lanes);
}

}  // namespace

/// Takes bytes; false: there are not enough. Parallel SMs cannot take them in the order of one thread.
bool WarpEngine::take(std::uint64_t bytes)
{
    if (s_.part == nullptr) return bytes_.take(bytes);
    if (bytes != 0) s_.part->giveUp("stacks that grow");
    return bytes == 0;
}

void WarpEngine::call(Warp& warp, std::uint32_t index, const MicroOp& op, Lanes lanes)
{
    Group& g = warp.groups[index];
    if (lanes == 0) {
        ++g.pc;
        return;
    }
    if (lanes != g.lanes)
        return lanes_.diverge(warp, index, g.lanes & ~lanes, g.pc + 1, g.pc, true);
    const CallInfo& info = s_.program.calls[op.extra];
    std::uint32_t callee = info.callee;
    Ctx ctx = s_.context(warp, g);
    if (callee == ptx::kNone) {
        const std::uint64_t* target = ctx.src(info.via);
        if (lanes_.splitBy(warp, index, target, lanes)) return;
        callee = codeAt(s_.program, target[__builtin_ctz(lanes)]);
        if (callee == ptx::kNone) {
            faultLane(ctx, static_cast<unsigned>(__builtin_ctz(lanes)), "GEN-002",
                      "call through an address that is not a function", TrapKind::Target);
            ctx.fault.lanes = lanes;
            return fault(warp, ctx.fault, op);
        }
    }
    const Code& from = s_.program.codes[g.code];
    const Code& to = s_.program.codes[callee];
    const std::uint64_t localBase = calleeLocal(g, from);
    const std::uint64_t rows = std::uint64_t{g.regBase} + from.rows + to.rows;
    const bool deep = g.stack.size() >= kMaxDepth || localBase + to.frameBytes > kMaxLocal;
    const std::uint64_t more = deep ? 0 : growth(warp, localBase + to.frameBytes, rows);
    if (deep || !take(more)) {
        faultLane(ctx, static_cast<unsigned>(__builtin_ctz(lanes)), "GEN-002",
                  "call stack overflow in " + to.name, TrapKind::Stack);
        ctx.fault.lanes = lanes;
        return fault(warp, ctx.fault, op);
    }
    enter(warp, g, info, from, to, lanes);
    g.stack.push_back({g.code, g.pc, g.regBase, g.predBase, g.localBase});
    g.code = callee;
    g.pc = 0;
    g.regBase += from.rows, g.predBase += from.preds;
    g.localBase = localBase;
    Reconvergence::setParkPc(warp, g);
}

void WarpEngine::ret(Warp& warp, std::uint32_t index, const MicroOp& op, Lanes lanes)
{
    Group& g = warp.groups[index];
    if (lanes == 0) {
        ++g.pc;
        return;
    }
    if (g.stack.empty()) {
        ++g.pc;
        return exitLanes(warp, lanes, op, false);
    }
    // The lanes that stay continue at pc + 1; those that return meet them after the call.
    if (lanes != g.lanes)
        return lanes_.diverge(warp, index, g.lanes & ~lanes, g.pc + 1, g.pc, true);
    const Frame caller = g.stack.back();
    const Code& from = s_.program.codes[g.code];
    const CallInfo& info =
        s_.program.calls[s_.program.codes[caller.code].ops[caller.returnPc].extra];
    const FrameRef theirs{g.localBase, g.regBase, g.predBase};
    const FrameRef mine{caller.localBase, caller.regBase, caller.predBase};
    for (std::size_t i = 0; i < info.results.size() && i < from.returns.size(); ++i) {
        copySlot(warp, theirs, from.returns[i], mine, info.results[i], lanes);
    }
    g.stack.pop_back();
    g.code = caller.code;
    g.pc = caller.returnPc + 1;
    g.regBase = caller.regBase;
    g.predBase = caller.predBase;
    g.localBase = caller.localBase;
    Reconvergence::setParkPc(warp, g);
}

}  // namespace gsu::exec
