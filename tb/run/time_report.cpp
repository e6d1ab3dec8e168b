#include "run/time_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "exec/timing/sharing.hpp"

namespace gsu::run {
namespace {

using timing::Ledger;
using timing::Stall;
using Json = nlohmann::ordered_json;

constexpr unsigned kGroup = 4;  ///< warps of a role have consecutive indices

/// A figure; with --range, the figure in order follows after a bar.
template <class T> std::string both(const char* form, T value, const T* inOrder)
{
    const std::string text = fmt::format(fmt::runtime(form), value);
    return inOrder == nullptr ? text : text + " | " + fmt::format(fmt::runtime(form), *inOrder);
}

/// Sums of each role over all SMs.
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

/// One part of a role's time: a cause, or a line where it waits.
struct Share {
    std::string name;
    double part{}, inOrder{};
};

using Lines = std::map<std::uint32_t, Cycle>;

void addLines(std::vector<Share>& shares, const Lines& lines, const Lines* other, double whole,
              double otherWhole)
{
    const auto at = [](const Lines& in, std::uint32_t line) {
        const auto found = in.find(line);
        return found == in.end() ? 0.0 : static_cast<double>(found->second);
    };
    Lines all = lines;
    if (other != nullptr) all.insert(other->begin(), other->end());
    for (const auto& [line, clocks] : all)
        shares.push_back({fmt::format("line {}", line), at(lines, line) / whole,
                          other == nullptr ? 0 : at(*other, line) / otherWhole});
}

/// ": a 60 %, b 20 %": the shares that are large enough in either run.
std::string shareList(const std::vector<Share>& shares, double shown, bool range)
{
    std::string text;
    for (const Share& s : shares) {
        if (std::max(s.part, s.inOrder) < shown) continue;
        const double inOrder = 100 * s.inOrder;
        text += fmt::format("{}{} {} %", text.empty() ? "" : ", ", s.name,
                            both("{:.0f}", 100 * s.part, range ? &inOrder : nullptr));
    }
    return text;
}

double wholeOf(const Ledger::Account& a)
{
    return static_cast<double>(std::max<Cycle>(a.total(), 1));
}

/// `other`: the account of the same role in order, with --range.
std::string roleText(unsigned role, const Ledger::Account& account, const Ledger::Account* other)
{
    constexpr double kShown = 0.005, kShownLine = 0.01;
    const double whole = wholeOf(account), otherWhole = other == nullptr ? 1 : wholeOf(*other);
    std::vector<Share> causes, lines;
    for (std::size_t c = 0; c < timing::kStalls; ++c)
        causes.push_back(
            {timing::nameOf(static_cast<Stall>(c)), static_cast<double>(account.clocks[c]) / whole,
             other == nullptr ? 0 : static_cast<double>(other->clocks[c]) / otherWhole});
    std::stable_sort(causes.begin(), causes.end(),
                     [](const Share& a, const Share& b) { return a.part > b.part; });
    addLines(lines, account.barriers, other == nullptr ? nullptr : &other->barriers, whole,
             otherWhole);
    addLines(lines, account.mbarriers, other == nullptr ? nullptr : &other->mbarriers, whole,
             otherWhole);
    const auto each = [](const Ledger::Account& a) { return a.total() / std::max(a.warps, 1u); };
    const Cycle inOrder = other == nullptr ? 0 : each(*other);
    std::string text = fmt::format("  warps {}-{} of a CTA, {} clocks each: {}", role * kGroup,
                                   role * kGroup + kGroup - 1,
                                   both("{}", each(account), other == nullptr ? nullptr : &inOrder),
                                   shareList(causes, kShown, other != nullptr));
    const std::string waits = shareList(lines, kShownLine, other != nullptr);
    if (!waits.empty()) text += " (waits " + waits + ")";
    return text + '\n';
}

Json serversJson(const TimingReport& r)
{
    Json servers = Json::object();
    for (const timing::Utilisation& u : r.servers) servers[u.server] = u.share;
    return servers;
}

Json linesJson(const std::map<std::uint32_t, Cycle>& lines)
{
    Json json = Json::object();
    for (const auto& [line, clocks] : lines) json[std::to_string(line)] = clocks;
    return json;
}

Json rolesJson(const TimingReport& r)
{
    Json roles = Json::array();
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
    return roles;
}

/// Adds the figures that differ between the two ends of the range.
void addFigures(Json& json, const TimingReport& r)
{
    json["cycles"] = r.cycles;
    json["microseconds"] = r.microseconds();
    json["bound"] = r.bound;
    if (r.multiplyAdds != 0) json["tflops"] = r.teraflops();
    if (r.bytes != 0) json["hbm_gbps"] = r.gigabytes();
    json["busy"] = serversJson(r);
    json["roles"] = rolesJson(r);
}

/// Reasons to doubt the time; empty: none is known.
std::string warningOf(const TimingReport& r)
{
    constexpr double kShown = 0.05;
    if (r.fenceShare < kShown) return {};
    return fmt::format(
        "{} fences beyond the CTA began while copies were in flight, {:.0f} % of an SM's time: "
        "such kernels took up to 1.4 times as long on an H100, whose fences are longer",
        r.fencesAmidCopies, 100 * r.fenceShare);
}

/// Where the shares of lines come from, of which other SMs read some as well.
std::string sharingText(const TimingReport& r)
{
    if (r.sharing == nullptr) return "lines that other SMs read: estimated from tensor maps";
    return fmt::format("lines that other SMs read: surveyed in {} instructions{}",
                       r.sharing->instructions, r.sharing->cut ? ", then cut" : "");
}

Json sharingJson(const TimingReport& r)
{
    if (r.sharing == nullptr) return nullptr;
    return {{"instructions", r.sharing->instructions}, {"cut", r.sharing->cut}};
}

}  // namespace

std::string timeFigures(const TimingReport& r)
{
    const TimingReport* const o = r.inOrder.get();
    const auto figure = [&](const char* form, double (TimingReport::*of)() const noexcept) {
        const double other = o == nullptr ? 0 : (o->*of)();
        return both(form, (r.*of)(), o == nullptr ? nullptr : &other);
    };
    std::string text =
        fmt::format("{} us at {} MHz", figure("{:.2f}", &TimingReport::microseconds), r.clockMhz);
    if (r.multiplyAdds != 0) text += ", " + figure("{:.1f}", &TimingReport::teraflops) + " TFLOPS";
    if (r.bytes != 0) text += ", " + figure("{:.0f}", &TimingReport::gigabytes) + " GB/s of HBM";
    if (r.of > r.sms) text += fmt::format("; {} of {} SMs simulated", r.sms, r.of);
    return text;
}

std::string timeText(const TimingReport& r)
{
    const TimingReport* const o = r.inOrder.get();
    std::string text = fmt::format("time ({}, window {}): {}\n  {}\n", r.timing,
                                   both("{}", r.window, o == nullptr ? nullptr : &o->window),
                                   timeFigures(r), r.bound);
    if (o != nullptr && o->bound != r.bound) text += "  in order: " + o->bound + "\n";
    if (r.of > r.sms) text += "  " + sharingText(r) + "\n";
    if (r.counterLine != 0)
        text += fmt::format(
            "  CTAs take their work from a counter (line {}): those that are not simulated take "
            "theirs as well\n",
            r.counterLine);
    if (const std::string warning = warningOf(r); !warning.empty())
        text += "  warning: " + warning + "\n";
    const auto others = o == nullptr ? std::map<unsigned, Ledger::Account>{} : rolesOf(o->ledger);
    for (const auto& [role, account] : rolesOf(r.ledger)) {
        const auto other = others.find(role);
        text += roleText(role, account, other == others.end() ? nullptr : &other->second);
    }
    std::vector<Share> busy;
    for (std::size_t i = 0; i < r.servers.size(); ++i)
        busy.push_back(
            {r.servers[i].server, r.servers[i].share, o == nullptr ? 0 : o->servers[i].share});
    return text + "  busy: " + shareList(busy, 0, o != nullptr) + '\n';
}

Json timeJson(const TimingReport& r)
{
    Json json{{"timing", r.timing},
              {"window", r.window},
              {"clock_mhz", r.clockMhz},
              {"sms", r.sms},
              {"of", r.of}};
    if (r.of > r.sms) json["survey"] = sharingJson(r);
    if (r.counterLine != 0) json["work_counter"] = {{"line", r.counterLine}};
    addFigures(json, r);
    if (const std::string warning = warningOf(r); !warning.empty()) json["warning"] = warning;
    if (r.inOrder) {
        Json other{{"window", r.inOrder->window}};
        addFigures(other, *r.inOrder);
        json["in_order"] = std::move(other);
    }
    return json;
}

}  // namespace gsu::run
