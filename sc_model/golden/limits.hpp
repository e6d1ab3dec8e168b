/// \file
/// Checks an input against the sizes of the hardware (the maxima of gsu_pkg, and those of a structure), and gives the reason why a
/// port can never take it.
#pragma once
#include <string>

#include "golden/structure.hpp"
#include "golden/types.hpp"

namespace gsu {

/// Bytes of shared memory of one SM that the unit can address.
inline constexpr std::uint32_t kSharedBytes = 1u << 18;

/// Empty, or the reason why a port of `sms` SMs of that structure can never take this request, whatever its state.
[[nodiscard]] std::string problemOf(const SyncRequest& request, unsigned sms,
                                    const Structure& structure = defaultStructure());
/// Checks a launch in the same way.
[[nodiscard]] std::string problemOf(const Launch& launch, unsigned sms,
                                    const Structure& structure = defaultStructure());
/// Checks an exit in the same way.
[[nodiscard]] std::string problemOf(const Exit& exit, unsigned sms,
                                    const Structure& structure = defaultStructure());
/// Checks a route of a cluster in the same way.
[[nodiscard]] std::string problemOf(const ClusterRoute& route, unsigned sms,
                                    const Structure& structure = defaultStructure());
/// Checks a start of a grid in the same way.
[[nodiscard]] std::string problemOf(const GridStart& grid, unsigned sms,
                                    const Structure& structure = defaultStructure());
/// Checks an update of an asynchronous operation in the same way.
[[nodiscard]] std::string problemOf(const AsyncUpdate& update, unsigned sms,
                                    const Structure& structure = defaultStructure());
/// Checks an announcement of accesses in the same way.
[[nodiscard]] std::string problemOf(const Accesses& accesses, unsigned sms,
                                    const Structure& structure = defaultStructure());

}  // namespace gsu
