// Directed tests of remote operations: packets out, packets in, errors on both sides, data before its complete_tx.
#include <set>

#include "rtl/mbar_cluster_unit.hpp"

using namespace mbar;

TEST_CASE("remote groups leave as packets, answered when posted", "[D-38][MBARR-019][MBAR-044]")
{
    ClusterUnit u;
    const std::pair<Op, PktKind> kinds[] = {{Op::MbarArrive, PktKind::Arrive},
                                            {Op::MbarArriveDrop, PktKind::Drop},
                                            {Op::MbarExpectTx, PktKind::ExpectTx},
                                            {Op::MbarCompleteTx, PktKind::CompleteTx},
                                            {Op::MbarArriveExpectTx, PktKind::ArriveExpectTx},
                                            {Op::MbarDropExpectTx, PktKind::DropExpectTx}};
    for (const auto& [op, kind] : kinds) {
        u.play(ClusterUnit::remote(op, 0xff0, 0x3000040, 5));
        const Packet& p = u.packets.back();
        CHECK(p.pkt.kind == kind);
        CHECK(p.pkt.rank == 3);
        CHECK(p.pkt.clus == 9);
        CHECK(p.pkt.offset == 0x40);
        CHECK(p.pkt.amount == 5);
        CHECK(p.pkt.src_cta == 2);
        CHECK(p.pkt.src_warp == 7);
        CHECK(p.pkt.first);
        CHECK(p.pkt.was == kind);
        CHECK(p.pkt.lane == 4);
        CHECK(p.pkt.more == 7);
        CHECK_FALSE(p.pkt.async);
        CHECK(u.answers.back().rsp.lanes == 0xff0);
        CHECK(u.answers.back().rsp.cause == Cause::Done);
        CHECK(u.answers.back().rsp.last);
    }
    CHECK(u.packets.size() == 6);
    CHECK(u.commits.empty());
}

TEST_CASE("lanes that are not contiguous have a packet each", "[D-38]")
{
    ClusterUnit u;
    u.play(ClusterUnit::remote(Op::MbarArrive, 0x8005, 0x2000000));
    REQUIRE(u.packets.size() == 3);
    CHECK(u.packets[0].pkt.first);
    CHECK_FALSE(u.packets[1].pkt.first);
    Lanes told = 0;
    for (const Answer& a : u.answers) told |= a.rsp.lanes;
    CHECK(told == 0x8005);
    CHECK(u.answers.back().rsp.last);
}

TEST_CASE("own rank acts here, other ranks leave, in lane order per object; one last answer",
          "[D-38][D-66]")
{
    ClusterUnit u;
    u.play(instruction(Op::MbarInit, kOne, 0, 8));
    u.answers.clear();
    Instruction i = ClusterUnit::remote(Op::MbarArrive, 0xf, 0);
    for (unsigned lane = 0; lane < 4; ++lane) i.addr[lane] = lane << 24;
    u.play(i);
    CHECK(u.packets.size() == 3);
    CHECK(u.at(0).pending == 7);
    CHECK(u.commits.back().tap.obj == 0x1000000);
    CHECK(u.commits.back().tap.lanes == 2);
    Lanes told = 0;
    for (const Answer& a : u.answers) {
        told |= a.rsp.lanes;
        CHECK(a.rsp.last == (told == 0xf));
    }
}

TEST_CASE("what cannot go remote is refused at its source", "[MBARR-010][MBAR-015][MBAR-020][D-66]")
{
    ClusterUnit u;
    const auto refused = [&](Instruction i, Err bit) {
        u.play(i);
        CHECK(u.commits.back().tap.refused);
        CHECK(u.commits.back().err(bit));
        CHECK(u.answers.back().rsp.cause == Cause::Refused);
        CHECK(u.answers.back().rsp.last);
    };
    refused(ClusterUnit::remote(Op::MbarArrive, kOne, 0x4000000), Undeliverable);
    refused(ClusterUnit::remote(Op::MbarArrive, kOne, 0xff000000), Undeliverable);
    Instruction state = ClusterUnit::remote(Op::MbarArrive, kOne, 0x3000000);
    state.req.want_value = true;
    refused(state, RemoteForm);
    state.req.no_complete = true;
    refused(state, RemoteForm);
    refused(state, Local);
    state.req.want_value = false;
    refused(state, Local);
    CHECK_FALSE(u.commits.back().err(RemoteForm));
    for (const Op op : {Op::MbarInit, Op::MbarInval, Op::MbarTestWaitParity, Op::MbarTryWaitParity,
                        Op::CpAsyncArrive})
        refused(ClusterUnit::remote(op, kOne, 0x3000000), RemoteForm);
    refused(ClusterUnit::remote(Op::RedAsync, kOne, 0x1000000, 4), Self);
    CHECK(u.packets.empty());
}

TEST_CASE("packets wait for the entry gate and for the network", "[D-70]")
{
    ClusterUnit u;
    u.open = 0;
    for (int i = 0; i < 20; ++i) {
        Instruction a = ClusterUnit::remote(Op::MbarArrive, kOne, 0x2000000u + unsigned(8 * i));
        a.req.cta = 2;
        u.give(a);
    }
    u.run(300);
    CHECK(u.packets.empty());
    CHECK((u.quiet() >> 2 & 1) == 0);
    u.come(ClusterUnit::packet(PktKind::CompleteTx, 0, 1));  // others go on
    CHECK(u.commits.size() == 1);
    u.open = kAll;
    u.txStall = 3;
    u.settle();
    REQUIRE(u.packets.size() == 20);
    std::set<unsigned> offsets;  // the gate opens for all of them: they leave in any order
    for (const auto& packet : u.packets) offsets.insert(packet.pkt.offset);
    CHECK(offsets.size() == 20);
    CHECK(*offsets.begin() == 0);
    CHECK(*offsets.rbegin() == 8 * 19);
    u.run(10);
    CHECK((u.quiet() >> 2 & 1) == 1);
}

TEST_CASE("packets act on the owner's object and name their origin",
          "[MBARR-019][MBARR-004][MBDROP-005][D-36]")
{
    ClusterUnit u;
    u.play(instruction(Op::MbarInit, kOne, 0x20, 6));
    u.come(ClusterUnit::packet(PktKind::Arrive, 0x20, 1), 3, 2);
    const Commit& c = u.commits.back();
    CHECK(c.tap.op == Op::MbarArrive);
    CHECK(c.tap.src == Src::Remote);
    CHECK(c.tap.lanes == 0x38);
    CHECK(c.tap.obj == 0x1000020);
    CHECK(c.tap.cta == 2);
    CHECK(c.tap.warp == 5);
    CHECK(c.tap.tag == 77);
    CHECK(c.srcSm == 11);
    CHECK(c.srcCta == 21);
    CHECK(u.at(0x20) == Object{0, 3, 6, 0, false});
    u.come(ClusterUnit::packet(PktKind::DropExpectTx, 0x20, 64));
    CHECK(u.at(0x20) == Object{0, 2, 5, 64, false});
    u.come(ClusterUnit::packet(PktKind::CompleteTx, 0x20, 64));
    u.come(ClusterUnit::packet(PktKind::Drop, 0x20, 2));
    CHECK(u.at(0x20) == Object{1, 3, 3, 0, false});
    u.come(ClusterUnit::packet(PktKind::Arrive, 0x20, 4));
    CHECK(u.commits.back().err(Pending));
    CHECK(u.commits.back().tap.refused);
    CHECK(u.at(0x20).pending == 3);
}

TEST_CASE(
    "packets that cannot be applied are reported at the owner, those that came back at the source",
    "[D-38][D-66][D-72]")
{
    ClusterUnit u;
    u.come(ClusterUnit::packet(PktKind::Arrive, 0x21, 1));
    CHECK(u.commits.back().err(Align));
    u.come(ClusterUnit::packet(PktKind::Arrive, 0x1000, 1));
    CHECK(u.commits.back().err(Window));
    raw::Pkt gone = ClusterUnit::packet(PktKind::ExpectTx, 0x20, 1);
    gone.dst_cta = 5;
    u.come(gone);
    CHECK(u.commits.back().err(Undeliverable));
    CHECK(u.commits.back().tap.src == Src::Remote);
    raw::Pkt back = ClusterUnit::packet(PktKind::Error, 0x20, 1);
    back.src_cta = 2;
    back.rank = 3;
    back.err = true;
    back.was = PktKind::ExpectTx;
    u.come(back, 6);
    const Commit& c = u.commits.back();
    CHECK(c.err(Undeliverable));
    CHECK(c.tap.src == Src::Network);
    CHECK(c.tap.op == Op::MbarExpectTx);
    CHECK(c.tap.obj == 0x3000020);
    CHECK(c.tap.lanes == 0x40);
    CHECK(c.tap.cta == 2);
}

TEST_CASE("st.async and red.async: data first, then complete_tx in a later commit",
          "[RASYNC-012][RASYNC-014][D-45]")
{
    ClusterUnit u;
    Instruction i = instruction(Op::StAsync, 6, 0x3000040, 8);
    i.req.remote = true;
    u.play(i);
    REQUIRE(u.packets.size() == 2);
    CHECK(u.packets[0].pkt.kind == PktKind::Data);
    CHECK(u.packets[0].pkt.lane == 1);
    CHECK(u.packets[0].pkt.async);
    CHECK(u.packets[1].pkt.amount == 8);
    u.play(instruction(Op::MbarInit, kOne, 0x40, 1));
    u.play(instruction(Op::MbarArriveExpectTx, kOne, 0x40, 8));
    u.commits.clear();
    u.come(ClusterUnit::packet(PktKind::Data, 0x40, 8), 1);
    REQUIRE(u.commits.size() == 2);
    CHECK(u.commits[0].tap.op == Op::EvDelivered);
    CHECK(u.commits[0].tap.new_w == 77);
    CHECK(u.commits[0].tap.lanes == 2);
    CHECK(u.commits[0].tap.obj == 0x1000040);
    CHECK(u.commits[1].tap.op == Op::EvAsyncCompleteTx);
    CHECK(u.commits[1].tap.flip);
    CHECK(u.commits[1].cycle > u.commits[0].cycle);
    u.commits.clear();
    u.come(ClusterUnit::packet(PktKind::Data, 0x44, 8), 1);
    REQUIRE(u.commits.size() == 1);
    CHECK(u.commits[0].tap.refused);
    REQUIRE(u.told.size() == 2);
    CHECK_FALSE(u.told[0].refused);
    CHECK(u.told[1].refused);
}

TEST_CASE("data that are there are not told again when their CTA leaves before the complete_tx",
          "[RASYNC-012][D-45][D-41]")
{
    raw::Cfg config = Testbench::config0();
    config.mbar_interval = 50;
    ClusterUnit u(config);
    u.play(instruction(Op::MbarInit, kOne, 0x40, 1));
    u.commits.clear();
    u.give(ClusterUnit::packet(PktKind::Data, 0x40, 8));
    while (u.commits.empty() && u.now < 5000) u.run(1);
    REQUIRE(u.commits.size() == 1);
    CHECK(u.commits[0].tap.op == Op::EvDelivered);
    u.left = 1u << 2;
    u.settle();
    REQUIRE(u.fault().empty());
    REQUIRE(u.commits.size() == 2);
    CHECK(u.commits[1].err(Undeliverable));
    REQUIRE(u.told.size() == 1);
    CHECK_FALSE(u.told[0].refused);
}

TEST_CASE("a window in the upper half of an SM's shared memory has its own words",
          "[MBAR-004][D-72]")
{
    Testbench b(Testbench::config0());
    b.launch(2, 0x22000, 0x1000);
    Instruction i = instruction(Op::MbarInit, kOne, 0x40, 5);
    i.req.cta = 2;
    b.give(i);
    b.settle();
    REQUIRE(b.fault().empty());
    CHECK(decode(b.word(0x22040)).pending == 5);
    CHECK(b.word(0x2040) == 0);
}

TEST_CASE(
    "a packet that came back is under way to its source's CTA, not to that of its target's slot",
    "[D-38][D-41]")
{
    ClusterUnit u;
    u.settle();
    const std::uint32_t quiet = u.quiet();
    raw::Pkt back = ClusterUnit::packet(PktKind::Error, 0x20, 1);
    back.src_cta = 2;
    back.dst_cta = 5;
    back.rank = 3;
    back.err = true;
    back.was = PktKind::ExpectTx;
    u.give(back);
    std::uint32_t busy = 0;
    for (unsigned i = 0; i < 20; ++i) {
        u.run(1);
        busy |= quiet & ~u.quiet();
    }
    CHECK(busy == 1u << 2);
    u.settle();
    REQUIRE(u.fault().empty());
    CHECK(u.commits.back().err(Undeliverable));
    CHECK(u.quiet() == quiet);
}

TEST_CASE("remote updates keep their order and their latency", "[D-38]")
{
    ClusterUnit u;
    u.play(instruction(Op::MbarInit, kOne, 0, 1));
    u.commits.clear();
    for (unsigned i = 0; i < 40; ++i)
        u.give(ClusterUnit::packet(i % 2 == 0 ? PktKind::ExpectTx : PktKind::CompleteTx, 0,
                                   i / 2 + 1));
    u.settle();
    REQUIRE(u.commits.size() == 40);
    for (unsigned i = 0; i < 40; ++i)
        CHECK(u.commits[i].tap.op == (i % 2 == 0 ? Op::MbarExpectTx : Op::MbarCompleteTx));
    CHECK(u.at(0) == Object{0, 1, 1, 0, false});
}

TEST_CASE("a CTA that leaves while the word of a packet is read: the next object gets its own word",
          "[HS-024][D-38][MBAR-008]")
{
    raw::Cfg config = Testbench::config0();
    config.smem_lat = 30;
    config.mbar_policy = std::uint8_t(GENERATE(0, 1));
    CAPTURE(config.mbar_policy);
    Testbench u{config};
    constexpr std::uint32_t kLeaver = 0x4000, kOther = 0x4008;  // words of one line, of two CTAs
    u.launch(2, kLeaver, 8, 1, 4, 9);
    u.launch(0, kOther, 0x1000);
    const Object leaver{0, 7, 7, 0, false}, other{1, 3, 5, 0, false};
    u.setWord(kLeaver, encode(leaver));
    u.setWord(kOther, encode(other));
    u.give(ClusterUnit::packet(PktKind::Arrive, 0, 1));
    while (u.readsMade == 0 && u.now < 100) u.run(1);
    REQUIRE(u.readsMade == 1);
    u.left |= 1u << 2;
    u.give(instruction(Op::MbarArrive, kOne, 0, 1));
    u.settle();
    INFO(u.fault());
    REQUIRE(u.fault().empty());
    REQUIRE(u.commits.size() == 2);
    CHECK(u.commits[0].err(Undeliverable));
    CHECK(u.commits[1].tap.old_w == encode(other));
    u.end(0);
    u.settle();
    CHECK(decode(u.word(kOther)) == Object{1, 2, 5, 0, false});
    CHECK(decode(u.word(kLeaver)) == leaver);
}
