#include "exec/causes/participants.hpp"

#include <algorithm>
#include <set>

#include "golden/op_traits.hpp"

namespace gsu::exec {
namespace {

using Step = FutureStep::Kind;

}  // namespace

bool Participants::isArrival(const MicroOp& op) const
{
    const SyncInfo* info = snapshot_.syncOf(op);
    switch (node_.kind) {
        case WaitKind::Mbarrier:
            return info != nullptr && (isMbarArrive(info->op) || isCopyArrive(info->op));
        case WaitKind::Named: return info != nullptr && isNamed(info->op);
        case WaitKind::Cluster: return info != nullptr && info->op == Op::ClusterArrive;
        case WaitKind::Spin:
            return (op.touch == Touch::Writes || op.touch == Touch::Updates) && op.note != 0;
        case WaitKind::Warp: return info != nullptr && meetsLanes(info->op);
        default: return false;
    }
}

bool Participants::inReach(const Cta& cta) const
{
    if (node_.kind == WaitKind::Named || node_.kind == WaitKind::Warp) return &cta == node_.cta;
    if (node_.kind == WaitKind::Spin && node_.object.owner == 0) return true;
    return cta.cluster == node_.cta->cluster;
}

/// Objects that the same instructions wait for, or arrive at.
void Participants::findRing()
{
    ring_.push_back(node_.object);
    if (node_.kind != WaitKind::Mbarrier) return;
    std::set<std::uint32_t> lines{node_.line};
    for (const auto& [who, total] : snapshot_.past(node_.object).totals()) {
        if (isArriving(std::get<0>(who))) lines.insert(std::get<2>(who));
    }
    for (const auto& [offset, past] : snapshot_.history().mbarsOf(node_.cta->serial)) {
        if (offset == node_.object.at) continue;
        bool same = false;
        for (const auto& [warp, look] : past.looks()) same = same || lines.contains(look.line);
        for (const auto& [who, total] : past.totals())
            same = same || (isArriving(std::get<0>(who)) && lines.contains(std::get<2>(who)));
        if (same) ring_.push_back({node_.object.owner, offset});
    }
}

void Participants::fromMbar(Participant& p) const
{
    for (const WordAt& object : ring_) {
        const MbarHistory& past = snapshot_.past(object);
        for (const auto& [who, total] : past.totals()) {
            if (!isArriving(std::get<0>(who)) || std::get<1>(who) != p.id) continue;
            p.before = true;
            for (const Site& s : sites_) {
                if (s.op->line == std::get<2>(who)) p.site = s;
            }
        }
        if (object != node_.object) continue;
        for (const Contribution& c : past.running().parts) {
            if (!isArriving(c.share) || c.doer.warp != p.id) continue;
            p.now = true;
            p.given += c.amount;
        }
    }
}

void Participants::fromNamed(Participant& p) const
{
    const auto id = static_cast<std::uint32_t>(node_.object.at);
    const NamedHistory* past = snapshot_.history().namedOf(node_.cta->serial, id);
    if (past == nullptr) return;
    for (const auto& [who, times] : past->totals) {
        if (who.first != p.id.second) continue;
        p.before = true;
        for (const Site& s : sites_) {
            if (s.op->line == who.second) p.site = s;
        }
    }
    for (const Doer& d : past->running) p.now = p.now || d.warp == p.id;
}

void Participants::fromWord(Participant& p, const OpNote& note, const Site& site) const
{
    const bool shared = node_.object.owner != 0;
    const std::uint64_t at = shared ? note.address & 0xff'ffff : note.address;
    if (note.times == 0 || at != node_.object.at) return;
    p.before = p.now = true;
    p.site = site;
    p.times += note.times;
    p.ran = note.ran;
    p.at = note.at;
}

/// Adds the arrivals in the warp's notes.
void Participants::fromSites(Participant& p)
{
    for (const Site& s : sites_) {
        const OpNote* n = snapshot_.noteOf(*p.warp, *s.op);
        if (n == nullptr || n->times + n->passed == 0) continue;
        if (node_.kind == WaitKind::Spin) fromWord(p, *n, s);
        if (node_.kind == WaitKind::Spin && p.before) continue;
        const bool mine = p.site.op == s.op;
        if (mine) p.times = n->times, p.ran = n->ran, p.skipped = n->skipped;
        if (n->passed == 0 || (n->times != 0 && n->at > n->passedAt)) continue;
        const auto from = snapshot_.at(*p.warp, s);
        const bool cluster = node_.kind == WaitKind::Cluster;
        const auto object = cluster ? std::optional<WordAt>{}
                                    : snapshot_.ahead().objectOf(*p.warp, from, from.lanes);
        const bool aims =
            cluster || (object && std::find(ring_.begin(), ring_.end(), *object) != ring_.end());
        if (!aims || (p.site.op != nullptr && !mine)) continue;
        p.guarded = true;
        p.site = s;
        p.skipped = p.warp->full;
        p.at = n->passedAt;
        p.times = n->times;
    }
}

void Participants::ending(Participant& p) const
{
    const CtaNotes* notes = snapshot_.history().notesOf(p.warp->cta->serial);
    p.ended = p.warp->live == 0;
    if (notes == nullptr || !p.ended) return;
    const Lanes arrives = p.ran != 0 ? p.ran : 0;
    p.endLine = snapshot_.exitLine(*notes, p.warp->index, arrives);
    p.at = notes->ends[p.warp->index].at;
}

void Participants::look(Cta& cta, Warp& w)
{
    Participant p;
    p.id = {cta.linear, w.index};
    p.warp = &w;
    p.notes = w.notes;
    if (node_.kind == WaitKind::Mbarrier) fromMbar(p);
    if (node_.kind == WaitKind::Named) fromNamed(p);
    if (node_.kind == WaitKind::Cluster) p.before = w.live != 0;
    fromSites(p);
    for (const Payment& pay : graph_.payers(index_))
        p.pays = p.pays || snapshot_.nodes()[pay.by].warp == &w;
    for (const WaitNode& n : snapshot_.nodes()) {
        const bool here = n.warp == &w && n.kind == node_.kind && n.object == node_.object;
        const bool arrives = node_.kind == WaitKind::Named || node_.kind == WaitKind::Cluster;
        p.now = p.now || (here && arrives);
    }
    ending(p);
    if (p.before || p.now || p.pays || p.guarded) all_.push_back(p);
}

/// Adds warps of ended CTAs that wrote a global word.
void Participants::gone()
{
    if (node_.kind != WaitKind::Spin || node_.object.owner != 0) return;
    const std::uint32_t count = snapshot_.history().notes();
    snapshot_.history().eachCta([&](const CtaNotes& notes) {
        if (!notes.gone) return;
        for (std::uint32_t w = 0; w < notes.ends.size(); ++w) {
            Participant p;
            p.id = {notes.linear, w};
            p.notes = notes.ops.data() + std::size_t{w} * count;
            for (const Site& s : sites_)
                fromWord(p, notes.ops[std::size_t{w} * count + s.op->note - 1], s);
            p.ended = true;
            p.endLine = snapshot_.exitLine(notes, w, p.ran);
            if (p.before) all_.push_back(p);
        }
    });
}

Participants::Participants(const HangSnapshot& snapshot, const WaitGraph& graph, std::size_t node)
    : snapshot_(snapshot), graph_(graph), node_(snapshot.nodes()[node]), index_(node)
{
    if (node_.wordless()) return;
    sites_ = snapshot.sites([this](const MicroOp& op) { return isArrival(op); });
    findRing();
    snapshot.eachWarp([this](Cta& cta, Warp& w) {
        if (inReach(cta)) look(cta, w);
    });
    gone();
    if (node_.kind == WaitKind::Spin) countRounds();
}

/// Warps that came less often than others to a word that is added to owe the round.
void Participants::countRounds()
{
    std::uint32_t most = 0;
    for (const Participant& p : all_) most = std::max(most, p.times);
    for (Participant& p : all_) p.now = p.before && p.times == most;
}

/// Whether control has come together again after the branch.
bool Participants::passedBy(const Warp& w, const Site& branch) const
{
    if (w.live == 0 || branch.op->kind != Kind::Branch) return true;
    const std::uint32_t meets = snapshot_.program().codes[branch.code].reconverge[branch.pc];
    if (meets == ptx::kNone) return false;
    const ControlFlow& flow = snapshot_.flow();
    std::vector<std::uint32_t> rest{meets};
    std::set<std::uint32_t> seen{meets};
    while (!rest.empty()) {
        const std::uint32_t pc = rest.back();
        rest.pop_back();
        for (const Group& g : w.groups) {
            if (g.code == branch.code && (g.pc == pc || g.pc == pc + 1)) return true;
        }
        for (const std::uint32_t to : flow.next(branch.code, pc)) {
            if (seen.insert(to).second) rest.push_back(to);
        }
    }
    return false;
}

/// Adds ended CTAs without an arrival that the same warp of another CTA made: their registers are gone, their branches are known.
void Participants::goneAside(std::vector<Participant>& some) const
{
    if (node_.kind != WaitKind::Spin || node_.object.owner != 0) return;
    const std::uint32_t count = snapshot_.history().notes();
    snapshot_.history().eachCta([&](const CtaNotes& notes) {
        if (!notes.gone) return;
        const auto like = std::find_if(all_.begin(), all_.end(), [&](const Participant& p) {
            return p.now && p.site.op != nullptr && p.id.second < notes.ends.size();
        });
        if (like == all_.end()) return;
        const std::uint32_t w = like->id.second;
        const OpNote* mine = notes.ops.data() + std::size_t{w} * count;
        if (mine[like->site.op->note - 1].times != 0) return;
        Participant p;
        p.id = {notes.linear, w};
        p.notes = mine;
        p.ended = true;
        p.site = like->site;
        p.endLine = snapshot_.exitLine(notes, w, like->ran);
        p.at = notes.ends[w].at;
        some.push_back(p);
    });
}

std::vector<Participant> Participants::owing() const
{
    std::vector<Participant> some;
    for (const Participant& p : all_) {
        if (!p.now && !p.pays) some.push_back(p);
    }
    return some;
}

bool Participants::reaches(Warp& w, const Lookahead::From& from, std::uint32_t& line) const
{
    const Future f = snapshot_.ahead().ifAt(w, from);
    for (const FutureStep& s : f.steps) {
        const bool arrives =
            (node_.kind == WaitKind::Mbarrier && s.kind == Step::Arrives) ||
            (node_.kind == WaitKind::Named && s.kind == Step::Named) ||
            (node_.kind == WaitKind::Spin && (s.kind == Step::Writes || s.kind == Step::Updates));
        const bool aims = s.object == node_.object ||
                          (node_.kind == WaitKind::Cluster && s.kind == Step::Cluster) ||
                          (node_.kind == WaitKind::Warp && s.kind == Step::Lanes);
        if (node_.kind == WaitKind::Cluster || node_.kind == WaitKind::Warp ? aims
                                                                            : arrives && aims) {
            line = s.line;
            return true;
        }
    }
    return false;
}

/// The last exit or branch whose other side leads to an arrival.
void Participants::otherSide(Participant& p) const
{
    struct Turn {
        Cycle at{};
        Site site;
        std::uint32_t to{};
    };
    std::vector<Turn> turns;
    for (const Site& s : snapshot_.sites([](const MicroOp& op) {
             return op.kind == Kind::Branch || op.kind == Kind::Exit || op.kind == Kind::Ret;
         })) {
        const OpNote* n = snapshot_.noteOf(*p.warp, *s.op);
        if (n == nullptr || n->times == 0 || s.op->guard.index < 0) continue;
        const bool branch = s.op->kind == Kind::Branch;
        if (branch && n->ran != 0 && n->skipped != 0) continue;
        if (!passedBy(*p.warp, s)) continue;
        turns.push_back({n->at, s, branch && n->ran == 0 ? s.op->target : s.pc + 1});
    }
    std::stable_sort(turns.begin(), turns.end(),
                     [](const Turn& a, const Turn& b) { return a.at > b.at; });
    constexpr std::size_t kTurns = 16;
    if (turns.size() > kTurns) turns.resize(kTurns);
    for (const Turn& t : turns) {
        Lookahead::From from = snapshot_.at(*p.warp, t.site);
        from.pc = t.to;
        std::uint32_t line = 0;
        if (!reaches(*p.warp, from, line)) continue;
        p.wayBy = t.site.op->line;
        p.byExit = t.site.op->kind != Kind::Branch;
        p.at = t.at;
        for (const Site& s : sites_) {
            if (s.op->line == line) p.site = s;
        }
        return;
    }
}

std::vector<Participant> Participants::aside() const
{
    std::vector<Participant> some;
    snapshot_.eachWarp([&](Cta& cta, Warp& w) {
        constexpr std::size_t kMost = 64;
        const WarpId id{cta.linear, w.index};
        const auto known = std::find_if(all_.begin(), all_.end(), [&](const Participant& p) {
            return p.id == id && (p.now || p.pays);
        });
        const bool waits =
            std::any_of(snapshot_.nodes().begin(), snapshot_.nodes().end(), [&](const WaitNode& n) {
                return n.warp == &w && n.kind == node_.kind && n.object == node_.object;
            });
        if (!inReach(cta) || known != all_.end() || some.size() >= kMost) return;
        if (waits && node_.kind != WaitKind::Mbarrier && node_.kind != WaitKind::Spin) return;
        Participant p;
        p.id = id;
        p.warp = &w;
        p.notes = w.notes;
        for (const Participant& q : all_) {
            if (q.id == id) p = q;
        }
        ending(p);
        otherSide(p);
        if (p.wayBy != 0) some.push_back(p);
    });
    goneAside(some);
    // A warp that an exit stopped meant to come; a warp that took another way may have another role.
    const auto stopped = [](const Participant& p) { return p.byExit; };
    if (std::any_of(some.begin(), some.end(), stopped))
        std::erase_if(some, [&](const Participant& p) { return !stopped(p); });
    return some;
}

}  // namespace gsu::exec
