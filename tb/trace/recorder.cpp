#include "trace/recorder.hpp"

#include "golden/chip_layout.hpp"
#include "golden/op_traits.hpp"

namespace gsu::trace {

namespace {

constexpr std::uint32_t kWords = (1u << 18) / 8;

bool isMbarrier(Op op) noexcept { return (isMbarOp(op) && !isMbarData(op)) || isCancel(op); }

}  // namespace

Recorder::Recorder(Writer& writer, ChipLayout chip)
    : writer_(writer),
      chip_(chip),
      open_(chip.sms()),
      warps_(open_.size()),
      smRecord_(chip.sms()),
      launched_(std::size_t{chip.sms()} * kMaxCtas),
      used_(chip.sms(), std::vector<bool>(kWords))
{
}

/// Marks the words of an mbarrier operation, because ordinary stores to them are part of the trace.
void Recorder::use(const SyncRequest& request)
{
    const Launch& own = launched_[std::size_t{request.at.sm} * kMaxCtas + request.at.cta];
    for (Lanes rest = request.lanes; rest != 0; rest &= rest - 1) {
        const std::uint32_t address = request.addr[std::size_t(__builtin_ctz(rest))];
        const Launch* target = &own;
        if (own.ctas > 1 && clusterRank(address) != own.rank && !isCancel(request.op)) {
            const auto route =
                routes_.find(chip_.clusterOf(own.sm, own.cluster) << 8 | clusterRank(address));
            if (route == routes_.end()) continue;
            target = &launched_[std::size_t{route->second.sm} * kMaxCtas + route->second.cta];
        }
        used_[target->sm][(target->base + clusterOffset(address)) / 8 % kWords] = true;
    }
}

void Recorder::onRoute(Cycle now, const ClusterRoute& route)
{
    writer_.write(RouteRecord{now - lastFree_, frees_, route});
    routes_[chip_.clusterOf(route.sm, route.cluster) << 8 | route.rank] = route;
}

void Recorder::onGridStart(Cycle now, const GridStart& start)
{
    writer_.write(GridRecord{now - lastFree_, frees_, start});
}

void Recorder::onLaunch(Cycle now, const Launch& launch)
{
    writer_.write(LaunchRecord{now - lastFree_, frees_, launch});
    for (unsigned w = 0; w < warpsOf(launch.threads); ++w) {
        Warp& state = warp({launch.sm, launch.cta, std::uint8_t(w)});
        state.live = lanesOf(launch.threads, w);
        state.answered.set(state.live, state.live, now);
        state.lastRecord = now;
    }
    smRecord_[launch.sm] = now;
    launched_[std::size_t{launch.sm} * kMaxCtas + launch.cta] = launch;
    for (std::uint32_t word = launch.base / 8;
         word < (launch.base + launch.size) / 8 && word < kWords; ++word) {
        used_[launch.sm][word] = false;
    }
}

void Recorder::onExit(Cycle now, const Exit& exit)
{
    Warp& state = warp(exit.at);
    writer_.write(ExitRecord{now - state.answered.latest(exit.lanes), exit});
    state.live &= ~exit.lanes;
    state.lastRecord = now;
    smRecord_[exit.at.sm] = now;
}

void Recorder::onRequest(Cycle now, const SyncRequest& request)
{
    Warp& state = warp(request.at);
    writer_.write(RequestRecord{now - state.answered.latest(request.lanes), request});
    open_.present(request, now);
    if (isMbarrier(request.op)) use(request);
    state.lastRecord = now;
    smRecord_[request.at.sm] = now;
}

void Recorder::onNotify(Cycle now, const AsyncUpdate& update)
{
    const Cycle anchor = warp({update.sm, update.cta, update.warp}).lastRecord;
    writer_.write(AsyncRecord{now - anchor, 0, update});
}

void Recorder::onStored(Cycle now, std::uint8_t sm, std::uint32_t addr, std::uint32_t bytes)
{
    bool touched = false;
    for (std::uint32_t word = addr / 8;
         word <= (addr + (bytes == 0 ? 0 : bytes - 1)) / 8 && !touched; ++word) {
        touched = used_[sm][word % kWords];
    }
    if (touched) writer_.write(StoreRecord{now - smRecord_[sm], sm, addr, bytes});
}

void Recorder::onAccesses(Cycle now, const Accesses& accesses, bool performed)
{
    writer_.write(AccessRecord{now - warp(accesses.at).lastRecord, accesses, performed});
}

void Recorder::onCancel(const CancelQuery& query)
{
    writer_.write(query);
    queries_[std::uint32_t{query.sm} << 8 | query.slot] = query;
}

void Recorder::onCancelAnswer(Cycle now, const CancelAnswer& answer)
{
    const auto found = queries_.find(std::uint32_t{answer.sm} << 8 | answer.slot);
    if (found == queries_.end()) return;  // an error of the driver, which the port reports
    const CancelQuery& q = found->second;
    writer_.write(
        CancelRecord{now - q.cycle, q.sm, q.cta, q.lane, q.tag, answer.canceled, answer.first});
    queries_.erase(found);
}

void Recorder::onResponse(const SyncResponse& response)
{
    writer_.write(response);
    open_.response(response, [&](WarpRef at, const OpenPart&, Lanes lanes, bool) {
        warp(at).answered.set(lanes, warp(at).live, response.cycle);
    });
}

void Recorder::onRelease(const Release& release)
{
    writer_.write(release);
    open_.release(release, [&](WarpRef at, const OpenPart&, Lanes lanes, bool) {
        warp(at).answered.set(lanes, warp(at).live, release.cycle);
    });
}

void Recorder::onDelivered(const Delivered& delivered) { writer_.write(delivered); }

void Recorder::onCtaFree(const CtaFree& free)
{
    writer_.write(free);
    ++frees_;
    lastFree_ = free.cycle;
}

void Recorder::onGrid(const GridEvent& event) { writer_.write(event); }

void Recorder::onEnd(Cycle now) { writer_.write(StopRecord{now}); }

}  // namespace gsu::trace
