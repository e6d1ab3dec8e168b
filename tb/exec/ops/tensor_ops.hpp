/// Operands of tensor instructions from the decoder; private to tb/exec.
#pragma once
#include <cstdint>

namespace gsu::exec {

/// Field that tensormap.replace changes.
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
