/// The parts of the RTL to which waves can be restricted (`--waves`).
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace gsu {

/// One part.
struct WaveScope {
    int sm{-1};             ///< -1: every SM
    std::string_view unit;  ///< path of instances in gsu_sm, by spaces; empty: the whole SM
    bool net{};             ///< not of an SM: the network
};

/// Reads "sm3", "mbar", "sm0.mbar,net": SMs, units of all SMs or of one, the network. Gives what is wrong; empty: nothing. What a text names several times is
/// there several times.
[[nodiscard]] std::string setWaveScopes(std::vector<WaveScope>& scopes, std::string_view text,
                                        unsigned sms);
/// "ctas, join, ...": the units that may be named.
[[nodiscard]] std::string waveUnits();

}  // namespace gsu
