// Distributed shared memory: latency, and links with headers.
#include "catch.hpp"
#include "exec/timing/cluster_links.hpp"
#include "exec/timing/timing_model.hpp"

using namespace gsu;
using namespace gsu::timing;

namespace {

TimingParams hopper() { return timingParamsOf(Target::Hopper); }

}  // namespace

TEST_CASE("a lone access of another CTA's shared memory takes its latency")
{
    ClusterLinks links(hopper(), 2);
    CHECK(clocksOf(links.load(0, 1, 0, 128)) == 192);
    CHECK(clocksOf(links.load(0, 1, ticksOf(1000), 4)) == 1192);
    CHECK(clocksOf(links.store(0, 1, ticksOf(2000), 128)) == 2096);
    // 512 bytes are four packets: three more than in the latency, at 136 bytes each.
    CHECK(clocksOf(links.load(0, 1, ticksOf(3000), 512)) == 3192 + 20);
}

TEST_CASE("a link carries one thing after the other; other pairs of SMs do not wait")
{
    ClusterLinks links(hopper(), 4);
    const Ticks alone = links.copy(0, 1, 0, 21'100);
    CHECK(clocksOf(alone) == 1000 + 96);
    CHECK(clocksOf(links.copy(0, 2, 0, 21'100)) == 2000 + 96);  // the same way out
    ClusterLinks in(hopper(), 4);
    (void)in.copy(0, 1, 0, 21'100);
    CHECK(in.copy(2, 3, 0, 21'100) == alone);
    CHECK(clocksOf(in.copy(3, 1, 0, 21'100)) == 2000 + 96);  // the same way in
}

TEST_CASE("a copy within an SM does not take the way to another one")
{
    ClusterLinks links(hopper(), 2);
    CHECK(clocksOf(links.copy(0, 0, 0, 2'110)) == 100);
    const auto model = serverTiming(hopper(), 2);
    CHECK(model->copyAcross(0, 0, 16, 0).last == 127);
    CHECK(model->copyAcross(0, 1, 16, 1000).last == 1000 + 127 + 96);
}
