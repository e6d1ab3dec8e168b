// Atomics, reductions without a result: chapter instructions that are memory operations; fences.
#include "exec/decode/decoder.hpp"
#include "exec/ops/async_ops.hpp"
#include "exec/ops/mem_ops.hpp"

namespace gsu::exec {

using Field = ptx::SyncField;
using Word = ptx::SyncWord;

std::optional<AtomOp> Decoder::namedReduction() const
{
    return atomOf(ptx::syncWordOf(word("op")));
}

AtomOp Decoder::reduction() const
{
    const auto kind = atomOf(sync_->word);
    if (!kind) unsupported();
    return *kind;
}

/// Makes the request of lanes whose address is in another CTA.
void Decoder::awayForm(MicroOp& op)
{
    SyncInfo s;
    s.op = sync_->op;
    s.scope = requestScope(Scope::Gpu);
    s.wantValue = op.count != 0;
    s.bytes = op.bytes;
    op.extra = static_cast<std::uint32_t>(p_.syncs.size());
    p_.syncs.push_back(s);
}

void Decoder::atomic()
{
    constexpr unsigned kMaxVector = 32;  // bytes of one lane
    const Type t = sync_->type;
    const AtomOp kind = reduction();
    if (sizeOf(t) == 0 || t == Type::Pred) unsupported();
    if (sync_->sem == ptx::Sem::Release || sync_->sem == ptx::Sem::AcqRel)
        fenceBefore(requestScope(Scope::Gpu));
    MicroOp op;
    op.space = sync_->space;
    address(op, needed(Field::Address));
    std::vector<Row> in = vectorRows(needed(Field::Data), t, false);
    const std::size_t elements = sizeOf(t) == 16 ? 1 : in.size();
    if (in.empty() || in.size() * sizeOf(t) > kMaxVector || (elements & (elements - 1)) != 0 ||
        (sizeOf(t) == 16 && (in.size() != 2 || (kind != AtomOp::Cas && kind != AtomOp::Exch))))
        unsupported("vector length");
    if (kind == AtomOp::Cas) {
        const std::vector<Row> swap = vectorRows(needed(Field::Swap), t, false);
        if (elements != 1 || swap.size() != in.size()) unsupported("vector length");
        in.insert(in.end(), swap.begin(), swap.end());
    }
    const Operand* result = written(Field::Result);
    if (result != nullptr && result->kind != Operand::Kind::Sink) {
        const std::vector<Row> out = vectorRows(*result, t, true);
        if (out.size() != elements * (sizeOf(t) == 16 ? 2 : 1)) unsupported("vector length");
        op.target = rowList(out);
        op.count = static_cast<std::uint32_t>(out.size());
    }
    op.list = rowList(in);
    op.cls = Class::Atomic;
    op.order = {true, requestSem(), requestScope(Scope::Gpu)};
    op.bytes = static_cast<std::uint8_t>(sizeOf(t));
    op.lanesOf = static_cast<std::uint8_t>(elements);
    op.atom = {kind, t, sync_->op == Op::Red, sync_->cacheHint};
    if (op.space == ptx::Space::Generic || op.space == ptx::Space::SharedCluster) awayForm(op);
    place(op, Kind::Exec, atomOp);
}

/// The proxies of a proxy fence (FENCE-015, FENCE-016).
std::uint8_t Decoder::proxyKind() const
{
    using Form = ptx::SyncFormId;
    const Form form = sync_->form;
    if (form == Form::FenceProxyTensormapRelease || form == Form::FenceProxyTensormapAcquire)
        return kFenceTensormap;
    if (form == Form::FenceProxyAsyncRelease || form == Form::FenceProxyAsyncAcquire)
        return kFenceGeneric;
    switch (sync_->word) {
        case ptx::SyncWord::Async: return kFenceAsync;
        case ptx::SyncWord::AsyncGlobal: return kFenceAsyncGlobal;
        case ptx::SyncWord::AsyncSharedCta: return kFenceAsyncCta;
        case ptx::SyncWord::AsyncSharedCluster: return kFenceAsyncCluster;
        default: return kFenceAlias;
    }
}

/// Decodes a fence as a request: the unit answers when the operations that it orders are performed.
void Decoder::fence()
{
    SyncInfo s = request();
    const bool proxy = s.op == Op::FenceProxy;
    if (has("acquire"))
        s.sem = Sem::Acquire;
    else if (has("release"))
        s.sem = Sem::Release;
    else
        s.sem = Sem::
            AcqRel;  // .sc, which a request does not have, .acq_rel or nothing (FENCE-003, FENCE-021)
    s.scope = requestScope(proxy ? Scope::None : Scope::Cta);
    if (proxy) s.kind = proxyKind();
    if (const Operand* map = written(Field::Address); map != nullptr) {
        MicroOp where;
        address(where, *map);
        s.addr = where.a;
        s.offset = where.offset;
        s.namesMap = true;
    }
    emitRequest(s);
}

/// The scope of ordinary memory operations, which are not in the table.
Scope Decoder::writtenScope() const
{
    if (has("cta")) return Scope::Cta;
    if (has("cluster")) return Scope::Cluster;
    return has("sys") ? Scope::Sys : Scope::Gpu;
}

/// The strength of a load or store. Accesses that bypass caches (.cv, .wt) are taken as volatile, because kernels use them so.
Strength Decoder::writtenStrength() const
{
    Strength s;
    for (const char* strong : {"relaxed", "acquire", "release"}) s.strong = s.strong || has(strong);
    s.scope = writtenScope();
    if (has("acquire")) s.sem = Sem::Acquire;
    if (has("release")) s.sem = Sem::Release;
    for (const char* everyone : {"volatile", "mmio", "cv", "wt"}) {
        if (!has(everyone)) continue;
        s.strong = true;
        s.scope = Scope::Sys;
    }
    return s;
}

/// The release side of a memory operation is a fence before it (ATOM-029, RED-018).
void Decoder::fenceBefore(Scope scope)
{
    SyncInfo s;
    s.op = Op::Fence;
    s.sem = Sem::Release;
    s.scope = scope;
    emitRequest(s);
}

/// red.async.release and st.async.release: performed when everything before them is.
void Decoder::releaseData()
{
    const Type t = sync_->type;
    const bool stores = sync_->form == ptx::SyncFormId::StAsyncRelease;
    fenceBefore(requestScope(Scope::Gpu));
    MicroOp op;
    op.space = sync_->space;
    address(op, needed(Field::Target));
    if (sizeOf(t) == 0 || sizeOf(t) > 8) unsupported("type");
    op.list = rowList({source(needed(Field::Data), t)});
    op.bytes = static_cast<std::uint8_t>(sizeOf(t));
    op.release = {stores ? AtomOp::Exch : reduction(), t, stores};
    place(op, Kind::Exec, redReleaseOp);
}

}  // namespace gsu::exec
