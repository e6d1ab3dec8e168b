/// Operands that the decoder gives to the tensor instructions; private to tb/exec.
#pragma once
#include <cstdint>

namespace gsu::exec {

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
