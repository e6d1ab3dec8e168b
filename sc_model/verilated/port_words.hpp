/// Values of gsu_pkg structs to and from the types that Verilator chose for their ports.
#pragma once
#include <verilated.h>

#include <type_traits>

#include "golden/layout.gen.hpp"

namespace gsu {

/// Port values as the words that pack/unpack work on, whatever type Verilator chose for the width.
template <std::size_t N> void store(VlWide<N>& port, const auto& value) noexcept
{
    pack(value, port.data());
}
inline void store(QData& port, const auto& value) noexcept
{
    std::uint32_t words[2];
    pack(value, words);
    port = std::uint64_t{words[1]} << 32 | words[0];
}
inline void store(IData& port, const auto& value) noexcept { pack(value, &port); }
inline void store(SData& port, const auto& value) noexcept
{
    std::uint32_t word = 0;
    pack(value, &word);
    port = SData(word);
}
/// A bit for each SM, as wide as Verilator chose.
inline void storeBits(auto& port, std::uint32_t bits) noexcept
{
    port = static_cast<std::remove_reference_t<decltype(port)>>(bits);
}
template <typename T, std::size_t N> [[nodiscard]] T load(const VlWide<N>& port) noexcept
{
    T value;
    unpack(value, port.data());
    return value;
}
template <typename T> [[nodiscard]] T load(QData port) noexcept
{
    const std::uint32_t words[2] = {std::uint32_t(port), std::uint32_t(port >> 32)};
    T value;
    unpack(value, words);
    return value;
}

}  // namespace gsu
