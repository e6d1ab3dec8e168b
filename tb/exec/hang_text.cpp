// The state of a barrier in words, for the explanation of a hang.
#include "exec/machine.hpp"

namespace gsu::exec {

std::uint64_t wordKey(const Commit& c)
{
    return static_cast<std::uint64_t>(c.unit) << 56 | std::uint64_t{c.at.sm} << 48 |
           std::uint64_t{c.at.cta} << 40 | c.object;
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
    const std::uint64_t word = m.shared->readWord(cta->launch.sm, cta->launch.base + w.address);
    const auto pending = static_cast<std::uint32_t>(-(word >> 43) & 0xf'ffff);
    const auto expected = static_cast<std::uint32_t>(-(word >> 1) & 0xf'ffff);
    auto tx = static_cast<std::int32_t>(-(word >> 21) & 0x1f'ffff);
    if (tx > 0xf'ffff) tx -= 1 << 21;
    return " (phase bit " + std::to_string(word >> 63) + ", " + std::to_string(pending) + " of " +
           std::to_string(expected) + " arrivals pending, tx-count " + std::to_string(tx) + ")";
}

}  // namespace gsu::exec
