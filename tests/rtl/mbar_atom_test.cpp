// Directed tests of atoms on other CTAs' shared memory at the ports of the unit: order of their answers, lanes that are refused at home.
#include "rtl/mbar_reference.hpp"

#include "catch.hpp"

using namespace mbar;

namespace {

constexpr unsigned kEntries = 16;  // atoms that wait for their answers at once

struct Unit : Testbench {
    Unit() { launch(2, 0x4000, 0x1000, 1, 4, 9); }
    /// Tag of an atom of one lane on the CTA of rank 3.
    std::uint16_t atom(unsigned warp)
    {
        Instruction i = instruction(Op::Atom, 1, 0x3000000 + 8 * warp);
        i.req.cta = 2;
        i.req.warp = std::uint8_t(warp);
        i.req.remote = true;
        return give(i);
    }
    /// As many atoms as can wait; their tags in the order in which they left.
    std::vector<std::uint16_t> fill()
    {
        for (unsigned i = 0; i < kEntries; ++i) atom(i);
        run(400);
        std::vector<std::uint16_t> tags;
        for (const Packet& p : packets) tags.push_back(p.pkt.tag);
        REQUIRE(tags.size() == kEntries);
        return tags;
    }
    void acknowledge(std::uint16_t tag)
    {
        raw::Ack ack;
        ack.cta = 2;
        ack.tag = tag;
        ack.reply = true;
        Testbench::give(ack);
    }
    using Testbench::give;
    /// Answers are no longer taken, and the queue of answers is full.
    void block()
    {
        rspStall = 1;
        for (unsigned i = 0; i < 64;
             ++i) {  // answered when they have left, as atoms are by the same queue
            Instruction arrive = instruction(Op::MbarArrive, 1, 0x2000000);
            arrive.req.cta = 2;
            arrive.req.warp = 31;
            arrive.req.remote = true;
            give(arrive);
        }
        run(1000);
    }
    /// Tags of the answers of atoms from now on, in their order.
    std::vector<std::uint16_t> answered()
    {
        answers.clear();
        rspStall = 0;
        settle();
        REQUIRE(fault().empty());
        std::vector<std::uint16_t> tags;
        for (const Answer& a : answers)
            if (a.rsp.warp < 31) tags.push_back(a.rsp.tag);
        return tags;
    }
};

}  // namespace

TEST_CASE("atoms that are done in one clock are answered in turn, from the one that left first on",
          "[ATOM-029][D-70]")
{
    Unit u;
    const std::vector<std::uint16_t> tags = u.fill();
    u.block();
    for (const std::uint16_t tag : tags) u.acknowledge(tag);
    u.run(100);
    CHECK(u.answered() == tags);
}

TEST_CASE("an atom that takes the place of an answered one does not overtake those that wait",
          "[ATOM-029][D-70]")
{
    Unit u;
    std::vector<std::uint16_t> tags = u.fill();
    u.acknowledge(tags[0]);
    u.settle();
    tags.erase(tags.begin());
    tags.push_back(u.atom(kEntries));
    u.run(400);
    REQUIRE(u.packets.size() == kEntries + 1);
    u.block();
    for (const std::uint16_t tag : tags) u.acknowledge(tag);
    u.run(100);
    CHECK(u.answered() == tags);
}

TEST_CASE("an atom whose last lane is refused at home is answered when the others are acknowledged",
          "[ATOM-029][D-66]")
{
    for (const unsigned bad : {0u, 1u, 2u}) {  // lane whose rank the cluster does not have
        CAPTURE(bad);
        Unit u;
        Instruction i = instruction(Op::Atom, 7, 0x3000000);
        i.req.cta = 2;
        i.req.remote = true;
        i.addr = {0x2000000, 0x3000000, 0x2000040};
        i.addr[bad] = 0x7000000;
        const std::uint16_t tag = u.give(i);
        u.settle();
        REQUIRE(u.fault().empty());
        REQUIRE(u.packets.size() == 2);
        REQUIRE(u.commits.size() == 1);
        CHECK(u.commits[0].err(Undeliverable));
        CHECK(u.commits[0].tap.lanes == 1u << bad);
        REQUIRE(u.answers.size() == 1);
        CHECK(u.answers[0].rsp.cause == Cause::Refused);
        CHECK(u.answers[0].rsp.lanes == 1u << bad);
        CHECK_FALSE(u.answers[0].rsp.last);
        u.acknowledge(tag);
        u.settle();
        CHECK(u.answers.size() == 1);
        u.acknowledge(tag);
        u.settle();
        REQUIRE(u.fault().empty());
        REQUIRE(u.answers.size() == 2);
        CHECK(u.answers[1].rsp.cause == Cause::Done);
        CHECK(u.answers[1].rsp.lanes == (7u & ~(1u << bad)));
        CHECK(u.answers[1].rsp.last);
    }
}
