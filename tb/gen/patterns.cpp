#include "gen/patterns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/input_error.hpp"
#include "gen/text.hpp"

namespace gsu::gen {
namespace {

std::vector<std::string> split(const std::string& words)
{
    std::vector<std::string> all;
    for (std::size_t at = 0; at <= words.size();) {
        const std::size_t bar = std::min(words.find('|', at), words.size());
        all.push_back(words.substr(at, bar - at));
        at = bar + 1;
    }
    return all;
}

std::string headOf(const Shape& s, const std::vector<std::string>& params)
{
    const auto row = [](std::int64_t x) { return fmt::format("[{}, 1, 1]", x); };
    std::string text = "{\"ptx\": \"" + s.name + ".ptx\", \"grid\": " + row(s.grid) +
                       ", \"block\": " + row(s.block);
    if (s.cluster > 1) text += ", \"cluster\": " + row(s.cluster);
    text += ",\n \"params\": [";
    for (std::size_t i = 0; i < params.size(); ++i) text += (i == 0 ? "" : ", ") + params[i];
    return text + "],\n ";
}

}  // namespace

Values::Values(const std::vector<Option>& options)
{
    for (const Option& o : options)
        values_.push_back({o, o.preset, o.words.empty() ? "" : split(o.words).front()});
}

std::size_t Values::at(std::string_view name) const
{
    for (std::size_t i = 0; i < values_.size(); ++i)
        if (values_[i].option.name == name) return i;
    throw InputError("--" + std::string(name), "no such option");
}

void Values::set(const std::string& name, const std::string& text)
{
    Value& value = values_[at(name)];
    const Option& o = value.option;
    if (!o.words.empty()) {
        const auto words = split(o.words);
        if (std::find(words.begin(), words.end(), text) == words.end())
            throw InputError("--" + name, "'" + text + "' is none of " + o.words);
        value.word = text;
        return;
    }
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value.number);
    if (error != std::errc{} || end != text.data() + text.size() || value.number < o.least ||
        value.number > o.most)
        throw InputError("--" + name,
                         fmt::format("'{}' is not a number of {}..{}", text, o.least, o.most));
}

std::int64_t Values::operator[](std::string_view name) const { return values_[at(name)].number; }

const std::string& Values::word(std::string_view name) const { return values_[at(name)].word; }

void Values::require(bool fits, const std::string& reason) const
{
    if (fits) return;
    const std::size_t colon = reason.find(": ");
    throw InputError(reason.substr(0, colon), reason.substr(colon + 2));
}

const std::vector<Pattern>& patterns()
{
    static const std::vector<Pattern> all{
        handshakePattern(), ringPattern(),   commitRingPattern(), namedPattern(),
        allToAllPattern(),  reducePattern(), stealPattern(),      pipelinePattern()};
    return all;
}

std::string fill(std::string text, std::vector<Filling> fillings)
{
    // Long names come first, because a short name may be the beginning of a long one.
    std::sort(fillings.begin(), fillings.end(),
              [](const Filling& a, const Filling& b) { return a.name.size() > b.name.size(); });
    for (const Filling& f : fillings) {
        const std::string name = "$" + f.name;
        for (std::size_t at = text.find(name); at != std::string::npos;
             at = text.find(name, at + f.text.size()))
            text.replace(at, name.size(), f.text);
    }
    return text;
}

std::string clusterOf(std::int64_t ctas)
{
    return ctas > 1 ? fmt::format("\n.reqnctapercluster {}, 1, 1", ctas) : "";
}

std::string listOf(const std::vector<std::uint32_t>& values)
{
    std::string text = "[";
    for (std::size_t i = 0; i < values.size(); ++i)
        text += fmt::format("{}{}", i == 0 ? "" : i % 16 == 0 ? ",\n    " : ", ", values[i]);
    return text + "]";
}

std::string bufferOf(std::int64_t words, std::int64_t from)
{
    const std::string init = from < 0 ? "" : fmt::format(R"(, "init": {{"iota": [{}, 1]}})", from);
    return fmt::format(R"({{"buffer": {{"type": "u32", "count": {}{}}}}})", words, init);
}

std::string launchOf(const Shape& shape, const std::vector<std::string>& params, std::size_t result,
                     const std::vector<std::uint32_t>& words)
{
    return fmt::format("{}\"expect\": [{{\"param\": {}, \"values\": {}}}]}}\n",
                       headOf(shape, params), result, listOf(words));
}

std::string hangOf(const Shape& shape, const std::vector<std::string>& params)
{
    return headOf(shape, params) +
           "\"verdict\": \"hang\", \"findings\": {\"barrier\": {\"kind\": \"mbarrier\"}}}\n";
}

}  // namespace gsu::gen
