// tcgen05.commit: an asynchronous arrive at mbarriers once all earlier operations are performed, and the waits for it.
#include <fmt/format.h>

#include <algorithm>

#include "exec/memory/access.hpp"
#include "exec/tcgen05/tensor_cores.hpp"

namespace gsu::exec {

/// The place of the mbarrier. Public kernels give an address of shared memory where the text wants a generic one, and hardware takes it.
Place TensorCores::placeOfCommit(const Ctx& x, const MicroOp& op, std::uint64_t address,
                                 unsigned lane)
{
    const Place place = memory_.locate(x, op.space, address, 8, lane);
    if (place.bytes != nullptr || op.space != ptx::Space::Generic || address >> 32 != 0)
        return place;
    const Place shared = memory_.locate(x, ptx::Space::SharedCluster, address, 8, lane);
    if (shared.bytes == nullptr || shared.owner == nullptr) return place;
    report(x, op.line, "MBARR-018",
           fmt::format("tcgen05.commit: {:#x} is no generic address of shared memory; it is taken "
                       "as an address of shared memory",
                       address));
    return shared;
}

/// The mbarriers that a commit names; none: the lane has a fault.
std::optional<TensorCores::Arrival> TensorCores::arrivalOf(Ctx& x, const MicroOp& op, unsigned lane)
{
    const Tcgen05Info& info = s_.program.tcgen05s[op.extra];
    const std::uint64_t address = addressOf(x, op, lane);
    const Place place = placeOfCommit(x, op, address, lane);
    const auto bad = [&](const char* rule, const std::string& why) {
        faultLane(x, lane, rule, "tcgen05.commit: " + why, TrapKind::AddressSpace);
        return std::nullopt;
    };
    if (place.bytes == nullptr)
        return bad("MBARR-018", std::string("mbarrier address: ") + place.why);
    if (place.owner == nullptr) return bad("MBARR-018", "the address is outside shared memory");
    if (place.offset % 8 != 0)
        return bad("MBAR-004", "the mbarrier address is not a multiple of 8");
    memory_.late().settle(x, lane, place, address, 8);
    Arrival a{keyOf(*x.cta),
              x.warp->index,
              static_cast<std::uint8_t>(lane),
              1u << place.owner->launch.rank,
              place.offset,
              op.line,
              0};
    if (info.ctaMask == kNoRow) return a;
    a.ranks = x.src(info.ctaMask)[lane] & 0xffff;
    for (unsigned rank = 0; rank < kMaxRanks; ++rank) {
        if ((a.ranks >> rank & 1) == 0) continue;
        if (rank >= x.cta->launch.ctas || x.cta->cluster->ranks[rank] == nullptr)
            return bad("TC5-090", fmt::format("the mask names CTA {} of a cluster of {}", rank,
                                              x.cta->launch.ctas));
    }
    if (a.ranks == 0) return bad("TC5-090", "the mask names no CTA");
    return a;
}

void TensorCores::commit(Ctx& x, const MicroOp& op, unsigned lane)
{
    const Tcgen05Info& info = s_.program.tcgen05s[op.extra];
    if (groupOf(x, op, 1u << lane, info.group).count == 0) return;
    std::optional<Arrival> arrival = arrivalOf(x, op, lane);
    if (!arrival) return;
    CtaSide& side = sideOf(*x.cta);
    const auto last = side.lastOf.find(x.warp->index * 32u + lane);
    arrival->issued = tick();
    tellCommit(x, op);
    side.order.fenced(side.key, x.warp->index, arrival->issued);  // a commit holds the first fence
    if (s_.accesses != nullptr) tell(x, *arrival);
    send(last == side.lastOf.end() ? 0 : last->second, {nullptr, *arrival});
    s_.progress.changed();
}

/// Reports to observers of accesses the completion at these mbarriers. Reads of products are not reported: any later commit ends them, too,
/// and early overwriting is found here (TC5-085).
void TensorCores::tell(const Ctx& x, Arrival& a)
{
    a.name = names_;
    names_ += kMaxRanks;
    for (unsigned rank = 0; rank < x.cta->launch.ctas; ++rank) {
        const Cta* target = (a.ranks >> rank & 1) == 0 ? nullptr : x.cta->cluster->ranks[rank];
        if (target == nullptr) continue;
        AsyncOp op;
        op.kind = AsyncOp::Kind::Tensor;
        op.until = AsyncOp::Until::Mbarrier;
        op.at = refOf(*x.warp);
        op.lanes = Lanes{1} << a.lane;
        op.line = a.line;
        op.name = a.name + rank;
        op.sm = target->launch.sm;
        op.slot = target->launch.cta;
        op.mbarrier = a.offset;
        op.cycle = s_.now();
        s_.accesses->onAsync(op);
    }
}

/// All operations before the commit are performed: the unit makes one arrival at each of its mbarriers.
void TensorCores::complete(const Arrival& a)
{
    const Cta* cta = residents_.live(a.issuer);
    if (cta == nullptr) return;  // ended without waiting
    for (unsigned rank = 0; rank < cta->launch.ctas; ++rank) {
        const Cta* target = (a.ranks >> rank & 1) == 0 ? nullptr : cta->cluster->ranks[rank];
        if (target == nullptr) continue;
        commits_[{target->serial, a.offset}].push_back(a);
        lines_[{target->serial, a.offset}] = a.line;
        if (s_.accesses != nullptr) s_.accesses->completes(a.name + rank);
    }
    const Launch& l = cta->launch;
    client_.update({AsyncKind::AgentArrive, l.sm, l.cta, a.warp, clusterAddress(l.rank, a.offset),
                    l.ctas > 1 ? a.ranks : 1, 0, l.era});
}

void TensorCores::waited(const SyncRequest& request, Lanes lanes)
{
    if (commits_.empty()) return;
    const Cta* cta = residents_.at(request.at.sm, request.at.cta);
    if (cta == nullptr) return;
    eachLane(lanes, [&](unsigned l) {
        const auto found = commits_.find({cta->serial, clusterOffset(request.addr[l])});
        if (found == commits_.end()) return;
        const std::uint64_t now = tick();
        for (const Arrival& a : found->second) {
            for (auto& [serial, side] : ctas_)
                side.order.awaited(a.issuer, a.warp, a.lane, a.issued, now);
        }
        commits_.erase(found);
    });
}

std::uint32_t TensorCores::lineOf(const Commit& commit) const
{
    const Cta* cta = residents_.at(commit.at.sm, commit.at.cta);
    if (cta == nullptr) return 0;
    const auto found = lines_.find({cta->serial, clusterOffset(commit.object)});
    return found == lines_.end() ? 0 : found->second;
}

}  // namespace gsu::exec
