/// FNV-1a, 64 bits: for files that name what they belong to, and for short names. It cannot decide that two things are equal.
#pragma once
#include <cstdint>
#include <string_view>

namespace gsu {

inline constexpr std::uint64_t kFnvStart = 0xcbf29ce484222325ull;

/// Continues from `hash`.
[[nodiscard]] constexpr std::uint64_t fnv1a(std::string_view bytes,
                                            std::uint64_t hash = kFnvStart) noexcept
{
    for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ull;
    return hash;
}

}  // namespace gsu
