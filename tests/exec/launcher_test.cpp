// The grid on the SMs, without a kernel: placement, what fits, slots given back, clusters taken away.
#include <algorithm>

#include "catch.hpp"
#include "exec/parts.hpp"

using namespace gsu;
using namespace gsu::test;

namespace {

void end(Parts& p, std::uint8_t sm, std::uint8_t slot)
{
    CtaFree free;
    free.sm = sm;
    free.cta = slot;
    p.launcher.freed(free);
}

}  // namespace

TEST_CASE("CTAs are placed in order until warps or shared memory are used up", "[exec]")
{
    const std::uint32_t smem = GENERATE(0u, 64u * 1024);
    CAPTURE(smem);
    Parts p(shapeOf(512, smem, 9));
    p.launch();
    const std::size_t fit = smem == 0 ? 4 : 3;  // 64 warps, 227 KiB
    REQUIRE(exec::residentClusters(p.shape) == fit);
    REQUIRE(p.port.launches.size() == fit);
    REQUIRE(p.launcher.left() == 9);
    for (std::size_t i = 0; i < fit; ++i) {
        REQUIRE(p.port.launches[i].wbase == 16 * i);
        REQUIRE(p.port.launches[i].base == i * smem);
        REQUIRE(p.residents.at(0, static_cast<unsigned>(i))->linear == i);
    }
    p.launch();
    REQUIRE(p.port.launches.size() == fit);
    end(p, 0, 1);
    REQUIRE(p.launcher.left() == 8);
    p.launch();
    REQUIRE(p.port.launches.size() == fit + 1);
    REQUIRE(p.port.launches.back().cta == 1);
    REQUIRE(p.port.launches.back().wbase == 16);
    REQUIRE(p.residents.at(0, 1)->linear == fit);
}

TEST_CASE("a cluster is spread over SMs and takes its slot until its last CTA is freed", "[exec]")
{
    Parts p(shapeOf(1024, 0, 16, 4, 4));
    p.launch();
    REQUIRE(p.port.launches.size() == 8);  // two CTAs of 32 warps on each of four SMs
    REQUIRE(p.port.routes.size() == 8);
    for (unsigned sm = 0; sm < 4; ++sm) {
        REQUIRE(p.residents.at(sm, 0)->cluster->index == 0);
        REQUIRE(p.residents.at(sm, 1)->cluster->index == 1);
    }
    for (std::uint8_t sm = 0; sm < 3; ++sm) end(p, sm, 0);
    p.launch();
    REQUIRE(p.port.launches.size() == 8);  // three SMs have room, a cluster of four has not
    REQUIRE(p.residents.at(3, 0)->cluster->left == 1);
    end(p, 3, 0);
    p.launch();
    REQUIRE(p.port.launches.size() == 12);
    REQUIRE(p.residents.at(0, 0)->cluster->index == 0);
    REQUIRE(p.residents.at(0, 0)->linear / 4 == 2);
}

TEST_CASE("what the port does not take yet is offered again, and starts when it is taken", "[exec]")
{
    Parts p(shapeOf(64, 0));
    p.port.launchesTaken = false;
    p.launch();
    REQUIRE(p.launcher.offering());
    REQUIRE_FALSE(p.residents.at(0, 0)->started);
    p.port.launchesTaken = true;
    p.launch();
    REQUIRE_FALSE(p.launcher.offering());
    REQUIRE(p.residents.at(0, 0)->started);
    REQUIRE(p.residents.at(0, 0)->warps.size() == 2);
    REQUIRE(p.warp(1).live == ~0u);
}

TEST_CASE("shared memory is zeroed where a CTA is placed; the last warp has the rest", "[exec]")
{
    Parts p(shapeOf(40, 256));
    *p.shared.at(0, 17) = 3;
    p.launch();
    REQUIRE(*p.shared.at(0, 17) == 0);
    REQUIRE(p.warp(1).live == 0xff);
}

TEST_CASE("clusters that were taken away are never placed", "[exec][D-55]")
{
    Parts p(shapeOf(1024, 0, 4));
    p.launch();
    REQUIRE(p.port.launches.size() == 2);
    REQUIRE(p.launcher.takeCluster() == 2);
    REQUIRE(p.launcher.left() == 3);
    end(p, 0, 0);
    p.launch();
    REQUIRE(p.residents.at(0, 0)->linear == 3);
    REQUIRE(p.launcher.takeCluster() == ~0ull);
    REQUIRE(p.residents.live(exec::keyOf(*p.residents.at(0, 0))) == p.residents.at(0, 0));
    const exec::CtaKey gone{0, 0, 1};  // the first CTA that used the slot
    REQUIRE(p.residents.live(gone) == nullptr);
}

TEST_CASE("CTAs go to the networks of a chip in turn, one on each SM before any gets a second",
          "[exec]")
{
    Parts p(shapeOf(256, 0, 400, 1, 132));
    p.launch();
    REQUIRE(p.port.launches.size() == 400);
    for (unsigned sm = 0; sm < 132; ++sm) REQUIRE(p.residents.at(sm, 0)->linear < 132);
    for (unsigned cta = 0; cta < 9; ++cta) {  // SM 0 of each network
        REQUIRE(p.residents.at(16 * cta, 0)->linear == cta);
    }
}

TEST_CASE("a cluster lies in one network of a chip, and each network has slots of its own",
          "[exec][CLU-005]")
{
    Parts p(shapeOf(1024, 0, 16 * 20, 16, 132));
    REQUIRE(exec::residentClusters(p.shape) ==
            16);  // two in each of eight networks, none in the ninth of four SMs
    p.launch();
    REQUIRE(p.port.launches.size() == 16 * 16);
    for (const Launch& l : p.port.launches) {
        const exec::Cta& first = *p.residents.at(l.sm, l.cta)->cluster->ranks[0];
        REQUIRE(ChipLayout(132).networkOf(l.sm) == ChipLayout(132).networkOf(first.launch.sm));
        REQUIRE(l.cluster < 2);
    }
    // A free slot in network 3 takes the next cluster.
    for (std::uint8_t sm = 48; sm < 64; ++sm) end(p, sm, 0);
    p.port.launches.clear();
    p.launch();
    REQUIRE(p.port.launches.size() == 16);
    REQUIRE(ChipLayout(132).networkOf(p.port.launches[0].sm) == 3);
    REQUIRE(p.port.launches[0].cluster == 0);
}
