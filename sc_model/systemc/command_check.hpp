/// Whether a command lies within the structural maxima of gsu_pkg: what a port may assume of its caller, said as a reason.
#pragma once
#include <string>

#include "systemc/payload.hpp"

namespace gsu {

/// Empty, or why the command can never be given to a port of `sms` SMs.
[[nodiscard]] std::string problemOf(const SyncCommand& command, unsigned sms);
/// The SM a command goes to; 0 for routes.
[[nodiscard]] std::uint8_t smOf(const SyncCommand& command) noexcept;

}  // namespace gsu
