#include "exec/storage/global_memory.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace gsu::exec {

std::uint64_t GlobalMemory::allocate(std::uint64_t bytes, std::string name, bool heap,
                                     std::uint64_t at)
{
    // The gap makes an access just after a block miss every block; a block with a given address may have none.
    const bool placed = at + 256 >= next_ && at != 0;
    const std::uint64_t base = placed ? at : next_;
    next_ = base + ((bytes + 255) & ~std::uint64_t{255}) + 256;
    Block block{base, bytes, {new std::uint8_t[bytes](), BlockRelease{}}, std::move(name), heap, 0};
    // After all others, unless other memory was adopted there.
    if (blocks_.empty() || blocks_.back().base < base) {
        blocks_.push_back(std::move(block));
    } else {
        blocks_.insert(above(base), std::move(block));
        last_ = 0;
    }
    return base;
}

std::vector<GlobalMemory::Block>::iterator GlobalMemory::above(std::uint64_t address) noexcept
{
    return std::upper_bound(blocks_.begin(), blocks_.end(), address,
                            [](std::uint64_t a, const Block& b) { return a < b.base; });
}

bool GlobalMemory::adopt(std::uint64_t base, std::uint64_t bytes, std::uint8_t* data,
                         std::string name)
{
    auto next = above(base);
    // Freed blocks there are forgotten, because the place is used again.
    auto behind = next;
    for (; behind != blocks_.end() && behind->base - base < bytes; ++behind) {
        if (behind->freed == 0) return false;
    }
    if (next != blocks_.begin()) {
        const Block& below = *(next - 1);
        if (base - below.base < below.bytes) return false;
        if (below.base == base) --next;  // freed, as it has no bytes
    }
    next = blocks_.erase(next, behind);
    blocks_.insert(next, {base, bytes, {data, BlockRelease{false}}, std::move(name), false, 0});
    last_ = 0;
    return true;
}

std::vector<GlobalMemory::Block>::iterator GlobalMemory::at(std::uint64_t base) noexcept
{
    const auto found = std::lower_bound(blocks_.begin(), blocks_.end(), base,
                                        [](const Block& b, std::uint64_t a) { return b.base < a; });
    const bool is = found != blocks_.end() && found->base == base && found->freed == 0;
    return is ? found : blocks_.end();
}

std::uint64_t GlobalMemory::free(Block& block)
{
    constexpr std::size_t kKept = 256;
    const std::uint64_t bytes = block.bytes;
    block.freed = bytes;
    block.bytes = 0;
    block.data.reset();
    last_ = 0;
    if (++freed_ > kKept) {
        std::erase_if(blocks_, [](const Block& b) { return b.freed != 0; });
        freed_ = 0;
    }
    return bytes;
}

std::uint64_t GlobalMemory::release(std::uint64_t base)
{
    const auto found = at(base);
    return found == blocks_.end() || !found->heap ? 0 : free(*found);
}

void GlobalMemory::forget(std::uint64_t base)
{
    if (const auto found = at(base); found != blocks_.end()) free(*found);
}

void GlobalMemory::keepFirst(std::size_t count)
{
    if (count >= blocks_.size()) return;
    next_ = blocks_[count].base;
    blocks_.resize(count);
    last_ = 0;
}

std::uint8_t* GlobalMemory::search(std::uint64_t address, std::uint64_t bytes) noexcept
{
    const auto above = std::upper_bound(blocks_.begin(), blocks_.end(), address,
                                        [](std::uint64_t a, const Block& b) { return a < b.base; });
    if (above == blocks_.begin()) return nullptr;
    const Block& b = *(above - 1);
    const std::uint64_t at = address - b.base;
    if (at >= b.bytes || bytes > b.bytes - at) return nullptr;
    last_ = static_cast<std::size_t>(above - 1 - blocks_.begin());
    return b.data.get() + at;
}

std::uint64_t GlobalMemory::sizeAt(std::uint64_t base) const noexcept
{
    const auto found = std::lower_bound(blocks_.begin(), blocks_.end(), base,
                                        [](const Block& b, std::uint64_t a) { return b.base < a; });
    return found == blocks_.end() || found->base != base ? 0 : found->bytes;
}

const GlobalMemory::Block* GlobalMemory::holding(std::uint64_t address) const
{
    const auto above = std::upper_bound(blocks_.begin(), blocks_.end(), address,
                                        [](std::uint64_t a, const Block& b) { return a < b.base; });
    if (above == blocks_.begin() || address - (above - 1)->base >= (above - 1)->bytes)
        return nullptr;
    return &*(above - 1);
}

std::string GlobalMemory::describe(std::uint64_t address) const
{
    const auto above = std::upper_bound(blocks_.begin(), blocks_.end(), address,
                                        [](std::uint64_t a, const Block& b) { return a < b.base; });
    const auto bytesOf = [](const Block& b) { return std::max(b.bytes, b.freed); };
    const auto text = [&](const std::string& place, const Block& b) {
        return fmt::format("{} {}, which {}{}{}", place, b.name, (b.freed != 0 ? "had " : "has "),
                           bytesOf(b), (b.freed != 0 ? " bytes and is freed" : " bytes"));
    };
    // The nearer of the two neighbours: an access too far below means the block above.
    constexpr std::uint64_t kNear = 1 << 30;
    std::uint64_t behind = kNear, before = kNear;
    if (above != blocks_.begin()) {
        const Block& b = *(above - 1);
        const std::uint64_t at = address - b.base;
        behind = at < bytesOf(b) ? 0 : at - bytesOf(b);
    }
    if (above != blocks_.end()) before = above->base - address;
    if (std::min(behind, before) >= kNear) return "";
    if (before < behind) return text(fmt::format("{} bytes before", before), *above);
    const Block& below = *(above - 1);
    return text(fmt::format("byte {} of", address - below.base), below);
}

}  // namespace gsu::exec
