// Checks without a simulator what the adapter needs from SmUnit. Ends with 1 if anything is not as it should be. Licence: Apache-2.0.
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "sm_unit.hpp"

namespace {

std::vector<SmUnit::Release> releases;

void check(bool good, const char* what)
{
    if (!good) {
        std::fprintf(stderr, "sm_unit_check: NOT as it should be: %s\n", what);
        std::exit(1);
    }
}

/// The first clock, from `now` on, in which none of these warps waits.
std::uint64_t until(SmUnit& sm, SmUnit::Warps warps, std::uint64_t now)
{
    for (const std::uint64_t end = now + 5000; now < end; ++now) {
        bool waits = false;
        for (unsigned warp = 0; warp < SmUnit::kWarps; ++warp) {
            waits |= warps[warp] && sm.waits(warp, now);
        }
        if (!waits) {
            return now;
        }
    }
    check(false, "a warp waits for ever");
    return now;
}

/// Four warps meet at bar.sync, a reduction gives its result, an arrival is held until its answer.
std::uint64_t oneCta(SmUnit& sm, unsigned cta, unsigned base, std::uint64_t now)
{
    const SmUnit::Warps all = SmUnit::Warps(0xf) << base;
    releases.clear();
    sm.launch(cta, all, now);
    for (unsigned i = 0; i < 4; ++i) {
        check(i == 0 || sm.waits(base, now + 100 * i), "a warp left bar.sync before the last came");
        sm.request(GSU_OP_BAR_SYNC, cta, base + i, 0, 0, 0, now + 100 * i);
    }
    now = until(sm, all, now + 300);
    check(releases.size() == 1 && releases[0].warps == all && releases[0].cta == cta,
          "one release of all four warps");
    sm.request(GSU_OP_BAR_ARRIVE, cta, base, 3, 64, 0, now);
    check(sm.waits(base, now), "an arrival is held until it is answered");
    now = until(sm, all, now);
    check(releases.size() == 1, "an arrival releases nobody");
    sm.request(GSU_OP_BAR_SYNC, cta, base + 1, 3, 64, 0, now);
    sm.request(GSU_OP_BAR_RED_POPC, cta, base + 2, 5, 64, 0xff, now);
    sm.request(GSU_OP_BAR_RED_POPC, cta, base + 3, 5, 64, 0xfff, now);
    now = until(sm, all, now);
    check(releases.size() == 3, "two barriers of two warps");
    check(releases.back().barrier == 5 && releases.back().popc == 20, "the count of a reduction");
    // Three warps meet without the fourth, which exits while they wait.
    for (unsigned i = 0; i < 3; ++i) {
        sm.request(GSU_OP_BAR_SYNC, cta, base + i, 0, 0, 0, now);
    }
    check(sm.waits(base, now + 500), "the fourth warp is missing");
    check(sm.explain().find("missing: warp 3") != std::string::npos, "the missing warp is named");
    sm.exit(base + 3, now + 500);
    now = until(sm, all, now + 500);
    for (unsigned i = 0; i < 3; ++i) {
        sm.exit(base + i, now);
    }
    return now;
}

}  // namespace

int main()
{
    SmUnit sm(0, [](const SmUnit::Release& r) { releases.push_back(r); });
    // The simulator's clock may begin anywhere; a slot and its warps are used again in the clock of the last exit.
    std::uint64_t now = oneCta(sm, 0, 0, 5000);
    now = oneCta(sm, 0, 0, now);
    now = oneCta(sm, 31, 60, now);
    now = oneCta(sm, 7, 4, now + 1000000);
    check(SmUnit::totals.requests == 4 * 11 && SmUnit::totals.releases == 4 * 4,
          "requests and releases are counted");
    check(SmUnit::totals.steps * 10 < SmUnit::totals.cycles, "idle clocks are not evaluated");
    std::printf("as it should be: %llu of %llu clocks evaluated\n",
                static_cast<unsigned long long>(SmUnit::totals.steps),
                static_cast<unsigned long long>(SmUnit::totals.cycles));
    return 0;
}
