// tcgen05.commit: an asynchronous arrive at an mbarrier once everything in front of it is performed, and who has waited for it.
#include <fmt/format.h>

#include <algorithm>

#include "exec/memory/access.hpp"
#include "exec/program/errors.hpp"
#include "exec/tcgen05/tensor_cores.hpp"

namespace gsu::exec {

/// The mbarriers that a commit names; false: there is none, and the lane has a fault.
bool TensorCores::arrivalsOf(Ctx& x, const MicroOp& op, unsigned lane,
                             std::vector<Arrival>& arrivals)
{
    const Tcgen05Info& info = s_.program.tcgen05s[op.extra];
    const std::uint64_t address = addressOf(x, op, lane);
    const Place place = memory_.locate(x, op.space, address, 8, lane);
    const auto bad = [&](const char* rule, const std::string& why) {
        faultLane(x, lane, rule, "tcgen05.commit: " + why, TrapKind::AddressSpace);
        return false;
    };
    if (place.bytes == nullptr)
        return bad("MBARR-018", std::string("mbarrier address: ") + place.why);
    if (place.owner == nullptr) return bad("MBARR-018", "the address is outside shared memory");
    if (place.offset % 8 != 0)
        return bad("MBAR-004", "the mbarrier address is not a multiple of 8");
    memory_.late().settle(x, lane, place, address, 8);
    Arrival a{keyOf(*x.cta),
              keyOf(*place.owner),
              x.warp->index,
              static_cast<std::uint8_t>(lane),
              place.offset,
              op.line,
              0};
    if (info.ctaMask == kNoRow) {
        arrivals.push_back(a);
        return true;
    }
    for (std::uint32_t mask = x.src(info.ctaMask)[lane] & 0xffff; mask != 0; mask &= mask - 1) {
        const auto rank = static_cast<unsigned>(__builtin_ctz(mask));
        const Cta* cta = rank < x.cta->launch.ctas ? x.cta->cluster->ranks[rank] : nullptr;
        if (cta == nullptr)
            return bad("TC5-090", fmt::format("the mask names CTA {} of a cluster of {}", rank,
                                              x.cta->launch.ctas));
        a.target = keyOf(*cta);
        arrivals.push_back(a);
    }
    return true;
}

void TensorCores::commit(Ctx& x, const MicroOp& op, unsigned lane)
{
    const Tcgen05Info& info = s_.program.tcgen05s[op.extra];
    if (groupOf(x, op, 1u << lane, info.group).count == 0) return;
    std::vector<Arrival> arrivals;
    if (!arrivalsOf(x, op, lane, arrivals)) return;
    CtaSide& side = sideOf(*x.cta);
    const auto last = side.lastOf.find(x.warp->index * 32u + lane);
    const Cycle when = last == side.lastOf.end() ? 0 : last->second;
    const std::uint64_t moment = tick();
    side.order.fenced(side.key, x.warp->index, moment);  // it holds a fence::before_thread_sync
    for (Arrival& a : arrivals) {
        a.issued = moment;
        send(when, {nullptr, a});
    }
    s_.progress.changed();
}

/// The arrive of one commit at one mbarrier.
void TensorCores::complete(const Arrival& a)
{
    const Cta* target = residents_.live(a.target);
    if (target == nullptr) return;
    const Launch& l = target->launch;
    if (!(a.target == a.issuer)) {
        const auto [file, line] = s_.module.placeOf(a.line);
        throw UnsupportedError(
            file, line, 0,
            "instruction not supported: tcgen05.commit at the mbarrier of another "
            "CTA: the port has no asynchronous arrive for it yet");
    }
    commits_[{target->serial, a.offset}].push_back(a);
    lines_[{target->serial, a.offset}] = a.line;
    client_.update(
        {AsyncKind::ArriveOn, l.sm, l.cta, a.warp, clusterAddress(l.rank, a.offset), 1, 0, l.era});
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
