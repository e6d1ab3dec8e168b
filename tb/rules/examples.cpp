#include "rules/examples.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <regex>
#include <sstream>

#include "rules/texts.hpp"

namespace gsu::rules {
namespace {

/// Begins an example: "=== RULE UB-nn ... title".
Example begun(const std::string& heading)
{
    Example e;
    std::istringstream words(heading);
    words >> e.rule;
    e.as = e.rule;
    std::string word;
    while (words >> word && word.starts_with("UB-"))
        e.misuse.push_back(static_cast<unsigned>(std::stoul(word.substr(3))));
    e.title = word;
    for (std::string more; words >> more;) e.title += ' ' + more;
    return e;
}

/// Reads an option: ": KEY VALUE".
void option(Example& e, const std::string& text)
{
    std::istringstream words(text);
    std::string key;
    words >> key;
    if (key == "block") words >> e.block;
    if (key == "cluster") words >> e.cluster;
    if (key == "smem") words >> e.smem;
    if (key == "target") words >> e.target >> e.version;
    if (key == "as") words >> e.as;
    if (key == "set") words >> e.set;
    e.hang = e.hang || key == "hang";
    e.race = e.race || key == "race";
    e.remark = e.remark || key == "remark";
    e.dependent = e.dependent || key == "dependent";
}

Example::Line lineOf(std::string text)
{
    Example::Line line;
    if (text[0] == '-' || text[0] == '+' || text[0] == ' ') {
        line.when = text[0];
        text.erase(0, 2);
    }
    const std::size_t mark = text.find("//!");
    line.reported = mark != std::string::npos;
    if (line.reported) text.erase(mark);
    text.erase(text.find_last_not_of(' ') + 1);
    line.text = text;
    return line;
}

std::vector<Example> readExamples()
{
    std::vector<Example> all;
    std::map<std::string, unsigned> numbers;
    for (const std::string_view text : exampleTexts()) {
        std::istringstream in{std::string(text)};
        std::map<std::string, std::vector<Example::Line>> parts;  // of this file
        std::vector<Example::Line>* lines = nullptr;              // list that gets the next line
        for (std::string line; std::getline(in, line);) {
            if (line.starts_with("--- ")) {
                lines = &parts["  [" + line.substr(4) + "]"];
            } else if (line.starts_with("=== ")) {
                all.push_back(begun(line.substr(4)));
                lines = &all.back().lines;
                Example& e = all.back();
                const unsigned number = ++numbers[e.rule];
                e.name = number == 1 ? e.rule : fmt::format("{}-{}", e.rule, number);
            } else if (line.starts_with(": ")) {
                option(all.back(), line.substr(2));
            } else if (const auto part = parts.find(line); part != parts.end()) {
                lines->insert(lines->end(), part->second.begin(), part->second.end());
            } else if (!line.empty() && line[0] != '#') {
                lines->push_back(lineOf(line));
            }
        }
    }
    return all;
}

bool isLabel(const std::string& text)
{
    const std::size_t colon = text.find(':');
    return colon != std::string::npos && text.find(' ') > colon && text[0] >= 'A' && text[0] <= 'Z';
}

/// Names that the lines of examples use, and how they get their values.
struct Name {
    const char* name;
    const char* type;
    const char* value;
};
constexpr Name kNames[] = {
    {"%thread", "b32", "mov.u32 %thread, %tid.x;"},
    {"%warp", "b32", "shr.u32 %warp, %thread, 5;"},
    {"%lane", "b32", "and.b32 %lane, %thread, 31;"},
    {"%one", "pred", "setp.eq.u32 %one, %thread, 0;"},
    {"%rank", "b32", "mov.u32 %rank, %cluster_ctarank;"},
    {"%out", "b64", "ld.param.u64 %out, [out];"},
    {"%round", "b32", "ld.param.u32 %round, [round];"},
};

bool names(const std::string& body, const std::string& name)
{
    return std::regex_search(body, std::regex(name + "\\b"));
}

/// Declares registers: ".reg .b32 %r<3>;" for the highest number in use.
std::string numbered(const std::string& body)
{
    std::string text;
    for (const auto& [stem, type] : {std::pair{"%p", "pred"},
                                     {"%r", "b32"},
                                     {"%rd", "b64"},
                                     {"%f", "f32"},
                                     {"%h", "b16"},
                                     {"%q", "b128"}}) {
        const std::regex one(std::string(stem) + "([0-9]+)\\b");
        int most = -1;
        for (auto at = std::sregex_iterator(body.begin(), body.end(), one);
             at != std::sregex_iterator(); ++at)
            most = std::max(most, std::stoi((*at)[1]));
        if (most >= 0) text += fmt::format("    .reg .{} {}<{}>;\n", type, stem, most + 1);
    }
    return text;
}

/// The text before the lines of the example.
std::string headOf(const Example& e, const std::string& body)
{
    const bool threads = names(body, "%warp") || names(body, "%lane") || names(body, "%one");
    std::string declared, values;
    for (const Name& n : kNames) {
        if (!names(body, n.name) && !(threads && std::string_view(n.name) == "%thread")) continue;
        declared += fmt::format("    .reg .{} {};\n", n.type, n.name);
        values += fmt::format("    {}\n", n.value);
    }
    std::string text = fmt::format(".version {}\n.target {}\n.address_size 64\n\n.visible .entry "
                                   "kernel(.param .u64 out{})\n{{\n",
                                   e.version, e.target, e.dependent ? ", .param .u32 round" : "");
    text += numbered(body) + declared;
    if (names(body, "smem")) text += fmt::format("    .shared .align 1024 .b8 smem[{}];\n", e.smem);
    return text + values;
}

bool has(const Example::Line& line, bool good)
{
    return line.when == ' ' || line.when == (good ? '+' : '-');
}

std::string bodyOf(const Example& e, bool good)
{
    std::string text;
    for (const Example::Line& line : e.lines) {
        if (!has(line, good)) continue;
        text += (isLabel(line.text) ? "" : "    ") + line.text;
        if (!good && line.reported) text += "  // " + e.rule;
        text += '\n';
    }
    return text;
}

}  // namespace

const std::vector<Example>& examples()
{
    static const std::vector<Example> all = readExamples();
    return all;
}

std::string kernelOf(const Example& e, bool good)
{
    const std::string body = bodyOf(e, good);
    return headOf(e, body) + body + "    ret;\n}\n";
}

std::string launchOf(const Example& e, bool good, const std::string& ptx)
{
    const std::string shape =
        fmt::format("\"grid\": [{0}], {1}\"block\": [{2}]", e.cluster,
                    e.cluster == 1 ? "" : fmt::format("\"cluster\": [{}], ", e.cluster), e.block);
    std::string verdict;
    if (!good && !e.remark)
        verdict = e.hang ? ", \"verdict\": \"hang\""
                         : fmt::format(", \"verdict\": \"misuse\", \"findings\": [\"{}\"]", e.as);
    if (!e.dependent)
        return fmt::format("{{\"ptx\": \"{}\", {}, \"params\": [{{\"buffer\": {{\"type\": \"u32\", "
                           "\"count\": 64}}}}]{}}}\n",
                           ptx, shape, verdict);
    std::string launches;
    for (const int round : {0, 1})
        launches += fmt::format("{}{{\"entry\": \"kernel\", \"params\": [{{\"memory\": \"out\"}}, "
                                "{{\"scalar\": {{\"type\": \"u32\", \"value\": {}}}}}]{}}}",
                                round == 0 ? "" : ", ", round,
                                round == 0 ? verdict : ", \"dependent\": true");
    return fmt::format("{{\"ptx\": \"{}\", {}, \"memory\": {{\"out\": {{\"type\": \"u32\", "
                       "\"count\": 64}}}}, \"launches\": [{}]}}\n",
                       ptx, shape, launches);
}

std::vector<std::uint32_t> reportedLines(const Example& e)
{
    const std::string head = headOf(e, bodyOf(e, false));
    auto number = static_cast<std::uint32_t>(std::count(head.begin(), head.end(), '\n'));
    std::vector<std::uint32_t> lines;
    for (const Example::Line& line : e.lines) {
        if (!has(line, false)) continue;
        ++number;
        if (line.reported) lines.push_back(number);
    }
    return lines;
}

}  // namespace gsu::rules
