// What the executor's own decoder makes of every row of the chapter's table, against expectations read off the text here.
#include <iostream>

#include "catch.hpp"
#include "exec/chapter_texts.hpp"
#include "exec/decoded.hpp"
#include "exec/lanes/shuffle.hpp"
#include "exec/ops/async_ops.hpp"
#include "exec/ops/mem_ops.hpp"
#include "golden/op_traits.hpp"

using namespace gsu;
using namespace gsu::test;
using exec::Kind;
using exec::MicroOp;
using ptx::SyncFamily;
using Words = std::set<std::string>;

namespace {

Op barrierOp(const Words& w)
{
    if (w.contains("popc")) return Op::BarRedPopc;
    if (w.contains("and")) return Op::BarRedAnd;
    if (w.contains("or")) return Op::BarRedOr;
    return w.contains("arrive") ? Op::BarArrive : Op::BarSync;
}

Op mbarrierOp(const Words& w)
{
    const bool expect = w.contains("expect_tx"), parity = w.contains("parity");
    if (w.contains("init")) return Op::MbarInit;
    if (w.contains("inval")) return Op::MbarInval;
    if (w.contains("complete_tx")) return Op::MbarCompleteTx;
    if (w.contains("arrive_drop")) return expect ? Op::MbarDropExpectTx : Op::MbarArriveDrop;
    if (w.contains("arrive")) return expect ? Op::MbarArriveExpectTx : Op::MbarArrive;
    if (expect) return Op::MbarExpectTx;
    if (w.contains("try_wait")) return parity ? Op::MbarTryWaitParity : Op::MbarTryWait;
    return parity ? Op::MbarTestWaitParity : Op::MbarTestWait;
}

Sem semOf(const Words& w, Sem otherwise)
{
    if (w.contains("relaxed")) return Sem::Relaxed;
    if (w.contains("acquire")) return Sem::Acquire;
    return w.contains("release") ? Sem::Release : otherwise;
}

exec::AtomOp atomOf(const Words& w)
{
    using A = exec::AtomOp;
    const std::pair<const char*, A> names[]{
        {"and", A::And}, {"or", A::Or},   {"xor", A::Xor}, {"add", A::Add}, {"exch", A::Exch},
        {"inc", A::Inc}, {"dec", A::Dec}, {"min", A::Min}, {"max", A::Max}, {"cas", A::Cas}};
    for (const auto& [name, op] : names)
        if (w.contains(name)) return op;
    FAIL("no operation");
    return A::Add;
}

void expectNamed(const Decoded& d, const ChapterText& t, const Words& w)
{
    const exec::SyncInfo& s = d.sync();
    const bool red = w.contains("red");
    CHECK(s.op == barrierOp(w));
    CHECK(s.sem == Sem::AcqRel);
    CHECK(s.scope == Scope::Cta);
    CHECK(s.aligned == (t.form->opcode == "bar" || w.contains("aligned")));
    CHECK(s.arg0 == d.rowOf(t.operands[red ? 1 : 0]));
    const bool count = t.operands.size() == (red ? 4u : 2u);
    if (count)
        CHECK(s.arg1 == d.rowOf(t.operands[red ? 2 : 1]));
    else
        CHECK(d.constant(s.arg1) == 0);
    CHECK(s.wantValue == red);
    if (!red) return;
    CHECK(s.pred.index == d.rowOf(t.operands.back()));
    CHECK(s.pred.negated);
    CHECK((w.contains("popc") ? s.d : s.pd) == d.rowOf(t.operands[0]));
}

void expectMbarrier(const Decoded& d, const ChapterText& t, const Words& w)
{
    const exec::SyncInfo& s = d.sync();
    const Op op = mbarrierOp(w);
    const bool arrive = w.contains("arrive") || w.contains("arrive_drop");
    const bool wait = w.contains("test_wait") || w.contains("try_wait");
    const bool tx = op == Op::MbarExpectTx || op == Op::MbarCompleteTx;
    CHECK(s.op == op);
    CHECK(s.sem == semOf(w, arrive ? Sem::Release : wait ? Sem::Acquire : Sem::Relaxed));
    CHECK(s.scope == (w.contains("cluster") ? Scope::Cluster : Scope::Cta));
    CHECK(s.noComplete == w.contains("noComplete"));
    CHECK(s.remoteForm == w.contains("shared::cluster"));
    CHECK(s.remote == (tx || (arrive && !w.contains("noComplete"))));
    CHECK(s.addressed);
    const std::size_t at = arrive || wait ? 1 : 0;
    CHECK(s.addr == d.rowOf(t.operands[at]));
    CHECK(s.offset == 8);
    if (t.operands.size() > at + 1)
        CHECK(s.data == d.rowOf(t.operands[at + 1]));
    else if (arrive)
        CHECK(d.constant(s.data) == 1);
    CHECK(s.kind == (wait && t.operands.size() == 4 ? 1 : 0));
    if (wait && t.operands.size() == 4) CHECK(s.limit == d.rowOf(t.operands[3]));
    if (wait) CHECK(s.pd == d.rowOf(t.operands[0]));
    if (arrive) CHECK(s.d == d.rowOf(t.operands[0]));
    CHECK(s.wantValue == (wait || (arrive && t.operands[0] != "_")));
}

void expectRemote(const Decoded& d, const ChapterText& t, const Words& w)
{
    const exec::SyncInfo& s = d.sync();
    const bool red = t.form->opcode == "red";
    CHECK(s.op == (red ? Op::RedAsync : Op::StAsync));
    CHECK(s.scope == Scope::Cluster);
    CHECK(s.remote);
    CHECK(s.remoteForm);
    CHECK(s.target == d.rowOf(t.operands[0]));
    CHECK(s.addr == d.rowOf(t.operands[2]));
    CHECK(d.listed(static_cast<std::uint32_t>(s.payload)) == d.rowOf(t.operands[1]));
    CHECK(s.payloadCount == (w.contains("v4") ? 4u : w.contains("v2") ? 2u : 1u));
    CHECK(s.reduce == (red ? 1 + static_cast<int>(atomOf(w)) : 0));
    CHECK(d.constant(s.data) == std::uint64_t{s.bytes} * s.payloadCount);
}

void expectAtomic(const Decoded& d, const ChapterText& t, const Words& w)
{
    const MicroOp& op = d.op();
    const std::size_t at = t.form->opcode == "red" ? 0 : 1;
    REQUIRE(op.kind == Kind::Exec);
    if (w.contains("release") || w.contains("acq_rel")) CHECK(d.before().kind == Kind::Sync);
    CHECK(op.fn == exec::atomOp);
    CHECK(op.atom.kind == atomOf(w));
    CHECK(op.atom.red == (at == 0));
    CHECK(op.space == (w.contains("global")            ? ptx::Space::Global
                       : w.contains("shared::cluster") ? ptx::Space::SharedCluster
                       : w.contains("shared") || w.contains("shared::cta") ? ptx::Space::SharedCta
                                                                           : ptx::Space::Generic));
    CHECK(w.contains(ptx::spelling(op.atom.type)));
    CHECK(op.a == d.rowOf(t.operands[at]));
    CHECK(d.listed(op.list) == d.rowOf(t.operands[at + 1]));
    CHECK(op.lanesOf == (w.contains("v8") ? 8 : w.contains("v4") ? 4 : w.contains("v2") ? 2 : 1));
    if (at == 1) CHECK(d.listed(op.target) == d.rowOf(t.operands[0]));
}

unsigned reduxKindOf(const Words& w)
{
    const bool s = w.contains("s32"), f = w.contains("f32"), least = w.contains("min");
    const unsigned mode = w.contains("add")   ? kReduxAdd
                          : w.contains("and") ? kReduxAnd
                          : w.contains("or")  ? kReduxOr
                          : w.contains("xor") ? kReduxXor
                          : f                 ? (least ? kReduxMinF : kReduxMaxF)
                          : s                 ? (least ? kReduxMinS : kReduxMaxS)
                                              : (least ? kReduxMinU : kReduxMaxU);
    return mode | (w.contains("abs") ? kReduxAbs : 0) | (w.contains("NaN") ? kReduxNan : 0);
}

void expectWarpOp(const Decoded& d, const ChapterText& t, const Words& w)
{
    const exec::SyncInfo& s = d.sync();
    const std::string& first = t.form->opcode;
    CHECK(d.op().visible);
    CHECK(s.op == (first == "vote"    ? w.contains("sync") ? Op::VoteSync : Op::Vote
                   : first == "match" ? w.contains("all") ? Op::MatchAll : Op::MatchAny
                   : first == "redux" ? Op::Redux
                   : first == "elect" ? Op::Elect
                                      : Op::ActiveMask));
    CHECK(s.splits == w.contains("sync"));
    CHECK(s.arg0 == (w.contains("sync") ? d.rowOf(t.operands.back()) : exec::kNoRow));
    if (first == "vote") {
        CHECK(s.kind == (w.contains("all")   ? kVoteAll
                         : w.contains("any") ? kVoteAny
                         : w.contains("uni") ? kVoteUni
                                             : kVoteBallot));
        CHECK(s.pred.index == d.rowOf(t.operands[1]));
        CHECK((w.contains("ballot") ? s.d : s.pd) == d.rowOf(t.operands[0]));
        return;
    }
    CHECK(s.d == d.rowOf(t.operands[0]));
    if (const std::size_t bar = t.operands[0].find('|'); bar != std::string::npos)
        CHECK(s.pd == d.rowOf(t.operands[0].substr(bar)));
    if (first == "match") CHECK(s.kind == (w.contains("b64") ? kMatchB64 : kMatchB32));
    if (first == "match" || first == "redux") CHECK(s.data == d.rowOf(t.operands[1]));
    if (first == "redux") CHECK(s.kind == reduxKindOf(w));
}

void expectShuffle(const Decoded& d, const ChapterText& t, const Words& w)
{
    const MicroOp& op = d.op();
    REQUIRE(op.kind == Kind::Rendezvous);
    CHECK(op.shuffle.atHand == !w.contains("sync"));
    if (w.contains("sync")) CHECK(op.e == d.rowOf(t.operands.back()));
    CHECK(op.d == d.rowOf(t.operands[0]));
    if (const std::size_t bar = t.operands[0].find('|'); bar != std::string::npos)
        CHECK(op.pd == d.rowOf(t.operands[0].substr(bar)));
    CHECK(op.a == d.rowOf(t.operands[1]));
    using enum exec::ShflMode;
    CHECK(op.shuffle.mode == (w.contains("up")     ? Up
                              : w.contains("down") ? Down
                              : w.contains("bfly") ? Bfly
                                                   : Idx));
    CHECK(op.b == d.rowOf(t.operands[2]));
    CHECK(op.c == d.rowOf(t.operands[3]));
}

void expectCopy(const Decoded& d, const ChapterText& t, const Words& w)
{
    const MicroOp& op = d.op();
    REQUIRE(op.kind == Kind::Exec);
    CHECK(op.a == d.rowOf(t.operands[0]));
    CHECK(d.listed(op.list) == d.rowOf(t.operands[1]));
    if (t.form->family == SyncFamily::Copy) {
        CHECK(op.fn == exec::cpAsyncOp);
        CHECK(op.copy.bytes == 16);
        const bool size = t.operands.size() == (w.contains("L2::cache_hint") ? 5u : 4u);
        CHECK(op.c == (size ? d.rowOf(t.operands[3]) : exec::kNoRow));
        return;
    }
    CHECK(op.fn == exec::cpBulkOp);
    const bool completes = w.contains("mbarrier::complete_tx::bytes");
    const bool toGlobal = w.contains("bulk_group");
    CHECK(op.bulk.completes == completes);
    CHECK(op.bulk.fromGlobal == (!toGlobal && w.contains("global")));
    CHECK(op.bulk.toGlobal == toGlobal);
    CHECK(op.bulk.toCluster == w.contains("shared::cluster"));
    CHECK(d.listed(op.list + 2) == d.rowOf(t.operands[2]));
    CHECK(d.listed(op.list + 3) == (completes ? d.rowOf(t.operands[3]) : exec::kNoRow));
    CHECK(d.listed(op.list + 5) ==
          (w.contains("multicast::cluster") ? d.rowOf(t.operands[4]) : exec::kNoRow));
    CHECK(d.listed(op.list + 6) ==
          (w.contains("cp_mask") ? d.rowOf(t.operands.back()) : exec::kNoRow));
    CHECK(op.bulk.reduces == (w.contains("reduce") ? 1 + static_cast<int>(atomOf(w)) : 0));
}

void expectFence(const Decoded& d, std::string_view opcode, const Words& w)
{
    const bool proxy = w.contains("proxy");
    CHECK(d.op().visible);
    CHECK(d.sync().op == (proxy                         ? Op::FenceProxy
                          : w.contains("mbarrier_init") ? Op::FenceMbarrierInit
                          : opcode == "membar"          ? Op::Membar
                                                        : Op::Fence));
    CHECK(d.sync().sem == semOf(w, Sem::AcqRel));
    CHECK(d.sync().kind == (w.contains("tensormap::generic") ? kFenceTensormap
                            : w.contains("async::generic")   ? kFenceGeneric
                            : !proxy || w.contains("alias")  ? kFenceAlias
                            : w.contains("global")           ? kFenceAsyncGlobal
                            : w.contains("shared::cta")      ? kFenceAsyncCta
                            : w.contains("shared::cluster")  ? kFenceAsyncCluster
                                                             : kFenceAsync));
    if (proxy && !w.contains("release") && !w.contains("acquire")) return;
    CHECK(d.sync().scope == (w.contains("cta")       ? Scope::Cta
                             : w.contains("cluster") ? Scope::Cluster
                             : w.contains("sys")     ? Scope::Sys
                                                     : Scope::Gpu));
}

void expectRest(const Decoded& d, const ChapterText& t, const Words& w)
{
    const MicroOp& op = d.op();
    const auto first = [&] { return d.rowOf(t.operands.at(0)); };
    switch (t.form->family) {
        case SyncFamily::PendingCount:
            CHECK(op.d == first());
            CHECK(op.a == d.rowOf(t.operands[1]));
            break;
        case SyncFamily::Mapa:
            CHECK(op.d == first());
            CHECK(op.a == d.rowOf(t.operands[1]));
            CHECK(op.b == d.rowOf(t.operands[2]));
            break;
        case SyncFamily::TryCancel:
            CHECK(d.sync().op == Op::ClcTryCancel);
            CHECK(d.sync().remoteForm == w.contains("multicast::cluster::all"));
            CHECK(d.sync().target == first());
            CHECK(d.sync().addr == d.rowOf(t.operands[1]));
            break;
        case SyncFamily::QueryCancel:
            CHECK(op.a == d.rowOf(t.operands[1]));
            if (w.contains("is_canceled"))
                CHECK(op.pd == first());
            else if (w.contains("v4"))
                CHECK(d.listed(op.list) == first());
            else
                CHECK(op.d == first());
            break;
        case SyncFamily::MapPublish:
            CHECK(d.before().kind == Kind::Collective);
            CHECK(d.before().a == first());
            CHECK(d.before().space == ptx::Space::Global);
            CHECK(d.listed(d.before().list) == d.rowOf(t.operands[1]));
            CHECK(d.sync().op == Op::TensormapCpFence);
            CHECK(d.sync().sem == Sem::Release);
            break;
        case SyncFamily::CopyCommit: CHECK(op.group.bulk == w.contains("bulk")); break;
        case SyncFamily::CopyWait:
            CHECK(op.kind == Kind::Group);
            CHECK(op.group.bulk == w.contains("bulk"));
            CHECK(op.group.reads == w.contains("read"));
            CHECK(op.offset == (w.contains("wait_all") ? 0 : 2));
            break;
        case SyncFamily::ReleaseData:
            CHECK(op.kind == Kind::Exec);
            if (w.contains("red")) CHECK(op.release.kind == atomOf(w));
            break;
        case SyncFamily::GridControl:
            CHECK(op.kind == Kind::Sync);
            CHECK(d.sync().op == (w.contains("wait") ? Op::GdcWait : Op::GdcLaunchDependents));
            break;
        default: CHECK(op.kind == Kind::Exec); break;
    }
}

void expectSync(const Decoded& d, const ChapterText& t, const Words& w)
{
    switch (t.form->family) {
        case SyncFamily::NamedBarrier: return expectNamed(d, t, w);
        case SyncFamily::WarpBarrier:
            CHECK(d.sync().op == Op::WarpSync);
            CHECK(d.sync().arg0 == d.rowOf(t.operands[0]));
            return;
        case SyncFamily::ClusterBarrier:
            REQUIRE(isCluster(d.sync().op));
            CHECK(t.mnemonic.starts_with(traitsOf(d.sync().op).spelling));
            CHECK(d.sync().sem ==
                  semOf(w, waitsForCluster(d.sync().op) ? Sem::Acquire : Sem::Release));
            CHECK(d.sync().scope == Scope::Cluster);
            CHECK(d.sync().aligned == w.contains("aligned"));
            return;
        case SyncFamily::MbarObject:
        case SyncFamily::MbarArrive:
        case SyncFamily::MbarWait: return expectMbarrier(d, t, w);
        case SyncFamily::CopyArrive:
            CHECK(d.sync().op ==
                  (w.contains("noinc") ? Op::CpAsyncArriveNoinc : Op::CpAsyncArrive));
            CHECK(d.sync().addr == d.rowOf(t.operands[0]));
            return;
        case SyncFamily::RemoteData: return expectRemote(d, t, w);
        case SyncFamily::Atomic: return expectAtomic(d, t, w);
        case SyncFamily::Vote:
        case SyncFamily::Match:
        case SyncFamily::Redux:
        case SyncFamily::Elect:
        case SyncFamily::Activemask: return expectWarpOp(d, t, w);
        case SyncFamily::Shuffle: return expectShuffle(d, t, w);
        case SyncFamily::Copy:
        case SyncFamily::BulkCopy: return expectCopy(d, t, w);
        case SyncFamily::Fence: return expectFence(d, t.form->opcode, w);
        default: return expectRest(d, t, w);
    }
}

}  // namespace

TEST_CASE("the executor decodes every row of the table as it is written",
          "[exec][GEN-003][GEN-004][GEN-012][FENCE-003]")
{
    std::size_t texts = 0;
    for (const ptx::SyncForm& form : ptx::syncForms()) {
        for (const ChapterText& t : textsOf(form)) {
            CAPTURE(t.text());
            expectSync(Decoded(t.text()), t, wordsOf(t.mnemonic));
            ++texts;
        }
    }
    std::cout << texts << " texts decoded\n";
    CHECK(texts > 1000);
}
