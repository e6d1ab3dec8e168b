#include "golden/warp_join.hpp"

#include <bit>

#include "golden/cta_table.hpp"
#include "golden/op_traits.hpp"
#include "golden/order_book.hpp"
#include "golden/warp_ops.hpp"

namespace gsu {

Family familyOf(Op op) noexcept
{
    if (isNamed(op)) return Family::Bar;
    if (op == Op::WarpSync) return Family::WarpSync;
    if (isCluster(op)) return Family::Cluster;
    if (isWarpOp(op)) return Family::WarpOp;
    if (isFence(op)) return Family::Fence;
    if (isGridControl(op)) return Family::Grid;
    return Family::Null;
}

Unit unitOf(Family family) noexcept
{
    switch (family) {
        case Family::Bar: return Unit::Named;
        case Family::Cluster: return Unit::Cluster;
        case Family::WarpSync:
        case Family::WarpOp: return Unit::WarpSync;
        case Family::Fence: return Unit::Fence;
        case Family::Grid: return Unit::Grid;
        case Family::Null: break;
    }
    return Unit::Null;
}

std::uint16_t refusalOf(const SyncRequest& request, unsigned bars) noexcept
{
    unsigned errs = 0;
    switch (familyOf(request.op)) {
        case Family::Bar:
            if (request.arg0 >= bars) errs |= 1u << kNbErrId;
            if (request.arg1 % kLanes != 0) errs |= 1u << kNbErrCount;
            if (request.op == Op::BarArrive && request.arg1 == 0) errs |= 1u << kNbErrArriveZero;
            break;
        case Family::WarpSync:
        case Family::WarpOp:
            if (meetsLanes(request.op) && (request.lanes & ~request.arg0) != 0)
                errs |= 1u << kWsErrOutside;
            break;
        case Family::Null: errs |= 1u << kNullErrNoUnit; break;
        case Family::Cluster:
        case Family::Grid:
        case Family::Fence: break;
    }
    return static_cast<std::uint16_t>(errs);
}

namespace {

bool sameKey(const JoinGroup& group, const JoinGroup& fresh) noexcept
{
    return !group.alone && group.family == fresh.family && group.arg0 == fresh.arg0 &&
           group.count == fresh.count && group.form == fresh.form;
}

JoinGroup groupOf(const SyncRequest& r, unsigned threads, unsigned bars) noexcept
{
    JoinGroup g{};
    g.family = familyOf(r.op);
    g.errs = refusalOf(r, bars);
    g.aligned = r.aligned;
    g.alone = g.errs != 0 || g.family == Family::Fence || g.family == Family::Grid ||
              isStateless(r.op) ||
              (r.aligned && g.family != Family::WarpSync && g.family != Family::WarpOp);
    g.at = r.at;
    // Cluster forms have no operands: the fields must not split a rendezvous.
    if (g.family == Family::Bar || g.family == Family::WarpSync || g.family == Family::WarpOp)
        g.arg0 = r.arg0;
    if (g.family != Family::Bar)
        g.form = static_cast<std::uint16_t>(unsigned(r.op) << 8 |
                                            (g.family == Family::WarpOp ? r.kind : 0));
    if (isStateless(r.op)) g.arg0 = r.lanes;  // a mask of their own: the executing lanes
    if (g.family == Family::Fence) g.arg0 = fenceObject(r);
    if (g.family == Family::Bar) {
        g.arg1 = r.arg1;
        g.count = r.arg1 == 0 ? warpsOf(threads) * kLanes : r.arg1;
    }
    return g;
}

}  // namespace

unsigned WarpJoin::add(const SyncRequest& r, unsigned threads, unsigned bars) noexcept
{
    const JoinGroup fresh = groupOf(r, threads, bars);
    unsigned index = kLanes;
    if (!fresh.alone) {
        for (Lanes rest = used_; rest != 0; rest &= rest - 1) {
            const auto candidate = static_cast<unsigned>(std::countr_zero(rest));
            if (sameKey(groups_[candidate], fresh)) index = candidate;
        }
    }
    if (index == kLanes) {
        index = static_cast<unsigned>(std::countr_one(used_)) % kLanes;
        groups_[index] = fresh;
        used_ |= Lanes{1} << index;
    }
    JoinGroup& g = groups_[index];
    g.tag = r.tag;
    g.lanes |= r.lanes;
    g.ops |= std::uint64_t{1} << (unsigned(r.op) & 63);
    if (waitsForNamed(r.op) || waitsForCluster(r.op)) g.waitLanes |= r.lanes;
    if (g.family == Family::WarpOp) {
        g.pred |= r.pred & r.lanes;
        for (Lanes rest = r.lanes; rest != 0; rest &= rest - 1) {
            const auto lane = static_cast<unsigned>(std::countr_zero(rest));
            data_[lane] = r.data[lane];
        }
    }
    if (isNamedRed(r.op)) {
        g.redLanes |= r.lanes;
        g.pred |= r.pred & r.lanes;
        g.redops |= static_cast<std::uint8_t>(1u << (unsigned(r.op) - unsigned(Op::BarRedPopc)));
    }
    return index;
}

bool WarpJoin::ready(unsigned index, Lanes live) const noexcept
{
    const JoinGroup& g = groups_[index];
    if (g.alone) return true;
    const bool masked = g.family == Family::WarpSync || g.family == Family::WarpOp;
    const Lanes awaited = masked ? g.arg0 & live : live;
    return (awaited & ~g.lanes) == 0;
}

JoinGroup WarpJoin::take(unsigned index) noexcept
{
    used_ &= ~(Lanes{1} << index);
    return groups_[index];
}

unsigned WarpJoin::find(unsigned lane) const noexcept
{
    for (Lanes rest = used_; rest != 0; rest &= rest - 1) {
        const auto index = static_cast<unsigned>(std::countr_zero(rest));
        if ((groups_[index].lanes >> lane & 1) != 0) return index;
    }
    return kLanes;
}

}  // namespace gsu
