/// The parts of the RTL to which waves can be restricted (`--waves`).
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace gsu {

/// One part of the RTL.
struct WaveScope {
    int sm{-1};  ///< -1: every SM
    /// path of instances in gsu_sm, separated by spaces; empty: the whole SM
    std::string_view unit;
    bool net{};  ///< the network, which belongs to no SM
};

/// Reads "sm3", "mbar", "sm0.mbar,net": SMs, units of all SMs or of one, the network. Returns the error, or an empty text. A part that the
/// text names several times is in `scopes` several times.
[[nodiscard]] std::string setWaveScopes(std::vector<WaveScope>& scopes, std::string_view text,
                                        unsigned sms);
/// "ctas, join, ...": the units that may be named.
[[nodiscard]] std::string waveUnits();

}  // namespace gsu
