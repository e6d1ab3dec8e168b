/// Shared functions of rounds that cross CTAs.
#pragma once
#include <cstddef>
#include <cstdint>

#include "fuzz/round.hpp"
#include "fuzz/rounds/reductions.hpp"

namespace gsu::fuzz {

/// Index of thread `tid` in the CTA whose rank is `distance` further in the cluster of `t`.
[[nodiscard]] std::size_t peerOf(const Round& r, const Thread& t, unsigned distance, unsigned tid);
/// Cells into which all threads of the cluster reduce, in the CTA whose rank is `distance` further: thread t into cell t % cells.
struct PeerCells {
    unsigned cells{}, distance{};
    std::uint32_t bound{};  ///< operand, if the reduction counts
};
/// Mixes the final values of the cells into each thread's value, from its own CTA's cell.
void applyPeerCells(Round& r, const Reduction& op, const PeerCells& at, const Mix& mix);

}  // namespace gsu::fuzz
