#include "trace/preflight.hpp"

#include <fmt/format.h>

#include "golden/chip_layout.hpp"
#include "observers/open_table.hpp"
#include "trace/instruction_text.hpp"
#include "trace/lane_clock.hpp"

namespace gsu::trace {

namespace {

/// Whether the request is refused (D-03, D-16), so that it neither arrives nor blocks.
bool refusedBar(const SyncRequest& r) noexcept
{
    return r.arg0 >= kBarsPerCta || r.arg1 % kLanes != 0 || (r.op == Op::BarArrive && r.arg1 == 0);
}

}  // namespace

Preflight::Preflight(unsigned sms, PortHistory& port)
    : warps_(std::size_t{sms} * kMaxCtas * kMaxWarps),
      ctas_(std::size_t{sms} * kMaxCtas),
      port_(port)
{
}

Preflight::Warp& Preflight::warp(WarpRef at) { return warps_[OpenTable::indexOf(at)]; }
const Preflight::Warp& Preflight::warp(WarpRef at) const { return warps_[OpenTable::indexOf(at)]; }

Lanes Preflight::blocked(const Warp& w) const
{
    Lanes lanes = 0;
    eachLane(w.live, [&](unsigned i) { lanes |= w.lane[i].op != Op::None ? Lanes{1} << i : 0; });
    return lanes;
}

void Preflight::record(const Record& record, const Refuse& refuse, std::uint32_t line)
{
    line_ = line;
    const auto mustBeFree = [&](WarpRef at, Lanes lanes) {
        const std::size_t index = OpenTable::indexOf(at);
        if (index >= warps_.size()) return;  // Program refuses it
        const Lanes stuck = blocked(warps_[index]) & lanes;
        if (stuck == 0) return;
        const Lane& lane = warps_[index].lane[std::size_t(__builtin_ctz(stuck))];
        refuse(fmt::format("warp {}/{}/{} continues while its lanes {:#010x} are blocked in {} of "
                           "line {}: no hardware issues that (BAR-041)",
                           at.sm, at.cta, at.warp, stuck, spellingOf(lane.op), lane.line));
    };
    if (const auto* l = std::get_if<LaunchRecord>(&record)) {
        if (l->launch.sm < ctas_.size() / kMaxCtas) launch(l->launch);
    } else if (const auto* r = std::get_if<RequestRecord>(&record)) {
        mustBeFree(r->request.at, r->request.lanes);
        if (OpenTable::indexOf(r->request.at) < warps_.size()) request(r->request, line);
    } else if (const auto* e = std::get_if<ExitRecord>(&record)) {
        // A trap takes lanes wherever they wait.
        if (!e->exit.trap) mustBeFree(e->exit.at, e->exit.lanes);
        if (OpenTable::indexOf(e->exit.at) < warps_.size()) exit(e->exit);
    } else if (const auto* a = std::get_if<SyncResponse>(&record)) {
        if (OpenTable::indexOf(a->at) < warps_.size()) answered(*a);
    } else if (const auto* f = std::get_if<Release>(&record)) {
        if (f->sm < ctas_.size() / kMaxCtas) released(*f);
    }
}

void Preflight::launch(const Launch& l)
{
    cta(l.sm, l.cta) = {.live = true,
                        .cluster = l.cluster,
                        .ctas = l.ctas,
                        .threads = warpsOf(l.threads) * kLanes,
                        .named = {}};
    for (unsigned w = 0; w < kMaxWarps; ++w) {
        Warp& state = warp({l.sm, l.cta, std::uint8_t(w)});
        state = {};
        state.live = lanesOf(l.threads, w);
        state.launched = state.live != 0;
    }
}

void Preflight::request(const SyncRequest& r, std::uint32_t line)
{
    Warp& w = warp(r.at);
    const bool cluster = isCluster(r.op);
    if (!(isNamed(r.op) && !refusedBar(r)) && !cluster && !meetsLanes(r.op)) return;
    const Lanes lanes = r.lanes & w.live;
    if (meetsLanes(r.op) && (lanes & ~r.arg0) != 0) return;  // refused: BWS-003
    const bool part = lanes != w.live;
    if (cluster && r.aligned && part) return;  // refused: CLU-015
    // value on which lanes must agree
    const std::uint32_t count = meetsLanes(r.op) ? r.kind : r.arg1;
    eachLane(lanes, [&](unsigned i) { w.lane[i] = {r.op, false, r.arg0, count, line, r.source}; });
    if (cluster)
        clusterJoin(r.at);
    else if (meetsLanes(r.op))
        warpSync(r.at);
    else if (r.aligned && part)
        arrive(r.at, r.arg0, r.arg1, lanes);  // D-13
    else
        bar(r.at, lanes);
}

/// Lanes of a warp meet at one id and effective count (D-12); the first to come decides whether the count is explicit.
void Preflight::bar(WarpRef at, Lanes executing)
{
    Warp& w = warp(at);
    if (executing == 0) return;
    const std::uint32_t threads = cta(at.sm, at.cta).threads;
    const auto effective = [&](const Lane& l) { return l.count == 0 ? threads : l.count; };
    const Lane* first = &w.lane[std::size_t(__builtin_ctz(executing))];
    const Lane& key = *first;
    bool all = true;
    eachLane(w.live, [&](unsigned i) {
        const Lane& l = w.lane[i];
        all &= isNamed(l.op) && !l.joined && l.id == key.id && effective(l) == effective(key);
        if (l.line < first->line) first = &l;
    });
    if (all) arrive(at, first->id, first->count, w.live);
}

void Preflight::arrive(WarpRef at, std::uint32_t id, std::uint32_t count, Lanes executing)
{
    Warp& w = warp(at);
    eachLane(executing, [&](unsigned i) {
        w.lane[i].joined = true;
        if (w.lane[i].op == Op::BarArrive) w.lane[i].op = Op::None;
    });
    Named& b = cta(at.sm, at.cta).named[id];
    if (b.n == 0) b.count = count;
    ++b.n;
    b.arrived |= Lanes{1} << at.warp;
    const raw::NbWord word{.n = std::uint8_t(std::min(b.n, 127u)),
                           .target = std::uint8_t(std::min(targetOf(at.sm, at.cta, b), 127u)),
                           .mode = std::uint8_t(b.count == 0 ? 2 : 1),
                           .arrived = b.arrived};
    std::uint32_t halves[raw::NbWord::kWords];
    raw::pack(word, halves);
    const std::uint32_t source =
        executing != 0 ? w.lane[std::size_t(__builtin_ctz(executing))].source : 0;
    port_.cameTo(at, id, halves[0] | std::uint64_t{halves[1]} << 32, source, line_);
    check(at.sm, at.cta, id);
}

std::uint32_t Preflight::targetOf(std::uint8_t sm, std::uint8_t slot, const Named& b) const
{
    std::uint32_t target = b.count / kLanes;
    if (b.count != 0) return target;
    for (unsigned w = 0; w < kMaxWarps; ++w)
        target += warp({sm, slot, std::uint8_t(w)}).live != 0 ? 1 : 0;
    // Arrivals of warps that have since exited stay counted, but these warps are no longer expected.
    eachLane(b.arrived, [&](unsigned w) {
        target += warp({sm, slot, std::uint8_t(w)}).live == 0 ? 1 : 0;
    });
    return target;
}

void Preflight::check(std::uint8_t sm, std::uint8_t slot, unsigned id)
{
    Named& b = cta(sm, slot).named[id];
    if (b.n == 0 || b.n < targetOf(sm, slot, b)) return;
    port_.completed(sm, slot, id, 0, line_);
    for (unsigned i = 0; i < kMaxWarps; ++i) {
        Warp& w = warp({sm, slot, std::uint8_t(i)});
        eachLane(w.live, [&](unsigned lane) {
            Lane& l = w.lane[lane];
            if (isNamed(l.op) && l.joined && l.id == id) l.op = Op::None;
        });
    }
    b = {};
}

std::vector<std::size_t> Preflight::clusterMembers(std::uint8_t sm, std::uint8_t slot) const
{
    const Cta& own = cta(sm, slot);
    if (own.ctas <= 1) return {std::size_t{sm} * kMaxCtas + slot};
    std::vector<std::size_t> members;
    for (std::size_t i = 0; i < ctas_.size(); ++i) {
        const bool near =
            port_.chip().networkOf(unsigned(i / kMaxCtas)) == port_.chip().networkOf(sm);
        if (near && ctas_[i].live && ctas_[i].ctas > 1 && ctas_[i].cluster == own.cluster)
            members.push_back(i);
    }
    return members;
}

/// All live lanes execute the same operation (D-51).
void Preflight::clusterJoin(WarpRef at)
{
    Warp& w = warp(at);
    if (w.live == 0) return;
    const Op op = w.lane[std::size_t(__builtin_ctz(w.live))].op;
    bool all = isCluster(op);
    eachLane(w.live, [&](unsigned i) { all &= w.lane[i].op == op && !w.lane[i].joined; });
    if (!all) return;
    if (!waitsForCluster(op)) {
        eachLane(w.live, [&](unsigned i) { w.lane[i].op = Op::None; });
        w.clusterArrived = w.clusterPending = true;
        tellCluster(at.sm, at.cta);
        return clusterCheck(at.sm, at.cta);
    }
    // The generation is complete, or the warp never arrived (CLU-013): the wait returns at once.
    w.clusterPending = w.clusterPending && w.clusterArrived;
    eachLane(w.live, [&](unsigned i) {
        w.lane[i].joined = true;
        if (!w.clusterPending) w.lane[i].op = Op::None;
    });
}

void Preflight::tellCluster(std::uint8_t sm, std::uint8_t slot)
{
    Lanes arrived = 0;
    for (unsigned i = 0; i < kMaxWarps; ++i)
        arrived |= Lanes{warp({sm, slot, std::uint8_t(i)}).clusterArrived} << i;
    port_.cluster(sm, slot, arrived, line_);
}

void Preflight::clusterCheck(std::uint8_t sm, std::uint8_t slot)
{
    const auto members = clusterMembers(sm, slot);
    if (members.size() != cta(sm, slot).ctas) return;
    const auto warpsOfCluster = [&](auto&& visit) {
        for (const std::size_t m : members) {
            for (std::size_t i = 0; i < kMaxWarps; ++i) visit(warps_[m * kMaxWarps + i]);
        }
    };
    bool complete = true, any = false;
    warpsOfCluster([&](Warp& w) {
        complete &= w.live == 0 || w.clusterArrived;
        any |= w.clusterArrived;
    });
    if (!complete || !any) return;
    warpsOfCluster([](Warp& w) {
        w.clusterArrived = false;
        eachLane(w.live, [&](unsigned i) {
            if (!waitsForCluster(w.lane[i].op) || !w.lane[i].joined) return;
            w.lane[i].op = Op::None;
            w.clusterPending = false;
        });
    });
    for (const std::size_t m : members)
        tellCluster(std::uint8_t(m / kMaxCtas), std::uint8_t(m % kMaxCtas));
}

void Preflight::warpSync(WarpRef at)
{
    Warp& w = warp(at);
    eachLane(w.live, [&](unsigned i) {
        if (!meetsLanes(w.lane[i].op)) return;
        const Lane key = w.lane[i];
        const Lanes mask = key.id;
        bool all = true;
        eachLane(mask & w.live, [&](unsigned k) {
            all &= w.lane[k].op == key.op && w.lane[k].id == mask && w.lane[k].count == key.count;
        });
        if (all) eachLane(mask & w.live, [&](unsigned k) { w.lane[k].op = Op::None; });
    });
}

void Preflight::exit(const Exit& e)
{
    Warp& w = warp(e.at);
    w.live &= ~e.lanes;
    eachLane(e.lanes, [&](unsigned i) { w.lane[i] = {}; });
    Lanes joining = 0;
    eachLane(w.live, [&](unsigned i) {
        if (isNamed(w.lane[i].op) && !w.lane[i].joined) joining |= Lanes{1} << i;
    });
    bar(e.at, joining);
    clusterJoin(e.at);
    warpSync(e.at);
    for (unsigned id = 0; id < kBarsPerCta; ++id) check(e.at.sm, e.at.cta, id);
    clusterCheck(e.at.sm, e.at.cta);
    bool live = false;
    for (unsigned i = 0; i < kMaxWarps; ++i)
        live |= warp({e.at.sm, e.at.cta, std::uint8_t(i)}).live != 0;
    if (!live) cta(e.at.sm, e.at.cta).named = {};  // D-17; the CTA stays a member of its cluster
}

void Preflight::answered(const SyncResponse& r)
{
    eachLane(r.lanes, [&](unsigned i) { warp(r.at).lane[i].op = Op::None; });
}

void Preflight::released(const Release& r)
{
    eachLane(r.warps, [&](unsigned i) {
        Warp& w = warp({r.sm, r.cta, std::uint8_t(i)});
        eachLane(w.live & r.lanes, [&](unsigned lane) {
            Lane& l = w.lane[lane];
            if (isReleased(r, l.op, l.id)) l.op = Op::None;
        });
    });
}

std::string Preflight::missing(std::uint8_t sm, std::uint8_t slot, Lanes arrived) const
{
    std::string text;
    for (unsigned i = 0; i < kMaxWarps; ++i) {
        const Warp& w = warp({sm, slot, std::uint8_t(i)});
        if (!w.launched || (arrived >> i & 1u) != 0) continue;
        if (!text.empty()) text += ", ";
        text += fmt::format("warp {}{}", i, w.live == 0 ? " (exited)" : "");
    }
    return text.empty() ? "no other warp of the CTA" : text;
}

/// The rule that lanes violate if they never arrive at a member mask.
static const char* ruleOfMissing(Op op) noexcept
{
    switch (op) {
        case Op::VoteSync: return "VSYNC-003";
        case Op::MatchAny:
        case Op::MatchAll: return "MATCH-007";
        case Op::Redux: return "REDUX-004";
        case Op::Elect: return "ELECT-007";
        default: return "BWS-011";
    }
}

std::string Preflight::why(WarpRef at, const Lane& lane, std::string& rule) const
{
    const Warp& w = warp(at);
    if (meetsLanes(lane.op)) {
        rule = ruleOfMissing(lane.op);
        return fmt::format("{} {:#010x} waits for lanes {:#010x}, which never execute "
                           "it with this mask",
                           spellingOf(lane.op), lane.id, lane.id & ~blocked(w));
    }
    if (isCluster(lane.op)) {
        rule = lane.joined ? "CLU-007" : "CLU-008";
        if (!lane.joined)
            return fmt::format("lanes of the warp never meet at {}", spellingOf(lane.op));
        return fmt::format("{}: a warp of the cluster never arrives and never exits",
                           spellingOf(lane.op));
    }
    if (!lane.joined) {
        rule = "BAR-010";
        return fmt::format(
            "barrier {}: the other lanes of the warp never execute it with the same id and count",
            lane.id);
    }
    const Named& b = cta(at.sm, at.cta).named[lane.id];
    bool exited = false;
    for (unsigned i = 0; i < kMaxWarps; ++i) {
        const Warp& other = warp({at.sm, at.cta, std::uint8_t(i)});
        exited |= other.launched && other.live == 0 && (b.arrived >> i & 1u) == 0;
    }
    rule = exited && b.count != 0 ? "BAR-040" : "BAR-038";
    return fmt::format("barrier {} has {} of {} threads and can never complete; not arrived: {}",
                       lane.id, b.n * kLanes,
                       b.count == 0 ? std::string("all") : std::to_string(b.count),
                       missing(at.sm, at.cta, b.arrived));
}

std::vector<TraceFinding> Preflight::finish() const
{
    std::vector<TraceFinding> findings;
    for (std::size_t index = 0; index < warps_.size(); ++index) {
        const Warp& w = warps_[index];
        const WarpRef at = OpenTable::warpAt(index);
        for (Lanes rest = blocked(w); rest != 0;) {
            const Lane& first = w.lane[std::size_t(__builtin_ctz(rest))];
            TraceFinding f{.rule = {},
                           .message = {},
                           .at = at,
                           .lanes = 0,
                           .line = first.line,
                           .source = first.source,
                           .op = first.op,
                           .id = first.id};
            eachLane(rest, [&](unsigned i) {
                f.lanes |= w.lane[i].line == first.line ? Lanes{1} << i : 0;
            });
            rest &= ~f.lanes;
            f.message = why(at, first, f.rule);
            findings.push_back(std::move(f));
        }
    }
    return findings;
}

}  // namespace gsu::trace
