// Findings as SARIF 2.1.0, which editors and CI show beside the lines of a program.
#include <fmt/format.h>

#include <cctype>
#include <map>

#include "base/atomic_file.hpp"
#include "rules/catalogue.hpp"
#include "run/findings_json.hpp"

namespace gsu::run {
namespace {

using Json = nlohmann::ordered_json;

/// A path as a URI: relative as it is, absolute of scheme file.
std::string uriOf(const std::string& path)
{
    constexpr std::string_view kPlain = "-._~/";
    std::string uri = path.starts_with('/') ? "file://" : "";
    for (const char c : path) {
        const auto byte = static_cast<unsigned char>(c);
        const bool plain = std::isalnum(byte) != 0 || kPlain.find(c) != std::string_view::npos;
        uri += plain ? std::string{c} : fmt::format("%{:02X}", byte);
    }
    return uri;
}

Json placeOf(const std::string& file, std::uint32_t line)
{
    Json place{{"artifactLocation", {{"uri", uriOf(file)}}}};
    if (line != 0) place["region"] = {{"startLine", line}};
    return {{"physicalLocation", place}};
}

/// The rules that results name, each once.
class RuleList {
public:
    std::size_t indexOf(const std::string& id)
    {
        const auto [at, fresh] = index_.try_emplace(id, list_.size());
        if (!fresh) return at->second;
        Json rule{{"id", id}};
        const rules::Rule* known = rules::find(id);
        if (known != nullptr && !known->statement.empty()) {
            rule["shortDescription"] = {{"text", known->statement}};
            rule["fullDescription"] = {{"text", known->statement}};
        }
        if (known != nullptr && !known->fix.empty()) rule["help"] = {{"text", known->fix}};
        list_.push_back(std::move(rule));
        return at->second;
    }
    [[nodiscard]] const Json& list() const noexcept { return list_; }

private:
    Json list_ = Json::array();
    std::map<std::string, std::size_t> index_;
};

/// Adds the source line first, if it is known, because people wrote that text.
void addPlaces(Json& result, const Json& from, const std::string& file, std::uint32_t line)
{
    const Json ptx = placeOf(file, line);
    if (!from.contains("source") || from["source"].value("file", "").empty()) {
        result["locations"] = Json::array({ptx});
        return;
    }
    result["locations"] = Json::array({placeOf(from["source"]["file"], from["source"]["line"])});
    result["relatedLocations"] = Json::array({ptx});
    result["relatedLocations"][0]["message"] = {{"text", "the instruction in PTX"}};
}

Json resultOf(const Json& f, RuleList& rules)
{
    const std::string id = f.value("rule", "").empty() ? "unnamed" : f["rule"].get<std::string>();
    const std::string file = f.value("file", "");
    Json result{{"ruleId", id},
                {"ruleIndex", rules.indexOf(id)},
                {"level", f["severity"]},
                {"message", {{"text", f["message"]}}}};
    addPlaces(result, f, file, f["line"].get<std::uint32_t>());
    if (f.contains("lines")) {
        for (const Json& other : f["lines"]) {
            if (other == f["line"]) continue;
            Json place = placeOf(file, other.get<std::uint32_t>());
            place["message"] = {{"text", "the other access"}};
            result["relatedLocations"].push_back(place);
        }
    }
    for (const char* key : {"cta", "warp", "lanes", "cycle", "count", "launch", "kernel"}) {
        if (f.contains(key)) result["properties"][key] = f[key];
    }
    return result;
}

/// A hang as a result; its kind is the cause of the hang.
Json resultOfHang(const Json& hang, RuleList& rules)
{
    const bool known = hang.contains("cause");
    const std::string id = "hang-" + (known ? hang["cause"].value("kind", "unknown") : "unknown");
    Json result{{"ruleId", id},
                {"ruleIndex", rules.indexOf(id)},
                {"level", "error"},
                {"message", {{"text", known ? hang["cause"]["sentence"] : hang["explanation"]}}}};
    const std::uint32_t line = known ? hang["cause"].value("line", 0u) : 0;
    const std::string file = hang.value("file", "");
    if (line != 0 && !file.empty()) result["locations"] = Json::array({placeOf(file, line)});
    return result;
}

}  // namespace

Json sarifOf(const Json& findings, const Json& hangs)
{
    RuleList rules;
    Json results = Json::array();
    for (const Json& f : findings) results.push_back(resultOf(f, rules));
    for (const Json& h : hangs) results.push_back(resultOfHang(h, rules));
    const Json driver{{"name", "gsu"}, {"version", GSU_VERSION}, {"rules", rules.list()}};
    const Json run{{"tool", {{"driver", driver}}}, {"results", results}};
    return {{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
            {"version", "2.1.0"},
            {"runs", Json::array({run})}};
}

void writeSarif(const std::string& path, const Json& findings, const Json& hangs)
{
    AtomicFile file(path);
    file.write(sarifOf(findings, hangs).dump(1, ' ', false, Json::error_handler_t::replace) + '\n');
    file.commit();
}

}  // namespace gsu::run
