// Synchronization instructions: the family of a form, and its request at the port (SyncInfo). Everything comes from the typed fields of the
// table's DecodedSync; the mnemonic is not used again.
#include "exec/decode/decoder.hpp"
#include "exec/memory/access.hpp"
#include "golden/mbarrier.hpp"

namespace gsu::exec {

using Family = ptx::SyncFamily;
using Field = ptx::SyncField;

namespace {

/// Whether the first operand of the instruction is this register, or contains it.
bool writes(const ptx::Instruction& in, std::uint32_t reg)
{
    const auto named = [reg](const auto& self, const ptx::Operand& o) -> bool {
        using enum ptx::Operand::Kind;
        if (o.kind == Register) return o.index == reg;
        if (o.kind != Vector && o.kind != Pair && o.kind != List) return false;
        return std::any_of(o.elements.begin(), o.elements.end(),
                           [&](const ptx::Operand& e) { return self(self, e); });
    };
    return !in.operands.empty() && named(named, in.operands.front());
}

}  // namespace

void Decoder::chapter(const ptx::DecodedSync& decoded)
{
    sync_ = &decoded;
    switch (decoded.row->family) {
        case Family::NamedBarrier:
        case Family::WarpBarrier:
        case Family::ClusterBarrier: return barrier();
        case Family::Fence: return fence();
        case Family::Atomic: return atomic();
        case Family::RemoteData: return remoteData();
        case Family::ReleaseData: return releaseData();
        case Family::Vote: return vote();
        case Family::Match: return match();
        case Family::Redux: return redux();
        case Family::Elect: return elect();
        case Family::Shuffle: return shuffle();
        case Family::Activemask: return activemask();
        case Family::GridControl: return gridControl();
        case Family::MbarObject: return mbarObject();
        case Family::MbarArrive: return mbarArrive();
        case Family::MbarWait: return mbarWait();
        case Family::PendingCount: return pendingCount();
        case Family::CopyArrive: return copyArrive();
        case Family::MapPublish: return mapPublish();
        case Family::TryCancel: return tryCancel();
        case Family::QueryCancel: return queryCancel();
        case Family::Mapa: return mapa();
        case Family::Copy: return copy();
        case Family::CopyCommit: return copyCommit();
        case Family::CopyWait: return copyWait();
        case Family::BulkCopy: return bulkCopy();
        case Family::Prefetch: return noWork();
    }
    unsupported();
}

const ptx::Operand* Decoder::written(Field field) const { return sync_->operand(*in_, field); }

const ptx::Operand& Decoder::needed(Field field) const
{
    const Operand* o = written(field);
    if (o == nullptr) unsupported("too few operands");
    return *o;
}

Sem Decoder::requestSem() const
{
    switch (sync_->sem) {
        case ptx::Sem::None:
        case ptx::Sem::Weak:
        case ptx::Sem::Relaxed: return Sem::Relaxed;
        case ptx::Sem::Acquire: return Sem::Acquire;
        case ptx::Sem::Release: return Sem::Release;
        case ptx::Sem::AcqRel: return Sem::AcqRel;
        case ptx::Sem::Sc:
            return Sem::AcqRel;  // a request has no stronger one; only fences write it
    }
    return Sem::Relaxed;
}

Scope Decoder::requestScope(Scope otherwise) const
{
    switch (sync_->scope) {
        case ptx::Scope::None: return otherwise;
        case ptx::Scope::Cta: return Scope::Cta;
        case ptx::Scope::Cluster: return Scope::Cluster;
        case ptx::Scope::Gpu: return Scope::Gpu;
        case ptx::Scope::Sys: return Scope::Sys;
    }
    return otherwise;
}

/// A request of the form's own Op.
SyncInfo Decoder::request() const
{
    SyncInfo s;
    s.op = sync_->op;
    s.sem = requestSem();
    s.scope = requestScope(Scope::Cta);
    s.aligned = sync_->aligned;
    s.noComplete = sync_->noComplete;
    return s;
}

void Decoder::emitRequest(const SyncInfo& s)
{
    MicroOp& out = emit(Kind::Sync);
    out.visible = true;
    out.extra = static_cast<std::uint32_t>(p_.syncs.size());
    p_.syncs.push_back(s);
}

/// Result register or result predicate, as the form has it.
void Decoder::requestResult(SyncInfo& s)
{
    const Operand* o = written(Field::Result);
    if (o == nullptr) return;
    const auto& all = sync_->row->operands;
    if (std::any_of(all.begin(), all.end(), [](const ptx::FormOperand& f) {
            return f.field == Field::Result && f.kind == "p";
        }))
        s.pd = predicateDst(*o);
    else
        s.d = destinationOrSink(*o);
}

/// bar, bar.warp.sync, barrier.cluster.
void Decoder::barrier()
{
    SyncInfo s = request();
    s.splits = true;
    s.scope = isCluster(s.op) ? Scope::Cluster : Scope{};
    if (const Operand* mask = written(Field::Mask); mask != nullptr)
        s.arg0 = source(*mask, Type::U32);
    if (isNamed(s.op)) {
        s.sem = Sem::AcqRel;
        s.scope = Scope::Cta;
        s.arg0 = source(needed(Field::Id), Type::U32);
        const Operand* count = written(Field::Count);
        s.arg1 = count != nullptr ? source(*count, Type::U32) : constant(0);
    }
    if (const Operand* p = written(Field::Predicate); p != nullptr) {
        s.pred = predicate(*p);
        s.wantValue = true;
    }
    requestResult(s);
    emitRequest(s);
}

void Decoder::mbarAddress(SyncInfo& s, const Operand& o, Space space, bool remote)
{
    MicroOp where;
    where.space = space;
    address(where, o);
    if (where.space != Space::Generic && where.space != Space::SharedCta &&
        where.space != Space::SharedCluster)
        unsupported("an mbarrier outside shared memory");
    s.addressed = true;
    s.addr = where.a;
    s.offset = where.offset;
    s.space = where.space;
    s.remote = remote;
    s.remoteForm = space == Space::SharedCluster;
}

void Decoder::mbarObject()
{
    SyncInfo s = request();
    const bool transaction = s.op == Op::MbarExpectTx || s.op == Op::MbarCompleteTx;
    mbarAddress(s, needed(Field::Address), sync_->space, transaction);
    if (const Operand* data = written(Field::Data); data != nullptr)
        s.data = source(*data, Type::U32);
    emitRequest(s);
}

/// The mbarrier operation of an instruction of the chapter; nullptr: it is none.
const ptx::DecodedSync* mbarrierOf(const ptx::Instruction& in)
{
    const ptx::SyncMatch* const match = ptx::isSyncOpcode(in) ? ptx::matchSync(in) : nullptr;
    return match != nullptr && isMbarOp(match->decoded.op) ? &match->decoded : nullptr;
}

/// Whether the function has a wait by state, not by parity.
bool Decoder::waitsByState() const
{
    return std::any_of(f_->body.begin(), f_->body.end(), [](const ptx::Instruction& in) {
        const ptx::DecodedSync* const found = mbarrierOf(in);
        return found != nullptr && isMbarWait(found->op) && !found->parity;
    });
}

/// Rows that hold the state of an operand, or held it before moves brought it there. Empty if an instruction other than an arrive or a move
/// writes it.
std::vector<Row> Decoder::stateRows(const Operand& state) const
{
    std::vector<std::uint32_t> registers;
    const auto add = [&](const Operand& o) {
        if (o.kind != Operand::Kind::Register || !o.name.empty()) return false;
        if (std::find(registers.begin(), registers.end(), o.index) == registers.end())
            registers.push_back(o.index);
        return true;
    };
    if (!add(state)) return {};
    for (std::size_t i = 0; i < registers.size(); ++i) {
        for (const ptx::Instruction& in : f_->body) {
            if (!writes(in, registers[i]) || mbarrierOf(in) != nullptr) continue;
            if (in.opcode != "mov" || in.operands.size() != 2 || !add(in.operands[1])) return {};
        }
    }
    std::vector<Row> rows;
    for (const std::uint32_t r : registers) rows.push_back(slot_[r]);
    return rows;
}

void Decoder::mbarArrive()
{
    SyncInfo s = request();
    requestResult(s);
    s.wantValue = s.d != kNoRow;
    s.keepsOrigin = s.wantValue && waitsByState();
    mbarAddress(s, needed(Field::Address), sync_->space, !s.noComplete);
    const Operand* data = written(Field::Data);
    s.data = data != nullptr ? source(*data, Type::U32) : constant(1);
    emitRequest(s);
}

void Decoder::mbarWait()
{
    SyncInfo s = request();
    s.wantValue = true;
    requestResult(s);
    mbarAddress(s, needed(Field::Address), sync_->space, false);
    s.data = source(needed(Field::Data), sync_->parity ? Type::U32 : Type::B64);
    if (!sync_->parity) s.states = stateRows(needed(Field::Data));
    if (const Operand* limit = written(Field::Limit); limit != nullptr)
        s.limit = source(*limit, Type::U32);
    s.kind = s.limit != kNoRow ? 1 : 0;
    emitRequest(s);
}

void Decoder::copyArrive()
{
    SyncInfo s = request();
    mbarAddress(s, needed(Field::Address), sync_->space, false);
    s.data = constant(1);
    emitRequest(s);
}

void Decoder::pendingCount()
{
    const Row a = source(needed(Field::Data), Type::B64);
    MicroOp& op = emit(Kind::Exec, [](Ctx& x, const MicroOp& o, Lanes lanes) {
        std::uint64_t* d = x.row(o.d);
        const std::uint64_t* s = x.src(o.a);
        eachLane(lanes, [&](unsigned l) {
            if (!x.parts->client.knowsState(s[l])) {
                report(x, o, "MBPC-003", Severity::Error,
                       "pending_count of a value that no arrive.noComplete has returned", 1u << l);
            }
            d[l] = mbarPendingCount(s[l]);
        });
    });
    op.d = destination(needed(Field::Result));
    op.a = a;
}

}  // namespace gsu::exec
