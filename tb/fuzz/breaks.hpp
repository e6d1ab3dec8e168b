/// One synchronization of a right program removed or changed: the true cause of what then goes wrong is known.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace gsu::fuzz {

struct Break {
    std::string kind;      ///< one of breakKinds()
    std::uint32_t line{};  ///< of the PTX
    std::string before;    ///< the instruction as it was
    std::string ptx;       ///< the whole program, with its lines where they were
};

struct BreakKind {
    std::string name;
    /// What names it right: causes of hangs ("hang:wrong-phase"), links that a race lacks (":fence"), rules.
    std::vector<std::string> names;
};

[[nodiscard]] const std::vector<BreakKind>& breakKinds();
/// All breaks of this kind, in an order that `seed` chooses: at most `most`. What a note says to change nothing is left alone.
[[nodiscard]] std::vector<Break> broken(const std::string& ptx, const std::string& kind,
                                        std::uint64_t seed, std::size_t most);

}  // namespace gsu::fuzz
