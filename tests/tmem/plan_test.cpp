// Plans: what is not in them has no effect and stays as it was; what is in them is as much as the instruction takes.
#include <set>

#include "exec/tmem/plan.hpp"
#include "problem.hpp"

using namespace tmemtest;

namespace {

bool covers(const Plan& plan, unsigned cta, unsigned lane, unsigned column, bool writes)
{
    return std::any_of(plan.cells.begin(), plan.cells.end(), [&](const CellAccess& c) {
        const Address at = c.window.at;
        return c.cta == cta && (writes ? c.writes : c.reads) && lane >= at.lane &&
               lane < at.lane + c.window.lanes && column >= at.column &&
               column < at.column + c.window.columns;
    });
}

std::size_t cellsOf(const Plan& plan, bool writes)
{
    std::size_t cells = 0;
    for (const CellAccess& c : plan.cells)
        cells += (writes ? c.writes : c.reads) ? std::size_t{c.window.lanes} * c.window.columns : 0;
    return cells;
}

std::size_t bytesOf(const Plan& plan)
{
    std::size_t bytes = 0;
    for (const SharedAccess& s : plan.shared) bytes += s.bytes;
    return bytes;
}

struct Case {
    Kind kind;
    Fields fields;
    unsigned group, vector;
    bool ws, sparse, inside, accumulate;
    std::size_t reads, writes, bytes;  ///< cells, cells, bytes of shared memory, of all CTAs
};

const std::vector<Case> kCases{
    {Kind::F16,
     {.m = 128, .n = 64},
     1,
     0,
     false,
     false,
     false,
     true,
     128 * 64,
     128 * 64,
     (128 + 64) * 32},
    {Kind::F16, {.m = 64, .n = 64}, 1, 0, false, false, true, false, 64 * 8, 64 * 64, 64 * 32},
    {Kind::F16,
     {.m = 64, .n = 64},
     1,
     0,
     true,
     true,
     true,
     true,
     128 * 32 + 128 * 8 + 128,
     128 * 32,
     64 * 64},
    {Kind::F16,
     {.m = 256, .n = 32, .transposeB = true},
     2,
     0,
     false,
     false,
     false,
     true,
     256 * 32,
     256 * 32,
     (256 + 32) * 32},
    {Kind::F8f6f4,
     {.m = 128, .n = 32, .a = 5},
     1,
     0,
     false,
     true,
     false,
     false,
     128 * 2,
     128 * 32,
     128 * 32 + 32 * 64},
    {Kind::F16,
     {.m = 64, .n = 16, .selector = 1},
     1,
     0,
     false,
     true,
     false,
     true,
     64 * 16 + 64,
     64 * 16,
     64 * 32 + 16 * 64},
    {Kind::Mxf8f6f4,
     {.m = 128, .n = 48},
     1,
     1,
     false,
     false,
     false,
     true,
     128 * 48 + 128 * 4 + 128 * 2,
     128 * 48,
     (128 + 48) * 32},
};

}  // namespace

TEST_CASE("the plan of a product has all that it reads and writes", "[tmem]")
{
    const auto at = GENERATE(range(std::size_t{0}, kCases.size()));
    const Case& c = kCases[at];
    const unsigned seed = 40 + static_cast<unsigned>(at);
    CAPTURE(seed, at);
    std::mt19937_64 random(seed);
    Modifiers x;
    x.kind = c.kind;
    x.group = c.group;
    x.scaleVector = c.vector;
    x.weightStationary = c.ws;
    x.sparse = c.sparse;
    x.aInside = c.inside;
    Problem p(x, c.fields, 2);
    p.o.accumulate = c.accumulate;
    if (p.i.layout == Layout::F)
        p.o.d |= 16u << 16, p.o.aInside |= 16u << 16, p.o.metadata |= 16u << 16;
    p.fill(random, [&](Elem e) { return usual(e, random); });
    const auto plan = planOf(p.i, p.o);
    REQUIRE(plan);
    CHECK(cellsOf(*plan, false) == c.reads);
    CHECK(cellsOf(*plan, true) == c.writes);
    CHECK(bytesOf(*plan) == c.bytes);
    // Whatever is not in the plan is other than it was.
    for (unsigned cta = 0; cta < 2; ++cta) {
        for (unsigned lane = 0; lane < kLanes; ++lane)
            for (unsigned column = 0; column < kColumns; ++column)
                if (!covers(*plan, cta, lane, column, false))
                    p.memory[cta].at(lane, column) = static_cast<std::uint32_t>(random());
        std::vector<bool> read(kShared);
        for (const SharedAccess& s : plan->shared)
            if (s.cta == cta) std::fill_n(read.begin() + s.first, s.bytes, true);
        for (std::size_t byte = 0; byte < kShared; ++byte)
            if (!read[byte]) p.shared[cta][byte] = static_cast<std::uint8_t>(random());
    }
    const auto before = p.memory;
    REQUIRE_FALSE(p.run().has_value());
    for (unsigned row = 0; row < p.i.m; ++row)
        for (unsigned column = 0; column < p.i.n; ++column)
            REQUIRE(p.cell(row, column) == p.expected(row, column));
    for (unsigned cta = 0; cta < 2; ++cta)
        for (unsigned lane = 0; lane < kLanes; ++lane)
            for (unsigned column = 0; column < kColumns; ++column)
                if (!covers(*plan, cta, lane, column, true))
                    REQUIRE(p.memory[cta].at(lane, column) == before[cta].at(lane, column));
}

TEST_CASE("disabled lanes are in no plan, the shift of A is", "[tmem]")
{
    Modifiers x;
    x.kind = Kind::Tf32;
    x.aInside = x.shiftA = true;
    x.disableWords = 4;
    Problem p(x, {.m = 128, .n = 8, .a = 2, .b = 2}, 2);
    p.o.disabled = {~0u, 1, 0, 0x8000'0000};
    const auto plan = planOf(p.i, p.o);
    REQUIRE(plan);
    CHECK(cellsOf(*plan, true) == (128 - 34) * 8 + 128 * 8);
    CHECK_FALSE(covers(*plan, 0, 32, 0, true));
    CHECK(covers(*plan, 0, 33, 0, true));
    CHECK(covers(*plan, 0, 0, kColumnA, true));
    p.o.d = 1u << 16;
    CHECK(planOf(p.i, p.o).refusal().rule == Rule::DLane);
}

TEST_CASE("plans of copies, loads and stores", "[tmem]")
{
    const auto source = SharedDescriptor::of(descriptorOf(512, 0, 128, 0));
    REQUIRE(source);
    const auto copy =
        planOf(Copy{CopyShape::L32x128b, Multicast::All, Unpack::None}, *source, {0, 8});
    REQUIRE(copy);
    CHECK(copy->shared == std::vector<SharedAccess>{{0, 512, 512}});
    CHECK((cellsOf(*copy, true) == 128 * 4 && cellsOf(*copy, false) == 0));
    const auto refresh =
        planOf(Copy{CopyShape::L4x256b, Multicast::None, Unpack::None}, *source, {31, 8});
    REQUIRE(refresh);
    CHECK((refresh->cells.size() == 4 && cellsOf(*refresh, true) == 4 * 8));
    const auto store = planOf(Transfer{Shape::L16x32bx2, 4, false, 64}, true, 48, 0);
    REQUIRE(store);
    CHECK((store->cells.size() == 2 && cellsOf(*store, true) == 2 * 16 * 4));
    CHECK((covers(*store, 0, 63, 3, true) && covers(*store, 0, 48, 64, true) &&
           !covers(*store, 0, 48, 4, true)));
    CHECK(cellsOf(*planOf(Transfer{Shape::L32x32b, 8, true, 0}, false, 32, 0), false) == 32 * 16);
}
