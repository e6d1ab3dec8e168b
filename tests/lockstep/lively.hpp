/// What random traffic of warp-wide operations must have come to, whatever answers it.
#pragma once
#include "catch.hpp"
#include "stimulus.hpp"

namespace gsu::test {

inline void requireWarpWide(const StimulusStats& s)
{
    CHECK_FALSE(s.hung);
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
