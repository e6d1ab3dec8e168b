/// Values of golden/types.hpp as the structs of gsu_pkg and those as SystemC signals, both ways. Written without RtlPort's code,
/// so that a mistake in either shows when the two are compared.
#pragma once
#include <systemc>
#include <vector>

#include "golden/port.hpp"

namespace gsu::pins {

[[nodiscard]] raw::SyncReq toPins(const SyncRequest& r);
/// Operand beats of a request in the order of the collector; empty for operations without operands.
[[nodiscard]] std::vector<raw::OpndBeat> operandsOf(const SyncRequest& r);
[[nodiscard]] raw::Launch toPins(const Launch& l);
[[nodiscard]] raw::Exit toPins(const Exit& e);
[[nodiscard]] raw::Async toPins(const AsyncUpdate& u);
[[nodiscard]] raw::Wr toPins(const Accesses& a, bool performed);
[[nodiscard]] raw::ClusCfg toPins(const ClusterRoute& r);
[[nodiscard]] raw::Grid toPins(const GridStart& g);
[[nodiscard]] SyncResponse fromPins(const raw::SyncRsp& r, unsigned sm, Cycle cycle);
[[nodiscard]] CancelQuery fromPins(const raw::ClcReq& q, unsigned sm, Cycle cycle);
[[nodiscard]] Release fromPins(const raw::Release& r, unsigned sm, Cycle cycle);
[[nodiscard]] Commit fromPins(const raw::Tap& t, unsigned sm, Unit unit, Cycle cycle,
                              std::uint64_t seq);

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
