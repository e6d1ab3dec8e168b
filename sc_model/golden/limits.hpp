/// \file
/// Checks an input against the sizes of the hardware (the maxima of gsu_pkg, and those of a structure), and says why it can never be taken.
#pragma once
#include <string>

#include "golden/structure.hpp"
#include "golden/types.hpp"

namespace gsu {

/// Bytes of shared memory of one SM that the unit can address.
inline constexpr std::uint32_t kSharedBytes = 1u << 18;

/// Empty, or why a port of `sms` SMs of that structure can never take this, whatever its state.
[[nodiscard]] std::string problemOf(const SyncRequest& request, unsigned sms,
                                    const Structure& structure = defaultStructure());
/// The same for a launch.
[[nodiscard]] std::string problemOf(const Launch& launch, unsigned sms,
                                    const Structure& structure = defaultStructure());
/// The same for an exit.
[[nodiscard]] std::string problemOf(const Exit& exit, unsigned sms,
                                    const Structure& structure = defaultStructure());
/// The same for a route of a cluster.
[[nodiscard]] std::string problemOf(const ClusterRoute& route, unsigned sms,
                                    const Structure& structure = defaultStructure());
/// The same for a start of a grid.
[[nodiscard]] std::string problemOf(const GridStart& grid, unsigned sms,
                                    const Structure& structure = defaultStructure());
/// The same for an update of an asynchronous operation.
[[nodiscard]] std::string problemOf(const AsyncUpdate& update, unsigned sms,
                                    const Structure& structure = defaultStructure());
/// The same for an announcement of accesses.
[[nodiscard]] std::string problemOf(const Accesses& accesses, unsigned sms,
                                    const Structure& structure = defaultStructure());

}  // namespace gsu
