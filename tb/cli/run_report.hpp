/// The result of `gsu run` for programs and for people.
#pragma once
#include <string>
#include <vector>

#include "cli/options.hpp"
#include "exec/machine/result.hpp"
#include "observers/coverage.hpp"
#include "observers/mbarrier_statistics.hpp"
#include "observers/statistics.hpp"
#include "ptx/ast.hpp"

namespace gsu::cli {

struct RunReport {
    const CommonOptions& options;
    const RunResult& result;
    const Statistics& statistics;
    const MbarrierStatistics& mbarriers;
    const Coverage* coverage{};  ///< nullptr: not wanted
    const ptx::Module& module;
    std::string entry;
    std::string written;  ///< the files, for people
    unsigned sms{};
};

/// One JSON object (the format's schema and more), with a newline.
[[nodiscard]] std::string jsonOf(const RunReport& report);
/// Verdict line, findings with their PTX line, mismatches, hang, barrier tables, paths.
[[nodiscard]] std::string textOf(const RunReport& report);

}  // namespace gsu::cli
