/// WakeQueue: the times at which warps of a scheduler can issue. Waiting warps are kept in the order of their times; most are added near an end.
#pragma once
#include <array>
#include <bit>
#include <cassert>

#include "golden/types.hpp"

namespace gsu::exec {

class WakeQueue {
public:
    static constexpr unsigned kPlaces = 64;  ///< places; one bit each

    /// Sets the time of the warp at this place, less than 2^58; kNever: none.
    void set(std::uint32_t place, Cycle when) noexcept
    {
        assert(place < kPlaces);
        const std::uint64_t bit = std::uint64_t{1} << place;
        ready_ &= ~bit;
        if (place == taken_)
            taken_ = kPlaces;
        else if ((waiting_ & bit) != 0)
            remove(place);
        waiting_ &= ~bit;
        if (when == kNever) return;
        waiting_ |= bit;
        add(place, when);
    }
    /// If one warp alone has something to do by `now`: its place, else kPlaces. Pre: next() <= now.
    [[nodiscard]] std::uint32_t only(Cycle now) const noexcept
    {
        if (ready_ != 0 || (begin_ + 1 != end_ && at(begin_ + 1) / kPlaces <= now)) return kPlaces;
        return static_cast<std::uint32_t>(at(begin_) % kPlaces);
    }
    /// The same, and it has no time then, until putBack() or set(). Pre: the last one has a time again.
    [[nodiscard]] std::uint32_t takeOnly(Cycle now) noexcept
    {
        const std::uint32_t place = only(now);
        if (place == kPlaces) return kPlaces;
        ++begin_;
        return taken_ = place;
    }
    /// The one that only() has named has the time `when` instead.
    void putOff(Cycle when) noexcept
    {
        assert(taken_ == kPlaces);
        const Entry entry = when * kPlaces + at(begin_++) % kPlaces;
        addBehind(entry);
    }
    /// As set(), quick for the place that was taken last.
    void putBack(std::uint32_t place, Cycle when) noexcept
    {
        if (place != taken_ || when == kNever) [[unlikely]]
            return set(place, when);
        taken_ = kPlaces;
        add(place, when);
    }
    /// Places of the warps whose time has come by `now`.
    [[nodiscard]] std::uint64_t ready(Cycle now) noexcept
    {
        std::uint64_t came = 0;
        std::uint32_t i = begin_;
        for (; i != end_ && at(i) / kPlaces <= now; ++i)
            came |= std::uint64_t{1} << at(i) % kPlaces;
        begin_ = i;
        waiting_ ^= came;
        return ready_ |= came;
    }
    /// The first time of a warp.
    [[nodiscard]] Cycle next() const noexcept
    {
        return ready_ != 0 ? 0 : begin_ == end_ ? kNever : ring_[begin_ % kPlaces] / kPlaces;
    }
    /// Forgets all places but these, which get the numbers from 0 on in their order. A place that is still taken,
    /// because the run has trapped, has no time any more.
    void keep(std::uint64_t places) noexcept
    {
        if (taken_ != kPlaces) waiting_ &= ~(std::uint64_t{1} << taken_);
        taken_ = kPlaces;
        std::array<std::uint8_t, kPlaces> number{};
        std::uint64_t ready = 0, waiting = 0;
        std::uint8_t count = 0;
        for (std::uint64_t left = places; left != 0; left &= left - 1, ++count) {
            const auto place = static_cast<unsigned>(std::countr_zero(left));
            number[place] = count;
            ready |= (ready_ >> place & 1) << count;
            waiting |= (waiting_ >> place & 1) << count;
        }
        std::uint32_t end = begin_;
        for (std::uint32_t i = begin_; i != end_; ++i) {
            const std::uint64_t place = at(i) % kPlaces;
            if ((places >> place & 1) != 0) at(end++) = at(i) - place + number[place];
        }
        end_ = end;
        ready_ = ready;
        waiting_ = waiting;
    }

private:
    using Entry = std::uint64_t;  ///< the time, and the place in the low bits
    void add(std::uint32_t place, Cycle when) noexcept
    {
        const Entry entry = when * kPlaces + place;
        if (begin_ != end_ && entry < at(begin_ + (end_ - begin_) / 2)) return addBefore(entry);
        addBehind(entry);
    }
    /// Adds an entry that comes late: the later ones move.
    void addBehind(Entry entry) noexcept
    {
        std::uint32_t i = end_++;
        for (; i != begin_ && at(i - 1) > entry; --i) at(i) = at(i - 1);
        at(i) = entry;
    }
    /// Adds an entry that comes before the middle one: the earlier ones move.
    void addBefore(Entry entry) noexcept
    {
        std::uint32_t i = --begin_;
        for (; at(i + 1) < entry; ++i) at(i) = at(i + 1);
        at(i) = entry;
    }
    [[nodiscard]] Entry& at(std::uint32_t i) noexcept { return ring_[i % kPlaces]; }
    [[nodiscard]] Entry at(std::uint32_t i) const noexcept { return ring_[i % kPlaces]; }
    /// Removes the warp from its old place in the order.
    void remove(std::uint32_t place) noexcept
    {
        std::uint32_t i = begin_;
        while (at(i) % kPlaces != place) ++i;
        for (--end_; i != end_; ++i) at(i) = at(i + 1);
    }

    std::array<Entry, kPlaces> ring_{};
    std::uint32_t begin_{}, end_{};
    std::uint64_t ready_{};    ///< places that were ready at the last call
    std::uint64_t waiting_{};  ///< places in the ring, and the one that was taken
    std::uint32_t taken_{kPlaces};
};

}  // namespace gsu::exec
