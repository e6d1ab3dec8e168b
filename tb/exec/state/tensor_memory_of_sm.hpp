/// Tensor memory of one SM, and the owners of its columns. All launches that run on the unit share it.
#pragma once
#include "exec/tmem/columns.hpp"
#include "golden/types.hpp"

namespace gsu::exec {

struct TensorMemoryOfSm {
    tmem::TensorMemory memory;
    tmem::ColumnAllocator columns;  ///< CTAs by their slot of the SM
    Cycle freeAt{};                 ///< when the tensor core is free
    Cycle last{};                   ///< when the youngest mma or cp is performed
};

}  // namespace gsu::exec
