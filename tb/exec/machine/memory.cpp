#include "exec/machine/memory.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace gsu::exec {

std::uint64_t GlobalMemory::allocate(std::uint64_t bytes, std::string name, bool heap,
                                     std::uint64_t at)
{
    // The gap makes an access just behind a block miss every block; what has an address may do without.
    const bool placed = at + 256 >= next_ && at != 0;
    const std::uint64_t base = placed ? at : next_;
    next_ = base + ((bytes + 255) & ~std::uint64_t{255}) + 256;
    blocks_.push_back(
        {base, bytes, std::make_unique<std::uint8_t[]>(bytes), std::move(name), heap, 0});
    return base;
}

std::uint64_t GlobalMemory::release(std::uint64_t base)
{
    constexpr std::size_t kKept = 256;
    const auto found = std::lower_bound(blocks_.begin(), blocks_.end(), base,
                                        [](const Block& b, std::uint64_t a) { return b.base < a; });
    if (found == blocks_.end() || found->base != base || !found->heap || found->freed != 0)
        return 0;
    const std::uint64_t bytes = found->bytes;
    found->freed = bytes;
    found->bytes = 0;
    found->data.reset();
    last_ = 0;
    if (++freed_ > kKept) {
        std::erase_if(blocks_, [](const Block& b) { return b.freed != 0; });
        freed_ = 0;
    }
    return bytes;
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

std::string GlobalMemory::describe(std::uint64_t address) const
{
    const auto above = std::upper_bound(blocks_.begin(), blocks_.end(), address,
                                        [](std::uint64_t a, const Block& b) { return a < b.base; });
    if (above == blocks_.begin()) return "outside every allocation";
    const Block& b = *(above - 1);
    const std::uint64_t bytes = std::max(b.bytes, b.freed);
    return fmt::format("byte {} of {}, which {}{}{}", address - b.base, b.name,
                       (b.freed != 0 ? "had " : "has "), bytes,
                       (b.freed != 0 ? " bytes and is freed" : " bytes"));
}

}  // namespace gsu::exec
