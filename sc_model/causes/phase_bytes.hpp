/// Bytes of one phase of an mbarrier, announced and complete.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "causes/mbar_history.hpp"

namespace gsu {

struct PhaseBytes {
    std::uint64_t announced{}, completed{};
    std::vector<WarpId> announcers, copiers;
    std::uint32_t line{};  ///< line of the last announcement
    Cycle last{};
    std::string copies;  ///< "512 by line 40, 256 by a copy"
};
/// The bytes of a phase. `nameOf` names a copy, after "by".
[[nodiscard]] PhaseBytes bytesOf(const MbarPhase& phase,
                                 const std::function<std::string(const Contribution&)>& nameOf);

/// Announcements of `open` bytes by a warp that has announced the same number once more for the same copies.
[[nodiscard]] std::vector<const Contribution*> announcedTwice(const MbarPhase& phase,
                                                              std::uint64_t open);

}  // namespace gsu
