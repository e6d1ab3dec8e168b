#include "cli/decode_cause.hpp"

#include <fmt/format.h>

#include "causes/cause_kinds.hpp"
#include "causes/mbar_text.hpp"
#include "golden/mbarrier.hpp"
#include "observers/mbar_word.hpp"

namespace gsu::cli {
namespace {

std::string nameOf(const DumpWord& w)
{
    return w.address ? fmt::format("the mbarrier at +{:#x}", *w.address) : "the mbarrier";
}

/// Another object of the dump that has exactly the bytes which this one lacks.
const DumpWord* strayBytes(const std::vector<DumpWord>& words, std::size_t index)
{
    const std::int32_t open = unpackMbar(words[index].word).tx;
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (i != index && open != 0 && unpackMbar(words[i].word).tx == -open) return &words[i];
    }
    return nullptr;
}

std::string bytesText(const MbarState& s)
{
    return s.tx > 0
               ? fmt::format("all {} have arrived, {} bytes were announced and have not come; a "
                             "dump does not show which copy should bring them",
                             s.expected, s.tx)
               : fmt::format("all {} have arrived, {} bytes came that were not announced; a dump "
                             "does not show which copy brought them",
                             s.expected, -s.tx);
}

}  // namespace

std::optional<DumpCause> causeInDump(const std::vector<DumpWord>& words, std::size_t index,
                                     bool sm80)
{
    const DumpWord& w = words[index];
    const MbarWordState state = stateOf(w.word, sm80);
    if (state != MbarWordState::Valid && state != MbarWordState::Locked) return std::nullopt;
    const MbarState s = unpackMbar(w.word);
    const unsigned running = s.phase ? 1 : 0;
    DumpCause cause{true, gsu::nameOf(CauseKind::Unknown), {}};
    if (w.awaited && *w.awaited != running) {
        cause.waits = false;
        cause.kind.clear();
        cause.sentence =
            fmt::format("{} has completed the phase of parity {}: a wait for it does not hang.",
                        nameOf(w), *w.awaited);
        return cause;
    }
    const std::string lacks =
        lacksOf(nameOf(w), w.word, fmt::format("the phase of parity {}", running));
    const std::string end =
        fmt::format(", so a wait for parity {} waits for ever unless {} in flight.", running,
                    s.pending != 0 ? "an arrival is" : "a copy is");
    if (s.pending != 0) {
        cause.sentence =
            fmt::format("{}: a dump does not show which threads should have arrived, and "
                        "whether this phase is the one that was meant{}",
                        lacks, end);
        return cause;
    }
    CauseKind kind = s.tx > 0 ? CauseKind::MissingBytes : CauseKind::SurplusBytes;
    std::string how = bytesText(s);
    if (const DumpWord* other = strayBytes(words, index); other != nullptr) {
        kind = CauseKind::OtherBarrier;
        how = s.tx > 0 ? fmt::format("just as many bytes came to {} without being announced there",
                                     nameOf(*other))
                       : fmt::format("just as many bytes are missing at {}", nameOf(*other));
    }
    cause.kind = gsu::nameOf(kind);
    cause.sentence = lacks + ": " + how + end;
    return cause;
}

}  // namespace gsu::cli
