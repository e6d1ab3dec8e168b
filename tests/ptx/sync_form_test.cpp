#include "ptx/sync_form.hpp"

#include <algorithm>
#include <cctype>
#include <set>

#include "golden/op_traits.hpp"
#include "ptx/printer.hpp"
#include "support.hpp"

using namespace gsu::ptx;
using ptxtest::around;

namespace {

struct Decoded {
    Module module;
    DecodedSync sync;
    [[nodiscard]] const Instruction& instruction() const { return module.functions[0].body[0]; }
};

Decoded decode(const std::string& text)
{
    CAPTURE(text);
    Decoded d{ptxtest::parse(around(text)), {}};
    REQUIRE(ptxtest::messages(d.module.diagnostics) == std::vector<std::string>{});
    const auto sync = decodeSync(d.instruction());
    REQUIRE(sync.has_value());
    d.sync = *sync;
    return d;
}

/// "BAR-021": what a refusal names.
bool isRule(const std::string& text)
{
    const std::size_t dash = text.find('-');
    return dash != std::string::npos && dash > 0 && std::isupper(text[0]) != 0 &&
           text.size() == dash + 4 && std::isdigit(text[dash + 1]) != 0;
}

}  // namespace

TEST_CASE("every row of the table is well formed", "[ptx]")
{
    std::set<std::string> notations;
    for (const SyncForm& form : syncForms()) {
        CAPTURE(form.notation);
        CHECK(form.notation.back() == ';');
        CHECK_FALSE(form.gates.empty());
        CHECK(&syncForm(form.id) == &form);
        for (const FormQualifier& q : form.qualifiers) {
            CHECK_FALSE(q.values.empty());
            CHECK((q.rule.empty() || isRule(q.rule)));
        }
        for (const FormOp& o : form.ops) {
            CAPTURE(o.word);
            CHECK((o.word.empty() || std::any_of(form.qualifiers.begin(), form.qualifiers.end(),
                                                 [&](const FormQualifier& q) {
                                                     return q.name == o.word ||
                                                            std::find(q.values.begin(),
                                                                      q.values.end(),
                                                                      o.word) != q.values.end();
                                                 })));
        }
        for (const FormOperand& o : form.operands) CHECK_FALSE(o.kind.empty());
        notations.insert(form.notation);
    }
    CHECK(syncForms().size() > 80);
}

TEST_CASE("every operation of the port has a row, every row names an operation or none", "[ptx]")
{
    using gsu::Op;
    std::set<Op> named;
    for (const SyncForm& form : syncForms()) {
        CAPTURE(form.notation);
        for (const FormOp& o : form.ops) {
            CHECK(o.op != Op::None);
            named.insert(o.op);
            // The spelling in traces is made of words that the row has.
            const std::string spelling = gsu::traitsOf(o.op).spelling;
            std::size_t from = 0, words = 0;
            while (from != std::string::npos) {
                const std::size_t to = spelling.find('.', from + 1);
                const std::size_t start = from + (from != 0);
                const std::string word = spelling.substr(start, to - start);
                const bool known =
                    word == form.opcode || (form.opcode == "bar" && word == "barrier") ||
                    (form.opcode == "membar" && word == "fence") ||
                    std::any_of(form.qualifiers.begin(), form.qualifiers.end(),
                                [&](const FormQualifier& q) {
                                    return std::find(q.values.begin(), q.values.end(), word) !=
                                           q.values.end();
                                });
                CAPTURE(spelling, word);
                CHECK(known);
                from = to;
                ++words;
            }
            CHECK(words > 0);
        }
    }
    for (const gsu::OpTraits& row : gsu::traits::kTable) {
        if (row.spelling == nullptr) continue;
        CAPTURE(row.spelling);
        CHECK(named.contains(row.op));
    }
    CHECK(named.size() == 43);
}

TEST_CASE("barriers decode", "[ptx][BAR-028][BAR-029][GEN-005]")
{
    const auto bar = decode("bar.cta.red.and.pred %p1, %r1, 64, !%p2;");
    CHECK(bar.sync.form == SyncFormId::BarRedPred);
    CHECK(bar.sync.aligned);
    CHECK(bar.sync.cta);
    CHECK(bar.sync.word == SyncWord::And);
    CHECK(bar.sync.op == gsu::Op::BarRedAnd);
    CHECK(decode("bar.red.or.pred %p1, 1, %p2;").sync.op == gsu::Op::BarRedOr);
    CHECK(bar.sync.operand(bar.instruction(), "b")->integer == 64);
    CHECK(bar.sync.operand(bar.instruction(), "c")->negated);
    const auto three = decode("barrier.red.popc.u32 %r1, 0, %p2;");
    CHECK(three.sync.form == SyncFormId::BarrierRedPopc);
    CHECK_FALSE(three.sync.aligned);
    CHECK(three.sync.operand(three.instruction(), "b") == nullptr);
    CHECK(three.sync.operand(three.instruction(), "c")->kind == Operand::Kind::Register);
    const auto cluster = decode("barrier.cluster.arrive.aligned.relaxed;");
    CHECK(cluster.sync.form == SyncFormId::ClusterArrive);
    CHECK(cluster.sync.sem == Sem::Relaxed);
    CHECK(cluster.sync.aligned);
    CHECK_FALSE(cluster.sync.printedOrder);
    CHECK(decode("barrier.cluster.wait;").sync.sem == Sem::Acquire);
}

TEST_CASE(".cta changes nothing: each form of a barrier decodes as without it", "[ptx][BAR-028]")
{
    for (const char* rest :
         {"sync 3;", "sync %r1, 64;", "arrive 1, 64;", "red.popc.u32 %r1, 2, %p1;",
          "red.and.pred %p1, 2, 96, !%p2;", "red.or.pred %p1, %r1, %r2, %p2;"})
        for (const char* name : {"bar", "barrier"})
            for (const bool aligned : {false, true}) {
                std::string words = rest;
                if (aligned && name == std::string("barrier")) {
                    const std::size_t end = std::min(words.find(".u32"), words.find(".pred"));
                    words.insert(std::min(end, words.find(' ')), ".aligned");
                } else if (aligned) {
                    continue;
                }
                const auto plain = decode(std::string(name) + "." + words);
                const auto cta = decode(std::string(name) + ".cta." + words);
                CAPTURE(name, words);
                CHECK(cta.sync.cta);
                CHECK_FALSE(plain.sync.cta);
                CHECK(cta.sync.form == plain.sync.form);
                CHECK(cta.sync.op == plain.sync.op);
                CHECK(cta.sync.aligned == plain.sync.aligned);
                CHECK(cta.sync.word == plain.sync.word);
                CHECK(cta.sync.slot == plain.sync.slot);
            }
}

TEST_CASE("mbarrier operations decode, with defaults and independent scope and space",
          "[ptx][GEN-003][GEN-004]")
{
    const auto a = decode("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r1], 2;");
    CHECK(a.sync.form == SyncFormId::MbarrierArriveCluster);
    CHECK(a.sync.scope == Scope::Cluster);
    CHECK(a.sync.space == Space::SharedCluster);
    CHECK(a.sync.operand(a.instruction(), "count")->integer == 2);
    const auto b = decode("mbarrier.arrive.expect_tx.relaxed.cluster.shared.b64 %rd1, [mb], 16;");
    CHECK(b.sync.form == SyncFormId::MbarrierArriveExpectTx);
    CHECK(b.sync.expectTx);
    CHECK(b.sync.sem == Sem::Relaxed);
    CHECK(b.sync.space == Space::SharedCta);
    CHECK(b.sync.scope == Scope::Cluster);  // who observes it, not where it lies (GEN-004)
    const auto c = decode("mbarrier.try_wait.parity.b64 %p1, [%rd1], %r1, 100;");
    CHECK(c.sync.form == SyncFormId::MbarrierTryWaitParity);
    CHECK(c.sync.parity);
    CHECK(c.sync.sem == Sem::Acquire);
    CHECK(c.sync.scope == Scope::Cta);
    CHECK_FALSE(c.sync.semWritten);
    CHECK(c.sync.space == Space::Generic);
    CHECK(c.sync.operand(c.instruction(), "suspendTimeHint")->integer == 100);
    CHECK(decode("mbarrier.arrive_drop.noComplete.shared.b64 %rd1, [mb], 2;").sync.noComplete);
    CHECK(decode("cp.async.mbarrier.arrive.noinc.shared.b64 [mb];").sync.noinc);
}

TEST_CASE("atomics, fences and the rest decode", "[ptx]")
{
    const auto a = decode("atom.global.add.acq_rel.sys.u64 %rd1, [%rd2], %rd3;");
    CHECK(a.sync.form == SyncFormId::AtomAdd);
    CHECK(a.sync.sem == Sem::AcqRel);
    CHECK(a.sync.scope == Scope::Sys);
    CHECK(a.sync.type == Type::U64);
    CHECK(a.sync.word == SyncWord::Add);
    CHECK_FALSE(a.sync.printedOrder);
    CHECK(decode("atom.add.u32 _, [%rd1], 1;").sync.scope == Scope::Gpu);
    CHECK(decode("red.global.v4.f32.add [%rd1], {%f1,%f2,%f3,%f4};").sync.vector == 4);
    CHECK(decode("fence.proxy.async.shared::cta;").sync.word == SyncWord::AsyncSharedCta);
    CHECK(decode("fence.cta;").sync.sem == Sem::AcqRel);
    CHECK(decode("fence.release.gpu;").sync.form == SyncFormId::Fence);
    CHECK(decode("fence.acquire.sync_restrict::shared::cluster.cluster;").sync.form ==
          SyncFormId::FenceSyncRestrictAcquire);
    CHECK(decode("membar.gl;").sync.scope == Scope::Gpu);
    CHECK(decode("vote.sync.ballot.b32 %r1, %p1, -1;").sync.form == SyncFormId::VoteSyncBallot);
    CHECK(decode("match.all.sync.b32 %r1|%p1, %r2, -1;").sync.form == SyncFormId::MatchAll);
    CHECK(decode("elect.sync _|%p1, -1;").sync.form == SyncFormId::Elect);
    CHECK(decode("redux.sync.min.abs.NaN.f32 %f1, %f2, -1;").sync.nan);
    CHECK(decode("griddepcontrol.wait;").sync.word == SyncWord::Wait);
    CHECK(decode("mapa.shared::cluster.u32 %r1, %r2, 1;").sync.type == Type::U32);
    CHECK(decode("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.inc.u32 "
                 "[%r1], %r2, [%r3];")
              .sync.form == SyncFormId::RedAsyncIncDec);
    CHECK(decode("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.b64 [%r1], {%rd1, "
                 "%rd2}, [%r2];")
              .sync.vector == 2);
    CHECK(decode("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::"
                 "cluster [%r1], [%rd1], 16, "
                 "[%r2], %h1;")
              .sync.multicast);
    CHECK(decode("cp.async.bulk.wait_group.read 0;").sync.read);
    CHECK(decode("clusterlaunchcontrol.query_cancel.get_first_ctaid::y.b32.b128 %r1, %q1;")
              .sync.word == SyncWord::FirstY);
}

TEST_CASE("help comes from the table", "[ptx]")
{
    const std::string help = syncHelp("barrier.cluster.arrive");
    CHECK(help.find("barrier.cluster.arrive{.sem}{.aligned};") != std::string::npos);
    CHECK(help.find(".release (default)") != std::string::npos);
    CHECK(help.find("sm_90") != std::string::npos);
    CHECK(help.find("wait") == std::string::npos);
    CHECK(syncHelp("mbarrier").find("mbarrier.pending_count.b64 count, state;") !=
          std::string::npos);
    // Of two needs under one condition only the stricter one.
    CHECK(syncHelp("bar.sync").find("needs PTX 1.0, sm_10; with .cta: PTX 7.8, sm_20; with") !=
          std::string::npos);
    CHECK(syncHelp("nonsense").empty());
    CHECK(syncHelp("").find("mbarrier.try_wait.parity\n") != std::string::npos);
}

TEST_CASE("permuted qualifiers: as many orders match as the reference takes", "[ptx][GEN-005]")
{
    const struct {
        const char* opcode;
        std::vector<std::string> words;
        int taken;
    } rows[] = {{"barrier", {"aligned", "cta", "sync"}, 2},
                {"barrier", {"aligned", "cta", "popc", "red", "u32"}, 6},
                {"fence", {"cluster", "mbarrier_init", "release"}, 6},
                {"fence", {"async", "proxy", "shared::cta"}, 1},
                {"vote", {"all", "pred", "sync"}, 6},
                {"redux", {"NaN", "abs", "f32", "min", "sync"}, 120},
                {"mbarrier", {"b64", "cta", "parity", "acquire", "shared::cta", "test_wait"}, 24}};
    for (const auto& row : rows) {
        Instruction i;
        i.opcode = row.opcode;
        i.modifiers = row.words;
        std::sort(i.modifiers.begin(), i.modifiers.end());
        int taken = 0;
        do {
            taken += matchSync(i) != nullptr ? 1 : 0;
        } while (std::next_permutation(i.modifiers.begin(), i.modifiers.end()));
        CAPTURE(row.opcode, row.words);
        CHECK(taken == row.taken);
    }
}
