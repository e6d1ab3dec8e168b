// The state of a barrier in words, for the explanation of a hang.
#include "exec/machine/machine.hpp"
#include "golden/mbarrier.hpp"

namespace gsu::exec {

std::uint64_t wordKey(const Commit& c)
{
    const std::uint32_t object = c.unit == Unit::Mbarrier ? c.object & 0xff'ffffu : c.object;
    return static_cast<std::uint64_t>(c.unit) << 56 | std::uint64_t{c.at.sm} << 48 |
           std::uint64_t{c.at.cta} << 40 | object;
}

std::string describeBarrier(const Machine& m, const HangReport::Waiting& w)
{
    const Cta* cta = nullptr;
    for (const Sm& sm : m.sms) {
        for (const auto& c : sm.ctas) {
            if (c != nullptr && c->linear == w.cta) cta = c.get();
        }
    }
    if (cta == nullptr) return {};
    Commit c;
    c.at = {cta->launch.sm, cta->launch.cta, 0};
    if (w.kind == HangReport::Kind::Named) {
        c.unit = Unit::Named;
        c.object = w.id;
        const auto found = m.words.find(wordKey(c));
        if (found == m.words.end()) return {};
        const std::uint32_t halves[2]{static_cast<std::uint32_t>(found->second),
                                      static_cast<std::uint32_t>(found->second >> 32)};
        raw::NbWord word;
        raw::unpack(word, halves);
        if (word.mode == 0) return {};
        return " (" + std::to_string(unsigned{word.n} * 32) + " of " +
               std::to_string(unsigned{word.target} * 32) + " threads have arrived)";
    }
    const MbarState s = unpackMbar(w.word);
    std::string text = " (phase " + std::to_string(s.phase ? 1 : 0) + ", " +
                       std::to_string(s.pending) + " of " + std::to_string(s.expected) +
                       " arrivals pending, " + std::to_string(s.tx) + " bytes of tx outstanding";
    if (w.word == 0) text += "; never initialised";
    return text + (s.lock ? ", locked)" : ")");
}

std::uint64_t mbarWordOf(const Machine& m, const Cta& cta, std::uint32_t offset)
{
    Commit c;
    c.unit = Unit::Mbarrier;
    c.at = {cta.launch.sm, cta.launch.cta, 0};
    c.object = offset;
    const auto found = m.words.find(wordKey(c));
    return found != m.words.end() ? found->second
                                  : m.shared->readWord(cta.launch.sm, cta.launch.base + offset);
}

}  // namespace gsu::exec
