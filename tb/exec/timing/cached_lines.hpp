/// CachedLines: the lines that L2 holds, by volume. A line is there until the whole chip has brought in as many bytes as L2 keeps since the line's last touch. The
/// simulated SMs are a part of the chip that does the same as the rest, so each of their misses stands for several.
#pragma once
#include <vector>

#include "exec/timing/ticks.hpp"

namespace gsu::timing {

inline constexpr unsigned kLine = 128, kSector = 32;

class CachedLines {
public:
    /// Keeps `bytes`; `scale`: bytes that the chip brings in for one of the simulated part, in thousandths.
    CachedLines(std::uint64_t bytes, std::uint64_t scale);

    /// Reads bytes within one line, which so many parts of the chip do at about the same time: one of them brings it in, and the others find it there. Returns
    /// the bytes of sectors that this part brings in.
    unsigned read(std::uint64_t address, unsigned bytes, double sharers);
    /// Writes them. Returns the bytes of sectors that were not written before: they are written back some time.
    unsigned write(std::uint64_t address, unsigned bytes);
    /// Bytes that the chip has brought in so far.
    [[nodiscard]] std::uint64_t volume() const noexcept { return volume_ / kTicks; }

private:
    struct Entry {
        std::uint64_t line{};           ///< its number + 1; 0: none
        std::uint64_t last{};           ///< volume at the last touch
        std::uint8_t valid{}, dirty{};  ///< by sector
    };
    [[nodiscard]] Entry& touched(std::uint64_t address);
    void bringIn(Entry& e, unsigned bytes);
    [[nodiscard]] Entry& slotOf(std::uint64_t line);
    [[nodiscard]] bool gone(const Entry& e) const noexcept { return volume_ - e.last >= kept_; }
    void grow();

    std::uint64_t kept_, scale_, volume_{};  ///< in thousandths of a byte
    double turn_{};               ///< of shared lines: at 1 it is this part's turn to bring one in
    std::vector<Entry> entries_;  ///< open addressing; a power of two
    std::size_t used_{};
};

}  // namespace gsu::timing
