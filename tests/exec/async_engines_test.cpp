// Asynchronous engines, without a kernel: copies in pieces, groups, completions, what is late.
#include "catch.hpp"
#include "exec/parts.hpp"

using namespace gsu;
using namespace gsu::test;

namespace {

struct Engines : Parts {
    Engines() : Parts(shapeOf(32, 4096))
    {
        options.params.copy_jitter = 0;
        launch();
        source = memory.global().allocate(4096, "source");
        for (unsigned i = 0; i < 4096; ++i)
            *memory.global().find(source + i, 1) = static_cast<std::uint8_t>(i * 7 + 1);
    }
    exec::Copy copyOf(std::uint32_t bytes, const exec::LaneGroups& group)
    {
        exec::Copy c;
        c.from = {exec::kNoSm, 0, 0};
        c.to = c.issuer = exec::keyOf(*residents.at(0, 0));
        c.source = source;
        c.bytes = c.valid = bytes;
        c.performed = group.current;
        c.read = group.currentReads;
        return c;
    }
    std::uint8_t byteAt(std::uint32_t offset)
    {
        return *memory.shared(*residents.at(0, 0), offset);
    }
    std::uint64_t source{};
};

}  // namespace

TEST_CASE("a copy moves in pieces, as fast as its engine, and completes each", "[exec][D-45]")
{
    Engines e;
    exec::Copy c = e.copyOf(2500, e.async.groupsOf(e.warp(0), 0, true));
    c.completes = true;
    c.mbarrier = 4000;
    c.mbarrierOwner = c.to;
    c.valid = 2400;  // the rest is zero
    std::memset(e.memory.shared(*e.residents.at(0, 0), 0), 0xaa, 2600);
    e.async.start(c);
    REQUIRE(e.async.busy());
    REQUIRE(e.residents.at(0, 0)->landing == 1);
    const ExecParams& ep = e.options.params;
    const Cycle piece = 1024 / ep.copy_bytes, first = ep.copy_lat + piece;
    e.to(first - 1);
    REQUIRE(e.byteAt(0) == 0xaa);
    e.to(first);
    REQUIRE(e.byteAt(0) == 1);
    REQUIRE(e.byteAt(1023) == static_cast<std::uint8_t>(1023 * 7 + 1));
    REQUIRE(e.byteAt(1024) == 0xaa);
    e.to(first + piece);
    REQUIRE(e.byteAt(2047) == static_cast<std::uint8_t>(2047 * 7 + 1));
    REQUIRE(e.async.busy());
    e.to(first + 2 * piece);
    REQUIRE_FALSE(e.async.busy());
    REQUIRE(e.residents.at(0, 0)->landing == 0);
    REQUIRE(e.byteAt(2399) == static_cast<std::uint8_t>(2399 * 7 + 1));
    REQUIRE(e.byteAt(2400) == 0);
    REQUIRE(e.byteAt(2499) == 0);
    REQUIRE(e.byteAt(2500) == 0xaa);
    e.client.present();
    REQUIRE(e.port.updates.size() == 3);
    std::uint32_t bytes = 0;
    for (const AsyncUpdate& u : e.port.updates) {
        REQUIRE(u.kind == AsyncKind::CompleteTx);
        bytes += u.amount;
    }
    REQUIRE(bytes == 2500);
}

TEST_CASE("the engine of an SM moves one copy after the other", "[exec]")
{
    Engines e;
    e.options.params.copy_lat = 0;
    const exec::LaneGroups& g = e.async.groupsOf(e.warp(0), 0, false);
    e.async.start(e.copyOf(1024, g));
    exec::Copy second = e.copyOf(1024, g);
    second.destination = 2048;
    e.async.start(second);
    const Cycle piece = 1024 / e.options.params.copy_bytes;
    e.to(2 * piece - 1);
    REQUIRE(e.byteAt(1) == 8);
    REQUIRE(e.byteAt(2049) == 0);
    e.to(2 * piece);
    REQUIRE(e.byteAt(2049) == 8);
}

TEST_CASE("a group that waits for copies goes on when its groups are performed", "[exec]")
{
    Engines e;
    exec::Warp& w = e.warp(0);
    exec::Group& g = w.groups.front();
    g.copyLanes = 1;
    REQUIRE(e.async.copiesDone(w, g));
    e.async.start(e.copyOf(64, e.async.groupsOf(w, 0, false)));
    REQUIRE(e.async.copiesDone(w, g));  // not committed: no group to wait for
    e.async.groupsOf(w, 0, false).commit();
    REQUIRE_FALSE(e.async.copiesDone(w, g));
    g.copyMayStay = 1;
    REQUIRE(e.async.copiesDone(w, g));
    g.copyMayStay = 0;
    g.state = exec::GroupState::Copies;
    e.to(10'000);
    REQUIRE(g.state == exec::GroupState::Ready);
    REQUIRE(w.nextAt <= 10'001);
}

TEST_CASE("an arrive waits for its request's answer and for the copies before it", "[exec]")
{
    Engines e;
    exec::Warp& w = e.warp(0);
    e.async.start(e.copyOf(64, e.async.groupsOf(w, 0, false)));
    SyncRequest r;
    r.op = Op::CpAsyncArrive;
    r.at = exec::refOf(w);
    r.lanes = 0x3;
    r.tag = 9;
    r.addr.fill(clusterAddress(0, 512));
    e.async.noteArrive(w, r);
    e.to(10'000);
    e.client.present();
    REQUIRE(e.port.updates.empty());
    e.async.arriveAnswered(0, 8);  // another request
    e.async.arriveAnswered(0, 9);
    e.client.present();
    REQUIRE(e.port.updates.size() == 1);
    REQUIRE(e.port.updates[0].kind == AsyncKind::ArriveOn);
    REQUIRE(e.port.updates[0].amount == 2);
    REQUIRE_FALSE(e.async.busy());
}

TEST_CASE("a copy into a CTA that has ended is a warning, not a write", "[exec][HS-024]")
{
    Engines e;
    e.async.start(e.copyOf(64, e.async.groupsOf(e.warp(0), 0, false)));
    e.residents.at(0, 0)->liveWarps = 0;
    e.to(10'000);
    REQUIRE_FALSE(e.async.busy());
    REQUIRE(e.byteAt(1) == 0);
    REQUIRE(e.state.result.findings.size() == 1);
    REQUIRE(e.state.result.findings[0].rule == "HS-024");
}

TEST_CASE("a copy out of a CTA that ends reads what it still has to read", "[exec][HS-024]")
{
    Engines e;
    exec::Copy c = e.copyOf(2500, e.async.groupsOf(e.warp(0), 0, true));
    std::swap(c.from, c.to);
    c.source = 0;
    c.destination = e.source;
    std::memset(e.memory.shared(*e.residents.at(0, 0), 0), 0xaa, 2500);
    e.async.start(c);
    const ExecParams& ep = e.options.params;
    e.to(ep.copy_lat + 1024 / ep.copy_bytes);  // the first piece is there
    e.async.readOut(*e.residents.at(0, 0));
    e.residents.at(0, 0)->liveWarps = 0;
    std::memset(e.memory.shared(*e.residents.at(0, 0), 0), 0xbb, 2500);  // the next CTA
    e.to(10'000);
    REQUIRE_FALSE(e.async.busy());
    REQUIRE(*c.performed == 0);
    for (const unsigned i : {0u, 1023u, 1024u, 2047u, 2048u, 2499u})
        REQUIRE(*e.memory.global().find(e.source + i, 1) == 0xaa);
    REQUIRE(*e.memory.global().find(e.source + 2500, 1) == static_cast<std::uint8_t>(2500 * 7 + 1));
    REQUIRE(e.state.result.findings.size() == 1);
    REQUIRE(e.state.result.findings[0].rule == "HS-024");
}

TEST_CASE("delivered data are written once", "[exec]")
{
    Engines e;
    exec::RemoteData data;
    data.owner = exec::keyOf(*e.residents.at(0, 0));
    data.offset = 128;
    data.values = {0x11, 0x22};
    data.bytes = 4;
    e.async.sendRemote(5, data);
    REQUIRE(e.async.remoteOpen(5));
    Delivered d;
    d.tag = 5;
    e.async.onDelivered(d);
    REQUIRE(e.byteAt(128) == 0x11);
    REQUIRE(e.byteAt(132) == 0x22);
    REQUIRE(e.port.stores.back().second == 8);
    REQUIRE_FALSE(e.async.busy());
    *e.memory.shared(*e.residents.at(0, 0), 128) = 0;
    e.async.onDelivered(d);
    REQUIRE(e.byteAt(128) == 0);
}
