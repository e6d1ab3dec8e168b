/// The rules that findings name: what they say, how a broken one is found, how a kernel is fixed. From rtl/doc/rules.tsv and found.tsv, which are
/// part of the program.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace gsu::rules {

struct Rule {
    std::string_view id;         ///< BAR-025, race-async
    std::string_view kind;       ///< ub, legality, semantics, memory-model, timing/ordering; race
    std::string_view statement;  ///< what it says
    std::string_view misuse;     ///< rows UB-nn of the list of misuse, "5 58"; empty: none
    std::string_view
        by;  ///< who finds it: unit, executor, race, hang, trace, generator, check; several with blanks; empty: nobody
    std::string_view
        as;  ///< rules or kinds of a hang's cause under which it is reported, if others
    std::string_view fix;  ///< empty: nothing is said
};

/// In the order of rules.tsv, then what is in found.tsv alone.
[[nodiscard]] const std::vector<Rule>& all();
/// nullptr: there is none of this name.
[[nodiscard]] const Rule* find(std::string_view id);
/// "always", "with --check race", "when it hangs", ...: when a broken rule is found.
[[nodiscard]] std::string foundWhen(const Rule& rule);

}  // namespace gsu::rules
