/// The rules that findings name: statement, how a broken one is found, and how a kernel is fixed. From rtl/doc/rules.tsv and found.tsv,
/// which are part of the program.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace gsu::rules {

struct Rule {
    std::string_view id;         ///< BAR-025, race-async
    std::string_view kind;       ///< ub, legality, semantics, memory-model, timing/ordering; race
    std::string_view statement;  ///< statement of the rule
    std::string_view misuse;     ///< rows UB-nn of the list of misuse, "5 58"; empty: none
    /// finder: unit, executor, race, hang, trace, generator, check; several with blanks; empty: none
    std::string_view by;
    std::string_view
        as;  ///< rules or kinds of a hang's cause under which it is reported, if others
    std::string_view fix;  ///< empty: nothing is said
};

/// All rules, in the order of rules.tsv, then the rules of found.tsv alone.
[[nodiscard]] const std::vector<Rule>& all();
/// The rule of this name; nullptr: there is none.
[[nodiscard]] const Rule* find(std::string_view id);
/// When a broken rule is found: "always", "with --check race", "when it hangs", ...
[[nodiscard]] std::string foundWhen(const Rule& rule);

}  // namespace gsu::rules
