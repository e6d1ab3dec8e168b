#include "catch.hpp"
#include "races/byte_set.hpp"

using gsu::races::ByteSet;

TEST_CASE("a set of bytes is what its bytes say, whatever its first and last", "[races]")
{
    for (unsigned first = 0; first < gsu::races::kBlock; ++first) {
        for (unsigned last = first; last < gsu::races::kBlock; ++last) {
            const ByteSet set(first, last);
            unsigned has = 0;
            for (unsigned b = 0; b < gsu::races::kBlock; ++b) has += set.has(b);
            if (set.first() != first || set.last() != last || has != last - first + 1 ||
                !set.has(first) || !set.has(last) || set.empty())
                FAIL("bytes " << first << " to " << last);
        }
    }
    CHECK(ByteSet().empty());
    CHECK((ByteSet(60, 70) & ByteSet(65, 90)) == ByteSet(65, 70));
    CHECK_FALSE(ByteSet(0, 63).overlaps(ByteSet(64, 127)));
    ByteSet both(0, 63);
    both |= ByteSet(64, 127);
    CHECK(both == ByteSet(0, 127));
    CHECK(both.covers(ByteSet(63, 64)));
    CHECK_FALSE(ByteSet(0, 126).covers(both));
}
