#include "exec/memory.hpp"

#include <algorithm>

namespace gsu::exec {

std::uint64_t GlobalMemory::allocate(std::uint64_t bytes, std::string name)
{
    const std::uint64_t base = next_;
    // The gap makes an access just behind a block miss every block.
    next_ += ((bytes + 255) & ~std::uint64_t{255}) + 256;
    total_ += bytes;
    blocks_.push_back({base, bytes, std::make_unique<std::uint8_t[]>(bytes), std::move(name)});
    return base;
}

bool GlobalMemory::release(std::uint64_t base)
{
    const auto found = std::find_if(blocks_.begin(), blocks_.end(),
                                    [&](const Block& b) { return b.base == base; });
    if (found == blocks_.end()) return false;
    total_ -= found->bytes;
    blocks_.erase(found);
    last_ = 0;
    return true;
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

std::string GlobalMemory::describe(std::uint64_t address) const
{
    const Block* nearest = nullptr;
    for (const Block& b : blocks_) {
        if (b.base <= address) nearest = &b;
    }
    if (nearest == nullptr) return "outside every allocation";
    const std::uint64_t at = address - nearest->base;
    return "byte " + std::to_string(at) + " of " + nearest->name + ", which has " +
           std::to_string(nearest->bytes) + " bytes";
}

}  // namespace gsu::exec
