// What a synchronization instruction waits for before its request, and what follows the answer, for the timing model.
#include "exec/decode/decoder.hpp"
#include "golden/op_traits.hpp"

namespace gsu::exec {

/// Sets the operations that the request of a synchronization instruction waits for before it is made.
void Decoder::timingDrains(TimedInstruction& t, const MicroOp& op) const
{
    using timing::Drain;
    if (op.kind == Kind::Exit) t.drains = Drain::Sm;
    if (op.kind != Kind::Sync) return;
    const SyncInfo& info = p_.syncs[op.extra];
    const bool release = releases(info.sem);
    const bool fence = info.op == Op::Fence || info.op == Op::Membar;
    if (info.op == Op::FenceProxy) {
        const bool own = info.kind == kFenceAsyncCta || info.kind == kFenceAsyncCluster;
        t.drains = own ? Drain::Sm : Drain::Chip;
    } else if ((release || fence) && info.scope != Scope::Cta && info.op != Op::FenceMbarrierInit) {
        t.drains = Drain::Fence;
    } else if (isNamed(info.op) || isCluster(info.op) || info.op == Op::WarpSync || release ||
               fence) {
        t.drains = Drain::Sm;
    }
}

/// What follows the answer to such an instruction.
timing::Tail Decoder::timingTail(const MicroOp& op) const
{
    using timing::Tail;
    if (op.kind != Kind::Sync) return Tail::None;
    const SyncInfo& info = p_.syncs[op.extra];
    if (info.op == Op::FenceProxy) {
        if (info.kind == kFenceAsync || info.kind == kFenceAsyncGlobal) return Tail::Proxy;
        const bool own = info.kind == kFenceAsyncCta || info.kind == kFenceAsyncCluster;
        return own ? Tail::View : Tail::None;
    }
    const bool ofAll =
        info.op == Op::Membar || (info.op == Op::Fence && sync_->sem == ptx::Sem::Sc);
    if (ofAll && info.scope == Scope::Cta) return Tail::View;
    if (info.op == Op::BarRedPopc || info.op == Op::BarRedAnd || info.op == Op::BarRedOr)
        return Tail::BarResult;
    if (isMbarArrive(info.op) && info.d != kNoRow) return Tail::ArriveState;
    if (info.op == Op::MatchAny) return Tail::Match;
    if (info.op == Op::MbarInit) return Tail::MbarInit;
    if (isMbarTryWait(info.op)) return Tail::Poll;
    return isNamed(info.op) && info.arg0 >= 0 ? Tail::BarRegister : Tail::None;
}

}  // namespace gsu::exec
