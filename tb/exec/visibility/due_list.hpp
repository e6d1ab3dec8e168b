/// DueList: a queue by clock, for clocks that are mostly near. Entries of one clock come in the order in which they were added.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <set>
#include <tuple>
#include <vector>

#include "golden/types.hpp"

namespace gsu::visibility {

class DueList {
public:
    using Name = std::uint32_t;  ///< small: it is an index inside

    /// The first clock at which something is due; kNever: nothing is.
    [[nodiscard]] Cycle next() const noexcept
    {
        const Cycle soon = near_ == 0 ? kNever : nextNear();
        return far_.empty() ? soon : std::min(soon, std::get<0>(*far_.begin()));
    }
    /// Due at `when`, before kNever. Not added yet.
    void add(Name name, Cycle when);
    /// Pre: it is due at `when`.
    void remove(Name name, Cycle when);
    /// What is due first. Pre: something is.
    [[nodiscard]] Name first() const noexcept;
    /// Nothing is added from now on that is due before `now`, and nothing is left that was.
    void advance(Cycle now) noexcept { begin_ = std::max(begin_, now); }

private:
    static constexpr Cycle kNear = 4096;  ///< clocks: what is due behind them is kept elsewhere
    static constexpr Cycle kBits = 64;
    static constexpr Name kNone = ~Name{0};
    struct Links {
        Name before{kNone}, behind{kNone};
        std::uint64_t number{};  ///< of its addition; 0: it is near
    };
    struct List {
        Name first{kNone}, last{kNone};
    };
    [[nodiscard]] Cycle nextNear() const noexcept;

    Cycle begin_{};  ///< what is near is due from here on, and before begin_ + kNear
    std::uint64_t added_{};
    std::size_t near_{};
    std::array<List, kNear> lists_{};                    ///< by clock modulo kNear
    std::array<std::uint64_t, kNear / kBits> filled_{};  ///< bit for each list
    std::uint64_t words_{};                              ///< bit for each word of filled_
    std::vector<Links> links_;                           ///< by name
    std::set<std::tuple<Cycle, std::uint64_t, Name>> far_;
};

}  // namespace gsu::visibility
