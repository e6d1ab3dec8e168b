// Asynchronous copies, remote stores and reductions, launch control: decoding.
#include "exec/async/async_state.hpp"
#include "exec/decode/decoder.hpp"
#include "exec/machine/mem_ops.hpp"

namespace gsu::exec {

std::optional<AtomOp> reductionOf(const ptx::Instruction& in)
{
    static const std::map<std::string_view, AtomOp> kReductions{
        {"and", AtomOp::And}, {"or", AtomOp::Or},   {"xor", AtomOp::Xor}, {"add", AtomOp::Add},
        {"inc", AtomOp::Inc}, {"dec", AtomOp::Dec}, {"min", AtomOp::Min}, {"max", AtomOp::Max}};
    for (const std::string& m : in.modifiers) {
        if (const auto found = kReductions.find(m); found != kReductions.end())
            return found->second;
    }
    return std::nullopt;
}

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

void Decoder::cpOp()
{
    const bool bulk = has("bulk");
    if (has("tensor")) return cpTensor();
    if (mod(0) == "async" && mod(1) == "mbarrier") {
        SyncInfo s;
        s.op = has("noinc") ? Op::CpAsyncArriveNoinc : Op::CpAsyncArrive;
        s.scope = Scope::Cta;
        mbarAddress(s, operand(0), false);
        s.data = constant(1);
        syncOp(s.op) = s;
        return;
    }
    if (has("commit_group")) {
        MicroOp op;
        op.aux[0] = bulk;
        place(op, Kind::Exec, cpCommitOp);
        return;
    }
    if (hasAny({"wait_group", "wait_all"})) {
        MicroOp op;
        op.aux[0] = bulk;
        op.aux[1] = has("read");
        op.aux[2] = has("wait_all");
        op.offset = has("wait_all") ? 0 : operand(0).integer;
        place(op, Kind::Group, cpWaitOp);
        return;
    }
    if (has("prefetch")) {
        emit(Kind::Exec,
             [](Ctx&, const MicroOp&, Lanes) {});  // a hint for a cache that does not exist here
        return;
    }
    if (bulk) return cpBulk();
    MicroOp op;
    op.space = Space::SharedCta;
    address(op, operand(0));
    const auto source_ = addressRows(operand(1), Space::Global);
    const std::int64_t size = operand(2).integer;
    if (operand(2).kind != Operand::Kind::Integer || (size != 4 && size != 8 && size != 16))
        unsupported("size");
    op.aux[0] = static_cast<std::uint8_t>(size);
    const std::size_t fixed = 3 + (has("L2::cache_hint") ? 1 : 0);
    if (operands() > fixed) {
        if (isPredicate(operand(3))) {
            op.pa = predicate(operand(3));
            op.aux[1] = 1;
        } else {
            op.c = source(3, Type::U32);
        }
    }
    op.list = rowList({source_[0], source_[1]});
    op.cls = Class::Alu;
    place(op, Kind::Exec, cpAsyncOp);
}

void Decoder::cpBulk()
{
    // The first space names the destination, the second the source.
    std::vector<Space> spaces;
    for (const std::string& m : in_->modifiers) {
        if (m == "global") spaces.push_back(Space::Global);
        if (m == "shared::cta") spaces.push_back(Space::SharedCta);
        if (m == "shared::cluster") spaces.push_back(Space::SharedCluster);
    }
    if (spaces.size() != 2) unsupported("spaces");
    const bool completes = has("mbarrier::complete_tx::bytes");
    MicroOp op;
    op.space = spaces[0];
    address(op, operand(0));
    const auto from = addressRows(operand(1), spaces[1]);
    const Row size = source(2, Type::U32);
    std::array<Row, 2> bar{kNoRow, kNoRow};
    std::size_t next = 3;
    if (completes) bar = addressRows(operand(next++), Space::SharedCta);
    const Row mask = has("multicast::cluster") ? source(next++, Type::U16) : kNoRow;
    if (has("L2::cache_hint")) ++next;
    const Row bytes = has("cp_mask") ? source(next, Type::B16) : kNoRow;
    op.list = rowList({from[0], from[1], size, bar[0], bar[1], mask, bytes});
    op.aux[0] = completes;
    op.aux[1] = static_cast<std::uint8_t>((spaces[1] == Space::Global ? 1 : 0) |
                                          (spaces[0] == Space::Global ? 2 : 0) |
                                          (spaces[0] == Space::SharedCluster ? 4 : 0));
    if (mod(0) == "reduce") {
        const auto kind = reductionOf(*in_);
        if (!kind) unsupported();
        op.aux[2] = static_cast<std::uint8_t>(1 + static_cast<unsigned>(*kind));
        if (sizeOf(type()) != 2 && sizeOf(type()) != 4 && sizeOf(type()) != 8) unsupported("type");
        op.aux[3] = static_cast<std::uint8_t>(type());
    }
    place(op, Kind::Exec, cpBulkOp);
}

/// st.async and red.async: a request to the port; the bytes are performed when it reports their delivery.
void Decoder::asyncRemote()
{
    const bool red = in_->opcode == "red";
    const Type t = type();
    const auto kind = reductionOf(*in_);
    if (red && !kind) unsupported();
    if (!has("mbarrier::complete_tx::bytes")) {
        if (!red) unsupported();
        MicroOp op;
        op.space = spaceOf(Space::Generic);
        address(op, operand(0));
        if (sizeOf(t) != 4 && sizeOf(t) != 8 && sizeOf(t) != 2) unsupported("type");
        op.list = rowList({source(1, t)});
        op.bytes = static_cast<std::uint8_t>(sizeOf(t));
        op.aux[0] = static_cast<std::uint8_t>(*kind);
        op.aux[1] = static_cast<std::uint8_t>(t);
        place(op, Kind::Exec, redReleaseOp);
        return;
    }
    SyncInfo s;
    s.op = red ? Op::RedAsync : Op::StAsync;
    s.scope = Scope::Cluster;
    mbarAddress(s, operand(2), true);
    const auto to = addressRows(operand(0), Space::SharedCluster);
    const std::vector<Row> values = vectorRows(operand(1), t, false);
    if ((sizeOf(t) != 4 && sizeOf(t) != 8) || values.empty() || values.size() > 4 ||
        values.size() == 3)
        unsupported("type");
    s.bytes = sizeOf(t);
    s.payload = static_cast<Row>(rowList(values));
    s.payloadCount = static_cast<std::uint32_t>(values.size());
    s.target = to[0];
    s.targetOffset = to[1];
    s.reduce = red ? static_cast<std::uint8_t>(1 + static_cast<unsigned>(*kind)) : std::uint8_t{0};
    s.reduceType = static_cast<std::uint8_t>(t);
    s.data = constant(std::uint64_t{s.bytes} * values.size());
    s.remoteForm = true;
    syncOp(s.op) = s;
}

void Decoder::launchControl()
{
    MicroOp op;
    if (mod(0) == "try_cancel") {
        op.space = spaceOf(Space::SharedCta);  // a generic address is one of shared memory, too
        address(op, operand(0));
        const auto bar = addressRows(operand(1), op.space);
        op.list = rowList({bar[0], bar[1]});
        op.aux[0] = has("multicast::cluster::all");
        place(op, Kind::Exec, tryCancelOp);
        return;
    }
    if (mod(0) != "query_cancel") unsupported();
    op.a = source(1, Type::B128);
    if (has("is_canceled")) {
        op.pd = predicateDst(operand(0));
        place(op, Kind::Exec, isCanceledOp);
        return;
    }
    static constexpr std::array<std::string_view, 3> names{
        "get_first_ctaid::x", "get_first_ctaid::y", "get_first_ctaid::z"};
    op.aux[0] = 3;
    for (std::size_t i = 0; i < names.size(); ++i)
        op.aux[0] = static_cast<std::uint8_t>(has(names[i]) ? i : op.aux[0]);
    if (op.aux[0] < 3) {
        op.d = destination(0);
    } else {
        const std::vector<Row> rows = vectorRows(operand(0), Type::B32, true);
        if (rows.size() != 4) unsupported("vector length");
        op.list = rowList(rows);
        op.count = 4;
    }
    place(op, Kind::Exec, firstCtaidOp);
}

/// One grid has neither prerequisites nor dependents: wait returns at once (GDC-008), the signal reaches nobody.
void Decoder::gridDep()
{
    if (!hasAny({"wait", "launch_dependents"})) unsupported();
    emit(Kind::Exec, [](Ctx&, const MicroOp&, Lanes) {}).visible = true;
}

}  // namespace gsu::exec
