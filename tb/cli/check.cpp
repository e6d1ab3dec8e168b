#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/input_error.hpp"
#include "base/read_file.hpp"
#include "cli/commands.hpp"
#include "ptx/check.hpp"
#include "ptx/parser.hpp"

namespace gsu::cli {

namespace {

const char* nameOf(ptx::Diagnostic::Severity severity) noexcept
{
    switch (severity) {
        case ptx::Diagnostic::Severity::Error: return "error";
        case ptx::Diagnostic::Severity::Warning: return "warning";
        case ptx::Diagnostic::Severity::Note: return "note";
    }
    return "?";
}

std::string textOf(const ptx::CheckResult& result, const std::string& path, std::string_view ptx)
{
    std::vector<std::string> source;
    if (!result.diagnostics.empty()) source = sourceLines(ptx);
    std::string text;
    for (const ptx::Diagnostic& d : result.diagnostics) {
        text +=
            fmt::format("{}:{}:{}: {}: {}{}\n", path, d.at.line, d.at.column, nameOf(d.severity),
                        d.message, d.rule.empty() ? "" : " [" + d.rule + "]");
        if (d.at.line != 0 && d.at.line <= source.size())
            text += "    " + source[d.at.line - 1] + '\n';
    }
    return text + fmt::format("{}: {}\n", path, result.accepted ? "accepted" : "rejected");
}

}  // namespace

int check(const std::string& path, const std::string& dialect, bool json)
{
    const std::string text = readFile(path, ptx::Limits::kFileBytes);
    // The process ends after this, so the module is never freed: freeing a large one takes a tenth of the time.
    static const ptx::Module& module = *new ptx::Module(ptx::parseModule(text, path));
    // The file is no PTX module at all, so there is nothing to judge.
    if (!module.ok() && module.versionMajor == 0) {
        const ptx::Diagnostic* first = ptx::firstError(module);
        throw InputError(path, first->at.line, first->at.column, first->message);
    }
    const auto result =
        ptx::checkModule(module, dialect == "ptxas" ? ptx::Dialect::Ptxas : ptx::Dialect::Text);
    if (json) {
        nlohmann::ordered_json list = nlohmann::ordered_json::array();
        for (const ptx::Diagnostic& d : result.diagnostics) {
            list.push_back({{"line", d.at.line},
                            {"column", d.at.column},
                            {"severity", nameOf(d.severity)},
                            {"rule", d.rule},
                            {"message", d.message}});
        }
        const nlohmann::ordered_json out{{"verdict", result.accepted ? "accept" : "reject"},
                                         {"diagnostics", list}};
        print(out.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + '\n');
    } else {
        print(textOf(result, path, text));
    }
    return result.accepted ? kAsExpected : kNotAsExpected;
}

}  // namespace gsu::cli
