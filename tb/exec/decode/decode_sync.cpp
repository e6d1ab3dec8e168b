// Synchronization instructions: what goes to the port (SyncInfo) and what lanes of one warp settle among themselves.
#include "exec/decode/decoder.hpp"
#include "exec/machine/meetings.hpp"

namespace gsu::exec {

SyncInfo& Decoder::syncOp(Op op)
{
    MicroOp& out = emit(Kind::Sync);
    out.visible = true;
    out.extra = static_cast<std::uint32_t>(p_.syncs.size());
    SyncInfo& s = p_.syncs.emplace_back();
    s.op = op;
    return s;
}

void Decoder::bar()
{
    if (has("cluster")) return barrierCluster();
    if (mod(0) == "warp") {
        const Row mask = source(0, Type::U32);
        SyncInfo& s = syncOp(Op::WarpSync);
        s.arg0 = mask;
        s.splits = true;
        return;
    }
    const bool red = has("red");
    const std::size_t at = red ? 1 : 0, last = operands() - (red ? 1 : 0);
    if (last <= at || last > at + 2) unsupported("operands");
    const Row id = source(at, Type::U32);
    const Row count = last > at + 1 ? source(at + 1, Type::U32) : constant(0);
    const Op op = has("sync")     ? Op::BarSync
                  : has("arrive") ? Op::BarArrive
                  : has("popc")   ? Op::BarRedPopc
                  : has("and")    ? Op::BarRedAnd
                                  : Op::BarRedOr;
    const PredRef source = red ? predicate(operand(last)) : PredRef{};
    SyncInfo& s = syncOp(op);
    s.arg0 = id;
    s.arg1 = count;
    s.aligned = in_->opcode == "bar" || has("aligned");
    s.splits = true;
    s.sem = Sem::AcqRel;
    s.scope = Scope::Cta;
    s.pred = source;
    s.wantValue = red;
    if (op == Op::BarRedPopc) s.d = destinationOrSink(operand(0));
    if (op == Op::BarRedAnd || op == Op::BarRedOr) s.pd = predicateDst(operand(0));
}

void Decoder::barrierCluster()
{
    const bool arrive = has("arrive");
    SyncInfo& s = syncOp(arrive ? Op::ClusterArrive : Op::ClusterWait);
    s.aligned = has("aligned");
    s.splits = true;
    s.sem = semOf(arrive ? Sem::Release : Sem::Acquire);
    s.scope = Scope::Cluster;
}

void Decoder::mbarAddress(SyncInfo& s, const Operand& o, bool remote)
{
    MicroOp where;
    where.space = spaceOf(Space::Generic);
    address(where, o);
    if (where.space != Space::Generic && where.space != Space::SharedCta &&
        where.space != Space::SharedCluster)
        unsupported("an mbarrier outside shared memory");
    s.addressed = true;
    s.addr = where.a;
    s.offset = where.offset;
    s.space = where.space;
    s.remote = remote;
    s.remoteForm = has("shared::cluster");
}

void Decoder::mbarrier()
{
    const std::string_view what = mod(0);
    if (what == "pending_count") {
        const Row a = source(1, Type::B64);
        MicroOp& op = emit(Kind::Exec, [](Ctx& x, const MicroOp& o, Lanes lanes) {
            std::uint64_t* d = x.row(o.d);
            const std::uint64_t* s = x.src(o.a);
            eachLane(lanes, [&](unsigned l) {
                const auto& known = x.machine->noCompleteStates;
                if (known.size() < Machine::kMaxStates && !known.contains(s[l]))
                    x.machine->finding(
                        {"MBPC-003", Severity::Error,
                         "pending_count of a value that no arrive.noComplete has returned",
                         x.cta->linear, x.warp->index, 1u << l, o.line, x.machine->now});
                d[l] = (0 - (s[l] >> 43)) & 0xf'ffff;
            });
        });
        op.d = destination(0);
        op.a = a;
        return;
    }
    SyncInfo s;
    s.scope = scopeOf(Scope::Cta);
    std::size_t at = 0;
    if (what == "init" || what == "inval") {
        s.op = what == "init" ? Op::MbarInit : Op::MbarInval;
        mbarAddress(s, operand(0), false);
        if (what == "init") s.data = source(1, Type::U32);
    } else if (what == "expect_tx" || what == "complete_tx") {
        s.op = what == "expect_tx" ? Op::MbarExpectTx : Op::MbarCompleteTx;
        mbarAddress(s, operand(0), true);
        s.data = source(1, Type::U32);
    } else if (what == "arrive" || what == "arrive_drop") {
        const bool drop = what == "arrive_drop", expect = has("expect_tx");
        s.op = drop     ? (expect ? Op::MbarDropExpectTx : Op::MbarArriveDrop)
               : expect ? Op::MbarArriveExpectTx
                        : Op::MbarArrive;
        s.sem = semOf(Sem::Release);
        s.noComplete = has("noComplete");
        if (operand(0).kind != Operand::Kind::Address) s.d = destinationOrSink(operand(at++));
        s.wantValue = s.d != kNoRow;
        mbarAddress(s, operand(at), !s.noComplete);
        s.data = operands() > at + 1 ? source(at + 1, Type::U32) : constant(1);
    } else if (what == "test_wait" || what == "try_wait") {
        const bool parity = has("parity"), tries = what == "try_wait";
        s.op = tries    ? (parity ? Op::MbarTryWaitParity : Op::MbarTryWait)
               : parity ? Op::MbarTestWaitParity
                        : Op::MbarTestWait;
        s.sem = semOf(Sem::Acquire);
        s.wantValue = true;
        s.pd = predicateDst(operand(0));
        mbarAddress(s, operand(1), false);
        s.data = source(2, parity ? Type::U32 : Type::B64);
        if (operands() > 3) s.limit = source(3, Type::U32);
        s.kind = s.limit != kNoRow ? 1 : 0;
    } else {
        unsupported();
    }
    syncOp(s.op) = s;
}

void Decoder::meetOp()
{
    const auto oneOf = [&](const auto& modes) {
        for (const std::string& m : in_->modifiers) {
            if (modes.contains(m)) return std::string_view(m);
        }
        return std::string_view();
    };
    const std::string& name = in_->opcode;
    MicroOp op;
    op.kind = Kind::Rendezvous;
    op.visible = true;
    op.e = constant(0xffff'ffff);
    if (name == "vote") {
        static const std::map<std::string_view, VoteMode> modes{{"all", VoteMode::All},
                                                                {"any", VoteMode::Any},
                                                                {"uni", VoteMode::Uni},
                                                                {"ballot", VoteMode::Ballot}};
        const std::string_view mode = oneOf(modes);
        if (!modes.contains(mode)) unsupported();
        op.aux[0] = static_cast<std::uint8_t>(Meet::Vote);
        op.aux[1] = static_cast<std::uint8_t>(modes.at(mode));
        if (mode == "ballot")
            op.d = destination(0);
        else
            op.pd = predicateDst(operand(0));
        op.pa = predicate(operand(1));
        if (has("sync"))
            op.e = source(2, Type::U32);
        else
            op.aux[3] = 1;  // legacy: the lanes at hand (VOTE-002, D-64)
    } else if (name == "match") {
        op.aux[0] = static_cast<std::uint8_t>(Meet::Match);
        op.aux[1] = static_cast<std::uint8_t>(has("all") ? MatchMode::All : MatchMode::Any);
        const Operand& d = operand(0);
        const bool pair = d.kind == Operand::Kind::Pair;
        op.d = has("all") ? destinationOrSink(pair ? part(d, 0) : d)
                          : destination(pair ? part(d, 0) : d);
        if (pair) op.pd = predicateDst(part(d, 1));
        op.a = source(1, type());
        op.e = source(2, Type::U32);
    } else if (name == "redux") {
        const Type t = type();
        const bool isSigned = t == Type::S32, isFloat = t == Type::F32;
        const ReduxMode mode = has("add")   ? ReduxMode::Add
                               : has("and") ? ReduxMode::And
                               : has("or")  ? ReduxMode::Or
                               : has("xor") ? ReduxMode::Xor
                               : has("min") ? (isFloat    ? ReduxMode::MinF
                                               : isSigned ? ReduxMode::MinS
                                                          : ReduxMode::MinU)
                                            : (isFloat    ? ReduxMode::MaxF
                                               : isSigned ? ReduxMode::MaxS
                                                          : ReduxMode::MaxU);
        op.aux[0] = static_cast<std::uint8_t>(Meet::Redux);
        op.aux[1] = static_cast<std::uint8_t>(mode);
        op.aux[2] =
            static_cast<std::uint8_t>((has("abs") ? kReduxAbs : 0) | (has("NaN") ? kReduxNan : 0));
        op.d = destination(0);
        op.a = source(1, t);
        op.e = source(2, Type::U32);
    } else if (name == "elect") {
        op.aux[0] = static_cast<std::uint8_t>(Meet::Elect);
        const Operand& d = operand(0);
        if (d.kind != Operand::Kind::Pair) unsupported("destination");
        op.d = destinationOrSink(part(d, 0));
        op.pd = predicateDst(part(d, 1));
        op.e = source(1, Type::U32);
    } else {  // shfl
        static const std::map<std::string_view, ShflMode> modes{{"up", ShflMode::Up},
                                                                {"down", ShflMode::Down},
                                                                {"bfly", ShflMode::Bfly},
                                                                {"idx", ShflMode::Idx}};
        const std::string_view mode = oneOf(modes);
        if (!modes.contains(mode)) unsupported();
        op.aux[0] = static_cast<std::uint8_t>(Meet::Shfl);
        op.aux[1] = static_cast<std::uint8_t>(modes.at(mode));
        const Operand& d = operand(0);
        const bool pair = d.kind == Operand::Kind::Pair;
        op.d = destinationOrSink(pair ? part(d, 0) : d);
        if (pair) op.pd = predicateDst(part(d, 1));
        op.a = source(1, Type::B32);
        op.b = source(2, Type::U32);
        op.c = source(3, Type::U32);
        if (has("sync"))
            op.e = source(4, Type::U32);
        else
            op.aux[3] = 1;
    }
    std::string key = name;
    for (const std::string& m : in_->modifiers) key += '.' + m;
    op.extra = meetKeys_.emplace(key, static_cast<std::uint32_t>(meetKeys_.size())).first->second;
    MicroOp& out = emit(Kind::Rendezvous);
    op.guard = out.guard;
    op.line = out.line;
    out = op;
}

void Decoder::activemask()
{
    MicroOp& op = emit(Kind::Exec, [](Ctx& x, const MicroOp& o, Lanes lanes) {
        std::uint64_t* d = x.row(o.d);
        eachLane(lanes, [&](unsigned l) { d[l] = lanes; });
    });
    op.visible = true;
    op.d = destination(0);
}

}  // namespace gsu::exec
