#include "golden/findings.hpp"

#include "golden/findings.gen.hpp"

namespace gsu {

std::span<const FindingRow> findingRows() noexcept { return kFindingRows; }

std::vector<FindingRule> findingsOf(const Commit& commit)
{
    std::vector<FindingRule> found;
    for (unsigned bit = 0; bit < 16; ++bit) {
        if ((commit.errs >> bit & 1) == 0) continue;
        const FindingRow* match = nullptr;
        for (const FindingRow& row : kFindingRows) {
            if (row.rule.unit == commit.unit && row.rule.bit == bit &&
                row.rule.effect != Effect::Seen && row.covers(commit.op))
                match = &row;
        }
        found.push_back(match != nullptr
                            ? match->rule
                            : FindingRule{commit.unit, bit, 0, "", Severity::Error,
                                          commit.refused ? Effect::Refused : Effect::Applied,
                                          "an error the model has no name for"});
    }
    return found;
}

std::optional<FindingRule> findingOf(MbarNote::Kind kind) noexcept
{
    for (const FindingRow& row : kFindingRows) {
        if (row.rule.effect == Effect::Seen && row.rule.bit == unsigned(kind) &&
            row.rule.rule[0] != '\0')
            return row.rule;
    }
    return std::nullopt;
}

}  // namespace gsu
