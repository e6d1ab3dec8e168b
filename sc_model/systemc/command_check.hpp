/// Checks whether a command lies within the structural maxima of gsu_pkg, which a port may assume of its caller, and gives the reason if not.
#pragma once
#include <string>

#include "systemc/payload.hpp"

namespace gsu {

/// Empty, or the reason why the command can never be given to a port of `sms` SMs.
[[nodiscard]] std::string problemOf(const SyncCommand& command, unsigned sms);
/// The SM of a command; 0 for routes.
[[nodiscard]] std::uint8_t smOf(const SyncCommand& command) noexcept;

}  // namespace gsu
