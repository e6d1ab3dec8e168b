/// Declarations that the files of the matrix engine share.
#pragma once
#include "exec/async/matrix_engine.hpp"

namespace gsu::exec {

inline constexpr std::uint32_t kSink =
    ~0u;  ///< in place of a row: the accumulator's register is `_`
inline constexpr std::uint32_t kUnit = 16;  ///< unit of descriptors, in bytes
inline constexpr unsigned kWarpgroup = 4;   ///< warps
// Flags of a register.
inline constexpr std::uint8_t kAccumulator = 1, kOperandA = 2, kWritten = 4;
/// Content of a register that must not be read: a NaN of f16, bf16 and f32.
inline constexpr std::uint64_t kPoison = 0x7fff'7fffull;

inline std::uint64_t keyOfWarp(const CtaKey& cta, unsigned warp) { return cta.serial << 10 | warp; }

}  // namespace gsu::exec
