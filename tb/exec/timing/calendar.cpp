#include "exec/timing/calendar.hpp"

#include <algorithm>

namespace gsu::timing {

void KeptClocks::leave(Pipe pipe, unsigned free, unsigned longest) noexcept
{
    const unsigned runs = (free + longest - 1) / longest;
    if (runs == 0 || runs * longest >= kPeriod) return;
    std::uint64_t left = 0;
    for (unsigned i = 0; i < runs; ++i)
        left |= ((std::uint64_t{1} << longest) - 1) << i * kPeriod / runs;
    kept_[static_cast<std::size_t>(pipe)] = ~(left | left << kPeriod);
}

void Calendar::keep(Cycle from, Cycle to, const KeptClocks& kept) noexcept
{
    lead_ = kShortLead;
    from = std::max(from, begin_);
    to = std::min(to, begin_ + kAhead);
    while (from < to) {
        const Cycle end = std::min(to, (from / kBits + 1) * kBits);
        const std::uint64_t mask = ones(static_cast<unsigned>(end - from)) << from % kBits;
        Clocks& clocks = ring_[from / kBits % kWords];
        for (std::size_t row = 0; row < kPipes; ++row) clocks.taken[row] |= kept.of(row) & mask;
        from = end;
    }
}

inline Cycle Calendar::find(Cycle at, std::size_t row, unsigned clocks) const noexcept
{
    static constexpr Clocks kFree{};
    const Cycle end = begin_ + kAhead;
    for (at = std::max(at, begin_); at < end;) {
        const Cycle word = at / kBits;
        const Clocks& low = ring_[word % ring_.size()];
        const Clocks& high = at + kBits < end ? ring_[(word + 1) % ring_.size()] : kFree;
        const auto shift = static_cast<unsigned>(at % kBits);
        // The 64 clocks that begin with `at`.
        const auto from = [&](std::size_t r) {
            return low.taken[r] >> shift | high.taken[r] << 1 << (kBits - 1 - shift);
        };
        const std::uint64_t taken = from(row);
        const std::uint64_t starts = runs(~taken, clocks) & ~from(kIssue);
        if (starts != 0) return at + static_cast<Cycle>(std::countr_zero(starts));
        // So many clocks have been looked at as starts; those up to the last taken one are none either.
        at += std::max<Cycle>(kBits + 1 - clocks,
                              kBits - static_cast<Cycle>(std::countl_zero(taken)));
    }
    return at;
}

inline void Calendar::put(Cycle start, std::size_t row, unsigned clocks) noexcept
{
    const Cycle end = begin_ + kAhead;
    if (start >= end) return;
    const auto shift = static_cast<unsigned>(start % kBits);
    Clocks& here = ring_[start / kBits % ring_.size()];
    here.taken[kIssue] |= std::uint64_t{1} << shift;
    const std::uint64_t bits = ones(clocks);
    here.taken[row] |= bits << shift;
    const Cycle next = (start / kBits + 1) * kBits;
    if (shift + clocks > kBits && next < end)
        ring_[next / kBits % ring_.size()].taken[row] |= bits >> (kBits - shift);
}

/// There is no place in the 64 clocks in which it asks. If the pipe is taken at their end, nothing reaches from them into the next 64.
Cycle Calendar::takeNext(Cycle at, std::size_t row, unsigned clocks) noexcept
{
    const Cycle last = (begin_ + kAhead) / kBits - 1;
    Cycle word = at / kBits;
    while (at >= begin_ && word < last && ring_[word % kWords].taken[row] >> (kBits - 1) != 0) {
        Clocks& next = ring_[++word % kWords];
        const std::uint64_t starts = runs(~next.taken[row], clocks) & ~next.taken[kIssue];
        if (starts == 0) continue;
        const auto first = static_cast<unsigned>(std::countr_zero(starts));
        next.taken[kIssue] |= std::uint64_t{1} << first;
        next.taken[row] |= ones(clocks) << first;
        return word * kBits + first;
    }
    return takeFurther(at, row, clocks);
}

Cycle Calendar::takeFurther(Cycle at, std::size_t row, unsigned clocks) noexcept
{
    const Cycle start = find(at, row, clocks);
    put(start, row, clocks);
    return start;
}

void Calendar::drop(Cycle to) noexcept
{
    const Cycle words = std::min<Cycle>((to - begin_) / kBits, ring_.size());
    for (Cycle i = 0; i < words; ++i) ring_[(begin_ / kBits + i) % ring_.size()] = {};
    begin_ = to;
}

}  // namespace gsu::timing
