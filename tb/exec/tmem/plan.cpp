#include "exec/tmem/plan.hpp"

#include <algorithm>

namespace gsu::tmem {
namespace {

using Lanes = std::bitset<kLanes>;
constexpr unsigned kUnit = 16;

/// One window for each run of lanes.
void addRuns(std::vector<CellAccess>& cells, const CellAccess& what, const Lanes& lanes)
{
    for (unsigned lane = 0; lane < kLanes; ++lane) {
        if (!lanes[lane]) continue;
        const unsigned first = lane;
        while (lane < kLanes && lanes[lane]) ++lane;
        CellAccess run = what;
        run.window.at.lane = first;
        run.window.lanes = lane - first;
        cells.push_back(run);
    }
}

CellAccess access(unsigned cta, Address at, unsigned columns, bool reads, bool writes)
{
    return {cta, {at, 0, columns}, reads, writes};
}

/// Lanes that a layout uses, from `first` on.
Lanes lanesOf(const DataPath& path, unsigned first)
{
    Lanes lanes;
    for (unsigned bank = 0; bank < path.banks; ++bank) {
        for (unsigned row = 0; row < path.rows; ++row) lanes.set(first + path.lane(row, bank));
    }
    return lanes;
}

/// Units of 16 bytes as ranges.
void addUnits(std::vector<SharedAccess>& to, unsigned cta, std::vector<std::uint32_t> units)
{
    std::sort(units.begin(), units.end());
    units.erase(std::unique(units.begin(), units.end()), units.end());
    const std::size_t before = to.size();
    for (const std::uint32_t unit : units) {
        if (to.size() > before && to.back().first + to.back().bytes == unit)
            to.back().bytes += kUnit;
        else
            to.push_back({cta, unit, kUnit});
    }
}

/// `lines` lines from `first` on with `bytes` along K; transposed, the lines go along the bytes.
void addTile(std::vector<std::uint32_t>& units, const SharedDescriptor& d, const Instruction& i,
             bool transposed, unsigned lines, unsigned k)
{
    const unsigned outer = transposed ? k : lines, bytes = transposed ? i.bytes(lines) : i.bytes(k);
    for (unsigned line = 0; line < outer; ++line) {
        for (unsigned byte = 0; byte < bytes; byte += kUnit)
            units.push_back(transposed ? d.mnMajor(line, byte) : d.kMajor(line, byte));
    }
}

Verdict addShared(Plan& plan, const Instruction& i, const Operands& o)
{
    const Judged<SharedDescriptor> b = SharedDescriptor::of(o.b);
    if (!b) return b.refusal();
    const Judged<ColumnMask> mask =
        ColumnMask::of(i.modifiers.zeroColumnMask ? o.zeroColumns : 0, i);
    if (!mask) return mask.refusal();
    const unsigned columns = i.n / i.modifiers.group + (mask->shift() + 15) / 16 * 16;
    for (unsigned cta = 0; cta < i.modifiers.group; ++cta) {
        std::vector<std::uint32_t> units;
        addTile(units, *b, i, i.transposeB, columns, i.k);
        if (!i.modifiers.aInside) {
            const Judged<SharedDescriptor> a = SharedDescriptor::of(o.a);
            if (!a) return a.refusal();
            addTile(units, *a, i, i.transposeA, i.path().rows, i.storedK());
        }
        addUnits(plan.shared, cta, std::move(units));
    }
    return std::nullopt;
}

void addD(Plan& plan, const Instruction& i, const Operands& o, unsigned cta)
{
    const Address d = Address::of(o.d);
    Lanes lanes = lanesOf(i.path(), d.lane);
    for (unsigned lane = 0; i.modifiers.disableWords != 0 && lane < kLanes; ++lane) {
        if ((o.disabled[4 * cta + lane / 32] >> (lane % 32) & 1) != 0) lanes.reset(lane);
    }
    addRuns(plan.cells, access(cta, d, i.n / i.path().banks, o.accumulate, true), lanes);
}

void addMetadata(Plan& plan, const Instruction& i, const Operands& o, unsigned cta)
{
    const Address at = Address::of(o.metadata);
    const DataPath path = i.path();
    std::array<Lanes, 2> columns;
    for (unsigned bank = 0; bank < path.banks; ++bank) {
        for (unsigned row = 0; row < path.rows; ++row) {
            for (unsigned chunk = 0; chunk < i.k / i.chunk(); ++chunk) {
                const BitPlace p =
                    placeOfMetadata(i.metadataFormat(), path.lane(row, bank), chunk, i.selector);
                columns[p.column].set(at.lane + p.lane);
            }
        }
    }
    for (unsigned c = 0; c < columns.size(); ++c)
        addRuns(plan.cells, access(cta, {0, at.column + c}, 1, true, false), columns[c]);
}

void addInside(Plan& plan, const Instruction& i, const Operands& o, unsigned cta)
{
    if (i.modifiers.aInside)
        addRuns(plan.cells, access(cta, Address::of(o.aInside), 8, true, i.modifiers.shiftA),
                lanesOf(i.path(), Address::of(o.aInside).lane));
    if (i.modifiers.sparse) addMetadata(plan, i, o, cta);
    if (!isScaled(i.modifiers.kind)) return;
    for (const auto& [address, lines] : {std::pair{o.scaleA, i.path().rows}, {o.scaleB, i.n}})
        addRuns(plan.cells,
                access(cta, Address::of(address & 0x3fff'ffffu), (lines + 31) / 32, true, false),
                Lanes{}.set());
}

Verdict problemOfPlaces(const Instruction& i, const Operands& o)
{
    const unsigned lanes = i.path().lanes();
    std::vector<std::pair<Address, unsigned>> places{{Address::of(o.d), i.n / i.path().banks}};
    if (i.modifiers.aInside) places.emplace_back(Address::of(o.aInside), 8u);
    if (i.modifiers.sparse) places.emplace_back(Address::of(o.metadata), 2u);
    for (const auto& [at, columns] : places) {
        if (auto problem = problemOfLane(i.layout, at.lane)) return problem;
        if (auto problem = problemOf(Window{at, lanes, columns})) return problem;
    }
    return std::nullopt;
}

}  // namespace

Judged<Plan> planOf(const Instruction& i, const Operands& o)
{
    Plan plan;
    if (auto problem = problemOfPlaces(i, o)) return *problem;
    if (auto problem = addShared(plan, i, o)) return *problem;
    for (unsigned cta = 0; cta < i.modifiers.group; ++cta) {
        addD(plan, i, o, cta);
        addInside(plan, i, o, cta);
    }
    for (const CellAccess& c : plan.cells) {
        if (auto problem = problemOf(c.window)) return *problem;
    }
    return plan;
}

Judged<Plan> planOf(const Copy& x, const SharedDescriptor& source, Address to)
{
    if (auto problem = problemOf(x, source, to)) return *problem;
    Plan plan;
    std::vector<std::uint32_t> units;
    Lanes lanes;
    for (unsigned row = 0; row < x.rows(); ++row) {
        for (unsigned byte = 0; byte < x.bytes(); byte += kUnit)
            units.push_back(source.kMajor(row, byte));
        for (unsigned copy = 0; copy < x.copies(); ++copy) lanes.set(to.lane + x.lane(row, copy));
    }
    addUnits(plan.shared, 0, std::move(units));
    addRuns(plan.cells, access(0, to, x.columns(), false, true), lanes);
    return plan;
}

Plan planOf(const Shift& x)
{
    Plan plan;
    const auto add = [&](unsigned lane, unsigned lanes, bool writes) {
        plan.cells.push_back({0, {{lane, x.at.column}, lanes, Shift::kColumnsMoved}, true, writes});
    };
    for (unsigned first = x.at.lane; first < x.at.lane + x.lanes; first += kQuarter) {
        add(first, kQuarter - 1, true);
        add(first + kQuarter - 1, 1, false);
    }
    return plan;
}

Judged<Plan> planOf(const Transfer& x, bool store, unsigned lane, unsigned column)
{
    if (auto problem = problemOf(x, lane, column)) return *problem;
    Plan plan;
    const bool halves = x.shape == Shape::L16x32bx2;
    const unsigned columns = halves ? x.columns() - x.split : x.columns();
    for (unsigned half = 0; half < (halves ? 2u : 1u); ++half)
        plan.cells.push_back(
            {0, {{lane, column + half * x.split}, x.lanes(), columns}, !store, store});
    return plan;
}

}  // namespace gsu::tmem
