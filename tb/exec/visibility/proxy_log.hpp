/// ProxyLog: generic stores that the async proxy does not see yet, with the bytes that they replaced. A bulk copy of a CTA reads the old bytes of those stores
/// against which it has not been fenced (memory.md; FENCE-024..027, TMAP-003).
#pragma once
#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "exec/visibility/store_queue.hpp"

namespace gsu::visibility {

class ProxyLog {
public:
    /// `bound`: most clocks until the async proxy sees a store without a fence.
    ProxyLog(std::uint32_t bound, std::uint64_t seed) : bound_(bound), rng_(seed) {}

    [[nodiscard]] bool empty() const noexcept { return first_ == next_; }
    /// Notes a generic store of CTA `by` that is written to memory at `now`; `old`: the bytes before. Any size.
    void wrote(std::uint64_t by, Where where, unsigned bytes, const std::uint8_t* old, Cycle now);
    /// An asynchronous write has replaced these bytes: no older bytes can be seen there any more.
    void overwritten(Where where, std::size_t bytes, Cycle now);
    /// Memory of a proxy fence: that of its state space, or both without one (FENCE-026).
    enum class Of : std::uint8_t { Shared, Global, Both };
    /// Executes a fence.proxy.async of a thread of `cta`: its copies see everything in that memory, and copies of others see its stores there.
    void fence(std::uint64_t cta, Of of = Of::Both);
    /// Turns bytes that were read from memory at `now` into those that copies of `cta` see. `now` must not be before that of wrote().
    void view(std::uint64_t cta, Where where, std::size_t bytes, std::uint8_t* to, Cycle now);

private:
    using Id = std::uint64_t;
    struct Entry {
        std::uint64_t by{};
        Where where{};
        Cycle due{}, gone{};
        Id older{};  ///< the next older entry of its chain; below first_: none
        std::array<std::uint8_t, kLineBytes> old{};
        std::uint8_t bytes{};
    };
    [[nodiscard]] Entry& at(Id id) noexcept { return ring_[id & (ring_.size() - 1)]; }
    [[nodiscard]] Id& newest(Where line) noexcept;
    void append(const Entry& entry);
    /// Whether there may be entries for these bytes.
    [[nodiscard]] bool near(Where where, std::size_t bytes) const noexcept;
    void grow();
    void forget(Cycle now);
    /// Calls fn(id, entry) for the entries of a line, from the newest on.
    template <class Fn> void eachOfLine(Where line, Fn fn);
    /// The last entry of that memory that counts as seen by copies of the CTA, or as shown by it to all.
    [[nodiscard]] Id fencedUpTo(std::uint64_t cta, bool global) const;

    std::uint32_t bound_;
    std::uint64_t rng_;
    Id first_{1}, next_{1};    ///< entries are those from first_ to below next_, ascending in time
    std::vector<Entry> ring_;  ///< entry `id` at id modulo the size, a power of two
    /// newest entry of the lines of one hash, as many as ring_ holds: chains over Entry::older
    std::vector<Id> newest_;
    /// for shared, for global memory
    std::unordered_map<std::uint64_t, std::array<Id, 2>> fenced_;
    /// Range of all entries since there was none: of shared memory, of global memory.
    struct Range {
        Where low{~Where{0}}, high{};
    };
    std::array<Range, 2> around_{};
};

}  // namespace gsu::visibility
