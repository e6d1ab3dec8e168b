#include "exec/timing/server_timing.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

#include "exec/timing/coalesce.hpp"

namespace gsu::timing {

ServerTiming::Sm::Sm(const TimingParams& p)
    : port(p.smem_port),
      tensor(p),
      moves(p),
      copies(p),
      fences(p.fence_interval),
      l1(std::uint64_t{p.l1_size} * 1024)
{
}

namespace {

/// What the pipes take beside wgmma.
KeptClocks keptBy(const TimingParams& p, const ClassTable& classes)
{
    KeptClocks kept;
    const auto leave = [&](Pipe pipe, std::uint32_t count, InstructionClass counted) {
        unsigned longest = 1;
        for (const ClassTimes& c : classes)
            if (c.pipe == pipe) longest = std::max(longest, c.interval);
        kept.leave(pipe, count * classes[static_cast<std::size_t>(counted)].interval, longest);
    };
    leave(Pipe::Fma, p.mma_beside_fma, InstructionClass::Fma);
    leave(Pipe::Alu, p.mma_beside_alu, InstructionClass::Integer);
    leave(Pipe::Special, p.mma_beside_special, InstructionClass::Special);
    leave(Pipe::LoadStore, p.mma_beside_lsu, InstructionClass::Shuffle);
    return kept;
}

}  // namespace

ServerTiming::ServerTiming(const TimingParams& params, unsigned sms,
                           std::shared_ptr<const Sharing> sharing)
    : p_(atOwnClocks(params)),
      shared_{classTableOf(p_)},
      kept_(keptBy(p_, shared_.classes)),
      memory_(p_, sms, std::move(sharing)),
      links_(p_, sms)
{
    sms_.reserve(sms);
    for (unsigned i = 0; i < sms; ++i) sms_.emplace_back(p_);
}

WarpHandle ServerTiming::enter(const WarpPlace& place, Cycle at)
{
    ++groups_[place.group].warps;
    if (free_.empty()) {
        free_.push_back(static_cast<WarpHandle>(warps_.size()));
        warps_.emplace_back(shared_, p_.window);
    }
    const WarpHandle handle = free_.back();
    free_.pop_back();
    Warp& warp = warps_[handle];
    warp.place = place;
    warp.products = 0;
    warp.stored = false;
    Sm& sm = sms_[place.sm];
    warp.own.begin(sm.slots.of(place.scheduler), sm.fences, ledger_.enter({place.sm, place.role}),
                   at);
    return handle;
}

void ServerTiming::leave(WarpHandle handle, Cycle at)
{
    Warp& warp = warps_[handle];
    warp.own.charge(Stall::Issue, at);
    const auto group = groups_.find(warp.place.group);
    if (--group->second.warps == 0) groups_.erase(group);
    free_.push_back(handle);
}

void ServerTiming::ended(unsigned sm, std::uint64_t cta) { sms_[sm].copies.forget(cta); }

/// Another warp of its group has issued the same product before.
bool ServerTiming::joins(const Warp& warp) const
{
    return warp.products < groups_.at(warp.place.group).count;
}

Wait ServerTiming::earliest(WarpHandle handle, const Instruction& next)
{
    return warps_[handle].own.earliest(next);
}

Cycle ServerTiming::issue(WarpHandle handle, const Instruction& what, Cycle now)
{
    return warps_[handle].own.issue(what, now);
}

void ServerTiming::rename(WarpHandle handle, const Instruction& what)
{
    warps_[handle].own.rename(what);
}

/// L1 first, where it may answer: its data pass through the port of shared memory.
Arrival ServerTiming::readGlobal(Warp& warp, const MemoryAccess& access, Cycle issued)
{
    Sm& sm = sms_[warp.place.sm];
    const Sectors sectors(access.lanes);
    const unsigned passes =
        access.atomic ? sectors.lines() : std::max(sectors.lines(), returns(access.lanes));
    const Span port = sm.port.access(ticksOf(issued), passes);
    std::array<Run, 64> missing;
    unsigned count = 0;
    for (const Run& run : sectors.runs()) {
        bool hit = access.cached && !access.atomic;
        const std::uint64_t last = (run.address + run.bytes - 1) / kLine;
        for (std::uint64_t line = run.address / kLine; line <= last; ++line) {
            if (access.cached && !sm.l1.touch(line * kLine)) hit = false;
        }
        if (!hit) missing[count++] = run;
    }
    const Ticks l1 = port.end - kTicks + ticksOf(p_.l1_lat);
    if (count == 0) return {l1, l1, ticksOf(p_.l1_lat)};
    Arrival data =
        memory_.read(warp.place.sm, port.start, std::span<const Run>(missing.data(), count), false);
    data.last = std::max(data.last, l1);
    return data;
}

Cycle ServerTiming::loaded(Warp& warp, const MemoryAccess& access, Cycle issued, Stall& cause)
{
    using enum MemoryAccess::Where;
    Sm& sm = sms_[warp.place.sm];
    const auto bytes = std::uint64_t{access.lanes.bytes} *
                       static_cast<unsigned>(__builtin_popcount(access.lanes.lanes));
    switch (access.where) {
        case Constant: cause = Stall::Fixed; return issued + p_.integer_lat;
        case Shared: {
            cause = Stall::SharedResult;
            const unsigned fronts = wavefronts(
                access.lanes, access.matrix || access.atomic ? Pairs::Apart : Pairs::Together);
            const Span span = sm.port.access(ticksOf(issued), fronts, sm.multiplies(issued));
            const std::uint32_t latency = access.atomic   ? p_.smem_atomic_lat
                                          : access.matrix ? p_.matrix_lat
                                                          : p_.smem_lat;
            // The latencies are those of an access without conflicts; of ldmatrix of four matrices.
            const Ticks usual = access.matrix ? 4 * kTicks : kTicks;
            const unsigned ways = access.matrix || access.atomic ? 1 : p_.smem_way;
            const Ticks further = (fronts - 1) * ticksOf(ways - 1);
            return issued + latency + clocksOf(further) +
                   (span.end > ticksOf(issued) + usual ? clocksOf(span.end - usual) - issued : 0);
        }
        case Remote:
            cause = Stall::RemoteResult;
            sms_[access.owner].port.stream(ticksOf(issued), bytes);
            return clocksOf(links_.load(warp.place.sm, access.owner, ticksOf(issued), bytes));
        case Global:
        case Local: break;
    }
    cause = Stall::GlobalResult;
    return clocksOf(readGlobal(warp, access, issued).last);
}

Cycle ServerTiming::load(WarpHandle handle, const Instruction& what, const MemoryAccess& access,
                         Cycle issued)
{
    Warp& warp = warps_[handle];
    Stall cause{};
    // The servers have gone on to the executor's clock meanwhile, and serve nobody before it. So they serve the load now, and all is as much earlier.
    const Cycle late = warp.own.late();
    const Cycle ready = loaded(warp, access, issued + late, cause) - late;
    warp.own.loads(what, ready, cause);
    return ready;
}

Cycle ServerTiming::store(WarpHandle handle, const MemoryAccess& access, Cycle issued)
{
    Warp& warp = warps_[handle];
    Sm& sm = sms_[warp.place.sm];
    const Ticks at = ticksOf(issued);
    using enum MemoryAccess::Where;
    Ticks done = at;
    assert(access.where != Constant);
    if (access.where == Shared) {
        done = sm.port.access(at, wavefronts(access.lanes), sm.multiplies(issued)).end;
        warp.stored = true;
    } else if (access.where == Remote) {
        const auto lanes = static_cast<unsigned>(__builtin_popcount(access.lanes.lanes));
        done = links_.store(warp.place.sm, access.owner, at,
                            std::uint64_t{access.lanes.bytes} * lanes);
        sms_[access.owner].port.stream(done, std::uint64_t{access.lanes.bytes} * lanes);
    } else {
        const Sectors sectors(access.lanes);
        // A line is a pass through L1; when too many wait there, the warp does.
        const Span port = sm.port.occupy(at, Ticks{sectors.lines()} * p_.store_line);
        if (port.start > at + ticksOf(p_.store_queue))
            waited(handle, Stall::SharedPort, clocksOf(port.start) - p_.store_queue, 0);
        done = memory_.write(warp.place.sm, port.start, sectors.runs(), false);
    }
    const Cycle performed = clocksOf(done);
    warp.own.stores(performed, access.where != Shared);
    return performed;
}

Cycle ServerTiming::front(WarpHandle handle) const { return warps_[handle].own.front(); }

Wait ServerTiming::drained(WarpHandle handle, Drain what, Cycle now)
{
    Warp& warp = warps_[handle];
    if (what == Drain::Nothing) return {};
    Wait wait = warp.own.underWay(what);
    if (what != Drain::Fence) return wait;
    const Sm& sm = sms_[warp.place.sm];
    wait.later({warp.own.fence(p_.fence_copies != 0 ? sm.copied : 0), Stall::Fence});
    wait.at -= std::min<Cycle>(wait.at, p_.fence_overlap);
    const Cycle ready = std::max(wait.at, now);
    if (const Cycle begins = sm.fences.next(ready); begins > ready) wait = {begins, Stall::Fence};
    return wait;
}

Cycle ServerTiming::view(WarpHandle handle, Cycle now)
{
    Warp& warp = warps_[handle];
    Sm& sm = sms_[warp.place.sm];
    const bool behind = std::exchange(warp.stored, false) && sm.multiplies(now);
    const Ticks service = ticksOf(behind ? p_.mma_view : p_.fence_view);
    return clocksOf(sm.views.take(ticksOf(now), service).end) - now;
}

void ServerTiming::waited(WarpHandle handle, Stall cause, Cycle until, std::uint32_t line)
{
    warps_[handle].own.waited(cause, until, line);
}

Cycle ServerTiming::starts(Cycle slotFree) const noexcept
{
    return slotFree == 0 ? p_.launch : slotFree + p_.cta_refill;
}

}  // namespace gsu::timing
