#include "causes/port_causes.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "causes/mbar_text.hpp"
#include "causes/port_root_cause.hpp"
#include "golden/op_traits.hpp"

namespace gsu {

PortCause causeOf(const PortRootCause& c, CauseKind kind, std::uint32_t line,
                  std::vector<WarpId> culprits, Cycle cycle)
{
    std::sort(culprits.begin(), culprits.end());
    culprits.erase(std::unique(culprits.begin(), culprits.end()), culprits.end());
    PortCause cause;
    cause.kind = kind;
    cause.line = line;
    cause.culprits = std::move(culprits);
    cause.on = c.wait;
    cause.cycle = cycle != 0 ? cycle : c.wait.since;
    cause.firstLost = c.wait.since;
    for (const PortWait& w : c.snapshot.waits())
        if (c.snapshot.sameObject(w, c.wait)) cause.firstLost = std::min(cause.firstLost, w.since);
    if (!c.ofMbar()) return cause;
    for (const MbarPhase& phase : c.past().last())
        if (phase.end != kNever) cause.lastGood = phase.end;
    return cause;
}

std::string lacks(const PortRootCause& c)
{
    const std::string name = c.snapshot.name(c.wait);
    if (c.ofMbar())
        return lacksOf(name, c.snapshot.mbar(c.wait).word,
                       fmt::format("phase {}", c.past().phases()));
    if (c.wait.kind == WaitKind::Named)
        return fmt::format("{} is not complete{}", name, namedText(c.snapshot.named(c.wait).word));
    return name + " is not complete";
}

std::string forEver(const PortRootCause& c)
{
    std::vector<WarpId> ids;
    for (const std::size_t i : c.root.waits) {
        const PortWait& w = c.snapshot.waits()[i];
        if (c.snapshot.sameObject(w, c.wait) &&
            std::find(ids.begin(), ids.end(), w.id) == ids.end())
            ids.push_back(w.id);
    }
    return fmt::format("{} wait{} at {} for ever.", c.snapshot.warps(ids, &c.wait),
                       ids.size() == 1 ? "s" : "", nameOfLine(c.wait.line));
}

namespace {

PortCause unknown(const PortRootCause& c)
{
    PortCause cause = causeOf(c, CauseKind::Unknown, c.wait.line, {}, 0);
    cause.sentence = fmt::format("{}, and it is not known which warp should have come, since a "
                                 "port shows neither control flow "
                                 "nor memory: {}",
                                 lacks(c), forEver(c));
    return cause;
}

PortCause causeOfRoot(const PortSnapshot& snapshot, const WaitRoot& root)
{
    std::vector<std::size_t> some;  // a wait for each object
    for (const std::size_t i : root.waits) {
        constexpr std::size_t kMost = 32;
        const bool known = std::any_of(some.begin(), some.end(), [&](std::size_t k) {
            const PortWait &a = snapshot.waits()[i], &b = snapshot.waits()[k];
            return snapshot.sameObject(a, b) && a.asked == b.asked && a.id == b.id;
        });
        if (!known && some.size() < kMost) some.push_back(i);
    }
    for (const CauseRow& row : causeRows()) {
        const PortRule rule = portRuleOf(row.kind);
        for (std::size_t k = 0; rule != nullptr && k < some.size(); ++k) {
            if (PortFound found = rule({snapshot, root, snapshot.waits()[some[k]], some[k]}))
                return *std::move(found);
        }
    }
    return unknown({snapshot, root, snapshot.waits()[some.front()], some.front()});
}

std::string quoted(const std::string& text)
{
    std::string out = "\"";
    for (const char ch : text)
        out += ch == '"' || ch == '\\' ? std::string{'\\', ch} : std::string{ch};
    return out + '"';
}

std::string placeOf(const WarpId& id)
{
    return fmt::format(R"("sm":{},"slot":{})", id.first / kMaxCtas, id.first % kMaxCtas);
}

std::string objectOf(const PortWait& w)
{
    std::string out = fmt::format(R"({{"kind":"{}",{})", nameOf(w.kind), placeOf(w.id));
    if (w.kind == WaitKind::Named) out += fmt::format(R"(,"id":{})", w.object);
    if (w.kind == WaitKind::Mbarrier) out += fmt::format(R"(,"address":{})", w.object);
    return out;
}

}  // namespace

PortHang explainPort(const PortHistory& history, const char* clock)
{
    const PortSnapshot snapshot(history, clock);
    PortHang hang;
    hang.waits = snapshot.waits();
    hang.running = snapshot.running();
    hang.lastChange = history.lastChange();
    for (std::size_t i = 0; i < hang.waits.size(); ++i) {
        hang.words.push_back(snapshot.mbar(hang.waits[i]).word);
        hang.debts.push_back(snapshot.debts(i));
    }
    for (const WaitRoot& root : snapshot.roots()) {
        PortCause cause = causeOfRoot(snapshot, root);
        constexpr std::size_t kMost = 32;
        const bool known =
            std::any_of(hang.causes.begin(), hang.causes.end(), [&](const PortCause& o) {
                return o.kind == cause.kind &&
                       (o.line == cause.line || o.culprits == cause.culprits);
            });
        if (!known && hang.causes.size() < kMost) hang.causes.push_back(std::move(cause));
    }
    std::stable_sort(
        hang.causes.begin(), hang.causes.end(), [](const PortCause& a, const PortCause& b) {
            const bool known = a.kind != CauseKind::Unknown, too = b.kind != CauseKind::Unknown;
            return known != too ? known : a.cycle < b.cycle;
        });
    return hang;
}

std::string jsonOf(const PortCause& cause, const std::vector<PortCause>& others, const char* clock)
{
    std::string culprits, more;
    for (const WarpId& id : cause.culprits)
        culprits += fmt::format("{}{{{},\"warp\":{}}}", culprits.empty() ? "" : ",", placeOf(id),
                                id.second);
    for (const PortCause& o : others) more += (more.empty() ? "" : ",") + jsonOf(o, {}, clock);
    return fmt::format(
        R"({{"kind":"{}","line":{},"culprits":[{}],"object":{}}},"sentence":{},"{}":{},"others":[{}]}})",
        nameOf(cause.kind), cause.line, culprits, objectOf(cause.on), quoted(cause.sentence), clock,
        cause.cycle, more);
}

std::string jsonOf(const PortHang& hang)
{
    std::string waiting;
    for (std::size_t i = 0; i < hang.waits.size(); ++i) {
        const PortWait& w = hang.waits[i];
        std::string on = objectOf(w);
        if (w.asked) on += fmt::format(R"(,"word":"{:#018x}","asked":{})", hang.words[i], *w.asked);
        waiting += fmt::format(
            R"({}{{{},"warp":{},"lanes":"{:#010x}","line":{},"since":{},"times":{},"on":{}}}}})",
            waiting.empty() ? "" : ",", placeOf(w.id), w.id.second, w.lanes, w.line, w.since,
            w.times, on);
    }
    std::string debts;
    for (std::size_t i = 0; i < hang.debts.size(); ++i) {
        for (const PortDebt& d : hang.debts[i])
            debts += fmt::format(R"({}{{"from":{},"to":{},"line":{}}})", debts.empty() ? "" : ",",
                                 i, d.by, d.line);
    }
    std::string out = fmt::format(R"({{"waiting":[{}],"debts":[{}],"last_change":{})", waiting,
                                  debts, hang.lastChange);
    if (!hang.causes.empty()) {
        const std::vector<PortCause> others(hang.causes.begin() + 1, hang.causes.end());
        out += fmt::format(R"(,"explanation":{},"cause":{})", quoted(hang.causes.front().sentence),
                           jsonOf(hang.causes.front(), others));
    }
    return out + '}';
}

}  // namespace gsu
