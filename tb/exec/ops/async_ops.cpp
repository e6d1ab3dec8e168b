// Issue of asynchronous copies and of clusterlaunchcontrol.
#include "exec/ops/async_ops.hpp"

#include <fmt/format.h>

#include "exec/async/matrix_engine.hpp"
#include "exec/memory/access.hpp"
#include "exec/ops/mem_ops.hpp"

namespace gsu::exec {
namespace {

std::uint64_t value(const Ctx& x, Row row, unsigned lane)
{
    return row == kNoRow ? 0 : x.src(row)[lane];
}

}  // namespace

void checkSourceFenced(const Ctx& x, const MicroOp& o, unsigned lane, std::uint64_t offset,
                       std::uint32_t bytes)
{
    MatrixEngine& stores = x.parts->matrix;
    if (!stores.anyUnfenced(*x.cta)) return;
    const auto at = stores.unfenced(*x.cta, static_cast<std::uint32_t>(offset), bytes);
    if (!at) return;
    report(x, o, "FENCE-024", Severity::Error,
           fmt::format("the copy reads shared memory at +{} that ordinary stores of the CTA have "
                       "written: no fence.proxy.async followed them",
                       *at),
           Lanes{1} << lane);
}

void issueFrom(const Ctx& x, const MicroOp& o, unsigned lane, Copy& c)
{
    c.lane = static_cast<std::uint8_t>(lane);
    c.issuer = keyOf(*x.cta);
    c.issuerLinear = x.cta->linear;
    c.warp = x.warp->index;
    c.line = o.line;
}

/// pairBit: cta_group::2, each copy completes on the CTA of the destination's pair whose rank has this last bit.
void startCopies(Ctx& x, unsigned lane, const Copy& c, std::optional<std::uint64_t> mask,
                 std::optional<unsigned> pairBit)
{
    const RunParts& m = *x.parts;
    if (!mask) return m.async.start(c);
    std::vector<unsigned> sms;
    const auto member = [&](unsigned rank) -> const Cta* {
        return rank < x.cta->launch.ctas ? x.cta->cluster->ranks[rank] : nullptr;
    };
    for (unsigned rank = 0; rank < kMaxRanks && m.state.timingAdapter != nullptr; ++rank) {
        const Cta* target = (*mask >> rank & 1) == 0 ? nullptr : member(rank);
        if (target != nullptr) sms.push_back(target->launch.sm);
    }
    std::optional<timing::CopyClocks> clocks;
    if (!sms.empty()) clocks = m.async.clocksOf(c, sms);
    for (unsigned rank = 0; rank < kMaxRanks; ++rank) {
        if ((*mask >> rank & 1) == 0) continue;
        const Cta *target = member(rank),
                  *signal = member(pairBit ? (rank & ~1u) | *pairBit : rank);
        if (target == nullptr || signal == nullptr) {
            return faultLane(
                x, lane, "NVVM-009",
                fmt::format("multicast to rank {}, which the cluster does not have", rank),
                TrapKind::Instruction);
        }
        Copy one = c;
        one.to = keyOf(*target);
        one.clocks = clocks;
        one.mbarrierOwner = keyOf(*signal);
        one.performed = std::make_shared<std::uint32_t>(0);
        one.read = std::make_shared<std::uint32_t>(0);
        m.async.start(std::move(one));
    }
}

/// a: destination (offset), b: source (rows[list], offset in `target` sign-extended), c: source size.
void cpAsyncOp(Ctx& x, const MicroOp& o, Lanes lanes)
{
    const Row* rows = x.parts->program.rows.data() + o.list;
    eachLane(lanes, [&](unsigned l) {
        Copy c;
        CopyEnd to, from;
        const std::uint64_t source = value(x, rows[0], l) + x.src(rows[1])[l];
        c.bytes = o.copy.bytes;
        c.valid = o.c == kNoRow ? c.bytes
                                : static_cast<std::uint32_t>(std::min<std::uint64_t>(
                                      x.src(o.c)[l] & 0xffff'ffff, c.bytes));
        if (o.copy.ignores && (x.pred(o.pa) >> l & 1) != 0) c.valid = 0;  // ignore-src
        if (!resolveEnd(x, o.space, addressOf(x, o, l), c.bytes, c.bytes, l, "cp.async", to))
            return;
        if (c.valid != 0 &&
            !resolveEnd(x, ptx::Space::Global, source, c.valid, c.bytes, l, "cp.async", from))
            return;
        if (from.missing) c.valid = 0;
        c.to = to.cta;
        c.destination = to.at;
        c.from = {kNoSm, 0, 0};
        c.source = source;
        c.generic = true;
        const LaneGroups& g = x.parts->async.groupsOf(*x.warp, l, false);
        c.performed = g.current;
        c.read = g.currentReads;
        issueFrom(x, o, l, c);
        x.parts->async.start(std::move(c));
    });
}

/// a: destination, rows[list..]: source, source offset, size, mbarrier, mbarrier offset, multicast mask, byte mask.
// long: what a lane's copy is, field by field
void cpBulkOp(Ctx& x, const MicroOp& o, Lanes lanes)
{
    const RunParts& m = *x.parts;
    const Row* rows = m.program.rows.data() + o.list;
    const bool fromGlobal = o.bulk.fromGlobal, toGlobal = o.bulk.toGlobal;
    const ptx::Space dst = toGlobal           ? ptx::Space::Global
                           : o.bulk.toCluster ? ptx::Space::SharedCluster
                                              : ptx::Space::SharedCta;
    eachLane(lanes, [&](unsigned l) {
        const auto bytes = static_cast<std::uint32_t>(value(x, rows[2], l));
        if (bytes % 16 != 0 || bytes > SharedBytes::kBytesPerSm) {
            return faultLane(
                x, l, "GEN-002",
                fmt::format("cp.async.bulk of {} bytes: not a multiple of 16, or too large",
                            bytes));
        }
        if (bytes == 0) return;
        if (!fromGlobal && o.bulk.toCluster && !m.shape.clusterLaunch)
            report(x, o, "HW-001", Severity::Warning,
                   "a copy from shared memory to shared::cluster in a launch without clusters: "
                   "an H200 stops here with an illegal instruction",
                   Lanes{1} << l);
        CopyEnd to, from, bar;
        const std::uint64_t source = value(x, rows[0], l) + x.src(rows[1])[l];
        if (!resolveEnd(x, fromGlobal ? ptx::Space::Global : ptx::Space::SharedCta, source, bytes,
                        16, l, "cp.async.bulk read", from))
            return;
        if (!resolveEnd(x, dst, addressOf(x, o, l), bytes, 16, l, "cp.async.bulk write", to))
            return;
        Copy c;
        if (!fromGlobal) checkSourceFenced(x, o, l, from.at, bytes);
        c.from = from.cta;
        c.source = from.at;
        c.bytes = bytes;
        c.valid = from.missing ? 0 : bytes;
        c.nowhere = to.missing;
        c.reduces = o.bulk.reduces != 0;
        c.op = static_cast<std::uint8_t>(o.bulk.reduces - 1);
        c.type = static_cast<std::uint8_t>(o.bulk.type);
        c.completes = o.bulk.completes;
        issueFrom(x, o, l, c);
        if (!c.completes) {
            const LaneGroups& g = m.async.groupsOf(*x.warp, l, true);
            c.performed = g.current;
            c.read = g.currentReads;
        } else {
            const std::uint64_t at = value(x, rows[3], l) + x.src(rows[4])[l];
            if (!resolveEnd(x, dst, at, 8, 8, l, "cp.async.bulk mbarrier", bar)) return;
            c.performed = std::make_shared<std::uint32_t>(0);
            c.read = std::make_shared<std::uint32_t>(0);
            c.mbarrier = static_cast<std::uint32_t>(bar.at);
        }
        c.destination = to.at;
        if (rows[6] != kNoRow) c.mask = static_cast<std::uint16_t>(x.src(rows[6])[l]);
        c.to = to.cta;
        c.mbarrierOwner = bar.cta;
        std::optional<std::uint64_t> mask;
        if (rows[5] != kNoRow) mask = x.src(rows[5])[l] & 0xffff;
        startCopies(x, l, c, mask);
    });
}

void cpCommitOp(Ctx& x, const MicroOp& o, Lanes lanes)
{
    eachLane(lanes,
             [&](unsigned l) { x.parts->async.groupsOf(*x.warp, l, o.group.bulk).commit(); });
    if (AccessObserver* watcher = x.parts->state.accesses) {
        const auto kind = o.group.bulk ? AsyncOp::Kind::Bulk : AsyncOp::Kind::CpAsync;
        watcher->onGroup({.kind = kind, .at = refOf(*x.warp), .lanes = lanes, .line = o.line});
    }
}

/// `offset`: groups that may stay.
void cpWaitOp(Ctx& x, const MicroOp& o, Lanes lanes)
{
    Group& g = *x.group;
    g.copyLanes = lanes;
    g.copyBulk = o.group.bulk;
    g.copyReads = o.group.reads;
    g.copyAll = o.group.all;
    g.copyMayStay = static_cast<std::uint32_t>(o.offset);
    g.line = o.line;
    if (AccessObserver* watcher = x.parts->state.accesses) {
        watcher->onGroup({g.copyBulk ? AsyncOp::Kind::Bulk : AsyncOp::Kind::CpAsync, refOf(*x.warp),
                          lanes, o.line, true, g.copyReads, g.copyAll, g.copyMayStay});
    }
    if (!x.parts->async.copiesDone(*x.warp, g)) g.state = GroupState::Copies;
}

/// red.async.release.global, and, as an exchange without a result, st.async.release.global: performed later, once (RASYNC-011, RASYNC-023).
void redReleaseOp(Ctx& x, const MicroOp& o, Lanes lanes)
{
    const RunParts& m = *x.parts;
    const Row* rows = m.program.rows.data() + o.list;
    eachLane(lanes, [&](unsigned l) {
        const std::uint64_t address = addressOf(x, o, l);
        const Place p = access(x, o.space, address, o.bytes, l,
                               o.release.stores ? "st.async" : "red.async", "ATOM-009");
        if (p.bytes == nullptr) return;
        if (p.where != Place::Where::Global)
            return faultLane(x, l, "RASYNC-018",
                             "red.async.release or st.async.release outside global memory",
                             TrapKind::AddressSpace);
        const auto latency = m.state.timingAdapter != nullptr ? m.state.timingAdapter->farLatency()
                                                              : m.options.params.atomic_lat;
        m.async.start(LateAtomic{address, x.src(rows[0])[l], o.release.kind, o.release.type,
                                 o.bytes, refOf(*x.warp), l, o.line},
                      latency);
    });
}

void isCanceledOp(Ctx& x, const MicroOp& o, Lanes lanes)
{
    const std::uint64_t* high = x.src(o.a + 1);
    Lanes yes = 0;
    eachLane(lanes, [&](unsigned l) {
        yes |= (high[l] & kCanceled) != 0 ? 1u << l : 0;
        if ((high[l] & kCancelFailed) != 0) x.cta->sawFailure = true;
    });
    x.setPred(o.pd, lanes, yes);
}

void firstCtaidOp(Ctx& x, const MicroOp& o, Lanes lanes)
{
    const std::uint64_t *low = x.src(o.a), *high = x.src(o.a + 1);
    const Row* rows = x.parts->program.rows.data() + o.list;
    Lanes bad = 0;
    eachLane(lanes, [&](unsigned l) {
        if ((high[l] & kCanceled) == 0) bad |= 1u << l;
        const std::uint64_t id[4]{low[l] & 0xffff'ffff, low[l] >> 32, high[l] & 0xffff'ffff, 0};
        if (o.ctaid != CtaidPart::All) {
            x.row(o.d)[l] = id[static_cast<std::size_t>(o.ctaid)];
            return;
        }
        for (unsigned i = 0; i < o.count; ++i) {
            if (rows[i] != kNoRow) x.row(rows[i])[l] = id[i];
        }
    });
    if (bad == 0) return;
    report(x, o, "CLC-026", Severity::Error, "get_first_ctaid of a response that is not a success",
           bad);
}

}  // namespace gsu::exec
