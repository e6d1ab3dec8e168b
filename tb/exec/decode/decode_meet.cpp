// What lanes of one warp settle among themselves: votes, matches, reductions, elections, shuffles.
#include "exec/decode/decoder.hpp"
#include "exec/machine/meetings.hpp"

namespace gsu::exec {

using Field = ptx::SyncField;
using Word = ptx::SyncWord;

/// Lanes meet when they execute the same form with the same words.
std::uint32_t Decoder::meetKey() const
{
    const ptx::DecodedSync& d = *sync_;
    const std::uint32_t flags = (d.abs ? 1u : 0u) | (d.nan ? 2u : 0u);
    return static_cast<std::uint32_t>(d.form) << 24 | static_cast<std::uint32_t>(d.word) << 16 |
           static_cast<std::uint32_t>(d.type) << 8 | flags;
}

MicroOp Decoder::meeting(Meet kind)
{
    MicroOp op;
    op.aux[0] = static_cast<std::uint8_t>(kind);
    op.extra = meetKey();
    // Without a member mask: the lanes at hand (VOTE-002, D-64).
    const Operand* mask = written(Field::Mask);
    op.e = mask != nullptr ? source(*mask, Type::U32) : constant(0xffff'ffff);
    op.aux[3] = mask == nullptr;
    return op;
}

/// d, or d|p; `sink`: d may be the sink.
void Decoder::meetResult(MicroOp& op, bool sink)
{
    const Operand& o = needed(Field::Result);
    const bool pair = o.kind == Operand::Kind::Pair;
    const Operand& d = pair ? part(o, 0) : o;
    op.d = sink ? destinationOrSink(d) : destination(d);
    if (pair) op.pd = predicateDst(part(o, 1));
}

void Decoder::vote()
{
    MicroOp op = meeting(Meet::Vote);
    VoteMode mode{};
    switch (sync_->word) {
        case Word::All: mode = VoteMode::All; break;
        case Word::Any: mode = VoteMode::Any; break;
        case Word::Uni: mode = VoteMode::Uni; break;
        case Word::Ballot: mode = VoteMode::Ballot; break;
        default: unsupported();
    }
    op.aux[1] = static_cast<std::uint8_t>(mode);
    if (mode == VoteMode::Ballot)
        op.d = destination(needed(Field::Result));
    else
        op.pd = predicateDst(needed(Field::Result));
    op.pa = predicate(needed(Field::Predicate));
    place(op, Kind::Rendezvous, nullptr);
}

void Decoder::match()
{
    MicroOp op = meeting(Meet::Match);
    const bool all = sync_->op == Op::MatchAll;
    op.aux[1] = static_cast<std::uint8_t>(all ? MatchMode::All : MatchMode::Any);
    meetResult(op, all);
    op.a = source(needed(Field::Data), sync_->type);
    place(op, Kind::Rendezvous, nullptr);
}

ReduxMode Decoder::reduxMode() const
{
    const bool isFloat = sync_->type == Type::F32, isSigned = sync_->type == Type::S32;
    switch (sync_->word) {
        case Word::Add: return ReduxMode::Add;
        case Word::And: return ReduxMode::And;
        case Word::Or: return ReduxMode::Or;
        case Word::Xor: return ReduxMode::Xor;
        case Word::Min:
            return isFloat ? ReduxMode::MinF : isSigned ? ReduxMode::MinS : ReduxMode::MinU;
        case Word::Max:
            return isFloat ? ReduxMode::MaxF : isSigned ? ReduxMode::MaxS : ReduxMode::MaxU;
        default: unsupported();
    }
}

void Decoder::redux()
{
    MicroOp op = meeting(Meet::Redux);
    op.aux[1] = static_cast<std::uint8_t>(reduxMode());
    op.aux[2] =
        static_cast<std::uint8_t>((sync_->abs ? kReduxAbs : 0) | (sync_->nan ? kReduxNan : 0));
    op.d = destination(needed(Field::Result));
    op.a = source(needed(Field::Data), sync_->type);
    place(op, Kind::Rendezvous, nullptr);
}

void Decoder::elect()
{
    MicroOp op = meeting(Meet::Elect);
    meetResult(op, true);
    place(op, Kind::Rendezvous, nullptr);
}

void Decoder::shuffle()
{
    MicroOp op = meeting(Meet::Shfl);
    ShflMode mode{};
    switch (sync_->word) {
        case Word::Up: mode = ShflMode::Up; break;
        case Word::Down: mode = ShflMode::Down; break;
        case Word::Bfly: mode = ShflMode::Bfly; break;
        case Word::Idx: mode = ShflMode::Idx; break;
        default: unsupported();
    }
    op.aux[1] = static_cast<std::uint8_t>(mode);
    meetResult(op, true);
    op.a = source(needed(Field::Data), Type::B32);
    op.b = source(needed(Field::Lane), Type::U32);
    op.c = source(needed(Field::Clamp), Type::U32);
    place(op, Kind::Rendezvous, nullptr);
}

void Decoder::activemask()
{
    MicroOp& op = emit(Kind::Exec, [](Ctx& x, const MicroOp& o, Lanes lanes) {
        std::uint64_t* d = x.row(o.d);
        eachLane(lanes, [&](unsigned l) { d[l] = lanes; });
    });
    op.visible = true;
    op.d = destination(needed(Field::Result));
}

/// One grid has neither prerequisites nor dependents: wait returns at once (GDC-008), the signal reaches nobody.
void Decoder::gridControl()
{
    emit(Kind::Exec, [](Ctx&, const MicroOp&, Lanes) {}).visible = true;
}

}  // namespace gsu::exec
