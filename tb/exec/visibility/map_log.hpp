/// MapLog: tensor maps in global memory that the kernel itself has written, as the tensormap proxy sees them. A copy sees a write after a release of that proxy
/// and then, in the CTA that copies, an acquire of the 128 bytes that hold it (memory.md; FENCE-028, FENCE-029, TMAP-003).
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
    /// `bound`: clocks, at most, until the proxy sees a write without fences; 0: at once.
    MapLog(std::uint32_t bound, std::uint64_t seed) : bound_(bound), rng_(seed) {}

    [[nodiscard]] bool empty() const noexcept { return blocks_.empty(); }
    /// A generic write to global memory at `now`; `old`: the bytes before. Any size.
    void wrote(Where where, std::size_t bytes, const std::uint8_t* old, Cycle now);
    /// Other than generic: nothing is known of these bytes any more.
    void forget(Where where, std::size_t bytes);
    /// A release towards the tensormap proxy has been performed. Releases are cumulative, so it counts for all that is in memory, whoever wrote it.
    void released() noexcept { released_ = writes_; }
    /// An acquire of this range by a thread of `cta`: released writes inside it are seen by its copies, and outlive no delay elsewhere.
    void acquired(std::uint64_t cta, Where where, std::size_t bytes);

    enum class Missing : std::uint8_t { Nothing, Release, Acquire };
    /// What a copy of `cta` that reads a map there lacks.
    [[nodiscard]] Missing missing(std::uint64_t cta, Where where, std::size_t bytes) const;
    /// Turns bytes that were read from memory at `now` into what the proxy sees.
    void view(Where where, std::size_t bytes, std::uint8_t* to, Cycle now) const;

private:
    static constexpr unsigned kBlock = 64;  ///< maps are aligned to it
    struct Block {
        std::uint64_t write{};  ///< number of the last one
        Cycle due{};            ///< from then on everyone sees memory
        std::uint64_t late{};   ///< bit per byte: of `before`
        std::array<std::uint8_t, kBlock> before{};
        std::vector<std::pair<std::uint64_t, std::uint64_t>> acquired;  ///< CTA, write
    };
    void shrink(Cycle now);
    void writeBlock(Block& block, unsigned at, unsigned count, const std::uint8_t* old, Cycle now);

    std::uint32_t bound_;
    std::uint64_t rng_;
    std::uint64_t writes_{}, released_{};
    std::size_t limit_{1u << 16};  ///< of blocks: beyond it those that everyone sees are forgotten
    std::unordered_map<Where, Block> blocks_;  ///< by address / kBlock
    Block* last_{};                            ///< the block written last, if it still is there
    Where lastBlock_{};
};

}  // namespace gsu::visibility
