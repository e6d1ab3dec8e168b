/// What random traffic must have come to, whatever answers it.
#pragma once
#include "catch.hpp"
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

/// Of warp-wide operations.
inline void requireWarpWide(const traffic::BarrierStats& s)
{
    for (const Op op : {Op::Vote, Op::VoteSync, Op::MatchAny, Op::MatchAll, Op::Redux, Op::Elect,
                        Op::ActiveMask, Op::WarpSync}) {
        CAPTURE(nameOf(op));
        CHECK(s.warpOps[unsigned(op)] > 50);
    }
    CHECK(s.sets > 20);
    CHECK(s.joinsByExit > 5);
    CHECK(s.findings.wrong == "");
}

}  // namespace gsu::test
