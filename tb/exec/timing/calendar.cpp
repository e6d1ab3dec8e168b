#include "exec/timing/calendar.hpp"

#include <algorithm>
#include <bit>

namespace gsu::timing {

/// The 64 clocks that begin with `at`; those that nothing is noted of are free.
std::uint64_t Calendar::from(Cycle at) const noexcept
{
    const auto word = [&](Cycle clock) {
        return clock < begin_ + kAhead ? taken_[clock / kBits % taken_.size()] : 0;
    };
    const auto shift = static_cast<unsigned>(at % kBits);
    const std::uint64_t low = word(at) >> shift;
    return shift == 0 ? low : low | word(at + kBits) << (kBits - shift);
}

Cycle Calendar::find(Cycle at, unsigned clocks) const noexcept
{
    at = std::max(at, begin_);
    while (at < begin_ + kAhead) {
        const std::uint64_t taken = from(at);
        const auto used = static_cast<unsigned>(std::countr_one(taken));
        if (used != 0) {
            at += used;
            continue;
        }
        const auto free = static_cast<unsigned>(std::countr_zero(taken));
        if (free >= clocks) break;
        at += free;
    }
    return at;
}

Cycle Calendar::take(Cycle at, unsigned clocks) noexcept
{
    const Cycle start = find(at, clocks);
    busy_ += clocks;
    if (clocks == 1) {
        if (start < begin_ + kAhead)
            taken_[start / kBits % taken_.size()] |= std::uint64_t{1} << start % kBits;
        return start;
    }
    for (Cycle t = start; t < start + clocks && t < begin_ + kAhead; ++t)
        taken_[t / kBits % taken_.size()] |= std::uint64_t{1} << t % kBits;
    return start;
}

void Calendar::forget(Cycle now) noexcept
{
    const Cycle to = now / kBits * kBits;
    if (to <= begin_) return;
    const Cycle words = std::min<Cycle>((to - begin_) / kBits, taken_.size());
    for (Cycle i = 0; i < words; ++i) taken_[(begin_ / kBits + i) % taken_.size()] = 0;
    begin_ = to;
}

}  // namespace gsu::timing
