/// The text of a lockstep difference: requests, commits, answers and object states in words. It is made only when there is a difference.
#pragma once
#include <string>

#include "golden/named_barrier.hpp"
#include "golden/types.hpp"

namespace gsu::lockstep {

[[nodiscard]] std::string hex(std::uint64_t value);
[[nodiscard]] std::string describe(const WarpRef& at);
[[nodiscard]] std::string describe(const Commit& commit);
[[nodiscard]] std::string describe(const SyncResponse& response);
[[nodiscard]] std::string describe(const Release& release);
[[nodiscard]] std::string describe(const JoinGroup& group);
[[nodiscard]] std::string describe(const NamedBarrier& barrier);
[[nodiscard]] std::string describeCluster(std::uint64_t word, std::uint32_t generation);

}  // namespace gsu::lockstep
