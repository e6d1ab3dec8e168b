// tcgen05.ld and st: the map of each shape, and loads that bring back what was stored.
#include <map>
#include <random>
#include <set>

#include "catch.hpp"
#include "exec/tmem/movement.hpp"

using namespace gsu::tmem;

namespace {

const std::vector<Shape> kShapes{Shape::L16x64b, Shape::L16x128b, Shape::L16x256b, Shape::L32x32b,
                                 Shape::L16x32bx2};

using Registers = std::vector<std::array<std::uint32_t, 32>>;

Registers randomRegisters(unsigned count, std::mt19937& random)
{
    Registers r(count);
    for (auto& one : r)
        for (std::uint32_t& value : one) value = static_cast<std::uint32_t>(random());
    return r;
}

}  // namespace

TEST_CASE("every register of a transfer has its own cells, and they fill the window", "[tmem]")
{
    unsigned transfers = 0;
    for (const Shape shape : kShapes) {
        for (unsigned repeat = 1; repeat <= 128; repeat *= 2) {
            for (const bool packed : {false, true}) {
                const Transfer x{shape, repeat, packed, shape == Shape::L16x32bx2 ? 2 * repeat : 0};
                if (problemOf(x, 0, 0).has_value()) continue;
                ++transfers;
                CAPTURE(int(shape), repeat, packed);
                std::set<Place> seen;
                unsigned last = 0;
                for (unsigned t = 0; t < 32; ++t) {
                    for (unsigned i = 0; i < x.registers(); ++i) {
                        const Place p = x.place(t, i);
                        REQUIRE((p.lane < x.lanes() && p.column + (packed ? 1 : 0) < x.columns()));
                        REQUIRE((!packed || p.column % 2 == 0));
                        REQUIRE(seen.insert(p).second);
                        last = std::max(last, p.column + (packed ? 2 : 1));
                    }
                }
                REQUIRE(last == x.columns());
                REQUIRE(seen.size() == 32 * x.registers());
            }
        }
    }
    CHECK(transfers == 2 * (8 + 7 + 6 + 8 + 8));
}

TEST_CASE("places by the tables", "[tmem]")
{
    const auto at = [](Shape s, unsigned thread, unsigned index, unsigned split = 0) {
        return Transfer{s, 8, false, split}.place(thread, index);
    };
    CHECK(at(Shape::L32x32b, 17, 5) == Place{0, 17, 5});
    CHECK(at(Shape::L16x64b, 7, 3) == Place{0, 9, 7});
    CHECK(at(Shape::L16x64b, 30, 0) == Place{0, 7, 1});
    CHECK(at(Shape::L16x128b, 9, 3) == Place{0, 10, 5});
    // 16x256b: as accumulators of mma lie: thread 4 g + t has columns 2 t and 2 t + 1 of rows g and g + 8.
    for (unsigned t = 0; t < 32; ++t)
        for (unsigned i = 0; i < 16; ++i)
            REQUIRE(at(Shape::L16x256b, t, i) ==
                    Place{0, t / 4 + (i % 4 < 2 ? 0 : 8), 8 * (i / 4) + 2 * (t % 4) + i % 2});
    CHECK(at(Shape::L16x32bx2, 3, 2, 100) == Place{0, 3, 2});
    CHECK(at(Shape::L16x32bx2, 19, 2, 100) == Place{0, 3, 102});
    const Transfer packed{Shape::L16x32bx2, 8, true, 100};
    CHECK(packed.place(19, 2) == Place{0, 3, 104});
}

TEST_CASE("a load brings back what was stored, and stores touch nothing else", "[tmem]")
{
    const unsigned seed = 5;
    CAPTURE(seed);
    std::mt19937 random(seed);
    for (const Shape shape : kShapes) {
        for (unsigned repeat = 1; repeat <= 128; repeat *= 2) {
            for (const bool packed : {false, true}) {
                const unsigned warp = static_cast<unsigned>(random() % 4),
                               half = shape == Shape::L32x32b
                                          ? 0
                                          : static_cast<unsigned>(random() % 2) * 16;
                Transfer x{shape, repeat, packed,
                           shape == Shape::L16x32bx2 ? (packed ? 2 * repeat : repeat) : 0};
                const unsigned lane = *firstLane(warp, half, false);
                if (problemOf(x, lane, 0).has_value()) continue;
                const auto column = static_cast<unsigned>(random() % (kColumns - x.columns() + 1));
                CAPTURE(int(shape), repeat, packed, lane, column);
                REQUIRE_FALSE(problemOf(x, lane, column).has_value());
                TensorMemory memory;
                const Registers in = randomRegisters(x.registers(), random);
                Registers out(x.registers());
                store(x, memory, lane, column, in);
                load(x, memory, lane, column, out);
                REQUIRE(in == out);
                unsigned written = 0;
                for (unsigned l = 0; l < kLanes; ++l) {
                    for (unsigned c = 0; c < kColumns; ++c) {
                        const bool inside = l >= lane && l < lane + x.lanes() && c >= column &&
                                            c < column + x.columns();
                        if (memory.at(l, c) == kPoison) continue;
                        REQUIRE(inside);
                        ++written;
                    }
                }
                REQUIRE(written == 32 * x.registers() * (packed ? 2 : 1));
            }
        }
    }
}

TEST_CASE("packed halves: low halves of two columns, upper halves of cells become zero", "[tmem]")
{
    TensorMemory memory;
    const Transfer x{Shape::L32x32b, 2, true, 0};
    Registers in(2);
    for (unsigned t = 0; t < 32; ++t) in[0][t] = 0xaaaa'0000u + t, in[1][t] = 0xbbbb'1000u + t;
    store(x, memory, 64, 10, in);
    CHECK((memory.at(67, 10) == 3 && memory.at(67, 11) == 0xaaaa && memory.at(67, 12) == 0x1003 &&
           memory.at(67, 13) == 0xbbbb));
    memory.at(67, 11) = 0x7777'1234;
    Registers out(2);
    load(x, memory, 64, 10, out);
    CHECK(out[0][3] == 0x1234'0003);
}

TEST_CASE("what .ashift leaves", "[tmem]")
{
    TensorMemory memory;
    for (unsigned l = 0; l < kLanes; ++l)
        for (unsigned c = 0; c < 16; ++c) memory.at(l, c) = 100 * l + c;
    shiftDown(memory, {{0, 4}, kLanes});
    for (unsigned l = 0; l < kLanes; ++l)
        for (unsigned c = 0; c < 16; ++c)
            REQUIRE(memory.at(l, c) == 100 * (c >= 4 && c < 12 && l % 32 != 31 ? l + 1 : l) + c);
}
