/// One synchronization of a right program removed or changed: the true cause of what then goes wrong is known.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gsu::fuzz {

struct Break {
    std::string kind;      ///< one of breakKinds()
    std::uint32_t line{};  ///< of the PTX
    std::string before;    ///< the instruction as it was
    std::string ptx;       ///< the whole program, with its lines where they were
};

[[nodiscard]] const std::vector<std::string>& breakKinds();
/// A break of this kind at a place that `seed` chooses; nullopt: the program has none.
[[nodiscard]] std::optional<Break> broken(const std::string& ptx, const std::string& kind,
                                          std::uint64_t seed);

}  // namespace gsu::fuzz
