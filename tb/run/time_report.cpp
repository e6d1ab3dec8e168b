#include "run/time_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace gsu::run {
namespace {

using timing::Ledger;
using timing::Stall;
using Json = nlohmann::ordered_json;

constexpr unsigned kGroup = 4;  ///< warps of a role have indices that follow each other

std::string lineList(const std::map<std::uint32_t, Cycle>& lines, Cycle whole)
{
    constexpr double kShown = 0.01;
    std::string text;
    for (const auto& [line, clocks] : lines) {
        const double share = static_cast<double>(clocks) / static_cast<double>(whole);
        if (share >= kShown) text += fmt::format(", line {} {:.0f} %", line, 100 * share);
    }
    return text;
}

/// The same role of all SMs together.
std::map<unsigned, Ledger::Account> rolesOf(const Ledger& ledger)
{
    std::map<unsigned, Ledger::Account> roles;
    for (const auto& [role, account] : ledger.accounts()) {
        Ledger::Account& sum = roles[role.role];
        sum.warps += account.warps;
        for (std::size_t c = 0; c < timing::kStalls; ++c) sum.clocks[c] += account.clocks[c];
        for (const auto& [line, clocks] : account.barriers) sum.barriers[line] += clocks;
        for (const auto& [line, clocks] : account.mbarriers) sum.mbarriers[line] += clocks;
    }
    return roles;
}

std::string roleText(unsigned role, const Ledger::Account& account)
{
    constexpr double kShown = 0.005;
    const auto whole = static_cast<double>(std::max<Cycle>(account.total(), 1));
    std::vector<std::pair<Cycle, std::size_t>> causes;
    for (std::size_t c = 0; c < timing::kStalls; ++c) causes.emplace_back(account.clocks[c], c);
    std::sort(causes.begin(), causes.end(), std::greater<>());
    std::string text =
        fmt::format("  warps {}-{} of a CTA, {} clocks each:", role * kGroup,
                    role * kGroup + kGroup - 1, account.total() / std::max(account.warps, 1u));
    const char* comma = " ";
    for (const auto& [clocks, c] : causes) {
        const double share = static_cast<double>(clocks) / whole;
        if (share < kShown) continue;
        text +=
            fmt::format("{}{} {:.0f} %", comma, timing::nameOf(static_cast<Stall>(c)), 100 * share);
        comma = ", ";
    }
    const std::string lines =
        lineList(account.barriers, account.total()) + lineList(account.mbarriers, account.total());
    if (!lines.empty()) text += " (waits" + lines.substr(1) + ")";
    return text + '\n';
}

Json linesJson(const std::map<std::uint32_t, Cycle>& lines)
{
    Json json = Json::object();
    for (const auto& [line, clocks] : lines) json[std::to_string(line)] = clocks;
    return json;
}

}  // namespace

std::string timeText(const TimingReport& r)
{
    std::string text = fmt::format("time ({}, window {}): {:.2f} us at {} MHz", r.timing, r.window,
                                   r.microseconds(), r.clockMhz);
    if (r.multiplyAdds != 0) text += fmt::format(", {:.1f} TFLOPS", r.teraflops());
    if (r.bytes != 0) text += fmt::format(", {:.0f} GB/s of HBM", r.gigabytes());
    if (r.of > r.sms) text += fmt::format("; {} of {} SMs simulated", r.sms, r.of);
    text += "\n  " + r.bound + "\n";
    for (const auto& [role, account] : rolesOf(r.ledger)) text += roleText(role, account);
    text += "  busy:";
    const char* comma = " ";
    for (const timing::Utilisation& u : r.servers) {
        text += fmt::format("{}{} {:.0f} %", comma, u.server, 100 * u.share);
        comma = ", ";
    }
    return text + '\n';
}

Json timeJson(const TimingReport& r)
{
    Json roles = Json::array(), servers = Json::object();
    for (const auto& [role, account] : r.ledger.accounts()) {
        Json clocks = Json::object();
        for (std::size_t c = 0; c < timing::kStalls; ++c)
            clocks[timing::nameOf(static_cast<Stall>(c))] = account.clocks[c];
        roles.push_back({{"sm", role.sm},
                         {"first_warp", role.role * kGroup},
                         {"warps", account.warps},
                         {"total", account.total()},
                         {"clocks", clocks},
                         {"barriers", linesJson(account.barriers)},
                         {"mbarriers", linesJson(account.mbarriers)}});
    }
    for (const timing::Utilisation& u : r.servers) servers[u.server] = u.share;
    Json json{{"timing", r.timing},
              {"window", r.window},
              {"clock_mhz", r.clockMhz},
              {"sms", r.sms},
              {"of", r.of},
              {"cycles", r.cycles},
              {"microseconds", r.microseconds()},
              {"bound", r.bound}};
    if (r.multiplyAdds != 0) json["tflops"] = r.teraflops();
    if (r.bytes != 0) json["hbm_gbps"] = r.gigabytes();
    json["busy"] = servers;
    json["roles"] = roles;
    return json;
}

}  // namespace gsu::run
