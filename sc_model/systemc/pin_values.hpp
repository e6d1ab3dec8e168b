/// The structs of gsu_pkg as SystemC signals, both ways, and the operands of requests.
#pragma once
#include <systemc>
#include <vector>

#include "golden/port.hpp"

namespace gsu::pins {

/// A request without its operands; only one bit of them is included: whether one beat holds for all lanes.
[[nodiscard]] raw::SyncReq requestPins(const SyncRequest& r);
/// Operand beats of a request in the order of the collector; empty for operations without operands. Written without RtlPort's code, so that a mistake in
/// either shows when the two are compared.
[[nodiscard]] std::vector<raw::OpndBeat> operandsOf(const SyncRequest& r);

template <int Bits> void write(sc_core::sc_signal<sc_dt::sc_bv<Bits>>& signal, const auto& value)
{
    constexpr int kWords = (Bits + 31) / 32;
    std::uint32_t words[kWords];
    pack(value, words);
    sc_dt::sc_bv<Bits> bits;
    for (int i = 0; i < kWords; ++i) bits.set_word(i, words[i]);
    signal.write(bits);
}
inline void write(sc_core::sc_signal<std::uint32_t>& signal, const auto& value)
{
    std::uint32_t word = 0;
    pack(value, &word);
    signal.write(word);
}
inline void write(sc_core::sc_signal<std::uint64_t>& signal, const auto& value)
{
    std::uint32_t words[2];
    pack(value, words);
    signal.write(std::uint64_t{words[1]} << 32 | words[0]);
}

template <typename T, int Bits>
[[nodiscard]] T read(const sc_core::sc_signal<sc_dt::sc_bv<Bits>>& signal)
{
    constexpr int kWords = (Bits + 31) / 32;
    std::uint32_t words[kWords];
    for (int i = 0; i < kWords; ++i) words[i] = std::uint32_t(signal.read().get_word(i));
    T value;
    unpack(value, words);
    return value;
}
template <typename T> [[nodiscard]] T read(const sc_core::sc_signal<std::uint32_t>& signal)
{
    const std::uint32_t words[1] = {signal.read()};
    T value;
    unpack(value, words);
    return value;
}
template <typename T> [[nodiscard]] T read(const sc_core::sc_signal<std::uint64_t>& signal)
{
    const std::uint32_t words[2] = {std::uint32_t(signal.read()),
                                    std::uint32_t(signal.read() >> 32)};
    T value;
    unpack(value, words);
    return value;
}

}  // namespace gsu::pins
