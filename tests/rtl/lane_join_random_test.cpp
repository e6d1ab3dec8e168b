// Random lanes of one CTA against the definition of a whole-warp arrival, counted lane by lane.
#include <algorithm>
#include <random>

#include "testbench.hpp"

using namespace testbench;

namespace {

/// Warps that split at random, take the same barrier in random parts, sync in random masks and lose lanes.
class Splitter {
public:
    Splitter(Testbench& testbench, std::uint32_t seed) : b(testbench), rng_(seed) {}

    /// All live lanes of the warp execute the operation, in random parts. Parts of several warps interleave.
    void round(unsigned warps, bool warpSync)
    {
        struct Part {
            unsigned warp;
            Lanes lanes, mask;
        };
        std::vector<Part> parts;
        for (unsigned warp = 0; warp < warps; ++warp) {
            const Lanes halves = warpSync ? Lanes(rng_()) : kAll;  // two disjoint rendezvous
            for (const Lanes mask : {halves, ~halves}) {
                Lanes left = live[warp] & mask;
                while (left != 0) {
                    const Lanes some = rng_() % 3 == 0 ? left : left & Lanes(rng_());
                    if (some != 0) {
                        parts.push_back({warp, some, mask});
                        left &= ~some;
                    }
                }
            }
        }
        std::shuffle(parts.begin(), parts.end(), rng_);
        for (const Part& part : parts) {
            if (warpSync) {
                b.present(Op::WarpSync, part.warp, part.lanes, part.mask);
            } else {
                b.present(Op::BarSync, part.warp, part.lanes, 9);
            }
            splits += live[part.warp] != part.lanes;
        }
        b.run(600);
    }
    void exitSome(unsigned warp)
    {
        const Lanes gone = live[warp] & Lanes(rng_()) & Lanes(rng_());
        if (gone != 0 && gone != live[warp]) {
            b.exit(warp, gone);
            live[warp] &= ~gone;
            b.run(20);
        }
    }

    Testbench& b;
    Lanes live[4]{kAll, kAll, kAll, 0xff};
    unsigned splits{0};

private:
    std::mt19937 rng_;
};

}  // namespace

TEST_CASE("random parts of warps: one arrival per warp, every lane answered once",
          "[BAR-010][BWS-004][D-12][D-18]")
{
    const auto seed = GENERATE(range(1u, 9u));
    CAPTURE(seed);
    Testbench b;
    b.launch(104);
    Splitter split(b, seed);
    for (unsigned step = 0; step < 40; ++step) {
        CAPTURE(step);
        b.seen.clear();
        split.exitSome(step % 4);
        const bool warpSync = step % 2 == 1;
        split.round(4, warpSync);
        if (warpSync) {
            Lanes answered[4]{};
            for (const SyncResponse& response : b.seen.responses) {
                CHECK((answered[response.at.warp] & response.lanes) == 0);
                answered[response.at.warp] |= response.lanes;
            }
            for (unsigned warp = 0; warp < 4; ++warp) {
                CHECK(answered[warp] == split.live[warp]);
            }
        } else {
            const auto named = b.seen.of(Unit::Named);
            REQUIRE(named.size() == 4);
            for (const Commit& commit : named) {
                CHECK(commit.lanes == split.live[commit.at.warp]);
            }
            REQUIRE(b.seen.releases.size() == 1);
            CHECK(b.seen.releases[0].warps == 0xf);
        }
    }
    CHECK(split.splits > 100);  // a run without divergence has tested nothing
}
