/// Allocation of the columns of an SM's tensor memory: first fit, units of 32 columns, all lanes. It decides an alloc, dealloc or
/// relinquish; the caller keeps the warps that must wait.
#pragma once
#include <array>
#include <vector>

#include "exec/tmem/tensor_memory.hpp"

namespace gsu::tmem {

inline constexpr unsigned kColumnUnit = 32;

/// Result of tcgen05.alloc.
struct Grant {
    enum class Outcome : std::uint8_t { Granted, MustWait, Refused };
    Outcome outcome{};
    Address address;  ///< if granted: lane 0 and the first column
    Refusal refusal;  ///< if refused: the reason
};

class ColumnAllocator {
public:
    using Cta = std::uint32_t;  ///< any number that is unique for a resident CTA

    struct Allocation {
        Cta cta{};
        unsigned column{}, columns{};
        friend bool operator==(const Allocation&, const Allocation&) = default;
    };

    /// Asks for columns for one warp of `cta`.
    Grant alloc(Cta cta, unsigned columns);
    /// Both halves of tcgen05.alloc.cta_group::2, each CTA on its own SM: the same address in both, or both wait.
    static Grant allocPair(ColumnAllocator& even, Cta evenCta, unsigned evenColumns,
                           ColumnAllocator& odd, Cta oddCta, unsigned oddColumns);
    Verdict dealloc(Cta cta, std::uint32_t address, unsigned columns);
    static Verdict deallocPair(ColumnAllocator& even, Cta evenCta, ColumnAllocator& odd, Cta oddCta,
                               std::uint32_t address, unsigned columns);
    /// The reason why columns are refused; empty: they are granted at once, or later.
    [[nodiscard]] Verdict problemOfAlloc(Cta cta, unsigned columns);
    void relinquish(Cta cta);
    /// Frees the columns of a CTA that ends; reports whether it had any.
    Verdict exit(Cta cta);
    /// Notes the .cta_group of an instruction of `cta`: the first one decides.
    Verdict useGroup(Cta cta, unsigned group);

    /// Checks that all columns from `column` on belong to the CTA.
    [[nodiscard]] Verdict problemOfAccess(Cta cta, unsigned column, unsigned columns) const;
    /// The allocations, by column, ascending.
    [[nodiscard]] const std::vector<Allocation>& allocations() const noexcept { return held_; }

private:
    struct Resident {
        Cta cta{};
        unsigned least{512};  ///< columns of the last alloc: the next asks for no more
        unsigned group{};     ///< 0: not known yet
        bool relinquished{};
    };

    Resident& resident(Cta cta);

    [[nodiscard]] bool isFree(unsigned column, unsigned columns) const noexcept;
    void take(Cta cta, unsigned column, unsigned columns);
    [[nodiscard]] Verdict problemOfDealloc(Cta cta, std::uint32_t address, unsigned columns) const;

    std::vector<Allocation> held_;
    std::vector<Resident> residents_;
};

}  // namespace gsu::tmem
