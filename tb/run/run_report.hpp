/// The result of `gsu run` for programs and for people.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "exec/result/result.hpp"
#include "ptx/ast.hpp"
#include "run/findings_json.hpp"
#include "run/options.hpp"
#include "run/run_observers.hpp"

namespace gsu::run {

/// The first elements of a buffer after the run.
struct PrintedMemory {
    std::string name, type;
    std::size_t count{};
    std::vector<std::string> values;
};

struct RunReport {
    const CommonOptions& options;
    const RunResult& result;
    const RunObservers& observers;
    const ptx::Module& module;
    std::string entry;
    std::string written;  ///< written files, for people
    unsigned sms{};
    std::vector<PrintedMemory> memory;  ///< --print
    ShownWarnings* shown{};             ///< warnings of earlier launches; nullptr: there are none
};

/// The report as JSON: the schema of the format, and more.
[[nodiscard]] nlohmann::ordered_json jsonObject(const RunReport& report);
/// Adds "with", the structure, if it is not the default.
void addStructure(nlohmann::ordered_json& out, const CommonOptions& options);
/// The remark, in the verdict line and in JSON, on matrix instructions that do not compute (--tensor).
[[nodiscard]] std::string tensorRemark(const CommonOptions& options);
void addTensor(nlohmann::ordered_json& out, const CommonOptions& options);
[[nodiscard]] nlohmann::ordered_json printedJson(const std::vector<PrintedMemory>& memory);
[[nodiscard]] std::string printedText(const std::vector<PrintedMemory>& memory);
[[nodiscard]] nlohmann::ordered_json mismatchesJson(const std::vector<Mismatch>& mismatches);
[[nodiscard]] std::string mismatchesText(const std::vector<Mismatch>& mismatches);
/// The report as text: verdict line, findings with their PTX line, mismatches, hang, barrier tables, paths.
[[nodiscard]] std::string textOf(const RunReport& report);

}  // namespace gsu::run
