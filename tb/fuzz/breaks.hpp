/// Removes or changes one synchronization of a right program, so that the true cause of the failure is known.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace gsu::fuzz {

struct Break {
    std::string kind;      ///< one of breakKinds()
    std::uint32_t line{};  ///< line of the PTX
    std::string before;    ///< the original instruction
    std::string ptx;       ///< the whole program, with unchanged line numbers
};

struct BreakKind {
    std::string name;
    /// Reports that name it right: causes of hangs ("hang:wrong-phase"), links that a race lacks (":fence"), rules.
    std::vector<std::string> names;
};

[[nodiscard]] const std::vector<BreakKind>& breakKinds();
/// All breaks of this kind, at most `most`, in an order that `seed` chooses. Instructions whose note says that they change nothing are left alone.
[[nodiscard]] std::vector<Break> broken(const std::string& ptx, const std::string& kind,
                                        std::uint64_t seed, std::size_t most);

}  // namespace gsu::fuzz
