// Arrivals of agents that are no threads: given here, and as packets of other CTAs.
#include "rtl/mbar_cluster_unit.hpp"

using namespace mbar;

TEST_CASE("an agent's arrival: one here, a packet for each other rank, when the gate is open",
          "[AgentArrive]")
{
    ClusterUnit u;  // rank 1 of four CTAs, in slot 2
    const auto arrive = [&](std::uint32_t ranks) {
        u.packets.clear();
        u.commits.clear();
        u.give(raw::Async{.kind = AsyncKind::AgentArrive,
                          .cta = 2,
                          .warp = 3,
                          .tag = 9,
                          .addr = 0x40,
                          .amount = ranks});
        u.settle();
        REQUIRE(u.fault().empty());
    };
    u.play(instruction(Op::MbarInit, 1, 0x40, 3));
    arrive(0xd | 2);
    REQUIRE(u.packets.size() == 3);
    Lanes ranks = 0;
    for (const Packet& p : u.packets) {
        ranks |= 1u << p.pkt.rank;
        CHECK(p.pkt.kind == PktKind::AgentArrive);
        CHECK(p.pkt.async);
        CHECK(p.pkt.offset == 0x40);
        CHECK(p.pkt.src_cta == 2);
        CHECK(p.pkt.tag == 9);
    }
    CHECK(ranks == 0xd);
    REQUIRE(u.commits.size() == 1);
    CHECK(u.commits[0].tap.op == Op::EvAgentArrive);
    CHECK(u.at(0x40).pending == 2);
    arrive(1);
    CHECK(u.packets.size() == 1);
    CHECK(u.commits.empty());
    arrive(2);
    CHECK(u.packets.empty());
    CHECK(u.at(0x40).pending == 1);
    for (const std::uint32_t wrong : {0u, 0x10001u}) {
        arrive(wrong);
        CHECK(u.packets.empty());
        REQUIRE(u.commits.size() == 1);
        CHECK(u.commits[0].tap.refused);
    }
    u.come(ClusterUnit::packet(PktKind::AgentArrive, 0x40, 1));
    CHECK(u.commits.back().tap.op == Op::EvAgentArrive);
    CHECK(u.commits.back().tap.flip);
}
