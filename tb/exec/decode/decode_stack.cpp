// alloca, stacksave and stackrestore: each lane has a stack of its own above the function frames. A function frees its stack when it returns.
#include <fmt/format.h>

#include "base/align.hpp"
#include "exec/decode/decoder.hpp"
#include "exec/memory/access.hpp"

namespace gsu::exec {
namespace {

constexpr std::uint64_t kMaxStack = 128 * 1024;  ///< bytes of one lane

std::vector<std::uint8_t>& stackOf(const Ctx& x, unsigned lane)
{
    auto& stacks = x.warp->stacks;
    if (stacks.empty()) stacks.resize(32);
    return stacks[lane];
}

/// offset: alignment.
void allocaOp(Ctx& x, const MicroOp& o, Lanes lanes)
{
    std::uint64_t* d = x.row(o.d);
    const std::uint64_t* a = x.src(o.a);
    const auto align = static_cast<std::uint64_t>(o.offset);
    eachLane(lanes, [&](unsigned l) {
        auto& stack = stackOf(x, l);
        const std::uint64_t at = alignUp(stack.size(), align), bytes = a[l];
        if (bytes > kMaxStack || at + bytes > kMaxStack) {
            return faultLane(
                x, l, "GEN-002",
                fmt::format("alloca of {} bytes: a thread's stack holds {}", bytes, kMaxStack),
                TrapKind::Stack);
        }
        stack.resize(at + bytes);
        d[l] = kStackBase + at;
    });
}

void saveOp(Ctx& x, const MicroOp& o, Lanes lanes)
{
    std::uint64_t* d = x.row(o.d);
    eachLane(lanes, [&](unsigned l) { d[l] = kStackBase + stackOf(x, l).size(); });
}

void restoreOp(Ctx& x, const MicroOp& o, Lanes lanes)
{
    const std::uint64_t* a = x.src(o.a);
    eachLane(lanes, [&](unsigned l) {
        auto& stack = stackOf(x, l);
        const std::uint64_t size = a[l] - kStackBase;
        if (size > stack.size())
            return faultLane(x, l, "GEN-002",
                             "stackrestore of a value that stacksave did not give");
        stack.resize(size);
    });
}

}  // namespace

void Decoder::stackOp()
{
    const Type t = type();
    MicroOp op;
    ExecFn fn = saveOp;
    if (in_->opcode == "alloca") {
        fn = allocaOp;
        op.a = source(1, t);
        op.offset = operands() > 2 ? operand(2).integer : 8;
        if (op.offset <= 0 || (op.offset & (op.offset - 1)) != 0) unsupported("alignment");
    }
    if (in_->opcode == "stackrestore") {
        fn = restoreOp;
        op.a = source(0, t);
    } else {
        op.d = destination(0);
    }
    place(op, Kind::Exec, fn);
}

/// Saves the stack at the function's start into a row of its own and restores it before every return.
void Decoder::keepStack(std::size_t at)
{
    MicroOp op;
    op.counted = false;
    op.line = f_->at.line;
    op.fn = at == 0 ? saveOp : restoreOp;
    if (at == 0) stackRow_ = temp();
    (at == 0 ? op.d : op.a) = stackRow_;
    if (at != 0 && in_ != nullptr && in_->guard.reg != ptx::kNone)
        op.guard = {slot_[in_->guard.reg], in_->guard.negated};
    code_->ops.push_back(op);
}

}  // namespace gsu::exec
