// Small state spaces in full: a CTA of three warps at one barrier, a warp of four lanes at its join.
#include <algorithm>
#include <bit>
#include <deque>
#include <map>
#include <set>
#include <tuple>

#include "catch.hpp"
#include "golden/cta_table.hpp"
#include "golden/named_barrier.hpp"

using namespace gsu;

namespace {

JoinGroup arrival(unsigned warp, std::uint32_t count, bool waits, unsigned warps)
{
    JoinGroup g{};
    g.at.warp = std::uint8_t(warp);
    g.lanes = ~Lanes{0};
    g.arg1 = count;
    g.count = count == 0 ? warps * kLanes : count;
    if (waits) g.waitLanes = g.lanes;
    return g;
}

using Key = std::tuple<unsigned, std::uint32_t, std::uint32_t, Lanes, Lanes, Lanes>;

Key keyOf(const NamedBarrier& b, Lanes live)
{
    return {unsigned(b.mode), b.count, b.n, b.arrived, b.waiting, live};
}

}  // namespace

TEST_CASE("every reachable state of a barrier with three warps",
          "[BAR-011][BAR-013][BAR-039][D-06][D-10]")
{
    constexpr unsigned kWarps = 3;
    std::map<Key, std::pair<NamedBarrier, Lanes>> seen;
    std::deque<Key> todo;
    unsigned completions = 0, byExit = 0;
    const auto visit = [&](const NamedBarrier& b, Lanes live) {
        if (seen.emplace(keyOf(b, live), std::make_pair(b, live)).second)
            todo.push_back(keyOf(b, live));
    };
    visit({}, firstBits(kWarps));
    while (!todo.empty()) {
        const auto [b, live] = seen.at(todo.front());
        todo.pop_front();
        REQUIRE(((b.waiting & ~live) == 0));       // a waiting warp cannot have exited
        REQUIRE(((b.waiting & ~b.arrived) == 0));  // and it has arrived
        REQUIRE_FALSE(nbarComplete(b, live));      // complete barriers do not linger
        for (unsigned w = 0; w < kWarps; ++w) {
            const Lanes bit = Lanes{1} << w;
            if ((live & bit) == 0 || (b.waiting & bit) != 0) continue;  // exited or blocked
            for (const std::uint32_t count : {0u, 32u, 64u, 96u})
                for (const bool waits : {false, true}) {
                    const NamedNext next =
                        nbarNext(b, arrival(w, count, waits, kWarps), live, false);
                    REQUIRE_FALSE(next.refused);
                    const bool open = b.mode != NamedBarrier::Mode::Idle;
                    const std::uint32_t eff = count == 0 ? 96 : count;
                    REQUIRE(((next.errs >> kNbErrCountsDiffer & 1) != 0) ==
                            (open && b.count != eff));
                    REQUIRE(((next.errs >> kNbErrRearrive & 1) != 0) == ((b.arrived & bit) != 0));
                    completions += next.flip;
                    if (next.flip) {
                        REQUIRE(next.state == NamedBarrier{});
                        REQUIRE(((b.waiting & ~next.done.waiting) == 0));
                    }
                    visit(next.state, live);
                }
            const Lanes left = live & ~bit;  // the warp exits
            if (nbarComplete(b, left)) {
                REQUIRE(b.mode == NamedBarrier::Mode::Implicit);
                REQUIRE((b.arrived & bit) == 0);  // T-34: an arrived warp's exit completes nothing
                ++byExit;
                visit({}, left);
            } else {
                visit(b, left);
            }
        }
    }
    CHECK(seen.size() > 200);
    CHECK(completions > 100);
    CHECK(byExit > 10);
}

TEST_CASE("every order in which four lanes reach or leave a join", "[BAR-010][D-12][BWS-004][D-20]")
{
    // Each lane comes alone, in any of 24 orders, each either arriving or exiting: the group commits exactly once,
    // with the last event, and with exactly the lanes that arrived.
    unsigned order[4]{0, 1, 2, 3};
    unsigned commits = 0;
    do {
        for (unsigned leaves = 0; leaves < 15; ++leaves) {
            WarpJoin join;
            Lanes live = 0xf;
            Lanes arrived = 0;
            for (unsigned i = 0; i < 4; ++i) {
                const Lanes bit = Lanes{1} << order[i];
                if ((leaves & bit) != 0) {
                    live &= ~bit;
                } else {
                    SyncRequest r{};
                    r.op = Op::BarSync;
                    r.lanes = bit;
                    join.add(r, 4);
                    arrived |= bit;
                }
                const bool ready = join.used() != 0 && join.ready(0, live);
                REQUIRE(ready == (i == 3));
            }
            const JoinGroup g = join.take(0);
            REQUIRE(g.lanes == arrived);
            REQUIRE(join.used() == 0);
            ++commits;
        }
    } while (std::next_permutation(order, order + 4));
    CHECK(commits == 24 * 15);
}
