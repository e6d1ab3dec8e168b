/// WakeQueue: the times at which warps of a scheduler can issue. Waiting warps are kept in the order of their times; most are added at the end.
#pragma once
#include <array>
#include <cassert>

#include "golden/types.hpp"

namespace gsu::exec {

class WakeQueue {
public:
    static constexpr unsigned kPlaces = 64;  ///< places; one bit each

    /// Sets the time of the warp at this place; kNever: none.
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
    /// Places of the warps whose time has come by `now`.
    [[nodiscard]] std::uint64_t ready(Cycle now) noexcept
    {
        for (; begin_ != end_ && at(begin_).when <= now; ++begin_) {
            const std::uint64_t bit = std::uint64_t{1} << at(begin_).place;
            waiting_ &= ~bit;
            ready_ |= bit;
        }
        return ready_;
    }
    /// The first time of a warp.
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
    /// Removes the warp from its old place in the order.
    void remove(std::uint32_t place) noexcept
    {
        std::uint32_t i = begin_;
        while (at(i).place != place) ++i;
        for (--end_; i != end_; ++i) at(i) = at(i + 1);
        waiting_ &= ~(std::uint64_t{1} << place);
    }

    std::array<Entry, kPlaces> ring_{};
    std::uint32_t begin_{}, end_{};
    std::uint64_t ready_{};    ///< places that were ready at the last call
    std::uint64_t waiting_{};  ///< places in the ring
};

}  // namespace gsu::exec
