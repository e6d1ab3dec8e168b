#include "observers/mbar_word.hpp"

#include <fmt/format.h>

#include "golden/mbarrier.hpp"

namespace gsu {

std::string explainMbarWord(std::uint64_t word)
{
    const MbarState s = unpackMbar(word);
    std::string text = fmt::format("A wait for parity {} succeeds, a wait for parity {} does not.",
                                   s.phase ? 0 : 1, s.phase ? 1 : 0);
    text += fmt::format(" The phase under way was opened for {} arrival{} and lacks {}", s.expected,
                        s.expected == 1 ? "" : "s", s.pending);
    if (s.tx > 0) text += fmt::format(", and {} bytes", s.tx);
    if (s.tx < 0) text += fmt::format("; {} bytes came before they were expected", -s.tx);
    text += '.';
    if (s.expected == 0)
        text += " An expected count of 0: not initialised, or every participant has dropped.";
    else if (s.pending == 0 && s.tx == 0)
        text += " Nothing is outstanding, yet the phase is not complete: no unit leaves this.";
    else if (s.pending == 0)
        text += " All have arrived; only the transaction count holds the phase.";
    if (s.pending > s.expected) text += " More arrivals are outstanding than a phase has: damaged.";
    if (s.lock) text += " The lock bit is set: an error was seen and updates are refused.";
    if ((word & 1u) != 0) text += " Bit 0 is set: layout v1.";
    return text;
}

}  // namespace gsu
