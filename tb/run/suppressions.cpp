// --ignore and --ignore-file.
#include <fmt/format.h>

#include <fstream>

#include "base/input_error.hpp"
#include "base/number.hpp"
#include "rules/catalogue.hpp"
#include "run/findings_json.hpp"
#include "run/options.hpp"

namespace gsu::run {
namespace {

/// "RULE" or "RULE@LINE".
Suppression suppressionOf(const std::string& text, const std::string& file, std::uint32_t line)
{
    const std::size_t at = text.find('@');
    Suppression s{text.substr(0, at), 0};
    if (rules::find(s.rule) == nullptr)
        throw InputError(file, line, 0, "'" + s.rule + "' is no rule: see gsu rules");
    if (at == std::string::npos) return s;
    const auto number = wholeNumber(text.substr(at + 1));
    if (!number || *number == 0 || *number > 0xffff'ffff)
        throw InputError(file, line, 0, "'" + text + "' is not RULE@LINE");
    s.line = static_cast<std::uint32_t>(*number);
    return s;
}

}  // namespace

std::vector<Suppression> CommonOptions::suppressions() const
{
    std::vector<Suppression> all;
    for (const std::string& text : ignores) all.push_back(suppressionOf(text, "--ignore", 0));
    if (ignoreFile.empty()) return all;
    std::ifstream in(ignoreFile);
    if (!in) throw InputError(ignoreFile, "cannot be read");
    std::uint32_t number = 0;
    for (std::string line; std::getline(in, line);) {
        ++number;
        line.erase(std::min(line.find('#'), line.size()));
        const std::size_t first = line.find_first_not_of(" \t\r");
        if (first == std::string::npos) continue;
        line = line.substr(first, line.find_last_not_of(" \t\r") + 1 - first);
        all.push_back(suppressionOf(line, ignoreFile, number));
    }
    return all;
}

std::string textOf(const Suppression& s)
{
    return s.line == 0 ? s.rule : fmt::format("{}@{}", s.rule, s.line);
}

void IgnoredCounts::add(const std::vector<std::uint64_t>& counts)
{
    for (std::size_t i = 0; i < counts.size() && i < counts_.size(); ++i) counts_[i] += counts[i];
}

void IgnoredCounts::addTo(nlohmann::ordered_json& out) const
{
    if (what_.empty()) return;
    auto ignored = nlohmann::ordered_json::array(), unused = nlohmann::ordered_json::array();
    for (std::size_t i = 0; i < what_.size(); ++i) {
        if (counts_[i] == 0)
            unused.push_back(textOf(what_[i]));
        else
            ignored.push_back({{"ignore", textOf(what_[i])}, {"count", counts_[i]}});
    }
    out["ignored"] = ignored;
    out["unused_ignores"] = unused;
}

std::string IgnoredCounts::text() const
{
    std::string text;
    for (std::size_t i = 0; i < what_.size(); ++i) {
        text += counts_[i] == 0 ? fmt::format("--ignore {}: unused, nothing of it was found\n",
                                              textOf(what_[i]))
                                : fmt::format("ignored: {} of {}\n", counts_[i], textOf(what_[i]));
    }
    return text;
}

}  // namespace gsu::run
