// Requests, reports and objects as the text of a difference names them.
#include "lockstep/describe.hpp"

#include <algorithm>

#include "catch.hpp"
#include "golden/warp_join.hpp"

using namespace gsu;
using namespace gsu::lockstep;

TEST_CASE("a warp, a commit and an answer in words", "[D-01]")
{
    CHECK(describe(WarpRef{1, 2, 3}) == "sm 1 cta 2 warp 3");
    Commit c;
    c.unit = Unit::Named;
    c.op = Op::BarSync;
    c.at = {1, 2, 3};
    c.lanes = 0xff;
    c.tag = 7;
    c.object = 4;
    c.errs = 0x10;
    c.oldWord = 0x20;
    c.newWord = 0x40;
    const std::string start = std::string(nameOf(Unit::Named)) + " commit " + nameOf(Op::BarSync) +
                              " of sm 1 cta 2 warp 3 lanes 0xff tag 7 object 4 errs 0x10 src " +
                              nameOf(c.src);
    CHECK(describe(c) == start + " words 0x20 -> 0x40");
    c.flip = true;
    CHECK(describe(c) == start + " flip words 0x20 -> 0x40");
    c.refused = true;
    CHECK(describe(c) == start + " flip refused words 0x20 -> 0x40");
    SyncResponse r;
    r.tag = 9;
    r.at = {0, 1, 2};
    r.lanes = 0xf;
    r.pred = 3;
    r.value = 0x11;
    const std::string answer = std::string("response tag 9 of sm 0 cta 1 warp 2 lanes 0xf cause ") +
                               nameOf(r.cause) + " pred 0x3 value 0x11";
    CHECK(describe(r) == answer);
    r.last = true;
    CHECK(describe(r) == answer + " last");
}

TEST_CASE("a release in words", "[D-01]")
{
    Release r;
    r.sm = 1;
    r.cta = 2;
    r.warps = 3;
    r.lanes = 0xf0;
    r.id = 5;
    r.popc = 6;
    r.any = true;
    CHECK(describe(r) == "release of sm 1 cta 2 barrier 5 warps 0x3 lanes 0xf0 popc 6 all 0 any 1");
    r.cluster = true;
    r.all = true;
    r.any = false;
    CHECK(describe(r) ==
          "release of sm 1 cta 2 cluster barrier warps 0x3 lanes 0xf0 popc 6 all 1 any 0");
}

TEST_CASE("a joined request names each operation of its lanes", "[D-01]")
{
    JoinGroup g;
    g.at = {1, 2, 3};
    g.lanes = 0xff;
    g.tag = 7;
    g.arg0 = 0x1f;
    g.arg1 = 64;
    g.since = 12;
    g.ops = std::uint64_t{1} << unsigned(Op::BarSync) | std::uint64_t{1} << unsigned(Op::BarArrive);
    const Op first = std::min(Op::BarSync, Op::BarArrive);
    const Op second = std::max(Op::BarSync, Op::BarArrive);
    const std::string rest = " of sm 1 cta 2 warp 3 lanes 0xff tag 7 arg0 0x1f arg1 64";
    CHECK(describe(g) == std::string("request ") + nameOf(first) + "+" + nameOf(second) + rest +
                             " presented in cycle 12");
    g.ops = ~std::uint64_t{0} >> (64 - unsigned(Op::BarRedOr) - 1) ^ std::uint64_t{1};
    const std::string every = describe(g);
    CHECK(every.find(nameOf(first)) != std::string::npos);
    CHECK(std::count(every.begin(), every.end(), '+') == int(Op::BarRedOr) - 1);
    g.family = Family::WarpOp;
    g.form = 3;
    g.ops = std::uint64_t{1} << unsigned(Op::VoteSync);
    CHECK(describe(g) ==
          std::string("request ") + nameOf(Op::VoteSync) + rest + " kind 3 presented in cycle 12");
}

TEST_CASE("barriers in words", "[D-01]")
{
    NamedBarrier b;
    CHECK(describe(b) == "idle");
    b.mode = NamedBarrier::Mode::Explicit;
    b.count = 96;
    b.n = 2;
    b.arrived = 3;
    b.waiting = 1;
    b.redops = 4;
    b.popc = 5;
    b.any = true;
    const std::string rest =
        " count 96 arrivals 2 arrived 0x3 waiting 0x1 redops 4 popc 5 all 0 any 1";
    CHECK(describe(b) == "explicit" + rest);
    b.mode = NamedBarrier::Mode::Implicit;
    CHECK(describe(b) == "implicit" + rest);
    CHECK(describeCluster(0x0000'0003'8000'0001, 9) == "live 0x3 arrived 0x80000001 generation 9");
    CHECK(hex(255) == "0xff");
}
