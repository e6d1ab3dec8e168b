// "expect" of a launch file.
#include <fmt/format.h>

#include <algorithm>

#include "base/counted.hpp"
#include "exec/launch/launch_reading.hpp"

namespace gsu {
namespace {

/// Reads the buffer or variable; returns its type.
DataType target(Expectation& e, const LaunchSpec& spec, const LaunchSpec& memory,
                const JsonView& json, const Reading& reading)
{
    if (json.has("param") + json.has("memory") + json.has("global") != 1)
        json.fail("exactly one of param, memory, global");
    const auto named = [&](const auto& item) { return item.name == e.global; };
    if (json.has("param")) {
        e.param = json["param"].whole(kMaxParams);
        if (*e.param >= spec.params.size() ||
            spec.params[*e.param].kind != LaunchParam::Kind::Buffer) {
            json["param"].fail(fmt::format("parameter {} is not a buffer", *e.param));
        }
        return spec.params[*e.param].data.type;
    }
    if (json.has("memory")) {
        e.global = json["memory"].text();
        const auto found = std::find_if(memory.memory.begin(), memory.memory.end(), named);
        if (found == memory.memory.end())
            json["memory"].fail("'" + e.global + "' is not among \"memory\"");
        return found->data.type;
    }
    e.global = json["global"].text();
    const auto found = std::find_if(memory.globals.begin(), memory.globals.end(), named);
    if (found != memory.globals.end() && found->typed) return found->data.type;
    return json.has("type") ? typeOf(json["type"])
                            : typeOf(reading.variable(e.global, json["global"]));
}

void tolerances(Expectation& e, const JsonView& json)
{
    if (json.has("rtol")) e.rtol = json["rtol"].real();
    if (json.has("atol")) e.atol = json["atol"].real();
    e.tolerant = json.has("rtol") || json.has("atol");
    if (e.tolerant && !isFloat(e.data.type))
        json.fail("rtol and atol are for floating-point types");
    if (json.has("first")) e.first = json["first"].whole(kMaxLaunchBytes);
}

void contents(Expectation& e, const JsonView& json, Reading& reading)
{
    if (json.has("file") + json.has("values") + json.has("fill") != 1)
        json.fail("exactly one of file, values, fill");
    if (json.has("file")) {
        const unsigned size = sizeOf(e.data.type);
        e.data.bytes = fileBytes(json["file"], kMaxLaunchBytes, reading);
        if (e.data.bytes.size() % size != 0)
            json["file"].fail(fmt::format("size is not a multiple of {}", size));
    } else if (json.has("fill")) {
        e.fill = true;
        add(e.data, json["fill"]);
    } else {
        const JsonView values = json["values"];
        values.array();
        for (std::size_t i = 0; i < values.size(); ++i) add(e.data, values.at(i));
    }
}

void checkCount(const Expectation& e, const LaunchSpec& spec, const JsonView& json)
{
    const std::size_t have = e.data.count();
    if (e.param && e.first && *e.first > spec.params[*e.param].data.count()) {
        json["first"].fail(fmt::format("is {}, the buffer has {}", *e.first,
                                       counted(spec.params[*e.param].data.count(), "element")));
    }
    if (e.fill) return;
    if (e.first && have < *e.first) {
        json.fail(fmt::format("has {}, first is {}", counted(have, "element"), *e.first));
    }
    if (e.param && !e.first && have != spec.params[*e.param].data.count()) {
        json.fail(fmt::format("has {}, the buffer has {}", counted(have, "element"),
                              spec.params[*e.param].data.count()));
    }
}

}  // namespace

std::vector<Expectation> expectationsOf(const LaunchSpec& spec, const LaunchSpec& memory,
                                        const JsonView& json, Reading& reading)
{
    json.array();
    std::vector<Expectation> all;
    for (std::size_t i = 0; i < json.size(); ++i) {
        const JsonView one = json.at(i);
        one.keys({"param", "memory", "global", "type", "file", "values", "fill", "rtol", "atol",
                  "first"});
        Expectation e;
        e.data.type = target(e, spec, memory, one, reading);
        tolerances(e, one);
        contents(e, one, reading);
        checkCount(e, spec, one);
        all.push_back(std::move(e));
    }
    return all;
}

}  // namespace gsu
