#include "exec/tmem/tensor_memory.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace gsu::tmem {

Verdict problemOf(const Window& w)
{
    if (w.inside()) return std::nullopt;
    const bool lanes = w.at.lane + w.lanes > kLanes;
    return Refusal{Rule::OutsideMemory, lanes ? fmt::format("lanes {} to {} of {}", w.at.lane,
                                                            w.at.lane + w.lanes - 1, kLanes)
                                              : fmt::format("columns {} to {} of {}", w.at.column,
                                                            w.at.column + w.columns - 1, kColumns)};
}

void TensorMemory::poison(unsigned column, unsigned columns) noexcept
{
    for (unsigned l = 0; l < kLanes; ++l) std::fill_n(lane(l) + column, columns, kPoison);
}

Judged<unsigned> firstLane(unsigned warpOfCta, unsigned laneField, bool strict)
{
    const unsigned quarter = warpOfCta % (kLanes / kQuarter);
    if (strict && laneField / kQuarter != quarter)
        return Refusal{Rule::ForeignLanes,
                       fmt::format("lane {} in warp {}, which reaches lanes {} to {}", laneField,
                                   warpOfCta, quarter * kQuarter,
                                   quarter * kQuarter + kQuarter - 1)};
    return quarter * kQuarter + laneField % kQuarter;
}

}  // namespace gsu::tmem
