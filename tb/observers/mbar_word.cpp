#include "observers/mbar_word.hpp"

#include <fmt/format.h>

#include "base/counted.hpp"
#include "golden/mbarrier.hpp"

namespace gsu {

namespace {

constexpr std::int32_t kMaxTx = static_cast<std::int32_t>(kMbarMax);

/// A flaw of the word that no unit causes; nullptr: the word has none.
const char* flawOf(std::uint64_t word, const MbarState& s, bool sm80)
{
    if ((word & 1u) != 0) return "Bit 0 is set: not a word of this layout.";
    if (s.tx > kMaxTx || s.tx < -kMaxTx) return "The transaction count is out of its range.";
    if (sm80 && s.tx != 0) return "A transaction count, which sm_80 does not have.";
    if (s.expected != 0 && s.pending == 0 && s.tx == 0)
        return "Nothing is outstanding, yet the phase is not complete: no unit leaves this.";
    return nullptr;
}

std::string progressOf(const MbarState& s)
{
    std::string text = fmt::format("A wait for parity {} succeeds, a wait for parity {} does not.",
                                   s.phase ? 0 : 1, s.phase ? 1 : 0);
    text += fmt::format(" The running phase was opened for {} and lacks {}",
                        counted(s.expected, "arrival"), s.pending);
    if (s.tx > 0) text += fmt::format(", and {}", counted(s.tx, "byte"));
    if (s.tx < 0)
        text += fmt::format("; {} came before {} expected", counted(-s.tx, "byte"),
                            s.tx == -1 ? "it was" : "they were");
    text += '.';
    if (s.pending == 0 && s.tx != 0)
        text += " All have arrived; only the transaction count holds the phase.";
    if (s.expected == 0) text += " Every participant has dropped: it is the last phase.";
    return text;
}

}  // namespace

const char* nameOf(MbarWordState state) noexcept
{
    switch (state) {
        case MbarWordState::Valid: return "valid";
        case MbarWordState::Locked: return "locked";
        case MbarWordState::Retired: return "retired";
        case MbarWordState::Uninitialised: return "uninitialised";
        case MbarWordState::Doubtful: return "doubtful";
        case MbarWordState::Inconsistent: return "inconsistent";
    }
    return "?";
}

std::string mbarStateText(std::uint64_t word)
{
    const MbarState s = unpackMbar(word);
    return fmt::format("phase {}, {} of {} arrivals pending, {} bytes of tx outstanding{}",
                       s.phase ? 1 : 0, s.pending, s.expected, s.tx, s.lock ? ", locked" : "");
}

MbarWordState stateOf(std::uint64_t word, bool sm80) noexcept
{
    if (word == 0) return MbarWordState::Uninitialised;
    const MbarState s = unpackMbar(word);
    if (flawOf(word, s, sm80) != nullptr) return MbarWordState::Inconsistent;
    if (s.retired()) return MbarWordState::Retired;
    if (s.pending > s.expected) return MbarWordState::Doubtful;
    return s.lock ? MbarWordState::Locked : MbarWordState::Valid;
}

std::string explainMbarWord(std::uint64_t word, bool sm80)
{
    const MbarState s = unpackMbar(word);
    std::string text;
    switch (stateOf(word, sm80)) {
        case MbarWordState::Uninitialised:
            return "All bits are 0: never initialised, or not initialised since the memory was "
                   "cleared.";
        case MbarWordState::Inconsistent:
            text = std::string("No mbarrier: ") + flawOf(word, s, sm80);
            break;
        case MbarWordState::Retired:
            text = fmt::format("Retired after a phase of parity {}: every participant has dropped, "
                               "nothing happens to it any more.",
                               s.phase ? 0 : 1);
            break;
        case MbarWordState::Doubtful:
            text = progressOf(s) +
                   " More arrivals are outstanding than the phase was opened for: increments of "
                   "cp.async.mbarrier.arrive do that, else the word is damaged.";
            break;
        case MbarWordState::Valid:
        case MbarWordState::Locked: text = progressOf(s); break;
    }
    if (s.lock) text += " The lock bit is set: an error was seen and updates are refused.";
    return text;
}

}  // namespace gsu
