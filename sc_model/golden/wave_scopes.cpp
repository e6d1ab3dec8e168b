#include "golden/wave_scopes.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

namespace gsu {
namespace {

/// Names for users, and instances from rtl/top/gsu_sm.sv on.
constexpr std::pair<std::string_view, std::string_view> kUnits[] = {
    {"ctas", "u_core u_cta_table"},
    {"join", "u_core u_join"},
    {"named", "u_core u_named_barrier"},
    {"cluster", "u_core u_cluster_barrier"},
    {"mbar", "u_mbar"},
    {"order", "u_core u_order"},
    {"waiting", "u_core u_order_room"},
    {"fence", "u_core u_fence"},
    {"grid", "u_core u_grid"}};

/// The number of "smN"; -1: the text has another form.
int smOf(std::string_view text)
{
    if (!text.starts_with("sm") || text.size() == 2) return -1;
    int sm = -1;
    const auto [end, error] = std::from_chars(text.data() + 2, text.data() + text.size(), sm);
    return error == std::errc{} && end == text.data() + text.size() ? sm : -1;
}

std::string setOne(WaveScope& scope, std::string_view text, unsigned sms)
{
    const std::string quoted = "'" + std::string(text) + "'";
    if (text == "net") {
        scope.net = true;
        return sms > 1 ? "" : "net: one SM alone has no network";
    }
    const std::size_t dot = text.find('.');
    const std::string_view first = text.substr(0, dot);
    scope.sm = smOf(first);
    if (scope.sm >= static_cast<int>(sms))
        return quoted + ": there are SMs 0 to " + std::to_string(sms - 1);
    if (scope.sm >= 0 && dot == text.npos) return {};
    const std::string_view unit = scope.sm < 0       ? text
                                  : dot == text.npos ? ""
                                                     : text.substr(dot + 1);
    const auto* found = std::find_if(std::begin(kUnits), std::end(kUnits),
                                     [&](const auto& known) { return known.first == unit; });
    if (found == std::end(kUnits))
        return quoted + " is no part of the RTL: net, smN, UNIT or smN.UNIT, with UNIT one of " +
               waveUnits();
    scope.unit = found->second;
    return {};
}

}  // namespace

std::string setWaveScopes(std::vector<WaveScope>& scopes, std::string_view text, unsigned sms)
{
    for (std::string_view rest = text;;) {
        const std::size_t comma = rest.find(',');
        std::string problem = setOne(scopes.emplace_back(), rest.substr(0, comma), sms);
        if (!problem.empty() || comma == rest.npos) return problem;
        rest.remove_prefix(comma + 1);
    }
}

std::string waveUnits()
{
    std::string all;
    for (const auto& [name, instance] : kUnits)
        all += (all.empty() ? "" : ", ") + std::string(name);
    return all;
}

}  // namespace gsu
