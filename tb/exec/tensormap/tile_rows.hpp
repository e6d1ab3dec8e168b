/// Code that tensor copies of boxes and of pixels share; private to tensor_*.cpp.
#pragma once
#include "exec/tensormap/tensor_map.hpp"

namespace gsu {

/// One row of a box: `line` is its global address.
struct BoxRow {
    std::uint32_t at;  ///< in the box, without gaps, before swizzling
    std::uint64_t line;
    bool inside;
};

/// Appends the runs of box[0] elements from column `first` on.
void addRow(std::vector<TileRun>& runs, const TensorMap& m, const BoxRow& row, std::int64_t first,
            std::uint32_t shared);

}  // namespace gsu
