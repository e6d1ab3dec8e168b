// Copies, products and utilisation of ServerTiming; and the model that takes no time.
#include <algorithm>

#include "exec/timing/coalesce.hpp"
#include "exec/timing/server_timing.hpp"

namespace gsu::timing {

Cycle ServerTiming::copyAsync(WarpHandle handle, const MemoryAccess& from, const MemoryAccess& to,
                              Cycle issued)
{
    Warp& warp = warps_[handle];
    const Sectors sectors(from.lanes);
    Sm& sm = sms_[warp.place.sm];
    const Arrival data = memory_.read(warp.place.sm, ticksOf(issued), sectors.runs(), false);
    const Span written =
        sm.port.stream(data.last, std::uint64_t{wavefronts(to.lanes)} * p_.smem_port);
    return clocksOf(std::max(data.last, written.end));
}

CopyClocks ServerTiming::copyIn(unsigned sm, const CopyRequest& request,
                                std::span<const unsigned> to, Cycle issued)
{
    std::vector<SharedPort*> ports;
    for (const unsigned destination : to) ports.push_back(&sms_[destination].port);
    const CopyTimes t = sms_[sm].copies.load(sm, request, ticksOf(issued), memory_, ports);
    sms_[sm].copied = std::max(sms_[sm].copied, clocksOf(t.last));
    return {clocksOf(t.first), clocksOf(t.read), clocksOf(t.last)};
}

CopyClocks ServerTiming::copyOut(unsigned sm, const CopyRequest& request, Cycle issued)
{
    const CopyTimes t = sms_[sm].copies.store(sm, request, ticksOf(issued), memory_, sms_[sm].port);
    return {clocksOf(t.first), clocksOf(t.read), clocksOf(t.last)};
}

CopyClocks ServerTiming::copyAcross(unsigned from, unsigned to, std::uint32_t bytes, Cycle issued)
{
    const Ticks read = sms_[from].port.stream(ticksOf(issued), bytes).end;
    const Ticks sent = links_.copy(from, to, ticksOf(issued), bytes);
    const Ticks first = ticksOf(issued + p_.dsm_copy + (from != to ? p_.dsm_lat / 2 : 0));
    const Ticks written = sms_[to].port.stream(first, bytes, p_.smem_copy_weight).end;
    const Cycle done = clocksOf(std::max({read, sent + ticksOf(p_.dsm_copy), written}));
    return {done, clocksOf(read), done};
}

/// The pipe takes the product when its queue does; the warp waits so long.
ProductTimes ServerTiming::taken(WarpHandle handle, const Product& what, Cycle issued)
{
    Sm& sm = sms_[warps_[handle].place.sm];
    const Ticks from = std::max(ticksOf(issued), sm.tensor.accepts(what));
    if (from > ticksOf(issued)) waited(handle, Stall::TensorPipe, clocksOf(from) + p_.mma_issue, 0);
    const ProductTimes times = sm.tensor.take(what, from, sm.port);
    if (!what.tcgen) {
        sm.slots.multiplies(times.start / kTicks, times.end / kTicks, kept_);
        sm.multipliesUntil = times.end;
    }
    return times;
}

ProductClocks ServerTiming::product(WarpHandle handle, const Product& what, Cycle issued)
{
    if (what.tcgen) {  // one thread asks for all of it
        const ProductTimes times = taken(handle, what, issued);
        return {clocksOf(times.start), clocksOf(times.done)};
    }
    Warp& warp = warps_[handle];
    Group& group = groups_[warp.place.group];
    ProductTimes& times = group.last[warp.products % Group::kKept];
    if (!joins(warp)) {
        times = taken(handle, what, issued);
        ++group.count;
    }
    ++warp.products;
    return {clocksOf(times.start), clocksOf(times.done)};
}

Cycle ServerTiming::tensorMove(WarpHandle handle, std::uint64_t bytes, Cycle issued)
{
    const WarpPlace& place = warps_[handle].place;
    return clocksOf(sms_[place.sm].moves.move(place.scheduler, bytes, ticksOf(issued)));
}

std::vector<Utilisation> ServerTiming::utilisation(Cycle end) const
{
    const auto time = static_cast<double>(ticksOf(std::max<Cycle>(end, 1)) * sms_.size());
    const auto mean = [&](const char* name, auto busy) {
        double sum = 0;
        for (const Sm& sm : sms_) sum += static_cast<double>(busy(sm));
        return Utilisation{name, sum / time};
    };
    const auto pipe = [&](const char* name, Pipe which) {
        return mean(name, [which](const Sm& s) {
            return ticksOf(s.slots.busy(which)) / IssueSlots::kSchedulers;
        });
    };
    std::vector<Utilisation> list{
        mean("issue slots",
             [](const Sm& s) { return ticksOf(s.slots.issued()) / IssueSlots::kSchedulers; }),
        pipe("FMA pipe", Pipe::Fma),
        pipe("ALU pipe", Pipe::Alu),
        pipe("special function unit", Pipe::Special),
        pipe("mma pipe", Pipe::Tensor),
        mean("tensor pipe", [](const Sm& s) { return s.tensor.busy(); }),
        mean("shared memory port", [](const Sm& s) { return s.port.busy(); }),
        mean("copy engine", [](const Sm& s) { return s.copies.busy(); })};
    const Ticks clocks = ticksOf(std::max<Cycle>(end, 1));
    list.push_back({"L2", memory_.l2Busy(clocks)});
    list.push_back({"HBM", memory_.hbmBusy(clocks)});
    double links = 0;
    for (unsigned sm = 0; sm < sms_.size(); ++sm)
        links = std::max(links, static_cast<double>(links_.busy(sm)) / 2);
    list.push_back({"cluster links", links / static_cast<double>(clocks)});
    return list;
}

void ServerTiming::watch()
{
    constexpr std::size_t kOfAnSm = 3, kOfAll = 2;
    activity_.reserve(kOfAnSm * sms_.size() + kOfAll);
    const auto add = [&](const char* name, std::optional<unsigned> sm) -> Activity& {
        return activity_.emplace_back(ServerActivity{name, sm, {}}).activity;
    };
    for (unsigned sm = 0; sm < sms_.size(); ++sm) {
        sms_[sm].tensor.watch(add("tensor pipe", sm));
        sms_[sm].port.watch(add("shared memory port", sm));
        sms_[sm].copies.watch(add("copy engine", sm));
    }
    Activity& l2 = add("L2", {});
    memory_.watch(l2, add("HBM", {}));
}

namespace {

class SimpleTiming final : public TimingModel {
public:
    [[nodiscard]] bool active() const noexcept override { return false; }
    WarpHandle enter(const WarpPlace&, Cycle) override { return 0; }
    void leave(WarpHandle, Cycle) override {}
    void ended(unsigned, std::uint64_t) override {}
    [[nodiscard]] Wait earliest(WarpHandle, const Instruction&) override { return {}; }
    [[nodiscard]] WarpTiming* direct(WarpHandle) noexcept override { return nullptr; }
    Cycle issue(WarpHandle, const Instruction&, Cycle at) override { return at; }
    void rename(WarpHandle, const Instruction&) override {}
    Cycle load(WarpHandle, const Instruction&, const MemoryAccess&, Cycle issued) override
    {
        return issued;
    }
    Cycle store(WarpHandle, const MemoryAccess&, Cycle issued) override { return issued; }
    Cycle copyAsync(WarpHandle, const MemoryAccess&, const MemoryAccess&, Cycle issued) override
    {
        return issued;
    }
    CopyClocks copyIn(unsigned, const CopyRequest&, std::span<const unsigned>, Cycle at) override
    {
        return {at, at, at};
    }
    CopyClocks copyOut(unsigned, const CopyRequest&, Cycle at) override { return {at, at, at}; }
    CopyClocks copyAcross(unsigned, unsigned, std::uint32_t, Cycle at) override
    {
        return {at, at, at};
    }
    ProductClocks product(WarpHandle, const Product&, Cycle issued) override
    {
        return {issued, issued};
    }
    Cycle tensorMove(WarpHandle, std::uint64_t, Cycle issued) override { return issued; }
    Cycle view(WarpHandle, Cycle) override { return 0; }
    [[nodiscard]] Cycle front(WarpHandle) const override { return 0; }
    [[nodiscard]] Wait drained(WarpHandle, Drain, Cycle) override { return {}; }
    [[nodiscard]] std::uint64_t fencesAmidCopies() const override { return 0; }
    void waited(WarpHandle, Stall, Cycle, std::uint32_t) override {}
    [[nodiscard]] Cycle starts(Cycle slotFree) const noexcept override { return slotFree; }
    [[nodiscard]] const Ledger& ledger() const noexcept override { return ledger_; }
    [[nodiscard]] std::vector<Utilisation> utilisation(Cycle) const override { return {}; }
    void watch() override {}
    [[nodiscard]] const std::vector<ServerActivity>& activity() const noexcept override
    {
        return activity_;
    }
    [[nodiscard]] double bytesOfHbm() const override { return 0; }

private:
    Ledger ledger_;
    std::vector<ServerActivity> activity_;
};

}  // namespace

std::unique_ptr<TimingModel> simpleTiming() { return std::make_unique<SimpleTiming>(); }

std::unique_ptr<TimingModel> serverTiming(const TimingParams& params, unsigned sms,
                                          std::shared_ptr<const Sharing> sharing)
{
    return std::make_unique<ServerTiming>(params, sms, std::move(sharing));
}

}  // namespace gsu::timing
