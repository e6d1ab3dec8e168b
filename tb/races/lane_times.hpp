/// Times of the 32 lanes of a warp, in a small form if they agree: one time for most lanes and a later one for some.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>

#include "golden/port_types.hpp"

namespace gsu::races {

/// Number of acts of a thread, or of an asynchronous agent. 0: none.
using Time = std::uint32_t;

class LaneTimes {
public:
    [[nodiscard]] Time of(unsigned lane) const noexcept
    {
        if (each_ != nullptr) return (*each_)[lane];
        return (some_ >> lane & 1) != 0 ? high_ : low_;
    }
    [[nodiscard]] bool none() const noexcept { return each_ == nullptr && some_ == 0 && low_ == 0; }
    /// True if each of these lanes has reached `time`.
    [[nodiscard]] bool reached(Lanes lanes, Time time) const noexcept
    {
        if (each_ == nullptr) return (lanes & ~some_) == 0 ? high_ >= time : low_ >= time;
        bool all = true;
        eachLane(lanes, [&](unsigned l) { all = all && (*each_)[l] >= time; });
        return all;
    }
    /// Raises these lanes to at least `time`.
    void raise(Lanes lanes, Time time)
    {
        if (lanes == 0 || reached(lanes, time)) return;
        if (each_ == nullptr && some_ == 0) {
            high_ = time;
            some_ = lanes;
        } else if (each_ == nullptr && time >= high_ && (some_ & ~lanes) == 0) {
            high_ = time;
            some_ = lanes;
        } else {
            std::array<Time, 32> all = values();
            eachLane(lanes, [&](unsigned l) { all[l] = std::max(all[l], time); });
            set(all);
        }
        settle();
    }
    void join(const LaneTimes& other)
    {
        if (other.each_ == nullptr) {
            raise(~Lanes{0}, other.low_);
            raise(other.some_, other.high_);
            return;
        }
        std::array<Time, 32> all = values();
        for (unsigned l = 0; l < 32; ++l) all[l] = std::max(all[l], (*other.each_)[l]);
        set(all);
        settle();
    }
    /// Joins these lanes alone.
    void join(const LaneTimes& other, Lanes lanes)
    {
        if (other.each_ == nullptr) {
            raise(lanes, other.low_);
            raise(lanes & other.some_, other.high_);
            return;
        }
        eachLane(lanes, [&](unsigned l) { raise(Lanes{1} << l, (*other.each_)[l]); });
    }
    [[nodiscard]] bool covers(const LaneTimes& other) const noexcept
    {
        if (other.each_ == nullptr)
            return reached(~other.some_, other.low_) && reached(other.some_, other.high_);
        for (unsigned l = 0; l < 32; ++l)
            if (of(l) < (*other.each_)[l]) return false;
        return true;
    }

private:
    [[nodiscard]] std::array<Time, 32> values() const noexcept
    {
        std::array<Time, 32> all{};
        for (unsigned l = 0; l < 32; ++l) all[l] = of(l);
        return all;
    }
    /// Sets all times, in the small form if there are at most two.
    void set(const std::array<Time, 32>& all)
    {
        const auto [least, most] = std::minmax_element(all.begin(), all.end());
        Lanes later = 0;
        bool two = true;
        for (unsigned l = 0; l < 32; ++l) {
            two = two && (all[l] == *least || all[l] == *most);
            if (all[l] == *most) later |= Lanes{1} << l;
        }
        low_ = *least;
        high_ = *most;
        some_ = *least == *most ? 0 : later;
        each_ = two ? nullptr : std::make_shared<const std::array<Time, 32>>(all);
    }
    void settle() noexcept
    {
        if (each_ != nullptr || some_ != ~Lanes{0}) return;
        low_ = high_;
        some_ = 0;
    }

    Time low_{}, high_{};
    Lanes some_{};
    std::shared_ptr<const std::array<Time, 32>> each_;  ///< more than two times
};

}  // namespace gsu::races
