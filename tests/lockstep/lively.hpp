/// The cases that random traffic must have reached, whatever unit answers it.
#pragma once
#include "catch.hpp"
#include "golden/op_traits.hpp"
#include "lockstep/lockstep_port.hpp"
#include "traffic/barrier_traffic.hpp"

namespace gsu::test {

/// Lockstep has found no difference, and the traffic came to its end. `s`: statistics of a stimulus.
inline void requireInStep(const LockstepPort& port, const auto& s)
{
    INFO((port.fault() ? port.fault()->message : std::string("no fault")));
    REQUIRE_FALSE(port.fault());
    CHECK_FALSE(s.hung);
}

/// Each operation that is so has been committed more often than `least`.
inline void requireEach(const traffic::BarrierStats& s, bool (*is)(Op), unsigned least)
{
    for (const OpTraits& row : traits::kTable) {
        if (row.spelling == nullptr || !is(row.op)) continue;
        CAPTURE(row.spelling);
        CHECK(s.ops[unsigned(row.op)] > least);
    }
}

/// Cases of barriers.
inline void requireLively(const traffic::BarrierStats& s)
{
    requireEach(s, isNamed, 100);
    requireEach(s, isCluster, 100);
    CHECK(s.generations > 100);
    CHECK(s.partialReleases > 5);
    CHECK(s.clusterFlips > 20);
    CHECK(s.warpSyncs > 100);
    CHECK(s.joinsByExit > 5);
    CHECK(s.flipsByExit > 0);
    CHECK(s.partial > 100);
    CHECK(s.held > 100);
    CHECK(s.ctas > 10);
    CHECK(s.clusters > 3);
    CHECK(s.refused > 50);
    CHECK(s.strangers > 5);
    CHECK(s.findings.wrong == "");
    for (const auto& [errors, last] :
         {std::pair{s.named, kNbErrRedOps}, {s.warp, kWsErrExited}, {s.cluster, kCbErrDiverged}}) {
        for (unsigned bit = 0; bit <= last; ++bit) {
            CAPTURE(last, bit);
            CHECK(errors[bit] > 0);
        }
    }
}

/// Cases of warp-wide operations.
inline void requireWarpWide(const traffic::BarrierStats& s)
{
    requireEach(s, isWarpOp, 50);
    requireEach(s, meetsLanes, 50);
    CHECK(s.sets > 20);
    CHECK(s.joinsByExit > 5);
    CHECK(s.findings.wrong == "");
}

}  // namespace gsu::test
