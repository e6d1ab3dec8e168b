#include "exec/storage/written_bytes.hpp"

#include <algorithm>

namespace gsu::exec {

const WrittenBytes::Block* WrittenBytes::find(std::uint64_t address) const
{
    const auto above = blocks_.upper_bound(address);
    if (above == blocks_.begin()) return nullptr;
    const Block& block = *std::prev(above);
    return address - block.first < block.second.size() ? &block : nullptr;
}

void WrittenBytes::wrote(std::uint64_t address, std::uint64_t bytes)
{
    const Block* found = find(address);
    if (found == nullptr) return;
    std::vector<bool>& written = blocks_[found->first];
    const std::uint64_t at = address - found->first;
    const std::uint64_t end = std::min<std::uint64_t>(at + bytes, written.size());
    std::fill(written.begin() + static_cast<std::ptrdiff_t>(at),
              written.begin() + static_cast<std::ptrdiff_t>(end), true);
}

std::optional<std::uint64_t> WrittenBytes::unwritten(std::uint64_t address,
                                                     std::uint64_t bytes) const
{
    const Block* found = find(address);
    if (found == nullptr) return std::nullopt;
    const std::uint64_t first = address - found->first;
    for (std::uint64_t at = first;
         at < std::min<std::uint64_t>(first + bytes, found->second.size()); ++at) {
        if (!found->second[at]) return found->first + at;
    }
    return std::nullopt;
}

void WrittenBytes::copied(std::uint64_t to, std::uint64_t from, std::uint64_t bytes)
{
    const Block* source = find(from);
    const Block* target = find(to);
    if (target == nullptr) return;
    if (source == nullptr) return wrote(to, bytes);
    const std::vector<bool> known = source->second;
    std::vector<bool>& written = blocks_[target->first];
    for (std::uint64_t i = 0; i < bytes; ++i) {
        const std::uint64_t a = from - source->first + i, b = to - target->first + i;
        if (a < known.size() && b < written.size()) written[b] = known[a];
    }
}

}  // namespace gsu::exec
