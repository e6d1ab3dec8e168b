/// Bytes of one phase of an mbarrier: what was announced, what came.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "causes/mbar_history.hpp"

namespace gsu {

struct PhaseBytes {
    std::uint64_t announced{}, completed{};
    std::vector<WarpId> announcers, copiers;
    std::uint32_t line{};  ///< of the last announcement
    Cycle last{};
    std::string copies;  ///< "512 by line 40, 256 by a copy"
};
/// `nameOf`: what stands for a copy behind "by".
[[nodiscard]] PhaseBytes bytesOf(const MbarPhase& phase,
                                 const std::function<std::string(const Contribution&)>& nameOf);

/// Announcements of `open` bytes by a warp that has announced as many once more for the same copies.
[[nodiscard]] std::vector<const Contribution*> announcedTwice(const MbarPhase& phase,
                                                              std::uint64_t open);

}  // namespace gsu
