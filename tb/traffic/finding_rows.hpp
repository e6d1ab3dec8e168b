// Rows of the table of findings that some traffic hit, and the first commit that the table does not describe.
#pragma once
#include <string>
#include <vector>

#include "golden/findings.hpp"

namespace gsu::traffic {

struct FindingRows {
    std::vector<std::uint64_t> hits = std::vector<std::uint64_t>(findingRows().size());
    std::string wrong;

    void see(const Commit& c)
    {
        if (c.errs == 0) return;
        bool refuses = false, ignores = false;
        for (const FindingRule& rule : findingsOf(c)) {
            refuses = refuses || rule.effect == Effect::Refused;
            ignores = ignores || rule.effect == Effect::Ignored;  // may be called refused (D-50)
            if (rule.rule[0] == '\0' && c.unit != Unit::Null) say(c, "has no row", rule.bit);
        }
        if (refuses != c.refused && !ignores) say(c, "is refused, or not, against its row", c.errs);
        for (std::size_t i = 0; i < hits.size(); ++i) {
            const FindingRow& row = findingRows()[i];
            hits[i] += row.rule.unit == c.unit && row.rule.effect != Effect::Seen &&
                       row.covers(c.op) && (c.errs >> row.rule.bit & 1) != 0;
        }
    }
    void add(const FindingRows& other)
    {
        for (std::size_t i = 0; i < hits.size(); ++i) hits[i] += other.hits[i];
        if (wrong.empty()) wrong = other.wrong;
    }
    /// Rows of `unit` that were not hit.
    [[nodiscard]] std::string missed(Unit unit) const
    {
        std::string text;
        for (std::size_t i = 0; i < hits.size(); ++i) {
            const FindingRow& row = findingRows()[i];
            if (row.rule.unit == unit && row.rule.effect != Effect::Seen && hits[i] == 0)
                text += std::string(row.error) + ' ' + row.rule.rule + "; ";
        }
        return text;
    }

private:
    void say(const Commit& c, const char* what, unsigned number)
    {
        if (wrong.empty())
            wrong = std::string(nameOf(c.unit)) + ' ' + nameOf(c.op) + ' ' + what + ": " +
                    std::to_string(number) + (c.refused ? " refused" : " applied");
    }
};

}  // namespace gsu::traffic
