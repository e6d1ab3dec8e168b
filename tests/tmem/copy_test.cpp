// tcgen05.cp: where rows go, and the widening of 4-bit elements.
#include <map>
#include <random>
#include <set>

#include "catch.hpp"
#include "exec/tmem/plan.hpp"

using namespace gsu::tmem;

namespace {

const std::vector<Copy> kCopies{{CopyShape::L128x256b, Multicast::None, {}},
                                {CopyShape::L128x128b, Multicast::None, {}},
                                {CopyShape::L64x128b, Multicast::Pairs02and13, {}},
                                {CopyShape::L64x128b, Multicast::Pairs01and23, {}},
                                {CopyShape::L32x128b, Multicast::All, {}},
                                {CopyShape::L4x256b, Multicast::None, {}}};

/// Lanes of a row, by the table.
std::set<unsigned> expected(const Copy& x, unsigned r)
{
    switch (x.shape) {
        case CopyShape::L64x128b:
            if (x.multicast == Multicast::Pairs02and13) return {r, r + 64};
            return r < 32 ? std::set{r, r + 32} : std::set{r + 32, r + 64};
        case CopyShape::L32x128b: return {r, r + 32, r + 64, r + 96};
        case CopyShape::L4x256b: return {32 * r};
        default: return {r};
    }
}

}  // namespace

TEST_CASE("copies: every byte of the source in every lane it goes to", "[tmem]")
{
    const unsigned seed = 11;
    CAPTURE(seed);
    std::mt19937 random(seed);
    std::vector<std::uint8_t> shared(32768);
    for (auto& b : shared) b = static_cast<std::uint8_t>(random());
    for (Copy x : kCopies) {
        for (const bool fp4 : {false, true}) {
            for (const unsigned mode : {0u, 2u, 4u, 6u}) {
                x.unpack = fp4 ? Unpack::Fp4 : Unpack::None;
                const std::uint64_t bits = 0x100 >> 4 | std::uint64_t{2048 >> 4} << 16 |
                                           std::uint64_t{(mode == 0   ? 128u
                                                          : mode == 6 ? 256u
                                                          : mode == 4 ? 512u
                                                                      : 1024u) >>
                                                         4}
                                               << 32 |
                                           1ull << 46 | std::uint64_t{mode} << 61;
                const auto d = SharedDescriptor::of(bits);
                REQUIRE(d);
                TensorMemory memory;
                const Address to{x.shape == CopyShape::L4x256b ? 5u : 0u, 40};
                REQUIRE_FALSE(copyIn(x, *d, shared, memory, to).has_value());
                std::set<unsigned> written;
                for (unsigned r = 0; r < x.rows(); ++r) {
                    for (const unsigned lane : expected(x, r)) {
                        CAPTURE(int(x.shape), int(x.multicast), fp4, mode, r, lane);
                        REQUIRE(written.insert(lane + to.lane).second);
                        for (unsigned b = 0; b < x.bytes(); ++b) {
                            const unsigned got = static_cast<std::uint8_t>(
                                memory.at(lane + to.lane, 40 + b / 4) >> (8 * (b % 4)));
                            const unsigned want =
                                fp4 ? static_cast<std::uint8_t>(
                                          (shared[d->kMajor(r, b / 16 * 16 + b % 16 / 2)] >>
                                               (4 * (b % 2)) &
                                           15)
                                          << 2)
                                    : shared[d->kMajor(r, b)];
                            REQUIRE(got == want);
                        }
                    }
                }
                for (unsigned l = 0; l < kLanes; ++l)
                    for (unsigned c = 0; c < 64; ++c)
                        if (c < 40 || c >= 40 + x.columns() || written.count(l) == 0)
                            REQUIRE(memory.at(l, c) == kPoison);
            }
        }
    }
}

TEST_CASE("a shift moves what its reach says, and its plan is that", "[tmem]")
{
    struct Row {
        ShiftReach reach;
        Address at;
        unsigned first, lanes;
    };
    for (const Row& row :
         {Row{ShiftReach::Warp, {0, 3}, 0, 32}, Row{ShiftReach::Warp, {96, 504}, 96, 32},
          Row{ShiftReach::All, {64, 16}, 0, 128}}) {
        CAPTURE(row.at.lane, row.at.column);
        const auto shift = shiftOf(row.reach, row.at);
        REQUIRE(shift);
        TensorMemory memory;
        for (unsigned lane = 0; lane < kLanes; ++lane)
            for (unsigned column = 0; column < kColumns; ++column)
                memory.lane(lane)[column] = lane * 1000 + column;
        shiftDown(memory, *shift);
        const Plan plan = planOf(*shift);
        for (unsigned lane = 0; lane < kLanes; ++lane) {
            for (unsigned column = 0; column < kColumns; ++column) {
                const bool inside = lane >= row.first && lane < row.first + row.lanes &&
                                    column >= row.at.column && column < row.at.column + 8;
                const bool moves = inside && lane % 32 != 31;
                REQUIRE(memory.at(lane, column) == (moves ? lane + 1 : lane) * 1000 + column);
                bool reads = false, writes = false;
                for (const CellAccess& c : plan.cells) {
                    const Window& w = c.window;
                    if (lane < w.at.lane || lane >= w.at.lane + w.lanes || column < w.at.column ||
                        column >= w.at.column + w.columns)
                        continue;
                    reads |= c.reads;
                    writes |= c.writes;
                }
                REQUIRE(reads == inside);
                REQUIRE(writes == moves);
            }
        }
    }
}
