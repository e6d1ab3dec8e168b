/// What rounds that cross CTAs share.
#pragma once
#include <functional>

#include "fuzz/round.hpp"

namespace gsu::fuzz {

/// arrive, what stands between, wait, in a drawn spelling. Pre: all live threads of the cluster come here.
void clusterBarrier(Round& r, const std::function<void()>& between);
/// Index of thread `tid` in the CTA whose rank is `distance` further in the cluster of `t`.
[[nodiscard]] std::size_t peerOf(const Round& r, const Thread& t, unsigned distance, unsigned tid);

}  // namespace gsu::fuzz
