/// What the decoder tells the tensor instructions; private to tb/exec.
#pragma once
#include <cstdint>

namespace gsu::exec {

/// MicroOp::aux[1]: to global memory; gather4 or scatter4; cta_group::2; from the shift on the MapMode.
inline constexpr std::uint8_t kTensorStore = 1, kTensorRows = 2, kTensorPair = 4,
                              kTensorModeShift = 4;

/// What tensormap.replace changes.
enum class TensorField : std::uint8_t {
    Address,
    Rank,
    Box,
    Size,
    Stride,
    Step,
    Type,
    Interleave,
    Swizzle,
    Atomicity,
    Fill
};

}  // namespace gsu::exec
