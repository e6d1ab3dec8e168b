// Asynchronous copies, remote stores and reductions, launch control: decoding.
#include "exec/decode/decoder.hpp"
#include "exec/ops/async_ops.hpp"
#include "exec/ops/mem_ops.hpp"

namespace gsu::exec {

using Field = ptx::SyncField;
using Word = ptx::SyncWord;

/// Row and constant offset of an address that is not the micro-operation's own.
std::array<Row, 2> Decoder::addressRows(const Operand& o, Space space)
{
    MicroOp where;
    where.space = space;
    address(where, o);
    if (where.frame) unsupported("address in local memory");
    return {where.a, constant(static_cast<std::uint64_t>(where.offset))};
}

MicroOp& Decoder::place(MicroOp op, Kind kind, ExecFn fn)
{
    MicroOp& out = emit(kind, fn);
    op.kind = kind;
    op.fn = fn;
    op.guard = out.guard;
    op.line = out.line;
    op.visible = true;
    out = op;
    return out;
}

/// A hint for a cache that does not exist here.
void Decoder::noWork()
{
    emit(Kind::Exec, [](Ctx&, const MicroOp&, Lanes) {});
}

void Decoder::copyCommit()
{
    MicroOp op;
    op.group = {sync_->form == ptx::SyncFormId::CpBulkCommit, false, false};
    place(op, Kind::Exec, cpCommitOp);
}

void Decoder::copyWait()
{
    const Operand* groups = written(Field::Groups);
    MicroOp op;
    op.group = {sync_->form == ptx::SyncFormId::CpBulkWait, sync_->read, groups == nullptr};
    op.offset = groups == nullptr ? 0 : groups->integer;
    place(op, Kind::Group, cpWaitOp);
}

void Decoder::copy()
{
    MicroOp op;
    op.space = Space::SharedCta;
    address(op, needed(Field::Target));
    const auto from = addressRows(needed(Field::Source), Space::Global);
    const Operand& bytes = needed(Field::Size);
    const std::int64_t size = bytes.integer;
    if (bytes.kind != Operand::Kind::Integer || (size != 4 && size != 8 && size != 16))
        unsupported("size");
    op.copy = {static_cast<std::uint8_t>(size), false};
    if (const Operand* given = written(Field::SourceSize); given != nullptr) {
        if (isPredicate(*given)) {
            op.pa = predicate(*given);
            op.copy.ignores = true;
        } else {
            op.c = source(*given, Type::U32);
        }
    }
    op.list = rowList({from[0], from[1]});
    op.cls = Class::Alu;
    place(op, Kind::Exec, cpAsyncOp);
}

void Decoder::bulkCopy()
{
    const Space to = sync_->to, from = sync_->from;
    MicroOp op;
    op.space = to;
    address(op, needed(Field::Target));
    const auto source_ = addressRows(needed(Field::Source), from);
    const Row size = source(needed(Field::Size), Type::U32);
    const Operand* barrier = written(Field::Address);
    std::array<Row, 2> bar{kNoRow, kNoRow};
    if (barrier != nullptr) bar = addressRows(*barrier, Space::SharedCta);
    const Operand* ctas = written(Field::CtaMask);
    const Row mask = ctas != nullptr ? source(*ctas, Type::U16) : kNoRow;
    const Operand* which = written(Field::ByteMask);
    const Row bytes = which != nullptr ? source(*which, Type::B16) : kNoRow;
    op.list = rowList({source_[0], source_[1], size, bar[0], bar[1], mask, bytes});
    op.bulk.completes = barrier != nullptr;
    op.bulk.fromGlobal = from == Space::Global;
    op.bulk.toGlobal = to == Space::Global;
    op.bulk.toCluster = to == Space::SharedCluster;
    if (atomOf(sync_->word)) {
        const Type t = sync_->type;
        op.bulk.reduces = static_cast<std::uint8_t>(1 + static_cast<unsigned>(reduction()));
        if (sizeOf(t) != 2 && sizeOf(t) != 4 && sizeOf(t) != 8) unsupported("type");
        op.bulk.type = t;
    }
    place(op, Kind::Exec, cpBulkOp);
}

/// st.async and red.async: a request to the port; the bytes are performed when it reports their delivery.
void Decoder::remoteData()
{
    const Type t = sync_->type;
    SyncInfo s = request();
    s.sem = Sem::Relaxed;
    s.scope = Scope::Cluster;
    mbarAddress(s, needed(Field::Address), sync_->spaceWritten ? sync_->space : Space::Generic,
                true);
    const auto to = addressRows(needed(Field::Target), Space::SharedCluster);
    const std::vector<Row> values = vectorRows(needed(Field::Data), t, false);
    if ((sizeOf(t) != 4 && sizeOf(t) != 8) || values.empty() || values.size() > 4 ||
        values.size() == 3)
        unsupported("type");
    s.bytes = sizeOf(t);
    s.payload = static_cast<Row>(rowList(values));
    s.payloadCount = static_cast<std::uint32_t>(values.size());
    s.target = to[0];
    s.targetOffset = to[1];
    if (s.op == Op::RedAsync)
        s.reduce = static_cast<std::uint8_t>(1 + static_cast<unsigned>(reduction()));
    s.reduceType = static_cast<std::uint8_t>(t);
    s.data = constant(std::uint64_t{s.bytes} * values.size());
    s.remoteForm = true;
    emitRequest(s);
}

/// A request to the port, which asks for a cluster when it is accepted; the response's bytes are performed when the port reports their delivery.
void Decoder::tryCancel()
{
    // A generic address is one of shared memory, too.
    const Space space = sync_->spaceWritten ? sync_->space : Space::SharedCta;
    SyncInfo s = request();
    s.sem = Sem::Relaxed;
    s.scope = Scope::Cluster;
    mbarAddress(s, needed(Field::Address), space, false);
    const auto to = addressRows(needed(Field::Target), space);
    s.target = to[0];
    s.targetOffset = to[1];
    s.remoteForm = sync_->multicast;
    emitRequest(s);
}

void Decoder::queryCancel()
{
    MicroOp op;
    op.a = source(needed(Field::Data), Type::B128);
    const Operand& result = needed(Field::Result);
    switch (sync_->word) {
        case Word::IsCanceled:
            op.pd = predicateDst(result);
            place(op, Kind::Exec, isCanceledOp);
            return;
        case Word::FirstX: op.ctaid = CtaidPart::X; break;
        case Word::FirstY: op.ctaid = CtaidPart::Y; break;
        case Word::FirstZ: op.ctaid = CtaidPart::Z; break;
        case Word::First: op.ctaid = CtaidPart::All; break;
        default: unsupported();
    }
    if (op.ctaid != CtaidPart::All) {
        op.d = destination(result);
    } else {
        const std::vector<Row> rows = vectorRows(result, Type::B32, true);
        if (rows.size() != 4) unsupported("vector length");
        op.list = rowList(rows);
        op.count = 4;
    }
    place(op, Kind::Exec, firstCtaidOp);
}

}  // namespace gsu::exec
