// Arrivals of agents at CTAs that leave, and reports of operations that share a tag or a CTA, told to the follower one by one.
#include "told_mbarrier.hpp"

using namespace gsu;
using namespace gsu::test;

namespace {

/// An agent of the first CTA arrives on the object of rank 1.
AsyncUpdate arrival(std::uint16_t tag)
{
    return {.kind = AsyncKind::AgentArrive, .addr = kTheirs, .amount = 2, .tag = tag};
}
void agent(Told& t, std::uint16_t tag) { t.driver(&Follower::onNotify, arrival(tag)); }
/// It comes back to its SM: its CTA has left.
void comesBack(Told& t, std::uint16_t tag)
{
    Commit c = dropped(Op::EvAgentArrive, 1, tag);
    c.at = kFirst;
    c.src = Src::Network;
    t.commit(c);
}
/// The acknowledgement of an operation that no clock of an epoch sends.
Commit unorderedAck(std::uint16_t tag) { return ack(tag, 1, 2); }

}  // namespace

TEST_CASE("an arrival of an agent is not for the next CTA of the slot", "[D-38]")
{
    static const std::vector<WrongStep> all{
        {"it reaches the next CTA", "an arrival whose CTA has left came to its slot",
         [](Told& t) {
             t.pair();
             agent(t, 1);
             t.leave(kFar);
             t.leave(kFirst);
             t.free(kFar);
             t.device(&Follower::onCtaFree, CtaFree{.sm = 1});
             t.launch({.sm = 1, .threads = 32, .size = 0x400});
             t.commit(posted(Op::EvAgentArrive, 1, 1));
         }},
    };
    requireNamed(all, Fault::Kind::Divergence);
}

TEST_CASE("reports of operations with one tag or of one CTA are not mixed up", "[D-41][D-54]")
{
    static const std::vector<WrongStep> wrong{
        {"an ordered operation as one that is not", "in which its packet cannot have left",
         [](Told& t) {
             t.pair();
             t.request(remote(Op::MbarArrive, 1, 1));
             t.step();
             done(t, 1, 1);
             t.leave(kFar);
             t.commit(dropped(Op::MbarArrive, 1, 1));
             t.commit(unorderedAck(1));
         }},
        {"the first atom of all, before its acknowledgement", "atom answered before its last",
         [](Told& t) {
             t.pair();
             t.request(remote(Op::Atom, 1, 1));
             t.step();
             t.commit(posted(Op::Atom, 1, 1));
             t.device(&Follower::onDelivered, Delivered{.sm = 1, .tag = 1, .lanes = 1});
             done(t, 1, 1);
         }},
        {"data of another request as dropped", "dropped though their packet was not refused",
         [](Told& t) {
             t.pair();
             t.request(remote(Op::StAsync, 1, 1));
             t.step();
             done(t, 1, 1);
             t.leave(kFar);
             t.commit(dropped(Op::StAsync, 1, 1));
             t.device(&Follower::onDelivered,
                      Delivered{.sm = 1, .tag = 2, .refused = true, .lanes = 1});
         }},
    };
    requireNamed(wrong, Fault::Kind::Divergence);
}

TEST_CASE("operations with one tag, of agents and of threads, are taken as they come",
          "[D-41][D-54]")
{
    static const std::vector<WrongStep> right{
        {"a request and an agent with the same tag", "",
         [](Told& t) {
             t.pair();
             t.request(remote(Op::MbarArrive, 1, 1));
             t.step();
             done(t, 1, 1);
             agent(t, 1);
             t.leave(kFar);
             t.commit(dropped(Op::MbarArrive, 1, 1));
             t.commit(dropped(Op::EvAgentArrive, 1, 1));
             t.commit(unorderedAck(1));
             t.commit(ack(1, 1, 0));
             t.idle();
         }},
        {"an arrival of a thread overtakes that of an agent, which has no order", "",
         [](Told& t) {
             t.pair();
             agent(t, 1);
             t.request(remote(Op::MbarArrive, 1, 2));
             t.step();
             done(t, 2, 1);
             t.leave(kFar);
             t.commit(dropped(Op::MbarArrive, 1, 2));
             t.commit(dropped(Op::EvAgentArrive, 1, 1));
         }},
        {"an agent of a CTA that had the slot before arrives nowhere", "",
         [](Told& t) {
             t.pair();
             AsyncUpdate u = arrival(1);
             u.era = 1;
             t.driver(&Follower::onNotify, u);
             Commit c = dropped(Op::EvAgentArrive, 1, 1);
             c.at = kFirst;
             c.src = Src::Agent;
             t.commit(c);
             t.idle();
         }},
        {"one agent's arrival comes back, another's does not", "",
         [](Told& t) {
             t.pair();
             agent(t, 1);
             agent(t, 2);
             t.leave(kFar);
             t.commit(dropped(Op::EvAgentArrive, 1, 2));
             comesBack(t, 1);
             t.commit(unorderedAck(2));
             Commit back = unorderedAck(1);
             back.src = Src::Network;
             t.commit(back);
             t.idle();
         }},
    };
    requireSilent(right);
}
