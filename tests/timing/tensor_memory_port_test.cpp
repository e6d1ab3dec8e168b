// Moves between tensor memory and registers.
#include "exec/timing/tensor_memory_port.hpp"

#include "catch.hpp"
#include "timing/driver.hpp"

using namespace gsu;
using namespace gsu::timing;

namespace {

TimingParams ways(std::uint32_t bytes, std::uint32_t latency)
{
    TimingParams p = timingParamsOf(Target::Blackwell);
    p.tmem_bytes = bytes;
    p.tmem_lat = latency;
    return p;
}

}  // namespace

TEST_CASE("a move takes its bytes' time and a latency; those of one quarter follow each other")
{
    TensorMemoryPort port(ways(64, 30));
    CHECK(port.move(0, 1024, ticksOf(100)) == ticksOf(100 + 16 + 30));
    CHECK(port.move(0, 2048, ticksOf(100)) == ticksOf(116 + 32 + 30));
    CHECK(port.move(0, 64, ticksOf(500)) == ticksOf(500 + 1 + 30));
}

TEST_CASE("quarters do not wait for each other")
{
    TensorMemoryPort port(ways(64, 30));
    for (unsigned quarter = 0; quarter < 4; ++quarter)
        CHECK(port.move(quarter, 1024, 0) == ticksOf(46));
    CHECK(port.move(4, 1024, 0) == ticksOf(62));  // a warp of quarter 0
    CHECK(port.busy() == ticksOf(5 * 16) / 4);
}

TEST_CASE("a warp moves through the quarter of its scheduler")
{
    const auto model = serverTiming(ways(64, 30), 2);
    const WarpHandle a = model->enter({0, 1, 0, 7, 7}, 0), b = model->enter({0, 1, 1, 7, 8}, 0),
                     other = model->enter({0, 2, 0, 7, 7}, 0),
                     far = model->enter({1, 1, 0, 8, 9}, 0);
    CHECK(model->tensorMove(a, 640, 10) == 10 + 10 + 30);
    CHECK(model->tensorMove(b, 640, 10) == 20 + 10 + 30);
    CHECK(model->tensorMove(other, 640, 10) == 10 + 10 + 30);
    CHECK(model->tensorMove(far, 640, 10) == 10 + 10 + 30);
    CHECK(simpleTiming()->tensorMove(a, 640, 10) == 10);
}

TEST_CASE("eight warps read at the published rate of a warp's quarter")
{
    TensorMemoryPort port(timingParamsOf(Target::Blackwell));
    Ticks end = 0;
    for (unsigned i = 0; i < 100; ++i) end = port.move(2, 2048, 0);
    CHECK(100 * 2048 * kTicks / (end - ticksOf(48)) == 52);  // 53, B300, less the rounding of each
}
