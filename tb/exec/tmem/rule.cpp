#include "exec/tmem/rule.hpp"

#include <array>

namespace gsu::tmem {
namespace {

constexpr std::size_t kRules = 0
#define TC5_RULE(number, name, statement, source) +1
#include "exec/tmem/tc5_rules.def"
#undef TC5_RULE
    ;

/// "TC5-001" of each.
struct Ids {
    char text[kRules][8]{};

    constexpr Ids() noexcept
    {
        constexpr unsigned numbers[]{
#define TC5_RULE(number, name, statement, source) number,
#include "exec/tmem/tc5_rules.def"
#undef TC5_RULE
        };
        for (std::size_t i = 0; i < kRules; ++i) {
            const char id[]{'T',
                            'C',
                            '5',
                            '-',
                            static_cast<char>('0' + numbers[i] / 100),
                            static_cast<char>('0' + numbers[i] / 10 % 10),
                            static_cast<char>('0' + numbers[i] % 10)};
            for (std::size_t c = 0; c < sizeof id; ++c) text[i][c] = id[c];
        }
    }
};
constexpr Ids kIds;

constexpr std::array<RuleText, kRules> kTexts = [] {
    std::array<RuleText, kRules> texts{};
    std::size_t i = 0;
#define TC5_RULE(number, name, statement, source)                                                  \
    texts[i] = {kIds.text[i], statement, source};                                                  \
    ++i;
#include "exec/tmem/tc5_rules.def"
#undef TC5_RULE
    return texts;
}();

}  // namespace

const RuleText& textOf(Rule rule) noexcept { return kTexts[static_cast<std::size_t>(rule)]; }
std::span<const RuleText> ruleTexts() noexcept { return kTexts; }

std::string Refusal::line() const { return std::string(textOf(rule).id) + ": " + text; }

}  // namespace gsu::tmem
