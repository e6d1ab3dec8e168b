#include "exec/timing/cluster_links.hpp"

#include <algorithm>

namespace gsu::timing {

Span ClusterLinks::send(unsigned from, unsigned to, Ticks ready, std::uint64_t bytes) noexcept
{
    const Ticks time = timeFor(bytes, p_.dsm_link);
    const Span out = out_[from].take(ready, time);
    const Span in = in_[to].take(out.start, time);
    return {in.start, std::max(out.end, in.end)};
}

/// The latencies were measured with accesses of one packet: its time is in them.
Ticks ClusterLinks::firstPacket(std::uint64_t bytes, std::uint64_t header) const noexcept
{
    return timeFor(std::min(bytes, kPacket) + header, p_.dsm_link);
}

Ticks ClusterLinks::load(unsigned from, unsigned owner, Ticks ready, std::uint64_t bytes) noexcept
{
    const Ticks asked = send(from, owner, ready, p_.dsm_request).start + hop();
    const std::uint64_t packets = (bytes + kPacket - 1) / kPacket;
    const std::uint64_t all = bytes + packets * p_.dsm_load_header;
    const Ticks back = send(owner, from, asked, all).end;
    return back - firstPacket(bytes, p_.dsm_load_header) + ticksOf(p_.dsm_lat) - hop();
}

Ticks ClusterLinks::store(unsigned from, unsigned owner, Ticks ready, std::uint64_t bytes) noexcept
{
    const std::uint64_t packets = (bytes + kPacket - 1) / kPacket;
    const std::uint64_t all = bytes + packets * p_.dsm_store_header;
    const Ticks there =
        send(from, owner, ready, all).end - firstPacket(bytes, p_.dsm_store_header) + hop();
    send(owner, from, there, packets * p_.dsm_ack);
    return there;
}

Ticks ClusterLinks::copy(unsigned from, unsigned owner, Ticks ready, std::uint64_t bytes) noexcept
{
    const Ticks there = send(from, owner, ready, bytes).end + (from != owner ? hop() : 0);
    const std::uint64_t packets = (bytes + kPacket - 1) / kPacket;
    send(owner, from, there, packets * p_.dsm_ack);
    return there;
}

}  // namespace gsu::timing
