#include "exec/visibility/map_log.hpp"

#include <algorithm>

#include "base/random.hpp"

namespace gsu::visibility {

/// Removes old blocks: most kernels that copy boxes never write a map, and store many other bytes.
void MapLog::shrink(Cycle now)
{
    if (blocks_.size() <= limit_) return;
    last_ = nullptr;
    std::erase_if(blocks_, [&](const auto& entry) { return entry.second.due <= now; });
    limit_ = std::max(limit_, 2 * blocks_.size());
}

void MapLog::writeBlock(Block& b, unsigned at, unsigned count, const std::uint8_t* old, Cycle now)
{
    b.write = writes_;
    if (b.due <= now) {
        b.late = 0;
        b.due = bound_ == 0 ? now : now + 1 + splitmix64(rng_) % bound_;
    }
    for (unsigned i = 0; i < count; ++i) {
        const std::uint64_t bit = 1ull << (at + i);
        if ((b.late & bit) == 0) b.before[at + i] = old[i];
        b.late |= bit;
    }
}

void MapLog::wrote(Where where, std::size_t bytes, const std::uint8_t* old, Cycle now)
{
    if (bytes == 0) return;
    ++writes_;
    while (bytes != 0) {
        if (last_ == nullptr ||
            lastBlock_ != where / kBlock) {  // neighbours come one after the other
            lastBlock_ = where / kBlock;
            last_ = &blocks_[lastBlock_];
        }
        const auto at = static_cast<unsigned>(where % kBlock);
        const auto count = static_cast<unsigned>(std::min<std::size_t>(bytes, kBlock - at));
        writeBlock(*last_, at, count, old, now);
        where += count;
        old += count;
        bytes -= count;
    }
    shrink(now);
}

void MapLog::forget(Where where, std::size_t bytes)
{
    if (blocks_.empty() || bytes == 0) return;
    last_ = nullptr;
    for (Where block = where / kBlock; block <= (where + bytes - 1) / kBlock; ++block)
        blocks_.erase(block);
}

void MapLog::acquired(std::uint64_t cta, Where where, std::size_t bytes)
{
    // Blocks that are completely in the range: bytes beside it are not ordered.
    for (Where block = (where + kBlock - 1) / kBlock; (block + 1) * kBlock <= where + bytes;
         ++block) {
        const auto found = blocks_.find(block);
        if (found == blocks_.end() || found->second.write > released_) continue;
        Block& b = found->second;
        b.due = 0;
        std::erase_if(b.acquired, [&](const auto& by) { return by.first == cta; });
        b.acquired.emplace_back(cta, b.write);
    }
}

MapLog::Missing MapLog::missing(std::uint64_t cta, Where where, std::size_t bytes) const
{
    Missing worst = Missing::Nothing;
    for (Where block = where / kBlock; block <= (where + bytes - 1) / kBlock; ++block) {
        const auto found = blocks_.find(block);
        if (found == blocks_.end()) continue;
        const Block& b = found->second;
        if (std::find(b.acquired.begin(), b.acquired.end(), std::pair{cta, b.write}) !=
            b.acquired.end())
            continue;
        if (b.write > released_) return Missing::Release;
        worst = Missing::Acquire;
    }
    return worst;
}

void MapLog::view(Where where, std::size_t bytes, std::uint8_t* to, Cycle now) const
{
    for (std::size_t i = 0; i < bytes; ++i) {
        const auto found = blocks_.find((where + i) / kBlock);
        if (found == blocks_.end() || found->second.due <= now) continue;
        const unsigned at = (where + i) % kBlock;
        if ((found->second.late >> at & 1) != 0) to[i] = found->second.before[at];
    }
}

}  // namespace gsu::visibility
