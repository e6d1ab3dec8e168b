// How many SMs read what a CTA reads, from how it goes through a tensor.
#include "catch.hpp"
#include "exec/async/tensor_walk.hpp"

using namespace gsu;
using exec::TensorWalk;

namespace {

TensorMap mapOf(std::vector<std::uint64_t> sizes, std::vector<std::uint16_t> box)
{
    TensorMap map;
    map.rank = static_cast<std::uint8_t>(sizes.size());
    std::copy(sizes.begin(), sizes.end(), map.size.begin());
    std::copy(box.begin(), box.end(), map.box.begin());
    return map;
}

}  // namespace

TEST_CASE("rows of a matrix: CTAs are spread over them, whatever tile the CTA is at", "[exec]")
{
    const TensorMap map = mapOf({4096, 4096}, {64, 128});
    TensorWalk walk;
    for (const int row : {0, 512, 1024}) {
        for (int k = 0; k < 4096; k += 64) {
            walk.visit({k, row}, map, 1);
            REQUIRE(walk.boxes(map, 132) == 32);
        }
    }
}

TEST_CASE("a tile of several boxes is one tile", "[exec]")
{
    const TensorMap map = mapOf({4096, 4096}, {64, 128});
    TensorWalk walk;
    for (const int column : {0, 1024, 2048})
        for (int k = 0; k < 4096; k += 64)
            for (const int part : {0, 128}) walk.visit({k, column + part}, map, 1);
    CHECK(walk.boxes(map, 132) == 16);
}

TEST_CASE("more tiles than CTAs: these take them in order", "[exec]")
{
    // Keys of 16 batches of 16 heads, 2048 of each: eight clusters of two CTAs share a head, so 66 clusters read 8.25 of them.
    const TensorMap map = mapOf({128, 2048, 16, 16}, {64, 88, 1, 1});
    TensorWalk walk;
    const auto tile = [&](int number) {
        const int head = number / 8;
        for (int block = 11; block >= 0; --block)
            for (const int half : {0, 64})
                walk.visit({half, 176 * block, head % 16, head / 16}, map, 2);
    };
    tile(0);
    CHECK(walk.boxes(map, 132) == 256);  // nothing is known yet
    for (int number = 66; number < 16 * 66; number += 66) tile(number);
    CHECK(walk.boxes(map, 132) == Approx(8.25).epsilon(0.03));
    CHECK(walk.boxes(map, 300) == 256);  // CTAs enough for all of them
}

TEST_CASE("the way back over several boxes is not the next tile", "[exec]")
{
    const TensorMap map = mapOf({192, 2048, 16, 16}, {64, 128, 1, 1});
    TensorWalk walk;
    for (int head = 0; head < 64; head += 8)
        for (int block = 0; block < 16; ++block)
            for (const int part : {0, 64, 128})
                walk.visit({part, 128 * block, head % 16, head / 16}, map, 1);
    CHECK(walk.boxes(map, 132) == Approx(8));
}

TEST_CASE("queries: everybody has his own", "[exec]")
{
    const TensorMap map = mapOf({128, 2048, 16, 16}, {64, 128, 1, 1});
    TensorWalk walk;
    for (int tile = 0; tile < 2048; tile += 132) {
        const int head = tile / 16;
        for (const int half : {0, 64})
            walk.visit({half, tile % 16 * 128, head % 16, head / 16}, map, 2);
    }
    CHECK(walk.boxes(map, 132) == Approx(132));
}

TEST_CASE("past the last tile the first one follows", "[exec]")
{
    const TensorMap map = mapOf({64, 64, 300}, {64, 64, 1});
    TensorWalk walk;
    for (int tile = 0; tile < 900; tile += 100) walk.visit({0, 0, tile % 300}, map, 1);
    CHECK(walk.boxes(map, 132) == 100);
}
