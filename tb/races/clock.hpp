/// Vector clocks: the events that an agent knows to have happened, by CTA, warp and lane. They are values that share equal parts: after a
/// barrier all threads have the same clock, and to join equal clocks costs nothing.
#pragma once
#include <vector>

#include "races/lane_times.hpp"

namespace gsu::races {

/// A time line in a CTA (no line of a text): the threads of a warp, operations that they have begun and waited for, an mbarrier.
enum class Line : std::uint8_t {
    Threads,   ///< accesses and arrivals of the lanes
    CpAsync,   ///< cp.async of a lane, counted
    Bulk,      ///< bulk copies of a lane that complete in groups, counted
    BulkRead,  ///< bulk copies of a lane whose source has been read
    Matrix,    ///< wgmma, counted
    Phase      ///< of an mbarrier: completed phases
};
inline constexpr unsigned kOwnLines = 5;  ///< lines of a warp

/// Names a line within its CTA.
[[nodiscard]] constexpr std::uint32_t keyOf(Line line, unsigned warp) noexcept
{
    return static_cast<std::uint32_t>(line) << 8 | warp;
}
[[nodiscard]] constexpr std::uint32_t keyOfPhase(std::uint32_t offset) noexcept
{
    return std::uint32_t{1} << 31 | offset;
}

class Clock {
public:
    /// The times of a line; nullptr: nothing is known of it.
    [[nodiscard]] const LaneTimes* find(std::uint32_t cta, std::uint32_t key) const noexcept;
    /// True if something of that CTA is known.
    [[nodiscard]] bool knows(std::uint32_t cta) const noexcept;
    [[nodiscard]] bool reached(std::uint32_t cta, std::uint32_t key, Lanes lanes,
                               Time time) const noexcept
    {
        const LaneTimes* known = find(cta, key);
        return known != nullptr && known->reached(lanes, time);
    }
    [[nodiscard]] bool empty() const noexcept { return ctas_ == nullptr; }
    void join(const Clock& other);
    void raise(std::uint32_t cta, std::uint32_t key, Lanes lanes, Time time);
    void join(std::uint32_t cta, std::uint32_t key, const LaneTimes& times);
    [[nodiscard]] bool covers(const Clock& other) const noexcept;
    /// The clock without the threads of this CTA.
    [[nodiscard]] Clock withoutThreads(std::uint32_t cta) const;
    /// True if the two clocks share everything.
    bool operator==(const Clock& other) const noexcept { return ctas_ == other.ctas_; }

private:
    /// Times of lines, sorted by key.
    using Times = std::vector<std::pair<std::uint32_t, LaneTimes>>;
    struct Cta {
        std::uint32_t cta{};
        std::shared_ptr<Times> times;
    };
    [[nodiscard]] static bool covers(const Times& a, const Times& b) noexcept;
    [[nodiscard]] LaneTimes& change(std::uint32_t cta, std::uint32_t key);
    [[nodiscard]] std::vector<Cta>& own();

    std::shared_ptr<std::vector<Cta>> ctas_;  ///< sorted
};

}  // namespace gsu::races
