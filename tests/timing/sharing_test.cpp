// What a survey finds about lines that several parts of the chip read.
#include "catch.hpp"
#include "exec/timing/cached_lines.hpp"
#include "exec/timing/sharing.hpp"

using namespace gsu::timing;

namespace {

constexpr std::uint64_t kArea = 64 * Sharing::kPage, kPlenty = 1ull << 30;

}  // namespace

TEST_CASE("a survey counts the parts that read a line, each once")
{
    LineSurvey s(kPlenty);
    for (unsigned part = 0; part < 12; ++part) {
        for (unsigned again = 0; again < 3; ++again) {
            s.touch(part, part * kArea, kArea, 0);                    // its own
            s.touch(part, 100 * kArea + part / 4 * kArea, kArea, 0);  // of four
            s.touch(part, 200 * kArea, kArea, 0);                     // of all
        }
    }
    const Sharing f = s.found(false);
    CHECK(f.sharersOf(0) == 1);
    CHECK(f.sharersOf(11 * kArea + 5000) == 1);
    CHECK(f.sharersOf(100 * kArea) == 4);
    CHECK(f.sharersOf(102 * kArea + kArea - 1) == 4);
    CHECK(f.sharersOf(200 * kArea + 77) == 12);
    CHECK_FALSE(f.cut);
}

TEST_CASE("a page that nobody read counts as its allocation does on average")
{
    LineSurvey s(kPlenty);
    s.allocated(0, 10 * kArea);
    s.allocated(20 * kArea, 10 * kArea);
    for (unsigned part = 0; part < 7; ++part) s.touch(part, kArea, kArea, 0);
    s.touch(0, 2 * kArea, kArea, 0);
    const Sharing f = s.found(false);
    CHECK(f.sharersOf(kArea) == 7);
    CHECK(f.sharersOf(2 * kArea) == 1);
    CHECK(f.sharersOf(0) == Approx(4).epsilon(0.05));  // of each line that is looked at
    CHECK(f.sharersOf(9 * kArea) == f.sharersOf(0));
    CHECK(f.sharersOf(10 * kArea) == 0);  // between
    CHECK(f.sharersOf(20 * kArea) == 0);  // read by nobody
}

TEST_CASE("who reads a line when L2 has lost it brings it in again")
{
    LineSurvey s(4 * kArea);
    s.touch(0, 0, kArea, 0);
    s.touch(1, 0, kArea, 0);
    s.touch(2, kArea, 8 * kArea, 0);
    s.touch(3, 0, kArea, 0);
    s.touch(0, 0, kArea, 0);
    s.touch(1, 0, kArea, 0);
    s.touch(2, 0, kArea, 0);
    CHECK(s.found(false).sharersOf(0) == 3);  // two, then four
}

TEST_CASE("lines that a survey that was stopped met last are not judged")
{
    LineSurvey s(kPlenty);
    s.allocated(0, 16 * kArea);
    for (std::uint64_t i = 0; i < 16; ++i) {
        for (unsigned part = 0; part < (i == 15 ? 1u : 4u); ++part)
            s.touch(part, i * kArea, kArea, 100 * i);
    }
    CHECK(s.found(false).sharersOf(15 * kArea) == 1);
    CHECK(s.found(true).sharersOf(15 * kArea) == 4);
    CHECK(s.found(true).cut);
    for (unsigned part = 0; part < 3; ++part) s.touch(part, 20 * kArea, kArea, 1500);
    s.allocated(20 * kArea, kArea);
    CHECK(s.found(true).sharersOf(20 * kArea) == 3);  // nothing else is known of this one
}

TEST_CASE("two looks at a survey are alike if no large allocation has other sharers")
{
    LineSurvey s(kPlenty);
    s.allocated(0, 100 * kArea);
    s.allocated(200 * kArea, kArea);
    const auto read = [&](std::uint64_t from, std::uint64_t areas, unsigned parts) {
        for (std::uint64_t i = from; i < from + areas; ++i)
            for (unsigned part = 0; part < parts; ++part) s.touch(part, i * kArea, kArea, 0);
    };
    read(0, 50, 2);
    const Sharing first = s.found(false);
    CHECK(first.like(first));
    CHECK(first.shared());
    read(50, 2, 3);  // 2.04 parts a line
    CHECK(s.found(false).like(first));
    read(52, 10, 3);  // 2.19
    CHECK_FALSE(s.found(false).like(first));
    // Of the other allocation there is less than one line of 64.
    const Sharing second = s.found(false);
    s.touch(0, 200 * kArea, kArea / 2, 0);
    CHECK(s.found(false).like(second));
    CHECK(s.found(false).shared());
    read(62, 38, 1);
    CHECK(s.found(false).shared());
    LineSurvey alone(kPlenty);
    alone.allocated(0, kArea);
    alone.touch(0, 0, kArea, 0);
    CHECK_FALSE(alone.found(false).shared());
}

TEST_CASE("a survey knows when L2 is full")
{
    LineSurvey s(kArea);
    s.touch(0, 0, kArea / 2, 0);
    CHECK_FALSE(s.filled());
    s.touch(0, 0, kArea / 2, 0);
    CHECK_FALSE(s.filled());
    s.touch(0, kArea, kArea, 0);
    CHECK(s.filled());
}
