// The history of a run by itself: what it keeps, and how much of it.
#include "catch.hpp"
#include "exec/history/history.hpp"
#include "golden/mbarrier.hpp"

namespace gsu::exec {
namespace {

constexpr std::uint32_t kOffset = 64;

struct Recorded {
    History history;
    std::vector<std::unique_ptr<Cta>> ctas;
    explicit Recorded(bool on = true)
    {
        Program program;
        program.notes = 2;
        history.prepare(program, on);
    }
    Cta& start(std::uint64_t serial)
    {
        ctas.push_back(std::make_unique<Cta>());
        Cta& cta = *ctas.back();
        cta.serial = serial;
        cta.linear = static_cast<std::uint32_t>(serial);
        cta.warps.resize(2);
        for (std::uint8_t w = 0; w < 2; ++w) {
            cta.warps[w].index = w;
            cta.warps[w].cta = &cta;
        }
        history.started(cta);
        return cta;
    }
};

/// Bytes of a copy at the port.
Commit copied(std::uint32_t offset)
{
    Commit c;
    c.unit = Unit::Mbarrier, c.op = Op::EvAsyncCompleteTx, c.src = Src::AsyncCopy,
    c.object = offset;
    c.oldWord = packMbar({.phase = false, .lock = false, .pending = 1, .expected = 1, .tx = 16});
    c.newWord = packMbar({.phase = false, .lock = false, .pending = 1, .expected = 1, .tx = 0});
    return c;
}

Commit named(Op op, std::uint32_t id, bool flip = false)
{
    Commit c;
    c.unit = Unit::Named, c.op = op, c.object = id, c.flip = flip, c.at.warp = 1;
    return c;
}

const Doer kPort{{9, 9}, 0, false};

}  // namespace

TEST_CASE("a copy's bytes are its warp's that gave them to the port, the oldest first", "[causes]")
{
    Recorded r;
    const Cta& cta = r.start(3);
    r.history.copyTold(4, kOffset, {{4, 0}, 44});  // another CTA
    r.history.copyTold(3, kOffset + 8, {{3, 0}, 43});
    r.history.copyTold(3, kOffset, {{3, 0}, 41});
    r.history.copyTold(3, kOffset, {{3, 1}, 42});
    for (const std::uint32_t line : {41u, 42u, 0u}) {
        r.history.mbar(copied(kOffset), cta, kPort);
        const auto& parts = r.history.mbarOf(3, kOffset)->running().parts;
        CHECK(parts.back().doer.line == line);
    }
    // A refused one takes its entry and leaves no mark.
    Commit refused = copied(kOffset + 8);
    refused.refused = true;
    r.history.mbar(refused, cta, kPort);
    CHECK(r.history.mbarOf(3, kOffset + 8) == nullptr);
    r.history.mbar(copied(kOffset + 8), cta, kPort);
    CHECK(r.history.mbarOf(3, kOffset + 8)->running().parts.back().doer.line == 0);
}

TEST_CASE("4096 copies whose commits do not come are remembered", "[causes]")
{
    for (const bool more : {false, true}) {
        Recorded r;
        const Cta& cta = r.start(3);
        r.history.copyTold(3, kOffset, {{3, 0}, 41});
        for (unsigned i = 0; i < (more ? 4096u : 4095u); ++i) r.history.copyTold(8, 0, {{8, 0}, 1});
        r.history.mbar(copied(kOffset), cta, kPort);
        CHECK(r.history.mbarOf(3, kOffset)->running().parts.back().doer.line == (more ? 0u : 41u));
    }
}

TEST_CASE("named barriers: arrivals of the running generation, and totals", "[causes]")
{
    Recorded r;
    const Cta& cta = r.start(3);
    r.history.named(named(Op::BarSync, 2), cta, 10);
    r.history.named(named(Op::BarSync, 2, true), cta, 10);
    r.history.named(named(Op::BarArrive, 2), cta, 11);
    Commit refused = named(Op::BarSync, 2);
    refused.refused = true;
    r.history.named(refused, cta, 12);
    r.history.named(named(Op::BarSync, kBarsPerCta), cta, 13);
    r.history.named(named(Op::BarSync, kBarsPerCta - 1), cta, 14);
    r.history.named(named(Op::EvWarpExit, 2), cta, 15);
    const NamedHistory* past = r.history.namedOf(3, 2);
    REQUIRE(past != nullptr);
    CHECK(past->generations == 1);
    REQUIRE(past->running.size() == 1);
    CHECK(past->running[0].warp == WarpId{3, 1});
    CHECK(past->running[0].line == 11);
    CHECK(past->totals == std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t>{
                              {{1, 10}, 2}, {{1, 11}, 1}});
    CHECK(r.history.namedsOf(3).size() == 2);
    CHECK(r.history.namedOf(3, 4) == nullptr);
    r.history.named(named(Op::EvWarpExit, 2, true), cta, 15);
    CHECK(past->generations == 2);
    CHECK(past->running.empty());
}

TEST_CASE("of ended CTAs the last 64 are kept, and no barriers of them", "[causes]")
{
    Recorded r;
    for (std::uint64_t serial = 0; serial < 65; ++serial) {
        const Cta& cta = r.start(serial);
        r.history.looked(cta, kOffset, {0, 0}, 5, 7);
        r.history.named(named(Op::BarSync, 2), cta, 10);
        History::note(
            *r.ctas.back()->warps.data(),
            [] {
                MicroOp op;
                op.kind = Kind::Sync;
                op.note = 2;
                return op;
            }(),
            3, 1, 8);
        r.history.left(cta.warps[1], {.lanes = 1, .line = 20});
        r.history.left(cta.warps[1], {.lanes = 2, .line = 21});
        r.history.ended(cta);
        CHECK(r.history.mbarOf(serial, kOffset) == nullptr);
        CHECK(r.history.namedOf(serial, 2) == nullptr);
    }
    CHECK(r.history.starts() == 65);
    CHECK(r.history.notesOf(0) == nullptr);  // the 65th began when 64 had ended
    const CtaNotes* one = r.history.notesOf(1);
    REQUIRE(one != nullptr);
    CHECK(one->gone);
    CHECK(one->linear == 1);
    CHECK(one->ops.size() == 4);
    CHECK(one->ops[1].times == 1);
    CHECK(one->ops[1].skipped == 2);
    CHECK(one->ends[1].lanes == 3);
    CHECK(one->ends[1].line == 21);
    CHECK(one->ends[0].lanes == 0);
    std::size_t known = 0;
    r.history.eachCta([&](const CtaNotes&) { ++known; });
    CHECK(known == 64);
    const Cta& fresh = r.start(70);
    CHECK_FALSE(r.history.notesOf(70)->gone);
    CHECK(r.history.notesOf(70)->ops[1].times == 0);
    CHECK(fresh.warps[1].notes == r.history.notesOf(70)->ops.data() + 2);
}

TEST_CASE("a passed instruction is noted beside its last execution, a branch is executed",
          "[causes]")
{
    Recorded r;
    Cta& cta = r.start(1);
    MicroOp op;
    op.note = 1, op.kind = Kind::Sync;
    History::note(cta.warps[0], op, 0xf, 0x3, 5);
    const OpNote& n = History::note(cta.warps[0], op, 0xf, 0, 9);
    CHECK((n.times == 1 && n.passed == 1 && n.at == 5 && n.passedAt == 9 && n.ran == 3 &&
           n.skipped == 0xc));
    op.kind = Kind::Branch;
    History::note(cta.warps[0], op, 0xf, 0, 12);
    CHECK((n.times == 2 && n.passed == 1 && n.at == 12 && n.ran == 0 && n.skipped == 0xf));
}

TEST_CASE("a history that is off keeps nothing of barriers", "[causes]")
{
    Recorded r(false);
    const Cta& cta = r.start(3);
    r.history.copyTold(3, kOffset, {{3, 0}, 41});
    r.history.mbar(copied(kOffset), cta, kPort);
    r.history.named(named(Op::BarSync, 2), cta, 10);
    r.history.looked(cta, kOffset, {3, 0}, 5, 7);
    CHECK(r.history.mbarsOf(3).empty());
    CHECK(r.history.namedsOf(3).empty());
}

TEST_CASE("instructions that may explain a hang are numbered", "[causes]")
{
    Program program;
    program.codes.resize(1);
    const auto add = [&](Kind kind, Touch touch, ptx::Space space, bool copies = false) {
        MicroOp op;
        op.kind = kind, op.touch = touch, op.space = space, op.copies = copies;
        program.codes[0].ops.push_back(op);
    };
    for (const Kind kind : {Kind::Branch, Kind::BranchIndexed, Kind::Ret, Kind::Exit, Kind::Sync})
        add(kind, Touch{}, ptx::Space::Global);
    for (const Touch touch : {Touch::Writes, Touch::Updates})
        for (const ptx::Space space :
             {ptx::Space::Global, ptx::Space::SharedCta, ptx::Space::Local, ptx::Space::Param})
            add(Kind::Exec, touch, space);
    add(Kind::Exec, Touch{}, ptx::Space::Global);
    add(Kind::Exec, Touch{}, ptx::Space::Local, true);
    numberNotes(program);
    std::vector<std::uint32_t> notes;
    for (const MicroOp& op : program.codes[0].ops) notes.push_back(op.note);
    CHECK(notes == std::vector<std::uint32_t>{1, 2, 3, 4, 5, 6, 7, 0, 0, 8, 9, 0, 0, 0, 10});
    CHECK(program.notes == 10);
}

}  // namespace gsu::exec
