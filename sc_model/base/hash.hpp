/// FNV-1a, 64 bits: for short names, and for files that name the data they belong to. Equal hashes do not prove that two things are equal.
#pragma once
#include <cstdint>
#include <string_view>

namespace gsu {

inline constexpr std::uint64_t kFnvStart = 0xcbf29ce484222325ull;

/// The hash of `bytes`, or of earlier bytes followed by `bytes` if `hash` is theirs.
[[nodiscard]] constexpr std::uint64_t fnv1a(std::string_view bytes,
                                            std::uint64_t hash = kFnvStart) noexcept
{
    for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ull;
    return hash;
}

}  // namespace gsu
