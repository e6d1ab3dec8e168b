#include "observers/coverage.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "golden/chip_layout.hpp"

namespace gsu {

namespace {

enum Point : unsigned {
    kBar01,
    kBar02,
    kBar03,
    kBar05,
    kBar06,
    kBar07,
    kBar08,
    kBar09,
    kBar10,
    kBar11,
    kBar12,
    kBar13,
    kBar15,
    kBar16,
    kXBar01,
    kXBar02,
    kXBar03,
    kBws01,
    kBws02,
    kBws03,
    kClu01,
    kClu02,
    kClu03,
    kClu04,
    kClu05,
    kClu06,
    kClu07,
    kClu08,
    kXClu01,
    kXSys01,
    kXSys02
};

/// The point of ranks of clusters of 1, 2, 4, 8 and 16 CTAs, in this order.
CoverPoint ranks(const char* id)
{
    CoverPoint p{id, {}};
    for (unsigned size = 1; size <= 16; size *= 2) {
        for (unsigned rank = 0; rank < size; ++rank)
            p.bins.push_back({fmt::format("{} CTAs x rank {}", size, rank), 0});
    }
    return p;
}

std::vector<CoverPoint> allPoints()
{
    const auto forms = {"sync", "arrive", "red.popc", "red.and", "red.or"};
    const auto yesNo = {"unaligned", "aligned"};
    const auto completing = {"sync", "arrive", "red", "exit"};
    return {
        numberedPoint("CP-BAR-01", "id", kBarsPerCta),
        crossedPoint("CP-BAR-02", forms, yesNo),
        coverPoint("CP-BAR-03", {"absent", "32", "64", "96", "= CTA", "> CTA", "other"}),
        crossedPoint("CP-BAR-05", yesNo, {"converged", "diverged"}),
        coverPoint("CP-BAR-06", {"first", "middle", "last"}),
        coverPoint("CP-BAR-07", completing),
        coverPoint("CP-BAR-08", {"0 exited lanes", "1..30", "31"}),
        coverPoint("CP-BAR-09", {"CTA size mod 32 = 0", "not 0"}),
        coverPoint("CP-BAR-10", {"reused after 0", "1", "2..8 clocks"}),
        coverPoint("CP-BAR-11", {"1 active", "2..15", "16"}),
        coverPoint("CP-BAR-12",
                   {"popc 0", "popc some", "popc all", "and 0", "and 1", "or 0", "or 1"}),
        coverPoint("CP-BAR-13", {"same cycle, same id", "different ids"}),
        coverPoint("CP-BAR-15", {"by exit, arrival in the cycle", "by arrival, exit in the cycle"}),
        coverPoint("CP-BAR-16", {"omitted with explicit CTA size"}),
        crossedPoint("X-BAR-01", {"sync", "arrive", "red"}, completing),
        crossedPoint("X-BAR-02", {"absent", "explicit"}, {"all warps live", "exited warps"}),
        numberedPoint("X-BAR-03", "slot x id", kMaxCtas * kBarsPerCta),
        coverPoint("CP-BWS-01", {"1 lane", "2..31", "32"}),
        coverPoint("CP-BWS-02", {"1 group", "2", "> 2"}),
        coverPoint("CP-BWS-03", {"last lane lowest", "highest", "middle"}),
        coverPoint("CP-CLU-01", {"1 CTA", "2", "4", "8", "16"}),
        crossedPoint("CP-CLU-02", {"arrive.release", "arrive.relaxed", "wait"}, yesNo),
        coverPoint("CP-CLU-03", {"arrive", "exit"}),
        coverPoint("CP-CLU-04", {"arrives again while another CTA waits for the one before"}),
        coverPoint("CP-CLU-05", {"wait before completion", "after"}),
        coverPoint("CP-CLU-06", {"generation 0", "1", "2 and more"}),
        coverPoint("CP-CLU-07", {"converged arrive", "diverged"}),
        coverPoint("CP-CLU-08",
                   {"warp exits with a generation under way", "before any", "between"}),
        ranks("X-CLU-01"),
        coverPoint("X-SYS-01", {"bar, mbarrier and cluster barrier under way at once"}),
        coverPoint("X-SYS-02", {"exit with a named barrier under way", "an mbarrier phase",
                                "a suspended try_wait", "a cluster barrier", "bar.warp.sync"})};
}

unsigned formOf(Op op) noexcept { return op == Op::BarArrive ? 1 : isNamedRed(op) ? 2 : 0; }

unsigned countClass(std::uint32_t count, std::uint32_t threads) noexcept
{
    const std::uint32_t size = (threads + kLanes - 1) / kLanes * kLanes;
    if (count == 0) return 0;
    if (count == size) return 4;
    if (count > size) return 5;
    return count == 32 ? 1 : count == 64 ? 2 : count == 96 ? 3 : 6;
}

}  // namespace

Coverage::Coverage(ChipLayout chip)
    : chip_(chip),
      points_(allPoints()),
      warps_(chip.sms()),
      mbarriers_(chip),
      ctas_(std::size_t{chip.sms()} * kMaxCtas),
      open_(chip.sms())
{
    const auto append = [&](auto& part) {
        part.countIn(points_);
        for (CoverPoint& p : part.points()) points_.push_back(std::move(p));
    };
    append(warps_);
    append(mbarriers_);
}

void Coverage::add(const Coverage& other)
{
    for (std::size_t p = 0; p < points_.size(); ++p) {
        for (std::size_t b = 0; b < points_[p].bins.size(); ++b)
            points_[p].bins[b].hits += other.points_[p].bins[b].hits;
    }
}

void Coverage::hit(unsigned point, std::size_t bin) { ++points_[point].bins[bin].hits; }

void Coverage::onLaunch(Cycle, const Launch& launch)
{
    Cta& c = cta(launch.sm, launch.cta);
    c = {};
    c.launch = launch;
    warps_.launch(launch);
    mbarriers_.launch(launch);
    for (unsigned w = 0; w * kLanes < launch.threads; ++w) {
        const unsigned lanes = std::min<unsigned>(kLanes, launch.threads - w * kLanes);
        c.live[w] = c.launched[w] = lanes == kLanes ? ~Lanes{0} : (Lanes{1} << lanes) - 1;
    }
}

void Coverage::onExit(Cycle now, const Exit& exit)
{
    Cta& c = cta(exit.at.sm, exit.at.cta);
    pending(c, exit.at);
    c.live[exit.at.warp] &= ~exit.lanes;
    c.lastExit = now;
}

/// Counts what is pending in the CTA while a thread exits.
void Coverage::pending(Cta& c, WarpRef exiting)
{
    const auto active = [](const Bar& b) { return b.active; };
    if (std::any_of(c.bars.begin(), c.bars.end(), active)) hit(kXSys02, 0);
    if (mbarriers_.running(exiting) != 0) hit(kXSys02, 1);
    if (mbarriers_.suspended(exiting)) hit(kXSys02, 2);
    if (c.clusterPending) hit(kXSys02, 3);
    for (const OpenPart& part : open_.parts(exiting)) {
        if (part.op == Op::WarpSync) hit(kXSys02, 4);
    }
}

void Coverage::onCtaFree(const CtaFree& free)
{
    warps_.ended({free.sm, free.cta, 0});
    mbarriers_.ended({free.sm, free.cta, 0});
}

void Coverage::onRequest(Cycle now, const SyncRequest& r)
{
    Cta& c = cta(r.at.sm, r.at.cta);
    open_.present(r, now);
    warps_.request(r, c.live[r.at.warp]);
    mbarriers_.request(now, r);
    if (isNamed(r.op))
        barRequest(c, r);
    else if (r.op == Op::WarpSync)
        warpRequest(r);
    else if (isCluster(r.op))
        clusterRequest(c, r);
}

void Coverage::barRequest(Cta& c, const SyncRequest& r)
{
    const unsigned form = r.op == Op::BarSync     ? 0
                          : r.op == Op::BarArrive ? 1
                                                  : unsigned(r.op) - unsigned(Op::BarRedPopc) + 2;
    const bool diverged = r.lanes != c.live[r.at.warp];
    hit(kBar02, form * 2 + (r.aligned ? 1 : 0));
    hit(kBar03, countClass(r.arg1, c.launch.threads));
    hit(kBar05, (r.aligned ? 2u : 0u) + (diverged ? 1 : 0));
    hit(kBar09, c.launch.threads % kLanes == 0 ? 0 : 1);
    bool exited = false;
    for (unsigned w = 0; w < kMaxWarps; ++w) exited |= c.launched[w] != 0 && c.live[w] == 0;
    hit(kXBar02, (r.arg1 == 0 ? 0u : 2u) + (exited ? 1 : 0));
    if (r.arg0 >= kBarsPerCta) return;
    Bar& b = c.bars[r.arg0];
    b.omitted |= r.arg1 == 0;
    b.explicitSize |= countClass(r.arg1, c.launch.threads) == 4;
    b.forms = std::uint8_t(b.forms | 1u << formOf(r.op));
}

void Coverage::warpRequest(const SyncRequest& r)
{
    const int lanes = __builtin_popcount(r.arg0);
    if (lanes != 0) hit(kBws01, lanes == 1 ? 0 : lanes == 32 ? 2 : 1);
    Lanes seen[32];
    std::size_t groups = 0;
    for (const OpenPart& part : open_.parts(r.at)) {
        if (part.op != Op::WarpSync || std::find(seen, seen + groups, part.id) != seen + groups ||
            groups == 32)
            continue;
        seen[groups++] = part.id;
    }
    if (groups != 0) hit(kBws02, std::min<std::size_t>(groups, 3) - 1);
    if (r.lanes == r.arg0 || r.arg0 == 0 || (r.lanes & ~r.arg0) != 0) return;
    Lanes waiting = 0;
    for (const OpenPart& part : open_.parts(r.at))
        waiting |= part.op == Op::WarpSync && part.id == r.arg0 ? part.lanes : 0;
    if (waiting != r.arg0) return;  // not the last to arrive
    const Lanes lowest = r.arg0 & (~r.arg0 + 1), highest = highestLane(r.arg0);
    hit(kBws03, (r.lanes & lowest) != 0 ? 0 : (r.lanes & highest) != 0 ? 1 : 2);
}

void Coverage::clusterRequest(Cta& c, const SyncRequest& r)
{
    const bool waits = waitsForCluster(r.op);
    const unsigned form = waits ? 2 : r.sem == Sem::Relaxed ? 1 : 0;
    hit(kClu02, form * 2 + (r.aligned ? 1 : 0));
    if (waits)
        ++c.clusterWaits;
    else
        hit(kClu07, r.lanes == c.live[r.at.warp] ? 0 : 1);
}

void Coverage::onResponse(const SyncResponse& response)
{
    mbarriers_.response(response);
    open_.response(response, [&](WarpRef at, const OpenPart& part, Lanes, bool closed) {
        if (!waitsForCluster(part.op)) return;
        if (closed) --cta(at.sm, at.cta).clusterWaits;
        if (response.cause == Cause::AlreadyTrue) hit(kClu05, 1);
    });
}

void Coverage::onRelease(const Release& release)
{
    Cta& c = cta(release.sm, release.cta);
    const unsigned threads = c.launch.threads;
    open_.release(release, [&](WarpRef, const OpenPart& part, Lanes, bool closed) {
        if (waitsForCluster(part.op)) {
            hit(kClu05, 0);
            if (closed) --c.clusterWaits;
        }
        if (part.op == Op::BarRedPopc)
            hit(kBar12, release.popc == 0 ? 0 : release.popc >= threads ? 2 : 1);
        if (part.op == Op::BarRedAnd) hit(kBar12, release.all ? 4 : 3);
        if (part.op == Op::BarRedOr) hit(kBar12, release.any ? 6 : 5);
    });
}

void Coverage::onCommit(const Commit& commit)
{
    mbarriers_.commit(commit);
    if (commit.unit == Unit::Named && !commit.refused && commit.object < kBarsPerCta)
        namedCommit(commit);
    if (commit.unit == Unit::Cluster) clusterCommit(commit);
}

void Coverage::namedCommit(const Commit& commit)
{
    Cta& c = cta(commit.at.sm, commit.at.cta);
    Bar& b = c.bars[commit.object];
    if (commit.op < Op::EvLaunch) {
        hit(kBar01, commit.object);
        hit(kXBar03, commit.at.cta * kBarsPerCta + commit.object);
        hit(kBar06, commit.flip ? 2 : b.active ? 1 : 0);
        const int gone = __builtin_popcount(c.launched[commit.at.warp] & ~c.live[commit.at.warp]);
        hit(kBar08, gone == 0 ? 0 : gone == 31 ? 2 : 1);
        if (b.flipped && commit.cycle - b.flip <= 8)
            hit(kBar10, std::min<Cycle>(commit.cycle - b.flip, 2));
        if (lastNamed_ == commit.cycle) hit(kBar13, lastNamedId_ == commit.object ? 0 : 1);
        lastNamed_ = commit.cycle;
        lastNamedId_ = commit.object;
        b.active = true;
        b.flipped = false;
        const auto active =
            std::count_if(c.bars.begin(), c.bars.end(), [](const Bar& x) { return x.active; });
        hit(kBar11, active == 1 ? 0 : active == 16 ? 2 : 1);
        if (c.clusterPending && mbarriers_.running(commit.at) != 0) hit(kXSys01, 0);
        c.lastArrival = commit.cycle;
    }
    if (commit.flip) namedFlip(c, b, commit, commit.op >= Op::EvLaunch || commit.src == Src::Exit);
}

void Coverage::namedFlip(Cta& c, Bar& b, const Commit& commit, bool byExit)
{
    const unsigned completing = byExit ? 3 : formOf(commit.op);
    hit(kBar07, completing);
    for (unsigned form = 0; form < 3; ++form) {
        if ((b.forms >> form & 1u) != 0) hit(kXBar01, form * 4 + completing);
    }
    if (b.omitted && b.explicitSize) hit(kBar16, 0);
    if (byExit && c.lastArrival == commit.cycle) hit(kBar15, 0);
    if (!byExit && c.lastExit == commit.cycle) hit(kBar15, 1);
    b = {};
    b.flipped = true;
    b.flip = commit.cycle;
}

bool Coverage::together(const Cta& a, const Cta& b) const noexcept
{
    const Launch &x = a.launch, &y = b.launch;
    return &a == &b || (x.ctas > 1 && x.ctas == y.ctas &&
                        chip_.clusterOf(x.sm, x.cluster) == chip_.clusterOf(y.sm, y.cluster));
}

void Coverage::clusterArrival(Cta& c, const Commit& commit)
{
    const bool byExit = commit.op == Op::EvWarpExit;
    for (Cta& other : ctas_) {
        if (!together(c, other)) continue;
        other.lastClusterArrival = {c.launch.rank, commit.at.cta, commit.at.warp};
        other.lastClusterByExit = byExit;
        if (!byExit && other.flips < c.flips && other.clusterWaits != 0) hit(kClu04, 0);
    }
    if (!byExit) c.clusterPending = true;
    if (byExit) hit(kClu08, (commit.oldWord & 0xffff'ffffu) != 0 ? 0 : c.flips == 0 ? 1 : 2);
}

void Coverage::clusterCommit(const Commit& commit)
{
    Cta& c = cta(commit.at.sm, commit.at.cta);
    const unsigned size = c.launch.ctas;
    if (commit.op == Op::ClusterArrive || commit.op == Op::EvWarpExit)
        return clusterArrival(c, commit);
    if (commit.op != Op::EvClusterFlip) return;
    c.clusterPending = false;
    hit(kClu06, std::min<std::uint64_t>(c.flips++, 2));
    if (c.launch.rank != 0) return;  // one CTA represents the generation
    hit(kClu03, c.lastClusterByExit ? 1 : 0);
    for (unsigned i = 0, first = 0; i < 5; first += 1u << i, ++i) {
        if (size != 1u << i) continue;
        hit(kClu01, i);
        hit(kXClu01, first + c.lastClusterArrival.sm);
    }
}

std::string Coverage::table() const
{
    std::string out;
    for (const CoverPoint& p : points_)
        out += fmt::format("{:<11}{:>4}/{}\n", p.id, p.reached(), p.bins.size());
    return out;
}

}  // namespace gsu
