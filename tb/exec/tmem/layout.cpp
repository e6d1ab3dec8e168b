#include "exec/tmem/layout.hpp"

#include <fmt/format.h>

namespace gsu::tmem {

char nameOf(Layout layout) noexcept { return static_cast<char>('A' + static_cast<int>(layout)); }

Judged<Layout> layoutOf(unsigned m, unsigned group, bool weightStationary, bool sparse)
{
    if (group == 2 && m == 256) return Layout::A;
    if (group == 2 && m == 128) {
        if (!sparse) return Layout::B;
        return Refusal{Rule::LayoutC, "a sparse product of M = 128 with cta_group::2"};
    }
    if (group == 1 && m == 128) return Layout::D;
    if (group == 1 && m == 64) return weightStationary ? Layout::E : Layout::F;
    if (group == 1 && m == 32 && weightStationary) return Layout::G;
    return Refusal{Rule::Shape, fmt::format("M = {} with cta_group::{}{}", m, group,
                                            weightStationary ? " and .ws" : "")};
}

DataPath dataPathOf(Layout layout) noexcept
{
    switch (layout) {
        case Layout::A:
        case Layout::D: return {128, 1, false};
        case Layout::B:
        case Layout::E: return {64, 2, false};
        case Layout::F: return {64, 1, true};
        case Layout::G: return {32, 4, false};
        case Layout::C: break;
    }
    return {};
}

unsigned bankOf(Layout layout, unsigned n, unsigned column) noexcept
{
    return column / (n / dataPathOf(layout).banks);
}

Place placeOfD(Layout layout, unsigned n, unsigned row, unsigned column) noexcept
{
    const DataPath path = dataPathOf(layout);
    return {row / path.rows, path.lane(row % path.rows, bankOf(layout, n, column)),
            column % (n / path.banks)};
}

Place placeOfA(Layout layout, unsigned row, unsigned bank) noexcept
{
    const DataPath path = dataPathOf(layout);
    return {row / path.rows, path.lane(row % path.rows, bank), 0};
}

Verdict problemOfLane(Layout layout, unsigned lane)
{
    if (lane == 0 || (dataPathOf(layout).half && lane == 16)) return std::nullopt;
    return Refusal{Rule::DLane,
                   fmt::format("lane {} with data-path layout {}", lane, nameOf(layout))};
}

}  // namespace gsu::tmem
