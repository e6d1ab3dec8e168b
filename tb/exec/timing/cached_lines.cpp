#include "exec/timing/cached_lines.hpp"

#include <bit>
#include <utility>

namespace gsu::timing {
namespace {

constexpr std::size_t kFirst = 1024;  ///< entries before the first growth

/// The sectors of a line that these bytes touch.
std::uint8_t sectorsOf(std::uint64_t address, unsigned bytes) noexcept
{
    const auto from = static_cast<unsigned>(address % kLine / kSector);
    const auto to = static_cast<unsigned>((address + bytes - 1) % kLine / kSector);
    return static_cast<std::uint8_t>((2u << to) - (1u << from));
}

unsigned bytesOf(unsigned sectors) noexcept
{
    return static_cast<unsigned>(std::popcount(sectors)) * kSector;
}

}  // namespace

CachedLines::CachedLines(std::uint64_t bytes, std::uint64_t scale)
    : kept_(bytes * kTicks), scale_(scale), entries_(kFirst)
{
}

CachedLines::Entry& CachedLines::slotOf(std::uint64_t line)
{
    constexpr std::uint64_t kStir = 0x9e37'79b9'7f4a'7c15ull;  // 2^64 / golden ratio
    const std::size_t mask = entries_.size() - 1;
    std::size_t at = (line * kStir >> 20) & mask;
    while (entries_[at].line != 0 && entries_[at].line != line) at = (at + 1) & mask;
    return entries_[at];
}

/// Lines that are gone make room first.
void CachedLines::grow()
{
    std::vector<Entry> old(entries_.size());
    old.swap(entries_);
    used_ = 0;
    for (const Entry& e : old) used_ += e.line != 0 && !gone(e) ? 1 : 0;
    if (used_ * 2 > old.size()) entries_.assign(old.size() * 2, {});
    for (const Entry& e : old) {
        if (e.line != 0 && !gone(e)) slotOf(e.line) = e;
    }
}

CachedLines::Entry& CachedLines::touched(std::uint64_t address)
{
    if (used_ * 4 >= entries_.size() * 3) grow();
    const std::uint64_t line = address / kLine + 1;
    Entry& e = slotOf(line);
    if (e.line == 0) ++used_;
    if (e.line == 0 || gone(e)) e = {line, volume_, 0, 0};
    return e;
}

void CachedLines::bringIn(Entry& e, unsigned bytes)
{
    volume_ += bytes * scale_;
    e.last = volume_;
}

unsigned CachedLines::read(std::uint64_t address, unsigned bytes, double sharers)
{
    Entry& e = touched(address);
    e.last = volume_;
    const unsigned missing = sectorsOf(address, bytes) & ~e.valid;
    if (missing == 0) return 0;
    e.valid = static_cast<std::uint8_t>(e.valid | missing);
    turn_ += 1 / sharers;
    if (turn_ < 1) return 0;
    turn_ -= 1;
    bringIn(e, bytesOf(missing));
    return bytesOf(missing);
}

unsigned CachedLines::write(std::uint64_t address, unsigned bytes)
{
    Entry& e = touched(address);
    const unsigned all = sectorsOf(address, bytes), fresh = all & ~e.dirty,
                   missing = all & ~e.valid;
    e.dirty = static_cast<std::uint8_t>(e.dirty | all);
    e.valid = static_cast<std::uint8_t>(e.valid | all);
    bringIn(e, bytesOf(missing));
    return bytesOf(fresh);
}

}  // namespace gsu::timing
