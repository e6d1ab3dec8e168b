#include "causes/port_history.hpp"

#include <algorithm>

#include "golden/cta_table.hpp"
#include "golden/limits.hpp"
#include "golden/mbarrier_unit.hpp"
#include "golden/op_traits.hpp"

namespace gsu {
namespace {

constexpr std::size_t kTags = 4096;

Lanes lanesOf(unsigned threads, unsigned warp)
{
    const unsigned first = warp * kLanes;
    if (threads <= first) return 0;
    return threads - first >= kLanes ? ~Lanes{0} : (Lanes{1} << (threads - first)) - 1;
}

/// Whether lanes of a request of this operation may be blocked.
bool holds(Op op)
{
    return isMbarWait(op) || waitsForNamed(op) || op == Op::BarArrive || isCluster(op) ||
           meetsLanes(op) || op == Op::GdcWait;
}

/// Whether the commit has read the object.
bool holdsWord(const Commit& c)
{
    return c.src != Src::Network && !(c.refused && c.oldWord == c.newWord);
}

Asked askedOf(const SyncRequest& r, std::uint32_t line, Cycle now)
{
    Asked a;
    a.op = r.op;
    a.lanes = a.open = r.lanes;
    a.object = r.arg0;
    a.count = r.arg1;
    a.line = line;
    a.since = now;
    return a;
}

}  // namespace

PortHistory::PortHistory(ChipLayout chip)
    : chip_(chip), ctas_(std::size_t{chip.sms()} * kMaxCtas), tags_(chip.sms())
{
    for (std::size_t i = 0; i < ctas_.size(); ++i) ctas_[i].number = static_cast<std::uint32_t>(i);
}

PortWarp& PortHistory::warp(WarpRef at)
{
    PortCta& cta = ctas_[numberOf(at.sm, at.cta)];
    if (at.warp >= cta.warps.size()) cta.warps.resize(at.warp + 1u);
    return cta.warps[at.warp];
}

void PortHistory::route(const ClusterRoute& r)
{
    routes_[chip_.networkOf(r.sm) << 16 | unsigned{r.cluster} << 4 | r.rank] = r;
}

void PortHistory::launch(const Launch& l)
{
    PortCta& cta = ctas_[numberOf(l.sm, l.cta)];
    const std::uint32_t number = cta.number;
    cta = {};
    cta.number = number;
    cta.used = true;
    cta.launch = l;
    cta.warps.resize(warpsOf(l.threads));
    for (unsigned w = 0; w < cta.warps.size(); ++w)
        cta.warps[w].full = cta.warps[w].live = lanesOf(l.threads, w);
    if (l.grid != 0) ++grids_[chip_.networkOf(l.sm)][l.grid].launched;
}

void PortHistory::grid(std::uint32_t network, const GridStart& s)
{
    auto& table = grids_[network];
    PortGrid& grid = table[s.grid & 15];
    if (s.ended) {
        grid = {};
        for (PortGrid& other : table) other.prereqs &= std::uint16_t(~(1u << s.grid));
        return;
    }
    if (s.fewer) {
        grid.ended += s.ctas;
        return;
    }
    std::uint16_t flying = 0;
    for (unsigned i = 0; i < table.size(); ++i) flying |= std::uint16_t(table[i].used << i);
    grid = {true, s.ctas, 0, 0, std::uint16_t(s.prereqs & flying)};
}

void PortHistory::gridEvent(std::uint32_t network, const GridEvent& e)
{
    if (!e.complete) return;
    auto& table = grids_[network];
    table[e.grid & 15] = {};
    for (PortGrid& other : table) other.prereqs &= std::uint16_t(~(1u << e.grid));
    lastChange_ = e.cycle;
}

void PortHistory::forget(PortWarp& w, Lanes lanes)
{
    for (Asked& a : w.asked) {
        a.lanes &= ~lanes;
        a.open &= ~lanes;
    }
    std::erase_if(w.asked, [](const Asked& a) { return a.lanes == 0; });
}

void PortHistory::request(const SyncRequest& r, std::uint32_t line, Cycle now)
{
    PortWarp& w = warp(r.at);
    w.lastLine = line;
    std::vector<Sender>& tags = tags_[r.at.sm];
    if (tags.empty()) tags.resize(kTags);
    tags[r.tag % kTags] = {r.at, line, r.remote};
    std::vector<Asked> before;
    if (isMbarWait(r.op)) before = w.asked;
    forget(w, r.lanes);
    if (!isMbarWait(r.op)) {
        lastChange_ = std::max(lastChange_, now);
        if (holds(r.op)) w.asked.push_back(askedOf(r, line, now));
        return;
    }
    for (Lanes rest = r.lanes; rest != 0;) {
        const auto lead = static_cast<unsigned>(__builtin_ctz(rest));
        Asked a = askedOf(r, line, now);
        a.lanes = a.open = mbarGroup(r, rest);
        rest &= ~a.lanes;
        a.object = clusterOffset(r.addr[lead]);
        a.count = 0;
        a.phase = isMbarParity(r.op) ? (r.data[lead] & 1) != 0 : r.data[lead] >> 63 != 0;
        const auto same = std::find_if(before.begin(), before.end(), [&](const Asked& b) {
            return b.op == a.op && b.object == a.object && b.phase == a.phase && b.line == a.line &&
                   (b.lanes & a.lanes) == a.lanes;
        });
        if (same != before.end()) {
            a.times = same->times + 1;
            a.since = same->since;
        } else {
            lastChange_ = std::max(lastChange_, now);
        }
        w.asked.push_back(a);
    }
}

void PortHistory::exit(const Exit& e, std::uint32_t line, Cycle now)
{
    PortWarp& w = warp(e.at);
    forget(w, e.lanes);
    w.live &= ~e.lanes;
    w.exitLine = line;
    w.exitAt = now;
    lastChange_ = std::max(lastChange_, now);
}

void PortHistory::copy(const AsyncUpdate& u, std::uint32_t line)
{
    if (line == 0) return;
    auto& told = copies_[std::uint64_t{u.sm} << 32 | std::uint64_t{u.cta} << 16 | u.tag];
    told.push_back({clusterOffset(u.addr), line});
}

void PortHistory::looked(PortCta& cta, WarpRef at, const Asked& a, Cycle now)
{
    ++cta.warps[at.warp].passed[a.line];
    for (auto& [key, lanes] : cta.sinceWait) {
        if (key >> 24 == at.warp) lanes.first = 0;
    }
    if (!isMbarWait(a.op)) return;
    cta.mbars[a.object].past.looked({cta.number, at.warp}, a.line, now);
}

void PortHistory::response(const SyncResponse& r)
{
    PortWarp& w = warp(r.at);
    PortCta& cta = ctas_[numberOf(r.at.sm, r.at.cta)];
    for (Asked& a : w.asked) {
        const Lanes mine = a.lanes & a.open & r.lanes;
        if (mine == 0) continue;
        a.open &= ~mine;
        const Lanes yes = isMbarWait(a.op) ? mine & r.pred : mine;
        if (yes != 0 && r.cause != Cause::Refused && isMbarWait(a.op))
            looked(cta, r.at, a, r.cycle);
        const Lanes gone = r.cause == Cause::Refused ? mine : yes;
        if (gone != 0) lastChange_ = std::max(lastChange_, r.cycle);
        a.lanes &= ~gone;
    }
    std::erase_if(w.asked, [](const Asked& a) { return a.lanes == 0; });
}

void PortHistory::release(const Release& r)
{
    PortCta& cta = ctas_[numberOf(r.sm, r.cta)];
    lastChange_ = std::max(lastChange_, r.cycle);
    for (unsigned i = 0; i < cta.warps.size(); ++i) {
        if ((r.warps >> i & 1) == 0) continue;
        const WarpRef at{r.sm, r.cta, static_cast<std::uint8_t>(i)};
        for (const Asked& a : std::vector<Asked>(cta.warps[i].asked)) {
            const bool mine = r.cluster ? isCluster(a.op) : isNamed(a.op) && a.object == r.id;
            if (!mine || (a.lanes & r.lanes) == 0) continue;
            looked(cta, at, a, r.cycle);
            forget(cta.warps[i], a.lanes & r.lanes);
        }
    }
}

/// The warp of a commit. A posted request is answered before its packet arrives. By then its tag may be that of another request, mostly of
/// the same warp.
Doer PortHistory::doerOf(const Commit& c)
{
    const bool remote = c.src == Src::Remote;
    const WarpRef at = remote ? WarpRef{c.srcSm, c.srcCta, c.at.warp} : c.at;
    Doer doer{{numberOf(at.sm, at.cta), at.warp}, 0, remote};
    if (c.src == Src::AsyncCopy) {
        const std::uint64_t key =
            std::uint64_t{c.at.sm} << 32 | std::uint64_t{c.at.cta} << 16 | c.tag;
        const auto told = copies_.find(key);
        if (told == copies_.end()) return doer;
        const auto mine =
            std::find_if(told->second.begin(), told->second.end(),
                         [&](const auto& t) { return t.first == clusterOffset(c.object); });
        if (mine == told->second.end()) return doer;
        doer.line = mine->second;
        told->second.erase(mine);
        if (told->second.empty()) copies_.erase(told);
        return doer;
    }
    if (c.src != Src::Local && !remote && c.src != Src::CpAsync) return doer;
    if (at.sm >= tags_.size() || tags_[at.sm].empty()) return doer;
    const Sender& sender = tags_[at.sm][c.tag % kTags];
    if (sender.at != at) return doer;
    doer.line = sender.line;
    doer.remote = doer.remote || sender.remote;
    return doer;
}

void PortHistory::arrived(PortCta& owner, PortMbar& object, const Commit& c, const Doer& doer)
{
    if (doer.warp.first >= ctas_.size()) return;
    const bool arrives = isMbarArrive(c.op);
    if (!arrives || c.src == Src::AsyncCopy) return;
    const std::uint32_t key = doer.warp.second << 24 | clusterOffset(c.object);
    if (doer.warp.first != owner.number) return;
    auto& [lanes, line] = owner.sinceWait[key];
    const Lanes again = lanes & c.lanes;
    const auto known = [&doer, first = line](const TwiceInARound& t) {
        return t.warp == doer.warp && t.first == first && t.second == doer.line;
    };
    if (again != 0 && std::none_of(object.twice.begin(), object.twice.end(), known))
        object.twice.push_back({doer.warp, line, doer.line});
    lanes |= c.lanes;
    line = doer.line;
}

void PortHistory::mbar(const Commit& c, const Doer& doer)
{
    if (!holdsWord(c)) return;
    PortCta& owner = ctas_[numberOf(c.at.sm, c.at.cta)];
    PortMbar& object = owner.mbars[clusterOffset(c.object)];
    object.word = c.newWord;
    if (c.refused) return;
    if (c.newWord != c.oldWord) lastChange_ = std::max(lastChange_, c.cycle);
    object.past.commit(c, doer);
    if (c.op == Op::MbarInit) object.twice.clear();
    arrived(owner, object, c, doer);
}

void PortHistory::cameTo(WarpRef at, std::uint32_t id, std::uint64_t word, std::uint32_t line,
                         Cycle now)
{
    PortCta& cta = ctas_[numberOf(at.sm, at.cta)];
    PortNamed& barrier = cta.named[id];
    barrier.word = word;
    lastChange_ = std::max(lastChange_, now);
    barrier.running.push_back({{cta.number, at.warp}, line, false});
    auto& [times, last] = barrier.totals[at.warp];
    ++times;
    last = line;
    std::vector<Asked>& asked = warp(at).asked;
    for (Asked& a : asked) {
        if (!isNamed(a.op) || a.object != id || a.joined) continue;
        a.joined = true;
        a.generation = barrier.generations;
    }
    std::erase_if(asked, [](const Asked& a) { return a.op == Op::BarArrive && a.joined; });
}

void PortHistory::completed(std::uint8_t sm, std::uint8_t slot, std::uint32_t id,
                            std::uint64_t word, Cycle now)
{
    PortNamed& barrier = ctas_[numberOf(sm, slot)].named[id];
    barrier.word = word;
    ++barrier.generations;
    barrier.running.clear();
    lastChange_ = std::max(lastChange_, now);
}

void PortHistory::cluster(std::uint8_t sm, std::uint8_t slot, Lanes arrived, Cycle now)
{
    ctas_[numberOf(sm, slot)].clusterArrived = arrived;
    lastChange_ = std::max(lastChange_, now);
}

void PortHistory::named(const Commit& c)
{
    // The exit of a warp is reported once for the CTA, and once more for each barrier that it completes.
    if (c.refused || c.object >= kMaxBars || (c.op == Op::EvWarpExit && !c.flip)) return;
    if (isNamed(c.op)) cameTo(c.at, c.object, c.newWord, doerOf(c).line, c.cycle);
    if (c.flip) return completed(c.at.sm, c.at.cta, c.object, c.newWord, c.cycle);
    ctas_[numberOf(c.at.sm, c.at.cta)].named[c.object].word = c.newWord;
}

void PortHistory::commit(const Commit& c)
{
    if (c.at.sm >= tags_.size() || c.at.cta >= kMaxCtas) return;
    if (isOfMbarrier(c) && holdsWord(c)) return mbar(c, doerOf(c));
    if (c.unit == Unit::Named) return named(c);
    if (c.unit != Unit::Cluster || c.refused) return;
    cluster(c.at.sm, c.at.cta, static_cast<Lanes>(c.newWord), c.cycle);
}

void PortHistory::freed(std::uint8_t sm, std::uint8_t slot)
{
    PortCta& cta = ctas_[numberOf(sm, slot)];
    if (cta.launch.grid != 0) ++grids_[chip_.networkOf(sm)][cta.launch.grid].ended;
    cta.used = false;
    cta.mbars.clear();
    cta.named.clear();
    cta.sinceWait.clear();
}

const PortCta* PortHistory::ofRank(const PortCta& cta, unsigned rank) const
{
    if (cta.launch.ctas <= 1) return rank == 0 ? &cta : nullptr;
    const auto route = routes_.find(chip_.networkOf(cta.launch.sm) << 16 |
                                    unsigned{cta.launch.cluster} << 4 | rank);
    if (route == routes_.end()) return nullptr;
    const PortCta& other = ctas_[numberOf(route->second.sm, route->second.cta)];
    const bool same = other.used && other.launch.ctas > 1 &&
                      other.launch.cluster == cta.launch.cluster && other.launch.rank == rank;
    return same ? &other : nullptr;
}

const PortGrid& PortHistory::gridOf(std::uint32_t network, unsigned slot) const
{
    static const PortGrid none;
    const auto table = grids_.find(network);
    return table == grids_.end() ? none : table->second[slot & 15];
}

}  // namespace gsu
