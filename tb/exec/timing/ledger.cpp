#include "exec/timing/ledger.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace gsu::timing {
namespace {

constexpr std::array<const char*, kStalls> kNames{"issue",
                                                  "issue slot",
                                                  "arithmetic result",
                                                  "special function or shuffle",
                                                  "shared load",
                                                  "global load",
                                                  "remote load",
                                                  "mma result",
                                                  "tensor pipe",
                                                  "shared port",
                                                  "copies",
                                                  "barrier",
                                                  "mbarrier",
                                                  "fence",
                                                  "sleep"};
constexpr double kBusy = 0.6;

std::string percent(double share)
{
    return std::to_string(static_cast<int>(std::lround(100 * share))) + " %";
}

/// " of line N" of the line with the most clocks.
std::string lineOf(const std::map<std::uint32_t, Cycle>& lines)
{
    const auto most =
        std::max_element(lines.begin(), lines.end(),
                         [](const auto& a, const auto& b) { return a.second < b.second; });
    return most == lines.end() ? "" : " of line " + std::to_string(most->first);
}

}  // namespace

const char* nameOf(Stall cause) noexcept { return kNames[static_cast<std::size_t>(cause)]; }

Cycle Ledger::Account::total() const noexcept
{
    return std::accumulate(clocks.begin(), clocks.end(), Cycle{0});
}

std::string Ledger::bound(const std::vector<Utilisation>& servers) const
{
    const auto busiest = std::max_element(
        servers.begin(), servers.end(),
        [](const Utilisation& a, const Utilisation& b) { return a.share < b.share; });
    if (busiest != servers.end() && busiest->share > kBusy)
        return "bound by the " + busiest->server + ", busy for " + percent(busiest->share) +
               " of the time";
    Account all;
    for (const auto& [role, account] : accounts_) {
        for (unsigned c = 0; c < kStalls; ++c) all.clocks[c] += account.clocks[c];
        for (const auto& [line, clocks] : account.barriers) all.barriers[line] += clocks;
        for (const auto& [line, clocks] : account.mbarriers) all.mbarriers[line] += clocks;
    }
    if (all.total() == 0) return "nothing ran";
    const auto most = std::max_element(all.clocks.begin(), all.clocks.end());
    const auto cause = static_cast<Stall>(most - all.clocks.begin());
    const std::string line = cause == Stall::Barrier    ? lineOf(all.barriers)
                             : cause == Stall::Mbarrier ? lineOf(all.mbarriers)
                                                        : "";
    return "no server is busy for more than 60 %: warps spend " +
           percent(static_cast<double>(*most) / static_cast<double>(all.total())) +
           " of their time on " + nameOf(cause) + line;
}

}  // namespace gsu::timing
