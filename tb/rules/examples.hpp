/// Kernels that break a rule and, one change apart, the same kernels fixed (examples/*.txt, README.md).
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace gsu::rules {

struct Example {
    struct Line {
        char when{' '};  ///< '-': of the bad kernel alone, '+': of the good one alone
        std::string text;
        bool reported{};  ///< the finding names this line, or another marked one
    };
    std::string rule, title;
    std::vector<unsigned> misuse;  ///< UB-nn
    std::string as;                ///< rule or kind of cause by which it is reported
    unsigned block{32}, cluster{1}, smem{256};
    std::string target{"sm_90a"}, version{"8.6"};
    std::string set{};  ///< "KEY=VALUE": --set of both runs
    bool hang{};        ///< found as the cause of a hang
    bool race{};        ///< found with --check race
    bool remark{};      ///< a warning: the verdict stays pass
    bool dependent{};   ///< launched twice, the second time as a dependent launch
    std::vector<Line> lines;

    /// "BAR-025", "BAR-026-2": the rule, with a number if it has several examples.
    std::string name;
};

[[nodiscard]] const std::vector<Example>& examples();

/// The whole module.
[[nodiscard]] std::string kernelOf(const Example& example, bool good);
/// The launch file; `ptx`: the name of the module's file.
[[nodiscard]] std::string launchOf(const Example& example, bool good, const std::string& ptx);
/// Lines of the bad kernel; a finding names one of them.
[[nodiscard]] std::vector<std::uint32_t> reportedLines(const Example& example);

}  // namespace gsu::rules
