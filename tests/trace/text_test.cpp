// Records as text and back, without loss.
#include "golden/warp_ops.hpp"
#include "support.hpp"

using namespace gsu;
using namespace gsu::trace;
using support::recordOf;
using support::textOf;

namespace {

bool sameRequest(const SyncRequest& a, const SyncRequest& b)
{
    bool same = a.op == b.op && a.at == b.at && a.lanes == b.lanes && a.tag == b.tag &&
                a.arg0 == b.arg0 && a.arg1 == b.arg1 && a.pred == b.pred && a.sem == b.sem &&
                a.scope == b.scope && a.kind == b.kind && a.aligned == b.aligned &&
                a.noComplete == b.noComplete && a.wantValue == b.wantValue &&
                a.diverged == b.diverged && a.remote == b.remote && a.source == b.source;
    for (unsigned lane = 0; lane < 32; ++lane) {
        if ((a.lanes >> lane & 1u) == 0) continue;
        same = same && a.addr[lane] == b.addr[lane] && a.data[lane] == b.data[lane] &&
               a.limit[lane] == b.limit[lane];
    }
    return same;
}

/// Any request that a port could get, weighted towards what real kernels do.
SyncRequest randomRequest(std::mt19937& random)
{
    const auto upTo = [&](std::uint64_t max) {
        return std::uniform_int_distribution<std::uint64_t>(0, max)(random);
    };
    SyncRequest r;
    r.op = Op(1 + upTo(42));
    r.at = {std::uint8_t(upTo(15)), std::uint8_t(upTo(31)), std::uint8_t(upTo(31))};
    r.lanes = upTo(1) != 0 ? ~Lanes{0} : Lanes(1 + upTo(0xfffffffe));
    r.tag = std::uint16_t(upTo(4095));
    r.arg0 = upTo(3) == 0 ? std::uint32_t(upTo(0xffffffff)) : std::uint32_t(upTo(15));
    r.arg1 = upTo(1) != 0 ? 0 : std::uint32_t(upTo(2048));
    r.pred = upTo(1) != 0 ? 0 : Lanes(upTo(0xffffffff));
    r.sem = Sem(upTo(3));
    r.scope = Scope(upTo(4));
    r.kind = upTo(2) != 0 ? std::uint8_t{0} : std::uint8_t(upTo(255));
    if (isWarpOp(r.op)) {
        do r.kind = std::uint8_t(upTo(63));
        while (!hasForm(r.op, r.kind));
    }
    r.aligned = upTo(1) != 0, r.noComplete = upTo(7) == 0, r.wantValue = upTo(1) != 0;
    r.diverged = upTo(3) == 0, r.remote = upTo(3) == 0;
    r.source = std::uint32_t(upTo(5000));
    const auto shape = upTo(4);
    const std::uint32_t base = std::uint32_t(upTo(0xffff)) * 8, stride = std::uint32_t(upTo(4)) * 8;
    for (unsigned lane = 0; lane < 32; ++lane) {
        if ((r.lanes >> lane & 1u) == 0 || shape == 0) continue;
        r.addr[lane] =
            shape == 4 ? std::uint32_t(upTo(0xffffffff)) : base + (shape == 2 ? lane * stride : 0);
        if (shape >= 2)
            r.data[lane] = shape == 4                ? upTo(~std::uint64_t{0})
                           : shape == 3 && lane > 20 ? lane
                                                     : 128;
        if (shape == 3) r.limit[lane] = 10'000;
    }
    return r;
}

}  // namespace

TEST_CASE("a request survives being written and read", "[trace]")
{
    const auto seed = GENERATE(range(1u, 9u));
    CAPTURE(seed);
    std::mt19937 random(seed);
    std::size_t withOperands = 0;
    for (int i = 0; i < 2000; ++i) {
        const RequestRecord before{random() % 100000, randomRequest(random)};
        const std::string text = textOf(Record(before));
        CAPTURE(i, text);
        const auto after = std::get<RequestRecord>(recordOf(text));
        REQUIRE(after.dt == before.dt);
        REQUIRE(sameRequest(after.request, before.request));
        REQUIRE(textOf(Record(after)) == text);
        withOperands += text.find('{') != std::string::npos ? 1 : 0;
    }
    REQUIRE(withOperands > 100);
}

TEST_CASE("requests read as PTX", "[trace][BAR-029]")
{
    SyncRequest r;
    r.lanes = ~Lanes{0};
    r.op = Op::BarSync, r.sem = Sem::AcqRel, r.scope = Scope::Cta;
    r.arg0 = 1, r.arg1 = 64, r.aligned = true;
    const auto instruction = [&] {
        const std::string text = textOf(RequestRecord{3, r});
        return text.substr(text.find(" L0 ") + 4);
    };
    CHECK(instruction() == "barrier.cta.sync.aligned 1, 64;");
    r.op = Op::BarRedPopc, r.arg1 = 0, r.pred = 0xffff, r.wantValue = true;
    CHECK(instruction() == "barrier.cta.red.popc.aligned.u32 %d, 1, p=0x0000ffff;");
    r = {};
    r.lanes = 0xffff, r.op = Op::WarpSync, r.arg0 = 0xffff;
    CHECK(instruction() == "bar.warp.sync 0x0000ffff;");
    r.op = Op::Redux, r.kind = kReduxMinF | kReduxAbs | kReduxNan;
    CHECK(instruction() == "redux.sync.min.abs.NaN.f32 0x0000ffff;");
    r.op = Op::VoteSync, r.kind = kVoteBallot, r.pred = 0xff;
    CHECK(instruction() == "vote.sync.ballot.b32 0x0000ffff; p=0x000000ff");
    r.op = Op::MatchAny, r.kind = kMatchB64, r.pred = 0;
    r.data.fill(3);
    CHECK(instruction() == "match.any.sync.b64 0x0000ffff; data=3");
    r.data.fill(0);
    r.kind = 0;
    r.op = Op::ClusterArrive, r.arg0 = 0, r.sem = Sem::Release, r.scope = Scope::Cluster;
    CHECK(instruction() == "barrier.cluster.arrive.release;");
    r.scope = Scope::None;
    CHECK(instruction() == "barrier.cluster.arrive.release.none;");
    r.op = Op::MbarTryWaitParity, r.sem = Sem::Acquire, r.scope = Scope::Cta;
    for (unsigned lane = 0; lane < 16; ++lane) r.addr[lane] = 64 + 8 * lane, r.data[lane] = 1;
    CHECK(instruction() ==
          "mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 [{0:64+8*16}], 1;");
}

TEST_CASE("every other record survives being written and read", "[trace]")
{
    const std::vector<std::string> lines = {
        "route +0 after=0 cluster=3:1 of 2 at 1/0",
        "launch +5 after=2 0/3 threads=80 wbase=4 base=1024 size=2048 cluster=3:1 of 2",
        "exit +7 0/3/2 0x0000ffff",
        "exit +7 0/3/2 0x0000ffff trap",
        "issue +9 0/3/2 &1",
        "async +600 &1 complete_tx 0/3/2 [1:64], 4096 #77",
        "async +600 &0 arrive_on 0/3/2 [0:64], 1 #77",
        "async +600 &0 agent_arrive 0/3/2 [0:64], 5 #77",
        "store +3 sm=0 addr=64 bytes=8",
        "answer +4 0/3/2 0x0000ffff #4 done last p=0x00000001 value=0xff stride=0x3",
        "answer +4 0/3/2 0x0000ffff #4 refused",
        "release +4 0/3 named 2 warps=0x00000007 popc=65 all any",
        "release +4 0/3 cluster warps=0x00000007",
        "free +4 0/3",
        "delivered +4 0/3 #9",
        "stop +100",
    };
    for (const auto& line : lines) CHECK(textOf(recordOf(line)) == line);
}

TEST_CASE("a malformed record is refused with its line and column", "[trace]")
{
    const std::vector<std::string> lines = {
        "",
        " ",
        "do",
        "do ",
        "jump +0 0/0/0",
        "do 5 0/0/0 0x1 #0 L0 membar;",
        "do +x 0/0/0 0x1 #0 L0 membar;",
        "do +5  0/0/0 0x1 #0 L0 membar;",
        "do +281474976710656 0/0/0 0x1 #0 L0 membar;",
        "do +5 148/0/0 0x1 #0 L0 membar;",
        "do +5 0/32/0 0x1 #0 L0 membar;",
        "do +5 0/0/32 0x1 #0 L0 membar;",
        "do +5 0/0/0 0x0 #0 L0 membar;",
        "do +5 0/0/0 0x100000000 #0 L0 membar;",
        "do +5 0/0/0 0x1 #4096 L0 membar;",
        "do +5 0/0/0 0x1 #0 membar;",
        "do +5 0/0/0 0x1 #0 L0 membar",
        "do +5 0/0/0 0x1 #0 L0 membar; ",
        "do +5 0/0/0 0x1 #0 L0 membar; what=1",
        "do +5 0/0/0 0x1 #0 L0 barrier.cta.syn 1;",
        "do +5 0/0/0 0x1 #0 L0 barrier.cta.sync.fast 1;",
        "do +5 0/0/0 0x1 #0 L0 barrier.cta.sync.aligned.aligned 1;",
        "do +5 0/0/0 0x1 #0 L0 barrier.cta.sync;",
        "do +5 0/0/0 0x1 #0 L0 barrier.cta.sync 1, 0;",
        "do +5 0/0/0 0x1 #0 L0 barrier.cta.red.popc %d, 1, p=0x1;",
        "do +5 0/0/0 0x1 #0 L0 barrier.cta.red.popc.u32 %d, 1;",
        "do +5 0/0/0 0x1 #0 L0 barrier.cluster.arrive;",
        "do +5 0/0/0 0x1 #0 L0 vote.sync 0x1;",
        "do +5 0/0/0 0x1 #0 L0 redux.sync.add.f32 0x1;",
        "do +5 0/0/0 0x1 #0 L0 redux.sync.add.u32 0x1; kind=1",
        "do +5 0/0/0 0x1 #0 L0 mbarrier.arrive.b64 [0:8], 1;",
        "do +5 0/0/0 0x3 #0 L0 mbarrier.arrive.shared::cta.b64 [{0:8}], 1;",
        "do +5 0/0/0 0x3 #0 L0 mbarrier.arrive.shared::cta.b64 [{0:8*3}], 1;",
        "do +5 0/0/0 0x3 #0 L0 mbarrier.arrive.shared::cta.b64 [{0:8*0,0:8}], 1;",
        "do +5 0/0/0 0x3 #0 L0 mbarrier.arrive.shared::cta.b64 [{0:8+4294967295*2}], 1;",
        "do +5 0/0/0 0x1 #0 L0 mbarrier.arrive.shared::cta.b64 [256:8], 1;",
        "do +5 0/0/0 0x1 #0 L0 mbarrier.arrive.shared::cta.b64 [0:16777216], 1;",
        "launch +0 after=0 0/0 threads=0 wbase=0 base=0 size=0 cluster=0:0 of 1",
        "launch +0 after=0 0/0 threads=1025 wbase=0 base=0 size=0 cluster=0:0 of 1",
        "launch +0 after=0 0/0 threads=64 wbase=63 base=0 size=0 cluster=0:0 of 1",
        "launch +0 after=0 0/0 threads=64 wbase=0 base=0 size=0 cluster=0:1 of 1",
        "launch +0 after=0 0/0 threads=64 wbase=0 base=0 size=0 cluster=64:0 of 1",
        "issue +1 0/0/0 &0",
        "async +1 &1 what 0/0/0 [0:0], 1 #0",
        "store +1 sm=148 addr=0 bytes=0",
        "answer +1 0/0/0 0x1 #0 fine",
        "release +1 0/0 named 16 warps=0x1",
        "release +1 0/0 warps=0x1",
        "free +1 0/0 now",
        "delivered +1 0/0",
        "route +0 after=0 cluster=0:0 of 0 at 0/0",
        "exit +1 0/0/0 0x1 maybe",
    };
    for (const auto& line : lines) {
        CAPTURE(line);
        try {
            static_cast<void>(recordOf(line));
            FAIL("accepted");
        } catch (const InputError& e) {
            CHECK(e.line == 1);
            CHECK(e.column >= 1);
            CHECK(e.column <= line.size() + 1);
        }
    }
}
