#include "exec/timing/copy_engine.hpp"

#include <algorithm>

namespace gsu::timing {

/// The map has been read: rows can be made.
Ticks CopyEngine::prepared(const CopyRequest& r, Ticks issued)
{
    if (r.rows == 0) return issued;
    const bool first = touched_.emplace(p_.tma_map_kept != 0 ? 0 : r.cta, r.map).second;
    return issued + ticksOf(p_.tma_descriptor + (first ? p_.tma_first_touch : 0));
}

Ticks CopyEngine::serviceOf(const CopyRequest& r) const noexcept
{
    const Ticks bytes = timeFor(r.bytes, std::uint64_t{p_.tma_engine} * 1000);
    if (r.rows == 0) return bytes;
    const bool shortRows = r.bytes / r.rows < kSector;
    return std::max(bytes, Ticks{r.rows} * (shortRows ? p_.tma_short_row : p_.tma_row));
}

CopyTimes CopyEngine::load(unsigned sm, const CopyRequest& r, Ticks issued, ChipMemory& memory,
                           std::span<SharedPort* const> ports)
{
    const Span rows = engine_.take(prepared(r, issued), serviceOf(r));
    const Arrival data = memory.read(sm, rows.start, r.runs, true, r.sharers);
    const Ticks extra = ticksOf(p_.tma_extra + (ports.size() > 1 ? p_.tma_multicast : 0));
    Ticks last = std::max(data.last, rows.end + data.latency);
    for (SharedPort* port : ports)
        last = std::max(last, port->stream(data.first, r.bytes, p_.smem_copy_weight).end);
    return {std::min(data.first, last) + extra, last, last + extra};
}

CopyTimes CopyEngine::store(unsigned sm, const CopyRequest& r, Ticks issued, ChipMemory& memory,
                            SharedPort& port)
{
    const Span rows =
        stores_.take(prepared(r, issued),
                     std::max(serviceOf(r), timeFor(r.bytes, std::uint64_t{p_.tma_store} * 1000)));
    const Ticks read =
        std::max(rows.end, port.stream(rows.start, r.bytes).end) + ticksOf(p_.smem_lat);
    const Ticks written = memory.write(sm, rows.start, r.runs, true);
    const Ticks last = p_.tma_store_wait != 0 ? std::max(read, written) : read;
    return {last, read, last};
}

void CopyEngine::forget(std::uint64_t cta)
{
    if (p_.tma_map_kept != 0) return;
    touched_.erase(touched_.lower_bound({cta, 0}), touched_.upper_bound({cta, ~std::uint64_t{0}}));
}

}  // namespace gsu::timing
