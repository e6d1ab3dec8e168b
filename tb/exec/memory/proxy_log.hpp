/// ProxyLog: what the async proxy does not see yet. Generic stores that are in memory are remembered with the bytes they replaced; a bulk
/// copy of a CTA reads around those it has not been fenced against (memory.md; FENCE-024..027, TMAP-003).
#pragma once
#include <array>
#include <cstdint>
#include <deque>
#include <unordered_map>

#include "memory/store_queue.hpp"

namespace gsu::memory {

class ProxyLog {
public:
    /// `bound`: clocks, at most, until the async proxy sees a store without a fence.
    ProxyLog(std::uint32_t bound, std::uint64_t seed) : bound_(bound), rng_(seed) {}

    [[nodiscard]] bool empty() const noexcept { return entries_.empty(); }
    /// A generic store of CTA `by` is written to memory at `now`; `old`: the bytes before. Any size.
    void wrote(std::uint64_t by, Where where, unsigned bytes, const std::uint8_t* old, Cycle now);
    /// An asynchronous write has replaced these bytes: there is nothing older to see in them any more.
    void overwritten(Where where, std::size_t bytes, Cycle now);
    /// fence.proxy.async of a thread of `cta`: its copies see everything that is in memory, and everyone's what it has stored.
    void fence(std::uint64_t cta);
    /// Turns bytes that were read from memory at `now` into what copies of `cta` see. They must not be older than `now` of wrote().
    void view(std::uint64_t cta, Where where, std::size_t bytes, std::uint8_t* to, Cycle now);

private:
    using Id = std::uint64_t;
    struct Entry {
        std::uint64_t by{};
        Where where{};
        std::uint8_t bytes{};
        std::array<std::uint8_t, kLineBytes> old{};
        Cycle due{}, gone{};
    };
    void append(const Entry& entry);
    void forget(Cycle now);
    [[nodiscard]] bool seen(std::uint64_t cta, Id id, const Entry& e, Cycle now) const;
    /// All entries up to here count as seen by copies of the CTA, or as shown by it to all.
    [[nodiscard]] Id fencedUpTo(std::uint64_t cta) const;

    std::uint32_t bound_;
    std::uint64_t rng_;
    Id first_{1};                ///< of entries_.front()
    std::deque<Entry> entries_;  ///< ascending id and time
    std::unordered_map<Where, std::deque<Id>> lines_;
    std::unordered_map<std::uint64_t, Id> fenced_;
};

}  // namespace gsu::memory
