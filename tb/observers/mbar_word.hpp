/// A 64-bit mbarrier word (golden/mbarrier.hpp, D-22) in words.
#pragma once
#include <cstdint>
#include <string>

namespace gsu {

enum class MbarWordState : std::uint8_t {
    Valid,          ///< a phase is running
    Locked,         ///< valid, and an error has locked it (D-36)
    Retired,        ///< every participant has dropped (A-12)
    Uninitialised,  ///< all zero: no init, or none that is still there
    /// more pending than expected: only increments of cp.async.mbarrier.arrive can cause it
    Doubtful,
    Inconsistent,  ///< no unit leaves such a word
};
/// "valid", "locked", "retired", "uninitialised", "doubtful", "inconsistent"
[[nodiscard]] const char* nameOf(MbarWordState state) noexcept;
/// The state of a word. `sm80`: that profile has no transaction count (D-42).
[[nodiscard]] MbarWordState stateOf(std::uint64_t word, bool sm80 = false) noexcept;
/// "phase 1, 3 of 4 arrivals pending, 512 bytes of tx outstanding".
[[nodiscard]] std::string mbarStateText(std::uint64_t word);
/// A few sentences on the contents of the word, and on values that no unit leaves.
[[nodiscard]] std::string explainMbarWord(std::uint64_t word, bool sm80 = false);

}  // namespace gsu
