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

    /// The first due clock; kNever: there is none.
    [[nodiscard]] Cycle next() const noexcept
    {
        const Cycle soon = near_ == 0 ? kNever : nextNear();
        return far_.empty() ? soon : std::min(soon, std::get<0>(*far_.begin()));
    }
    /// Adds a name that is due at `when`, before kNever. Pre: it is not in the list.
    void add(Name name, Cycle when);
    /// Removes a name. Pre: it is due at `when`.
    void remove(Name name, Cycle when);
    /// The first due name. Pre: there is one.
    [[nodiscard]] Name first() const noexcept;
    /// Moves the begin to `now`. Pre: no name in the list is due earlier, and none will be.
    void advance(Cycle now) noexcept { begin_ = std::max(begin_, now); }

private:
    static constexpr Cycle kNear = 4096;  ///< clocks: names that are due later are kept elsewhere
    static constexpr Cycle kBits = 64;
    static constexpr Name kNone = ~Name{0};
    struct Links {
        Name before{kNone}, behind{kNone};
        std::uint64_t number{};  ///< number of its addition; 0: it is near
    };
    struct List {
        Name first{kNone}, last{kNone};
    };
    [[nodiscard]] Cycle nextNear() const noexcept;

    Cycle begin_{};  ///< near names are due from here to before begin_ + kNear
    std::uint64_t added_{};
    std::size_t near_{};
    std::array<List, kNear> lists_{};                    ///< by clock modulo kNear
    std::array<std::uint64_t, kNear / kBits> filled_{};  ///< bit for each list
    std::uint64_t words_{};                              ///< bit for each word of filled_
    std::vector<Links> links_;                           ///< by name
    std::set<std::tuple<Cycle, std::uint64_t, Name>> far_;
};

}  // namespace gsu::visibility
