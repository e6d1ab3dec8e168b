/// \file
/// The structural maxima of gsu_pkg, and what a structure has, as checks: what a port may assume of its caller, said as a reason.
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
/// As for a request.
[[nodiscard]] std::string problemOf(const Launch& launch, unsigned sms,
                                    const Structure& structure = defaultStructure());
/// As for a request.
[[nodiscard]] std::string problemOf(const Exit& exit, unsigned sms,
                                    const Structure& structure = defaultStructure());
/// As for a request.
[[nodiscard]] std::string problemOf(const ClusterRoute& route, unsigned sms,
                                    const Structure& structure = defaultStructure());
/// As for a request.
[[nodiscard]] std::string problemOf(const GridStart& grid, unsigned sms,
                                    const Structure& structure = defaultStructure());
/// As for a request.
[[nodiscard]] std::string problemOf(const AsyncUpdate& update, unsigned sms,
                                    const Structure& structure = defaultStructure());
/// As for a request.
[[nodiscard]] std::string problemOf(const Accesses& accesses, unsigned sms,
                                    const Structure& structure = defaultStructure());

}  // namespace gsu
