/// WakeQueue: which warps of a scheduler have something to do when. Those that wait lie in the order of their times; most come in at its end.
#pragma once
#include <array>
#include <cassert>

#include "golden/types.hpp"

namespace gsu::exec {

class WakeQueue {
public:
    static constexpr unsigned kPlaces = 64;  ///< a bit each

    /// The warp at this place has something to do from `when` on; kNever: nothing.
    void set(std::uint32_t place, Cycle when) noexcept
    {
        assert(place < kPlaces);
        const std::uint64_t bit = std::uint64_t{1} << place;
        ready_ &= ~bit;
        if ((waiting_ & bit) != 0) remove(place);
        if (when == kNever) return;
        waiting_ |= bit;
        std::uint32_t i = end_++;
        for (; i != begin_ && at(i - 1).when > when; --i) at(i) = at(i - 1);
        at(i) = {when, place};
    }
    /// Places of those that have something to do by `now`.
    [[nodiscard]] std::uint64_t ready(Cycle now) noexcept
    {
        for (; begin_ != end_ && at(begin_).when <= now; ++begin_) {
            const std::uint64_t bit = std::uint64_t{1} << at(begin_).place;
            waiting_ &= ~bit;
            ready_ |= bit;
        }
        return ready_;
    }
    /// No warp has something to do before it.
    [[nodiscard]] Cycle next() const noexcept
    {
        return ready_ != 0 ? 0 : begin_ == end_ ? kNever : ring_[begin_ % kPlaces].when;
    }
    void clear() noexcept { *this = {}; }

private:
    struct Entry {
        Cycle when{};
        std::uint32_t place{};
    };
    [[nodiscard]] Entry& at(std::uint32_t i) noexcept { return ring_[i % kPlaces]; }
    /// It is to be at another time than it was.
    void remove(std::uint32_t place) noexcept
    {
        std::uint32_t i = begin_;
        while (at(i).place != place) ++i;
        for (--end_; i != end_; ++i) at(i) = at(i + 1);
        waiting_ &= ~(std::uint64_t{1} << place);
    }

    std::array<Entry, kPlaces> ring_{};
    std::uint32_t begin_{}, end_{};
    std::uint64_t ready_{};    ///< that were ready when that was last asked
    std::uint64_t waiting_{};  ///< that are in the ring
};

}  // namespace gsu::exec
