/// MapLog: tensor maps in global memory that the kernel itself has written, as the tensormap proxy sees them. A copy sees a write after a
/// release of that proxy and then, in the CTA that copies, an acquire of the 128 bytes that hold it (memory.md; FENCE-028, FENCE-029,
/// TMAP-003).
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "exec/visibility/store_queue.hpp"

namespace gsu::visibility {

class MapLog {
public:
    /// `bound`: most clocks until the proxy sees a write without fences; 0: at once.
    MapLog(std::uint32_t bound, std::uint64_t seed) : bound_(bound), rng_(seed) {}

    [[nodiscard]] bool empty() const noexcept { return blocks_.empty(); }
    /// Notes a generic write to global memory at `now`; `old`: the bytes before. Any size.
    void wrote(Where where, std::size_t bytes, const std::uint8_t* old, Cycle now);
    /// Notes a write that is not generic: nothing is known of these bytes any more.
    void forget(Where where, std::size_t bytes);
    /// A release towards the tensormap proxy has been performed. Releases are cumulative, so it covers everything in memory, whoever wrote it.
    void released() noexcept { released_ = writes_; }
    /// Notes an acquire of this range by a thread of `cta`: its copies see released writes inside it; delays elsewhere stay.
    void acquired(std::uint64_t cta, Where where, std::size_t bytes);

    enum class Missing : std::uint8_t { Nothing, Release, Acquire };
    /// The fence that is missing before a copy of `cta` may read a map there.
    [[nodiscard]] Missing missing(std::uint64_t cta, Where where, std::size_t bytes) const;
    /// Turns bytes that were read from memory at `now` into those that the proxy sees.
    void view(Where where, std::size_t bytes, std::uint8_t* to, Cycle now) const;

private:
    static constexpr unsigned kBlock = 64;  ///< maps are aligned to this
    struct Block {
        std::uint64_t write{};  ///< number of the last write
        Cycle due{};            ///< from this clock on everyone sees memory
        std::uint64_t late{};   ///< bit per byte of `before`
        std::array<std::uint8_t, kBlock> before{};
        std::vector<std::pair<std::uint64_t, std::uint64_t>> acquired;  ///< CTA, write
    };
    void shrink(Cycle now);
    void writeBlock(Block& block, unsigned at, unsigned count, const std::uint8_t* old, Cycle now);

    std::uint32_t bound_;
    std::uint64_t rng_;
    std::uint64_t writes_{}, released_{};
    /// limit of blocks: beyond it blocks that everyone sees are forgotten
    std::size_t limit_{1u << 16};
    std::unordered_map<Where, Block> blocks_;  ///< by address / kBlock
    Block* last_{};                            ///< the block written last, if it still exists
    Where lastBlock_{};
};

}  // namespace gsu::visibility
