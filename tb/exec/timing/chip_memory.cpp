#include "exec/timing/chip_memory.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace gsu::timing {
namespace {

constexpr std::size_t kRecent = 4096;  ///< lines whose last readers are remembered

/// The hash that spreads chunks of l2_half bytes over the halves is not published; this one changes with every bit.
bool isFar(std::uint64_t chunk) noexcept { return (std::popcount(chunk) & 1) != 0; }

}  // namespace

ChipMemory::ChipMemory(const TimingParams& params, unsigned sms,
                       std::shared_ptr<const Sharing> sharing)
    : p_(params),
      l2_(std::uint64_t{params.l2_size} * 1024,
          std::uint64_t{params.sms} * kTicks / std::min(sms, params.sms)),
      sharing_(std::move(sharing)),
      ways_(sms),
      hbmQueue_(params.hbm_load),
      recent_(kRecent),
      room_(std::uint64_t{params.l2_dirty} * 1024 * std::min(sms, params.sms) / params.sms)
{
    const std::uint64_t hbm = std::uint64_t{p_.hbm_gbps} * 1'000'000 / p_.clock_mhz;
    const std::uint64_t port = std::uint64_t{p_.sm_port} * 1000;
    const auto wayOf = [&](std::uint64_t rate) {
        return std::min(port, std::max<std::uint64_t>(1, rate * p_.share_burst / 1000 / p_.sms));
    };
    const std::uint64_t part = std::min(sms, p_.sms);
    l2Rate_ = std::max<std::uint64_t>(1, p_.l2_bytes * part / p_.sms);
    hbmRate_ = std::max<std::uint64_t>(1, hbm * part / p_.sms);
    l2Way_ = wayOf(p_.l2_bytes);
    hbmWay_ = wayOf(hbm);
}

bool ChipMemory::merges(unsigned sm, Ticks ready, std::uint64_t line)
{
    Recent& r = recent_[line % kRecent];
    const bool same = r.line == line + 1 && r.sm != sm &&
                      ready <= r.at + ticksOf(p_.merge_window) && r.at <= ready;
    if (!same) r = {line + 1, ready, sm};
    merged_ += same ? 1 : 0;
    return same;
}

ChipMemory::Demand ChipMemory::demandOf(unsigned sm, Ticks ready, std::span<const Run> runs,
                                        std::uint32_t sharers)
{
    constexpr double kShared = 1.5;  // a line of fewer readers is taken to have one
    Demand d;
    for (const Run& run : runs) {
        const std::uint64_t begin = run.address / kSector * kSector;
        const std::uint64_t end = (run.address + run.bytes + kSector - 1) / kSector * kSector;
        for (std::uint64_t at = begin; at < end;) {
            const std::uint64_t line = at / kLine;
            const auto bytes = static_cast<unsigned>(std::min(end, (line + 1) * kLine) - at);
            const bool reads = sharers != 0;
            const bool merged = reads && p_.merge_window != 0 && merges(sm, ready, line);
            const double found = sharing_ != nullptr && reads ? sharing_->sharersOf(at) : 0;
            const double readers = found != 0 ? found : sharers;
            const unsigned moved = reads ? l2_.read(at, bytes, readers) : l2_.write(at, bytes);
            if (!merged) d.l2 += bytes;
            if (!merged && readers >= kShared) d.shared += bytes;
            d.hbm += moved;
            const bool hit = moved == 0, far = isFar(at / p_.l2_half);
            (hit ? (far ? d.farHit : d.nearHit) : (far ? d.farMiss : d.nearMiss)) = true;
            at += bytes;
        }
    }
    return d;
}

Ticks ChipMemory::extraOfHbm(Ticks ready, std::span<const Run> runs, Ticks service, bool copy)
{
    std::uint64_t bytes = 0;
    for (const Run& run : runs) bytes += run.bytes;
    const bool scattered = copy && runs.size() > 1 && bytes <= runs.size() * kLine;
    return hbmQueue_.take(ready, service) + (scattered ? ticksOf(p_.hbm_rows) : 0);
}

Arrival ChipMemory::read(unsigned sm, Ticks ready, std::span<const Run> runs, bool copy,
                         std::uint32_t sharers)
{
    const Demand d = demandOf(sm, ready, runs, sharers);
    hbmBytes_ += d.hbm;
    // Lines that several SMs want at once leave L2 fewer times than they arrive.
    const std::uint64_t merged = d.l2 - d.shared + d.shared * 1000 / p_.line_merge;
    const std::uint64_t amount = copy ? merged : merged * p_.load_weight / 1000;
    const auto through = [&](PriorityServer& way, std::uint64_t bytes, std::uint64_t rate) {
        const Ticks time = timeFor(bytes, rate);
        return copy ? way.rest(ready, time) : way.first(ready, time);
    };
    Way& way = ways_[sm];
    const Span l2 = through(way.l2, amount, l2Way_);
    const Span hbm = d.hbm != 0 ? through(way.hbm, d.hbm, hbmWay_) : l2;
    const Ticks l2Share = l2Share_.take(ready, timeFor(amount, l2Rate_)).end;
    const Ticks hbmTime = timeFor(d.hbm, hbmRate_);
    const Ticks hbmShare = d.hbm != 0 ? hbmShare_.take(ready, hbmTime).end : l2Share;
    const Ticks extra = d.hbm != 0 ? extraOfHbm(ready, runs, hbmTime, copy) : 0;
    Arrival a{kNever, 0, 0};
    const auto arrives = [&](bool any, const Span& span, Ticks latency) {
        if (!any) return;
        a.first = std::min(a.first, span.start + latency);
        a.last = std::max(a.last, span.end + latency);
        a.latency = std::max(a.latency, latency);
    };
    arrives(d.nearHit, l2, ticksOf(p_.l2_near));
    arrives(d.farHit, l2, ticksOf(p_.l2_far));
    arrives(d.nearMiss, hbm, ticksOf(p_.hbm_near) + extra);
    arrives(d.farMiss, hbm, ticksOf(p_.hbm_far) + extra);
    a.last = std::max({a.last, l2Share, hbmShare});
    a.first = std::min(a.first, a.last);
    return a;
}

Ticks ChipMemory::write(unsigned sm, Ticks ready, std::span<const Run> runs, bool copy)
{
    const Demand d = demandOf(sm, ready, runs, 0);
    const Ticks time = timeFor(d.l2, l2Way_);
    PriorityServer& out = ways_[sm].out;
    const Span span = copy ? out.rest(ready, time) : out.first(ready, time);
    const Ticks share = l2Share_.take(ready, timeFor(d.l2, l2Rate_)).end;
    // L2 keeps what is written as long as there is room. Then it writes back: nobody waits for it, but it takes its part of HBM.
    const std::uint64_t kept = std::min(room_, d.hbm), back = d.hbm - kept;
    room_ -= kept;
    hbmBytes_ += back;
    if (back != 0) {
        const Ticks backTime = timeFor(back * p_.hbm_write_weight / 1000, hbmRate_);
        hbmShare_.take(ready, backTime);
        hbmQueue_.take(ready, backTime);
    }
    const bool far = d.farHit || d.farMiss;
    return std::max(span.end + ticksOf(far ? p_.l2_far : p_.l2_near), share);
}

double ChipMemory::l2Busy(Ticks time) const noexcept
{
    return static_cast<double>(l2Share_.busy()) / static_cast<double>(time);
}

double ChipMemory::hbmBusy(Ticks time) const noexcept
{
    return static_cast<double>(hbmShare_.busy()) / static_cast<double>(time);
}

}  // namespace gsu::timing
