// Exchange of values among lanes of one warp: votes, matches, reductions and elections are requests, shuffles move data here.
#include "exec/decode/decoder.hpp"
#include "exec/lanes/shuffle.hpp"

namespace gsu::exec {

using Field = ptx::SyncField;
using Word = ptx::SyncWord;

/// A request of a warp-wide operation; without a member mask it covers the executing lanes (VOTE-002, D-64).
SyncInfo Decoder::warpRequest() const
{
    SyncInfo s = request();
    s.sem = Sem{};
    s.scope = Scope{};
    s.aligned = false;
    return s;
}

/// Registers of d, or of d|p; `sink`: d may be the sink.
Decoder::MeetResult Decoder::meetResult(bool sink)
{
    const Operand& o = needed(Field::Result);
    const bool pair = o.kind == Operand::Kind::Pair;
    const Operand& d = pair ? part(o, 0) : o;
    return {sink ? destinationOrSink(d) : destination(d), pair ? predicateDst(part(o, 1)) : -1};
}

void Decoder::emitWarpRequest(SyncInfo s)
{
    if (const Operand* mask = written(Field::Mask); mask != nullptr) {
        s.arg0 = source(*mask, Type::U32);
        s.splits = true;
    }
    emitRequest(s);
}

void Decoder::vote()
{
    SyncInfo s = warpRequest();
    switch (sync_->word) {
        case Word::All: s.kind = kVoteAll; break;
        case Word::Any: s.kind = kVoteAny; break;
        case Word::Uni: s.kind = kVoteUni; break;
        case Word::Ballot: s.kind = kVoteBallot; break;
        default: unsupported();
    }
    requestResult(s);
    s.pred = predicate(needed(Field::Predicate));
    emitWarpRequest(s);
}

void Decoder::match()
{
    SyncInfo s = warpRequest();
    s.kind = sync_->type == Type::B64 ? kMatchB64 : kMatchB32;
    const MeetResult result = meetResult(s.op == Op::MatchAll);
    s.d = result.d;
    s.pd = result.pd;
    s.data = source(needed(Field::Data), sync_->type);
    emitWarpRequest(s);
}

/// The operation, as SyncRequest::kind has it.
std::uint8_t Decoder::reduxKind() const
{
    const bool isFloat = sync_->type == Type::F32, isSigned = sync_->type == Type::S32;
    switch (sync_->word) {
        case Word::Add: return kReduxAdd;
        case Word::And: return kReduxAnd;
        case Word::Or: return kReduxOr;
        case Word::Xor: return kReduxXor;
        case Word::Min: return isFloat ? kReduxMinF : isSigned ? kReduxMinS : kReduxMinU;
        case Word::Max: return isFloat ? kReduxMaxF : isSigned ? kReduxMaxS : kReduxMaxU;
        default: unsupported();
    }
}

void Decoder::redux()
{
    SyncInfo s = warpRequest();
    s.kind = static_cast<std::uint8_t>(reduxKind() | (sync_->abs ? kReduxAbs : 0) |
                                       (sync_->nan ? kReduxNan : 0));
    s.d = destination(needed(Field::Result));
    s.data = source(needed(Field::Data), sync_->type);
    emitWarpRequest(s);
}

void Decoder::elect()
{
    SyncInfo s = warpRequest();
    const MeetResult result = meetResult(true);
    s.d = result.d;
    s.pd = result.pd;
    emitWarpRequest(s);
}

void Decoder::activemask()
{
    SyncInfo s = warpRequest();
    s.d = destination(needed(Field::Result));
    emitWarpRequest(s);
}

void Decoder::shuffle()
{
    MicroOp op;
    // Lanes meet when they execute the same form with the same words.
    op.extra = static_cast<std::uint32_t>(sync_->form) << 24 |
               static_cast<std::uint32_t>(sync_->word) << 16 |
               static_cast<std::uint32_t>(sync_->type) << 8;
    // Without a member mask: the executing lanes (D-64).
    const Operand* mask = written(Field::Mask);
    op.e = mask != nullptr ? source(*mask, Type::U32) : constant(0xffff'ffff);
    ShflMode mode{};
    switch (sync_->word) {
        case Word::Up: mode = ShflMode::Up; break;
        case Word::Down: mode = ShflMode::Down; break;
        case Word::Bfly: mode = ShflMode::Bfly; break;
        case Word::Idx: mode = ShflMode::Idx; break;
        default: unsupported();
    }
    op.shuffle = {mode, mask == nullptr};
    const MeetResult result = meetResult(true);
    op.d = result.d;
    op.pd = result.pd;
    op.a = source(needed(Field::Data), Type::B32);
    op.b = source(needed(Field::Lane), Type::U32);
    op.c = source(needed(Field::Clamp), Type::U32);
    place(op, Kind::Rendezvous, nullptr);
}

void Decoder::gridControl()
{
    SyncInfo s = request();
    s.sem = s.op == Op::GdcWait ? Sem::Acquire : Sem::Relaxed;
    s.scope = Scope::Gpu;
    p_.gridControl = true;
    p_.signals = p_.signals || s.op == Op::GdcLaunchDependents;
    emitRequest(s);
}

}  // namespace gsu::exec
