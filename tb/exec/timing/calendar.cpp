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

/// Most ask for one clock: the first free bit of a word.
Cycle Calendar::findOne(Cycle at) const noexcept
{
    std::uint64_t before = (std::uint64_t{1} << at % kBits) - 1;  // of the word, those before `at`
    for (; at < begin_ + kAhead; at = (at / kBits + 1) * kBits) {
        const std::uint64_t taken = taken_[at / kBits % taken_.size()] | before;
        if (~taken != 0) return at / kBits * kBits + static_cast<Cycle>(std::countr_one(taken));
        before = 0;
    }
    return at;
}

Cycle Calendar::find(Cycle at, unsigned clocks) const noexcept
{
    at = std::max(at, begin_);
    if (clocks == 1) return findOne(at);
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

void Calendar::put(Cycle start, unsigned clocks) noexcept
{
    busy_ += clocks;
    const Cycle end = begin_ + kAhead;
    if (start >= end) return;
    const std::uint64_t bits = ~std::uint64_t{0} >> (kBits - clocks);
    const auto shift = static_cast<unsigned>(start % kBits);
    taken_[start / kBits % taken_.size()] |= bits << shift;
    const Cycle next = (start / kBits + 1) * kBits;
    if (shift + clocks > kBits && next < end)
        taken_[next / kBits % taken_.size()] |= bits >> (kBits - shift);
}

Cycle Calendar::take(Cycle at, unsigned clocks) noexcept
{
    const Cycle start = find(at, clocks);
    put(start, clocks);
    return start;
}

void Calendar::drop(Cycle to) noexcept
{
    const Cycle words = std::min<Cycle>((to - begin_) / kBits, taken_.size());
    for (Cycle i = 0; i < words; ++i) taken_[(begin_ / kBits + i) % taken_.size()] = 0;
    begin_ = to;
}

}  // namespace gsu::timing
