/// A 64-bit mbarrier word (golden/mbarrier.hpp, D-22) in words.
#pragma once
#include <cstdint>
#include <string>

namespace gsu {

enum class MbarWordState : std::uint8_t {
    Valid,          ///< a phase is under way
    Locked,         ///< valid, and an error has locked it (D-36)
    Retired,        ///< every participant has dropped (A-12)
    Uninitialised,  ///< all zero: no init, or none that is still there
    Doubtful,  ///< more pending than expected: only increments of cp.async.mbarrier.arrive explain it
    Inconsistent,  ///< no unit leaves this
};
/// "valid", "locked", "retired", "uninitialised", "doubtful", "inconsistent"
[[nodiscard]] const char* nameOf(MbarWordState state) noexcept;
/// `sm80`: that profile has no transaction count (D-42).
[[nodiscard]] MbarWordState stateOf(std::uint64_t word, bool sm80 = false) noexcept;
/// "phase 1, 3 of 4 arrivals pending, 512 bytes of tx outstanding".
[[nodiscard]] std::string mbarStateText(std::uint64_t word);
/// A few sentences on what the word says and what no unit leaves behind.
[[nodiscard]] std::string explainMbarWord(std::uint64_t word, bool sm80 = false);

}  // namespace gsu
