#include "observers/coverage_mbarrier.hpp"

#include <algorithm>
#include <cstdlib>

#include "golden/mbarrier.hpp"
#include "golden/op_traits.hpp"
#include "observers/coverage_mbarrier_points.hpp"
#include "observers/mbarrier_step.hpp"

namespace gsu {

namespace {

constexpr std::uint32_t kSmallHint = 1000;  ///< clocks
/// The codes of CP-MBO-17, indexed by their bit; -1: the code does not refuse.
constexpr std::array<int, 16> kRefusals{0, 1, 2, 3, 4, -1, -1, 5, 6, 7, 8, 9, -1, 10, 11, 12};

/// The bin of CP-MBO-06 for the event that completed the phase.
std::size_t completing(const Commit& c) noexcept
{
    if (c.op == Op::EvAgentArrive) return 8;
    if (isCancel(c.op)) return 9;
    if (c.op == Op::EvAsyncArrive) return 5;
    if (c.op == Op::EvAsyncCompleteTx) return c.src == Src::Remote ? 6 : 7;
    if (c.src == Src::Remote) return 4;
    if (traits::has(c.op, traits::kDrops)) return 3;
    if (c.op == Op::MbarCompleteTx) return 2;
    return c.op == Op::MbarArriveExpectTx ? 1 : 0;
}

}  // namespace

void MbarrierCoverage::launch(const Launch& launch)
{
    ended({launch.sm, launch.cta, 0});
    cta({launch.sm, launch.cta, 0}).launch = launch;
}

void MbarrierCoverage::ended(WarpRef at)
{
    Cta& c = cta(at);
    for (const auto& [offset, o] : c.objects) {
        for (const std::uint64_t key : o.waits) waits_.erase(key);
    }
    c = {};
}

void MbarrierCoverage::request(Cycle now, const SyncRequest& r)
{
    if (!isMbarRequest(r) || r.lanes == 0) return;
    space(r);
    if (isMbarWait(r.op)) return wait(now, r);
    if (r.noComplete) hit(kMbo10, traits::has(r.op, traits::kDrops) ? 1 : 0);
    if (traits::has(r.op, traits::kData)) sent(r);
    if (isCancel(r.op)) {
        auto& queries = cancels_[r.at.sm];
        queries[r.remote ? 1 : 0] += __builtin_popcount(r.lanes);
        hit(kClc02, queries[0] + queries[1] == 1 ? 0 : 1);
    }
    const std::uint32_t offset = leadOffset(r);
    if (traits::has(r.op, traits::kCopies)) {
        const std::uint32_t copies = cta(r.at).objects[offset].copies;
        hit(kCpa01, (r.op == Op::CpAsyncArrive ? 0u : 3u) + std::min(copies, 2u));
        cta(r.at).objects[offset].copies += static_cast<std::uint32_t>(__builtin_popcount(r.lanes));
    }
    const auto same = [&](unsigned lane) { return r.addr[lane] == r.addr[0]; };
    bool one = r.lanes == ~Lanes{0} && traits::has(r.op, traits::kArrives);
    for (unsigned lane = 1; one && lane < kLanes; ++lane) one = same(lane);
    if (one) walks_[keyOf(r.at, r.tag)] = {r.lanes, false};
}

void MbarrierCoverage::space(const SyncRequest& r)
{
    const auto lead = std::size_t(__builtin_ctz(r.lanes));
    const Launch& own = cta(r.at).launch;
    const bool elsewhere = own.ctas > 1 && clusterRank(r.addr[lead]) != own.rank;
    if (!isAtomic(r.op) && !isCancel(r.op)) hit(kMbo11, !r.remote ? 0 : elsewhere ? 2 : 1);
}

void MbarrierCoverage::sent(const SyncRequest& r)
{
    const std::uint32_t from = cta(r.at).launch.rank;
    eachLane(r.lanes, [&](unsigned lane) {
        const std::uint64_t size = r.data[lane];
        if (size == 4 || size == 8 || size == 16) hit(kRas02, size == 4 ? 0 : size == 8 ? 1 : 2);
        const std::uint32_t to = clusterRank(r.addr[lane]);
        if (from == to || from >= kCoveredRanks || to >= kCoveredRanks) return;
        hit(kRas04, from * (kCoveredRanks - 1) + to - (to > from ? 1 : 0));
    });
}

void MbarrierCoverage::wait(Cycle now, const SyncRequest& r)
{
    const auto form = static_cast<std::size_t>(r.op) - static_cast<std::size_t>(Op::MbarTestWait);
    const std::size_t wide = r.scope == Scope::Cluster ? 1 : 0;
    hit(kMbw01, form * 4 + (acquires(r.sem) ? 2 : 0) + wide);
    const auto lead = std::size_t(__builtin_ctz(r.lanes));
    if (isMbarTryWait(r.op)) {
        const std::uint32_t limit = r.limit[lead];
        hit(kMbw04, r.kind == 0 ? 0 : limit == 0 ? 1 : limit <= kSmallHint ? 2 : 3);
    }
    SyncRequest kept{};
    kept.op = r.op, kept.at = r.at, kept.lanes = r.lanes, kept.tag = r.tag;
    kept.arg0 = leadOffset(r);
    Object& o = cta(r.at).objects[kept.arg0];
    open_.present(kept, now, o.phases);
    if (!isMbarTryWait(r.op)) return;
    const std::uint64_t key = keyOf(r.at, r.tag);
    if (waits_.try_emplace(key, Wait{r.lanes, now, o.phases}).second) {
        o.waits.push_back(key);
        ++cta(r.at).waits;
    }
}

void MbarrierCoverage::response(const SyncResponse& response)
{
    open_.response(response, [&](WarpRef at, const OpenPart& part, Lanes lanes, bool closed) {
        if (part.tag != response.tag) return;
        const auto form =
            static_cast<std::size_t>(part.op) - static_cast<std::size_t>(Op::MbarTestWait);
        const bool yes = (response.pred & lanes) != 0;
        Object& o = cta(at).objects[part.id];
        if (response.cause != Cause::Refused) hit(kMbw02, form * 2 + (yes ? 0 : 1));
        if (!yes && !isMbarTryWait(part.op)) o.polled = true;
        if (!isMbarTryWait(part.op)) return;
        if (response.cause == Cause::AlreadyTrue) hit(kMbw03, 0);
        if (response.cause == Cause::Timeout) hit(kMbw03, 2);
        if (response.cause == Cause::Flip) {
            hit(kMbw03, 1);
            hit(kMbw07, o.phases >= part.user + 2 ? 1 : 0);
        }
        const std::uint64_t key = keyOf(at, part.tag);
        const auto found = waits_.find(key);
        if (found == waits_.end()) return;
        found->second.lanes &= ~lanes;
        if (!closed) return;
        waits_.erase(found);
        std::erase(o.waits, key);
        --cta(at).waits;
    });
}

void MbarrierCoverage::answer(const CancelAnswer& answer)
{
    auto& queries = cancels_[answer.sm];
    // The answer does not say to which of the two kinds it belongs: this is known only if one kind alone is outstanding.
    const bool all = queries[0] <= 0;
    if (all || queries[1] <= 0) hit(kClc01, (answer.canceled ? 0u : 2u) + (all ? 1 : 0));
    --queries[all ? 1 : 0];
}

void MbarrierCoverage::commit(const Commit& commit)
{
    if (commit.unit != Unit::Mbarrier) return;
    Cta& c = cta(commit.at);
    if (commit.refused) return refusal(c, commit);
    if (!showsMbarrier(commit)) return;
    if (c.refused != 0) {
        for (unsigned bit = 0; bit < kRefusals.size(); ++bit) {
            if ((c.refused >> bit & 1u) != 0 && kRefusals[bit] >= 0)
                hit(kMbo17, std::size_t(kRefusals[bit]));
        }
        c.refused = 0;
    }
    Object& o = c.objects[clusterOffset(commit.object)];
    if (commit.op == Op::MbarInit || commit.op == Op::MbarInval) return life(c, o, commit);
    if (isMbarWait(commit.op)) return;
    o.used = true;
    arrival(o, commit);
    drop(commit);
    bytes(o, commit);
    walk(commit);
    if ((commit.errs & kMbErrNoComplete) != 0) hit(kMbo10, 2);
    if (commit.flip)
        flip(c, o, commit);
    else
        begin(c, o, true);
}

void MbarrierCoverage::refusal(Cta& c, const Commit& commit)
{
    c.refused = std::uint16_t(c.refused | commit.errs);
    walks_.erase(keyOf(commit.at, commit.tag));
}

void MbarrierCoverage::life(Cta& c, Object& o, const Commit& commit)
{
    begin(c, o, false);
    if (commit.op == Op::MbarInval) {
        if (o.live && o.used) hit(kMbo13, 0);
        c.live -= o.live ? 1 : 0;
        o.live = false;
        return;
    }
    if (o.live) hit(kMbo13, 2);
    if (!o.live && o.used) hit(kMbo13, 1);
    c.live += o.live ? 0 : 1;
    hit(kMbo12, c.live <= 1 ? 0 : c.live < 64 ? 1 : 2);
    const std::uint32_t count = unpackMbar(commit.newWord).expected;
    hit(kMbo01, count == 1          ? 0
                : count == 2        ? 1
                : count == 32       ? 2
                : count == 1023     ? 3
                : count == kMbarMax ? 4
                                    : 5);
    Object fresh;
    fresh.live = true;
    fresh.waits = std::move(o.waits);
    o = std::move(fresh);
}

void MbarrierCoverage::arrival(Object& o, const Commit& commit)
{
    const MbarState before = unpackMbar(commit.oldWord);
    const bool thread = traits::has(commit.op, traits::kArrives);
    if (commit.op == Op::EvAsyncArrive) {
        if (o.byThread) hit(kCpa02, 1);
        o.byCopy = true;
        o.copies -= std::min(o.copies, std::uint32_t(1));
    }
    if (!thread) return;
    if (o.byCopy) hit(kCpa02, 0);
    if (o.completed && commit.src == Src::Local) hit(kRas03, 0);
    o.byThread = true;
    const MbarrierStep step = stepOf(commit);
    hit(kMbo03, step.arrivals == before.pending ? 0 : 1);
    hit(kMbo04, before.tx < 0 ? 0 : before.tx == 0 ? 1 : 2);
    hit(kMbo07, step.arrivals == 1 ? 0 : step.arrivals == before.expected ? 2 : 1);
}

void MbarrierCoverage::drop(const Commit& commit)
{
    if (!traits::has(commit.op, traits::kDrops)) return;
    const std::uint32_t left = unpackMbar(commit.newWord).expected;
    hit(kMbo08, (commit.flip ? 0u : 3u) + std::min(left, 2u));
    if (commit.op == Op::MbarDropExpectTx) hit(kMbo09, commit.flip ? 0 : 1);
    const bool odd = unpackMbar(commit.oldWord).phase;
    hit(kXMbo04, (commit.src == Src::Remote ? 2u : 0u) + (odd ? 1 : 0));
}

void MbarrierCoverage::bytes(Object& o, const Commit& commit)
{
    const MbarState before = unpackMbar(commit.oldWord), after = unpackMbar(commit.newWord);
    if (std::uint32_t(std::abs(after.tx)) == kMbarMax) hit(kMbo05, after.tx > 0 ? 0 : 1);
    const bool completes = commit.op == Op::EvAsyncCompleteTx || commit.op == Op::MbarCompleteTx;
    if (completes) {
        hit(kMbo04, before.tx < 0 ? 3 : before.tx == 0 ? 4 : 5);
        if (o.expected) hit(kMbo15, 0);
        if (commit.src == Src::Remote && o.byThread) hit(kRas03, 1);
        o.completed = true;
    }
    if (traits::has(commit.op, traits::kExpects)) {
        if (o.completed) hit(kMbo15, 1);
        o.expected = true;
    }
    o.negative |= before.tx < 0 || (!commit.flip && after.tx < 0);
}

void MbarrierCoverage::walk(const Commit& commit)
{
    if (!traits::has(commit.op, traits::kArrives) || commit.src != Src::Local) return;
    const auto found = walks_.find(keyOf(commit.at, commit.tag));
    if (found == walks_.end()) return;
    Walk& w = found->second;
    w.left &= ~commit.lanes;
    const bool last = w.left == 0;
    if (commit.flip) hit(kMbo16, last ? 1 : 2);
    w.flipped |= commit.flip;
    if (!last) return;
    if (!w.flipped) hit(kMbo16, 0);
    walks_.erase(found);
}

void MbarrierCoverage::flip(Cta& c, Object& o, const Commit& commit)
{
    const std::size_t by = completing(commit);
    hit(kMbo06, by);
    hit(kMbo02, std::min<std::size_t>(o.phases++, 3));
    int lanes = 0;
    Lanes warps = 0;
    for (const std::uint64_t key : o.waits) {
        const Wait& wait = waits_[key];
        if (wait.since == commit.cycle) hit(kMbw06, 0);
        lanes += __builtin_popcount(wait.lanes);
        warps |= Lanes{1} << (key >> 16) % kMaxWarps;
    }
    hit(kXMbo01, by * 3 + (lanes != 0 ? 2 : o.polled ? 1 : 0));
    hit(kXMbo02, by * 2 + (o.negative ? 1 : 0));
    if (lanes != 0) hit(kMbw05, lanes == 1 ? 0 : lanes < 32 ? 1 : 2);
    if (__builtin_popcount(warps) > 1) hit(kMbw05, 3);
    o.expected = o.completed = o.negative = o.byThread = o.byCopy = o.polled = false;
    begin(c, o, false);
}

void MbarrierCoverage::begin(Cta& c, Object& o, bool begun)
{
    if (o.begun == begun) return;
    o.begun = begun;
    c.running += begun ? 1u : ~0u;
}

}  // namespace gsu
