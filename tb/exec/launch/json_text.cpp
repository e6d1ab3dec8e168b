#include "exec/launch/json_text.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <sstream>
#include <vector>

#include "base/input_error.hpp"

namespace gsu {
namespace {

constexpr std::size_t kMaxDepth = 64;

using Pointer = nlohmann::json::json_pointer;
using Event = nlohmann::json::parse_event_t;

std::vector<std::string> stepsOf(std::string_view pointer)
{
    std::vector<std::string> steps;
    for (Pointer p{std::string(pointer)}; !p.empty(); p.pop_back())
        steps.insert(steps.begin(), p.back());
    return steps;
}

std::size_t positionOf(std::istringstream& in)
{
    return static_cast<std::size_t>(in.rdbuf()->pubseekoff(0, std::ios::cur, std::ios::in));
}

/// Parses the text in `in` and calls `visit`(event, depth, position, token) where each key and value begins. The parser has read no more
/// than a token's last character and, for a number, the one after it.
template <class Visit>
nlohmann::json parseWith(std::istringstream& in, std::string_view text, const Visit& visit)
{
    std::size_t last = 0;  // end of the last visited token
    return nlohmann::json::parse(in, [&](int depth, Event event, nlohmann::json& parsed) {
        const std::size_t begin = text.find_first_not_of("\xEF\xBB\xBF \t\r\n,:", last);
        last = positionOf(in);
        visit(event, static_cast<std::size_t>(depth), begin, parsed);
        return true;
    });
}

}  // namespace

std::string pointerStep(std::string_view key) { return (Pointer() / std::string(key)).to_string(); }

std::string shownPointer(std::string_view pointer)
{
    std::string shown;
    for (const std::string& step : stepsOf(pointer)) {
        if (!step.empty() && step.find_first_not_of("0123456789") == std::string::npos) {
            shown += '[' + step + ']';
        } else {
            shown += (shown.empty() ? "" : ".") + step;
        }
    }
    return shown;
}

namespace {

/// The option of gsu run from which a value of a generated text comes.
std::string optionOf(const std::string& pointer)
{
    const std::vector<std::string> steps = stepsOf(pointer);
    if (steps.empty()) return "--arg";
    if (steps[0] == "params") return "--arg: " + shownPointer(pointer);
    return "--" + (steps[0] == "dynamic_smem" ? "smem" : steps[0]);
}

}  // namespace

JsonText::JsonText(std::string text, std::filesystem::path file, bool positions)
    : text_(std::move(text)), file_(std::move(file)), positions_(positions)
{
}

void JsonText::failAt(std::size_t byte, const std::string& reason) const
{
    const std::string_view before = std::string_view(text_).substr(0, byte);
    const auto line = 1 + std::count(before.begin(), before.end(), '\n');
    const std::size_t begin = before.rfind('\n') + 1;  // 0 when there is none
    throw InputError(file_.string(), positions_ ? static_cast<std::uint32_t>(line) : 0,
                     static_cast<std::uint32_t>(before.size() - begin + 1), reason);
}

void JsonText::fail(const std::string& pointer, const std::string& reason, bool key) const
{
    if (!positions_) throw InputError(optionOf(pointer), reason);
    const std::string shown =
        shownPointer(key ? pointer.substr(0, pointer.rfind('/')) : std::string_view(pointer));
    const std::vector<std::string> wanted = stepsOf(pointer);
    std::vector<std::string> path;                  // to the visited value
    std::vector<std::optional<std::size_t>> index;  // of the next element, by depth; objects: none
    std::size_t at = 0, keyAt = 0, keyBegin = 0, inside = 0;
    std::istringstream in(text_);
    parseWith(in, text_, [&](Event event, std::size_t depth, std::size_t begin, const auto& read) {
        if (event == Event::object_end || event == Event::array_end) return;
        path.resize(depth);
        if (event == Event::key) path.back() = read.template get<std::string>(), keyBegin = begin;
        if (event == Event::key) return;
        if (depth != 0 && index[depth - 1]) path.back() = std::to_string((*index[depth - 1])++);
        index.resize(depth);
        index.emplace_back(event == Event::array_start ? std::optional<std::size_t>(0)
                                                       : std::nullopt);
        if (depth > wanted.size() || !std::equal(path.begin(), path.end(), wanted.begin())) return;
        at = begin, inside = depth;
        keyAt = depth != 0 && !index[depth - 1] ? keyBegin : begin;
    });
    failAt(key && inside == wanted.size() ? keyAt : at,
           (shown.empty() ? "" : shown + ": ") + reason);
}

nlohmann::json JsonText::parse() const
{
    std::vector<std::set<std::string>> keys;  // of the open objects
    const auto check = [&](Event event, std::size_t depth, std::size_t begin, const auto& read) {
        const bool opens = event == Event::object_start || event == Event::array_start;
        if (opens && depth >= kMaxDepth) failAt(begin, "is nested more than 64 levels deep");
        if (event == Event::object_start) keys.emplace_back();
        if (event == Event::object_end) keys.pop_back();
        if (event != Event::key) return;
        const auto name = read.template get<std::string>();
        if (!keys.back().insert(name).second) failAt(begin, "key '" + name + "' is given twice");
    };
    std::istringstream in(text_);
    try {
        return parseWith(in, text_, check);
    } catch (const nlohmann::json::exception& e) {
        const auto* parse = dynamic_cast<const nlohmann::json::parse_error*>(&e);
        std::string reason =
            e.what();  // "[json.exception...] parse error at line ...: what", else a number that no double can hold
        if (const auto colon = reason.find(": "); parse != nullptr && colon != std::string::npos)
            reason = reason.substr(colon + 2);
        const std::size_t byte =
            parse != nullptr ? std::max<std::size_t>(parse->byte, 1) - 1 : positionOf(in);
        failAt(std::min(byte, text_.size()), "malformed JSON: " + reason);
    }
}

}  // namespace gsu
