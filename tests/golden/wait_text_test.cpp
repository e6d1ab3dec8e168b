// What a hang is told with: who waits, for what, and which warps are missing there.
#include "golden/wait_text.hpp"

#include "catch.hpp"
#include "golden/mbarrier.hpp"

using namespace gsu;

namespace {

std::string nameOfCta(std::uint32_t cta) { return "CTA " + std::to_string(cta); }

WaitReport told(std::vector<WaitingGroup> waiting, const std::vector<PresentWarp>& present = {})
{
    return explainWaits(std::move(waiting), present, nameOfCta);
}

WaitingGroup at(WaitKind kind, std::uint32_t cta, std::uint32_t warp, std::uint32_t id = 0)
{
    WaitingGroup w;
    w.kind = kind;
    w.cta = cta;
    w.warp = warp;
    w.id = w.address = w.cluster = id;  // the object of each kind that has a number
    return w;
}

}  // namespace

TEST_CASE("each operation waits for an object of its kind", "[waits]")
{
    CHECK(waitKindOf(Op::MbarTryWait) == WaitKind::Mbarrier);
    CHECK(waitKindOf(Op::WarpSync) == WaitKind::Warp);
    CHECK(waitKindOf(Op::VoteSync) == WaitKind::Warp);
    CHECK(waitKindOf(Op::Redux) == WaitKind::Warp);
    CHECK(waitKindOf(Op::ClusterWait) == WaitKind::Cluster);
    CHECK(waitKindOf(Op::GdcWait) == WaitKind::Grid);
    CHECK(waitKindOf(Op::BarSync) == WaitKind::Named);
    CHECK(waitKindOf(Op::Fence) == WaitKind::Fence);
    CHECK(waitKindOf(Op::Membar) == WaitKind::Fence);
}

TEST_CASE("kinds of waits and their objects in words", "[waits]")
{
    const auto [kind, name, words] = GENERATE(table<WaitKind, const char*, const char*>(
        {{WaitKind::Named, "named", "waits for named barrier 16"},
         {WaitKind::Mbarrier, "mbarrier", "waits for the mbarrier at +0x10"},
         {WaitKind::Cluster, "cluster", "waits for the cluster barrier"},
         {WaitKind::Warp, "warp", "waits for other lanes of its warp"},
         {WaitKind::Spin, "spin", "spins on memory that nothing can change any more"},
         {WaitKind::Fence, "fence", "waits for older accesses to be performed"},
         {WaitKind::Grid, "grid", "waits for the end of the grids before its own"},
         {WaitKind::Columns, "columns", "waits for columns of tensor memory (tcgen05.alloc)"}}));
    CHECK(std::string(nameOf(kind)) == name);
    WaitingGroup w = at(kind, 3, 5, 16);
    w.state = " (state)";
    CHECK(told({w}).explanation ==
          std::string("CTA 3: 1 warp (first: warp 5) ") + words + " (state).");
}

TEST_CASE("a loop that waits for nothing is told so", "[waits]")
{
    WaitingGroup w = at(WaitKind::Spin, 0, 1);
    w.endless = true;
    w.place = "line 21";
    CHECK(told({w}).explanation ==
          "CTA 0: 1 warp (first: warp 1, line 21) spins on nothing: its loop has no end.");
}

TEST_CASE("who waits at one object is told in one sentence, CTAs and warps in order", "[waits]")
{
    const WaitReport r = told({at(WaitKind::Named, 1, 2, 4), at(WaitKind::Named, 0, 3, 4),
                               at(WaitKind::Named, 1, 0, 4), at(WaitKind::Named, 1, 1, 5)});
    CHECK(r.explanation == "CTA 0: 1 warp (first: warp 3) waits for named barrier 4. "
                           "CTA 1: 2 warps (first: warp 0) wait for named barrier 4. "
                           "CTA 1: 1 warp (first: warp 1) waits for named barrier 5.");
    CHECK(r.missing.empty());
}

TEST_CASE("objects of one kind are the same by CTA, cluster, warp or number", "[waits]")
{
    // (kind, told apart by another number, by another warp, by another CTA)
    const auto [kind, number, warp, cta] =
        GENERATE(table<WaitKind, bool, bool, bool>({{WaitKind::Named, true, false, true},
                                                    {WaitKind::Mbarrier, true, false, true},
                                                    {WaitKind::Cluster, true, false, false},
                                                    {WaitKind::Spin, true, false, true},
                                                    {WaitKind::Warp, false, true, true},
                                                    {WaitKind::Fence, false, true, true},
                                                    {WaitKind::Grid, false, false, true},
                                                    {WaitKind::Columns, false, false, true}}));
    CAPTURE(nameOf(kind));
    const WaitingGroup one = at(kind, 1, 1, 1);
    WaitingGroup otherNumber = one, otherWarp = one, otherCta = one;
    otherNumber.id = otherNumber.address = otherNumber.cluster = 2;
    otherWarp.warp = 2;
    otherCta.cta = 2;
    const auto apart = [&](const WaitingGroup& other) {
        const std::string text = told({one, other}).explanation;
        return text.find(". CTA") != std::string::npos;
    };
    CHECK(apart(otherNumber) == number);
    CHECK(apart(otherWarp) == warp);
    CHECK(apart(otherCta) == cta);
}

TEST_CASE("a wait of another kind is another object, whatever its numbers", "[waits]")
{
    const WaitReport r = told({at(WaitKind::Named, 0, 0, 8), at(WaitKind::Mbarrier, 0, 1, 8)});
    CHECK(r.explanation == "CTA 0: 1 warp (first: warp 0) waits for named barrier 8. "
                           "CTA 0: 1 warp (first: warp 1) waits for the mbarrier at +0x8.");
}

TEST_CASE("groups of lanes of one warp keep their order", "[waits]")
{
    std::vector<WaitingGroup> waiting;
    for (const std::uint32_t id : {3u, 1u, 2u}) waiting.push_back(at(WaitKind::Named, 0, 7, id));
    const std::string text = told(waiting, {{0, 0, 0, false}, {0, 7, 0, false}}).explanation;
    CHECK(text.find("barrier 3;") < text.find("barrier 1;"));
    CHECK(text.find("barrier 1;") < text.find("barrier 2;"));
}

TEST_CASE("six objects are told, the first ones", "[waits]")
{
    std::vector<WaitingGroup> waiting;
    for (std::uint32_t id = 0; id < 7; ++id) waiting.push_back(at(WaitKind::Named, 0, id, id));
    const std::string text = told(waiting).explanation;
    CHECK(text.find("named barrier 5.") != std::string::npos);
    CHECK(text.find("named barrier 6") == std::string::npos);
}

TEST_CASE("missing warps of a CTA: what each of them does", "[waits]")
{
    WaitingGroup elsewhere = at(WaitKind::Mbarrier, 0, 2, 0x40);
    elsewhere.place = "line 7";
    const WaitReport r = told({at(WaitKind::Named, 0, 0, 1), elsewhere, at(WaitKind::Spin, 0, 4)},
                              {{0, 0, 0, false},
                               {0, 1, 0, true},
                               {0, 2, 0, false},
                               {0, 3, 0, false},
                               {0, 4, 0, false},
                               {1, 9, 0, false}});  // CTA 1 has nothing to do with it
    CHECK(r.explanation.starts_with(
        "CTA 0: 1 warp (first: warp 0) waits for named barrier 1; missing: warp 1 exited, warp 2 "
        "waits for the mbarrier at +0x40 at line 7, warp 3 is running, warp 4 spins on memory that "
        "nothing can change any more."));
    REQUIRE(r.missing.size() == 5);  // each once, though two barriers miss most of them
    CHECK(r.missing[0].warp == 1);
    CHECK(r.missing[0].why == "exited");
    CHECK(r.missing[2].warp == 3);
    CHECK(r.missing[2].why == "is running");
    CHECK(r.missing[4].warp == 0);  // at the mbarrier
    CHECK(r.missing[4].why == "waits for named barrier 1");
}

TEST_CASE("four missing warps are told, all are listed", "[waits]")
{
    std::vector<PresentWarp> present;
    for (std::uint32_t warp = 0; warp < 6; ++warp) present.push_back({0, warp, 0, false});
    const WaitReport r = told({at(WaitKind::Named, 0, 0, 1)}, present);
    CHECK(r.explanation.find("warp 4 is running.") != std::string::npos);
    CHECK(r.explanation.find("warp 5") == std::string::npos);
    CHECK(r.missing.size() == 5);
}

TEST_CASE("a cluster barrier misses the warps of the other CTAs of its cluster", "[waits]")
{
    const WaitReport r =
        told({at(WaitKind::Cluster, 0, 0, 2), at(WaitKind::Cluster, 1, 1, 2)},
             {{0, 0, 2, false}, {1, 0, 2, false}, {1, 1, 2, false}, {2, 0, 3, false}});
    CHECK(r.explanation ==
          "CTA 0: 1 warp (first: warp 0) waits for the cluster barrier; missing: warp 0 of CTA 1 "
          "is running.");
    REQUIRE(r.missing.size() == 1);
    CHECK(r.missing[0].cta == 1);
    CHECK(r.missing[0].warp == 0);
}

TEST_CASE("nobody is missing where no other warp can help", "[waits]")
{
    const auto kind = GENERATE(WaitKind::Spin, WaitKind::Warp, WaitKind::Fence, WaitKind::Grid);
    CHECK(told({at(kind, 0, 0)}, {{0, 0, 0, false}, {0, 1, 0, false}}).missing.empty());
}

TEST_CASE("states of barriers in words", "[waits]")
{
    raw::NbWord word{};
    CHECK(namedText(0) == "");
    word.mode = 1;
    word.n = 2;
    word.target = 3;
    std::uint32_t halves[2]{};
    raw::pack(word, halves);
    CHECK(namedText(std::uint64_t{halves[1]} << 32 | halves[0]) ==
          " (64 of 96 threads have arrived)");
    CHECK(mbarrierText(0).ends_with("; never initialised)"));
    MbarState s{};
    s.phase = true;
    s.pending = 3;
    s.expected = 4;
    s.tx = 16;
    CHECK(mbarrierText(packMbar(s)) ==
          " (phase 1, 3 of 4 arrivals pending, 16 bytes of tx outstanding)");
    s.lock = true;
    CHECK(mbarrierText(packMbar(s)).ends_with("outstanding, locked)"));
}
