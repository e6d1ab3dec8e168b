// Arrivals of agents whose own CTA ends, told to the follower one by one: they go out, or are refused as a whole.
#include "told_mbarrier.hpp"

using namespace gsu;
using namespace gsu::test;

namespace {

constexpr std::uint32_t kOther = 2, kBoth = 3;  // ranks: that of the other CTA | its own as well

void agent(Told& t, std::uint16_t tag, std::uint32_t ranks = kOther)
{
    t.driver(
        &Follower::onNotify,
        AsyncUpdate{.kind = AsyncKind::AgentArrive, .addr = kTheirs, .amount = ranks, .tag = tag});
}
void ends(Told& t)
{
    t.leave(kFar);
    t.leave(kFirst);
}
void isFree(Told& t)
{
    t.free(kFirst);
    t.device(&Follower::onCtaFree, CtaFree{});
}
/// And that of the other CTA: nothing is left.
void allEnds(Told& t)
{
    t.free(kFar);
    t.device(&Follower::onCtaFree, CtaFree{.sm = 1});
    t.idle();
}
/// The device refuses all of the arrival in one commit.
void refuses(Told& t, std::uint16_t tag)
{
    Commit c = dropped(Op::EvAgentArrive, 1, tag);
    c.at = kFirst;
    c.src = Src::Agent;
    t.commit(c);
}

}  // namespace

TEST_CASE("an arrival of an agent may be refused as a whole when its CTA has ended",
          "[D-38][D-41][D-66]")
{
    static const std::vector<WrongStep> right{
        {"it waits at the port when the slot is freed", "",
         [](Told& t) {
             t.pair();
             agent(t, 1);
             ends(t);
             isFree(t);
             refuses(t, 1);
             allEnds(t);
         }},
        {"the same with a part for its own CTA", "",
         [](Told& t) {
             t.pair();
             agent(t, 1, kBoth);
             ends(t);
             isFree(t);
             refuses(t, 1);
             allEnds(t);
         }},
        {"the slot is still in use", "",
         [](Told& t) {
             t.pair();
             ends(t);
             agent(t, 1);
             agent(t, 2, kBoth);
             refuses(t, 1);
             refuses(t, 2);
             isFree(t);
             allEnds(t);
         }},
        {"the one before has gone out", "",
         [](Told& t) {
             t.pair();
             agent(t, 1);
             agent(t, 2);
             ends(t);
             t.commit(dropped(Op::EvAgentArrive, 1, 1));
             t.commit(ack(1, 1, 2));
             isFree(t);
             refuses(t, 2);
             allEnds(t);
         }},
        {"the same CTA slot has another CTA by then", "",
         [](Told& t) {
             t.pair();
             agent(t, 1);
             ends(t);
             isFree(t);
             t.launch({.threads = 32, .size = 0x400});
             refuses(t, 1);
         }},
    };
    requireSilent(right);
}

TEST_CASE("an arrival of an agent is not refused without a reason, and not in part",
          "[D-38][D-41][D-66]")
{
    static const std::vector<WrongStep> wrong{
        {"its CTA runs", "asynchronous commit without a completion",
         [](Told& t) {
             t.pair();
             agent(t, 1);
             refuses(t, 1);
         }},
        {"its CTA runs, and has a part of it", "errs differs",
         [](Told& t) {
             t.pair();
             agent(t, 1, kBoth);
             refuses(t, 1);
         }},
        {"another one was given since: this one was taken", "remote operations were acknowledged",
         [](Told& t) {
             t.pair();
             agent(t, 1);
             agent(t, 2);
             ends(t);
             t.free(kFirst);
         }},
        {"another completion was given since", "remote operations were acknowledged",
         [](Told& t) {
             t.pair();
             agent(t, 1);
             t.driver(&Follower::onNotify, AsyncUpdate{.sm = 0, .amount = 16, .tag = 2});
             ends(t);
             t.free(kFirst);
         }},
        {"it has gone out", "remote operations were acknowledged",
         [](Told& t) {
             t.pair();
             agent(t, 1);
             ends(t);
             t.commit(dropped(Op::EvAgentArrive, 1, 1));
             t.free(kFirst);
         }},
        {"it goes out after it was refused", "remote commit of no posted operation",
         [](Told& t) {
             t.pair();
             ends(t);
             agent(t, 1);
             refuses(t, 1);
             t.commit(dropped(Op::EvAgentArrive, 1, 1));
         }},
        {"it is refused twice", "asynchronous commit without a completion",
         [](Told& t) {
             t.pair();
             ends(t);
             agent(t, 1);
             refuses(t, 1);
             refuses(t, 1);
         }},
        {"its own part is refused twice", "asynchronous commit without a completion",
         [](Told& t) {
             t.pair();
             agent(t, 1, kBoth);
             ends(t);
             isFree(t);
             refuses(t, 1);
             refuses(t, 1);
         }},
    };
    requireNamed(wrong, Fault::Kind::Divergence);
}
