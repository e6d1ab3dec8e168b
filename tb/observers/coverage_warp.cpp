#include "observers/coverage_warp.hpp"

#include <algorithm>
#include <set>

#include "golden/op_traits.hpp"
#include "golden/warp_ops.hpp"

namespace gsu {

namespace {

enum WarpPoint : unsigned {
    kVot01,
    kVot02,
    kVot03,
    kMat01,
    kMat02,
    kAmk01,
    kRdx01,
    kRdx02,
    kRdx03,
    kRdx04,
    kEle01,
    kGdc01,
    kFen01,
    kFen02,
    kFen04
};

/// 1 lane, some, all 32.
std::size_t sizeClass(Lanes lanes) noexcept
{
    const int count = __builtin_popcount(lanes);
    return count == 1 ? 0 : count == 32 ? 2 : 1;
}

std::size_t lowest(Lanes lanes) noexcept { return std::size_t(__builtin_ctz(lanes | 1u << 31)); }

}  // namespace

std::vector<CoverPoint> WarpCoverage::points()
{
    const auto sizes = {"1 lane", "2..31", "32"};
    const auto scopes = {"cta", "cluster", "gpu", "sys"};
    CoverPoint elect = numberedPoint("CP-ELE-01", "leader", kLanes);
    for (const char* size : sizes) elect.bins.push_back({size, 0});
    return {
        crossedPoint("CP-VOT-01", {"all", "any", "uni", "ballot"}, {"true", "false", "mixed"}),
        crossedPoint("CP-VOT-02", sizes, {"lanes live", "names exited lanes"}),
        coverPoint("CP-VOT-03", {"every live lane", "some of them"}),
        coverPoint("CP-MAT-01",
                   {"b32 x 1 value", "b32 x 2", "b32 x 3..31", "b32 x 32", "b64 x 1 value",
                    "b64 x 2", "b64 x 3..31", "b64 x 32", "b64 x differ above bit 31 only"}),
        coverPoint("CP-MAT-02", {"equal", "unequal"}),
        coverPoint("CP-AMK-01", sizes),
        coverPoint("CP-RDX-01", {"add", "and", "or", "xor", "min.u32", "min.s32", "max.u32",
                                 "max.s32", "min.f32", "max.f32"}),
        crossedPoint("CP-RDX-02", {"no NaN", "some", "all"}, {"plain", "NaN", "abs", "NaN.abs"}),
        coverPoint("CP-RDX-03", {"+0 only", "-0 only", "both zeros"}),
        coverPoint("CP-RDX-04", {"sum beyond 2^32", "sum beyond 2^31 either way"}),
        elect,
        coverPoint("CP-GDC-01", {"first signal of a CTA", "repeated", "ends without a signal"}),
        crossedPoint("CP-FEN-01", {"acquire", "release", "acq_rel or sc"}, scopes),
        coverPoint("CP-FEN-02", {"alias", "async", "async.global", "async.shared::cta",
                                 "async.shared::cluster", "tensormap::generic", "async::generic"}),
        coverPoint("CP-FEN-04", scopes)};
}

void WarpCoverage::launch(const Launch& launch)
{
    ctas_[std::size_t{launch.sm} * kMaxCtas + launch.cta] = {launch.grid != 0, false};
}

void WarpCoverage::ended(WarpRef at)
{
    Cta& c = cta(at);
    if (c.inGrid && !c.signalled) hit(kGdc01, 2);
    c = {};
}

void WarpCoverage::request(const SyncRequest& r, Lanes live)
{
    if (!hasForm(r.op, r.kind) && isWarpOp(r.op)) return;
    switch (r.op) {
        case Op::Vote: hit(kVot03, r.lanes == live ? 0 : 1); break;
        case Op::VoteSync: vote(r, live); break;
        case Op::MatchAny:
        case Op::MatchAll: match(r); break;
        case Op::ActiveMask: hit(kAmk01, sizeClass(r.lanes)); break;
        case Op::Redux: redux(r); break;
        case Op::Elect: elect(r); break;
        case Op::GdcLaunchDependents: grid(r); break;
        case Op::Fence:
        case Op::FenceProxy:
        case Op::Membar: fence(r); break;
        default: break;
    }
}

void WarpCoverage::vote(const SyncRequest& r, Lanes live)
{
    if (r.arg0 == 0) return;
    hit(kVot02, sizeClass(r.arg0) * 2 + ((r.arg0 & ~live) != 0 ? 1 : 0));
    if (r.lanes != r.arg0) return;
    const Lanes yes = r.pred & r.lanes;
    hit(kVot01, std::size_t{r.kind} * 3 + (yes == r.lanes ? 0 : yes == 0 ? 1 : 2));
}

void WarpCoverage::match(const SyncRequest& r)
{
    if (r.lanes != r.arg0) return;
    const bool wide = r.kind == kMatchB64;
    std::set<std::uint64_t> values;
    std::set<std::uint32_t> low;
    eachLane(r.lanes, [&](unsigned lane) {
        values.insert(wide ? r.data[lane] : r.data[lane] & 0xffff'ffff);
        low.insert(static_cast<std::uint32_t>(r.data[lane]));
    });
    if (r.op == Op::MatchAll) return hit(kMat02, values.size() == 1 ? 0 : 1);
    const std::size_t row = wide ? 4 : 0, count = values.size();
    hit(kMat01, row + (count <= 2 ? count - 1 : count == 32 ? 3 : 2));
    if (wide && count > low.size()) hit(kMat01, row + 4);
}

void WarpCoverage::redux(const SyncRequest& r)
{
    const unsigned op = r.kind & 15u;
    hit(kRdx01, op);
    if (r.lanes != r.arg0) return;
    if (op >= unsigned(ReduxOp::MinF)) return reduxFloat(r);
    if (static_cast<ReduxOp>(op) != ReduxOp::Add) return;
    std::uint64_t sum = 0;
    std::int64_t signedSum = 0;
    eachLane(r.lanes, [&](unsigned lane) {
        const auto word = static_cast<std::uint32_t>(r.data[lane]);
        sum += word;
        signedSum += static_cast<std::int32_t>(word);
    });
    if (sum > 0xffff'ffff) hit(kRdx04, 0);
    if (signedSum != static_cast<std::int32_t>(signedSum)) hit(kRdx04, 1);
}

void WarpCoverage::reduxFloat(const SyncRequest& r)
{
    int nans = 0;
    bool plus = false, minus = false;
    eachLane(r.lanes, [&](unsigned lane) {
        const auto word = static_cast<std::uint32_t>(r.data[lane]);
        nans += (word & 0x7fff'ffff) > 0x7f80'0000 ? 1 : 0;
        plus |= word == 0;
        minus |= word == 0x8000'0000;
    });
    const std::size_t form =
        ((r.kind & kReduxNan) != 0 ? 1u : 0u) + ((r.kind & kReduxAbs) != 0 ? 2u : 0u);
    const std::size_t row = nans == 0 ? 0 : nans == __builtin_popcount(r.lanes) ? 2 : 1;
    hit(kRdx02, row * 4 + form);
    if (plus || minus) hit(kRdx03, plus && minus ? 2 : plus ? 0 : 1);
}

void WarpCoverage::elect(const SyncRequest& r)
{
    if (r.arg0 == 0) return;
    hit(kEle01, lowest(r.arg0));
    hit(kEle01, kLanes + sizeClass(r.arg0));
}

void WarpCoverage::fence(const SyncRequest& r)
{
    if (r.op == Op::FenceProxy) return hit(kFen02, std::min<std::size_t>(r.kind, kFenceGeneric));
    if (r.scope == Scope::None) return;
    const std::size_t scope = std::size_t(r.scope) - std::size_t(Scope::Cta);
    if (r.op == Op::Membar) return hit(kFen04, scope);
    if (r.sem == Sem::Relaxed) return;
    hit(kFen01, (std::size_t(r.sem) - std::size_t(Sem::Acquire)) * 4 + scope);
}

void WarpCoverage::grid(const SyncRequest& r)
{
    Cta& c = cta(r.at);
    if (c.inGrid) hit(kGdc01, c.signalled ? 1 : 0);
    c.signalled = true;
}

}  // namespace gsu
