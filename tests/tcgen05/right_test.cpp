// Kernels that use tcgen05 as they should: values, no findings, under any seed.
#include "kernels.hpp"

using namespace gsu;
using namespace gsu::test;

TEST_CASE("alloc, mma, commit, wait, ld, dealloc: the product under ten seeds", "[tcgen05]")
{
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        CAPTURE(seed);
        const Outcome o = Steps{}.run(seed);
        CHECK(rulesOf(o) == "");
        CHECK(o.result.verdict == Verdict::Pass);
        CHECK(hasProduct(o));
    }
}
