#include "run/exec_settings.hpp"

#include <nlohmann/json.hpp>

#include "base/input_error.hpp"
#include "base/number.hpp"

namespace gsu::run {

namespace {

using Json = nlohmann::ordered_json;

/// Visits every setting under its name.
template <class Settings, class Visit> void each(Settings& s, Visit visit)
{
    visit("unit", s.common.unitName);
    visit("json", s.common.json);
    visit("check", s.common.checkName);
    visit("ignore", s.common.ignores);
    visit("ignore_file", s.common.ignoreFile);
    visit("coverage", s.common.coverage);
    visit("assertions", s.common.assertions);
    visit("keep_going", s.common.keepGoing);
    visit("threads", s.common.threads);
    visit("fst", s.common.fst);
    visit("fst_window", s.common.fstWindow);
    visit("fst_around", s.common.fstAround);
    visit("record", s.common.record);
    visit("record_accesses", s.common.recordAccesses);
    visit("timeline", s.common.timeline);
    visit("set", s.common.assignments);
    visit("preset", s.common.presetName);
    visit("timing", s.common.timingName);
    visit("of", s.common.of);
    visit("max_cycles", s.common.maxCycles);
    visit("seed", s.common.seed);
    visit("kernel", s.kernel);
    visit("others", s.others);
    visit("sm", s.sm);
    visit("sms", s.sms);
    visit("memory", s.memory);
    visit("save", s.save);
    visit("leaks", s.leaks);
    visit("check_uninit", s.checkUninit);
    visit("quiet", s.quiet);
}

struct Put {
    Json& json;
    template <class T> void operator()(const char* name, const T& value) { json[name] = value; }
    template <class T> void operator()(const char* name, const std::optional<T>& value)
    {
        if (value) json[name] = *value;
    }
};

struct Get {
    const Json& json;
    template <class T> void operator()(const char* name, T& value) { json.at(name).get_to(value); }
    template <class T> void operator()(const char* name, std::optional<T>& value)
    {
        if (json.contains(name)) value = json.at(name).get<T>();
    }
};

}  // namespace

void ExecSettings::check() const
{
    common.check();
    static_cast<void>(choice());
    if (!others.empty() && others != kFunctional && !unitKindOf(others))
        throw InputError("--others", "'" + others + "' is not functional, golden, rtl or lockstep");
    const bool files = !common.fst.empty() || !common.record.empty() || !common.timeline.empty();
    if (files && kernel.empty())
        throw InputError("--kernel",
                         "says which launch --fst, --record and --timeline are written for");
    if (kernel.empty() && !others.empty())
        throw InputError("--others", "goes with --kernel; --unit is for all launches");
}

std::optional<KernelChoice> ExecSettings::choice() const
{
    if (kernel.empty()) return std::nullopt;
    KernelChoice choice{kernel, std::nullopt};
    const auto colon = kernel.rfind(':');
    // A qualified name has colons, too.
    if (colon != std::string::npos && colon > 0 && kernel[colon - 1] != ':') {
        const auto n = wholeNumber(kernel.substr(colon + 1));
        if (!n) throw InputError("--kernel", "'" + kernel + "' is not NAME or NAME:N");
        choice = {kernel.substr(0, colon), *n};
    }
    return choice;
}

std::string ExecSettings::text() const
{
    Json json = Json::object();
    each(*this, Put{json});
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

ExecSettings ExecSettings::of(const std::string& text)
{
    ExecSettings settings;
    try {
        const Json json = Json::parse(text);
        each(settings, Get{json});
    } catch (const Json::exception& error) {
        throw InputError(kExecSettings, error.what());
    }
    return settings;
}

}  // namespace gsu::run
