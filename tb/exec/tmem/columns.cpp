#include "exec/tmem/columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace gsu::tmem {
namespace {

Verdict problemOfCount(unsigned columns)
{
    if (columns >= kColumnUnit && columns <= kColumns && std::has_single_bit(columns))
        return std::nullopt;
    return Refusal{Rule::ColumnCount, fmt::format("{} columns", columns)};
}

}  // namespace

ColumnAllocator::Resident& ColumnAllocator::resident(Cta cta)
{
    const auto found = std::find_if(residents_.begin(), residents_.end(),
                                    [&](const Resident& r) { return r.cta == cta; });
    return found != residents_.end() ? *found : residents_.emplace_back(Resident{.cta = cta});
}

Verdict ColumnAllocator::problemOfAlloc(Cta cta, unsigned columns)
{
    if (auto problem = problemOfCount(columns)) return problem;
    const Resident& r = resident(cta);
    if (r.relinquished)
        return Refusal{Rule::AllocAfterRelinquish, fmt::format("alloc of {} columns", columns)};
    if (columns > r.least)
        return Refusal{Rule::ColumnsGrow,
                       fmt::format("{} columns after an alloc of {}", columns, r.least)};
    return std::nullopt;
}

bool ColumnAllocator::isFree(unsigned column, unsigned columns) const noexcept
{
    return std::none_of(held_.begin(), held_.end(), [&](const Allocation& a) {
        return a.column < column + columns && column < a.column + a.columns;
    });
}

void ColumnAllocator::take(Cta cta, unsigned column, unsigned columns)
{
    resident(cta).least = columns;
    const auto behind = std::find_if(held_.begin(), held_.end(),
                                     [&](const Allocation& a) { return a.column > column; });
    held_.insert(behind, Allocation{cta, column, columns});
}

Grant ColumnAllocator::alloc(Cta cta, unsigned columns)
{
    if (auto problem = problemOfAlloc(cta, columns)) return {Grant::Outcome::Refused, {}, *problem};
    for (unsigned column = 0; column + columns <= kColumns; column += kColumnUnit) {
        if (!isFree(column, columns)) continue;
        take(cta, column, columns);
        return {Grant::Outcome::Granted, {0, column}, {}};
    }
    return {Grant::Outcome::MustWait, {}, {}};
}

Grant ColumnAllocator::allocPair(ColumnAllocator& even, Cta evenCta, unsigned evenColumns,
                                 ColumnAllocator& odd, Cta oddCta, unsigned oddColumns)
{
    if (auto problem = even.problemOfAlloc(evenCta, evenColumns))
        return {Grant::Outcome::Refused, {}, *problem};
    if (auto problem = odd.problemOfAlloc(oddCta, oddColumns))
        return {Grant::Outcome::Refused, {}, *problem};
    if (evenColumns != oddColumns)
        return {Grant::Outcome::Refused,
                {},
                {Rule::PairDiffers, fmt::format("{} columns in the even CTA, {} in the odd one",
                                                evenColumns, oddColumns)}};
    for (unsigned column = 0; column + evenColumns <= kColumns; column += kColumnUnit) {
        if (!even.isFree(column, evenColumns) || !odd.isFree(column, evenColumns)) continue;
        even.take(evenCta, column, evenColumns);
        odd.take(oddCta, column, evenColumns);
        return {Grant::Outcome::Granted, {0, column}, {}};
    }
    return {Grant::Outcome::MustWait, {}, {}};
}

Verdict ColumnAllocator::problemOfDealloc(Cta cta, std::uint32_t address, unsigned columns) const
{
    if (auto problem = problemOfCount(columns)) return problem;
    const Address at = Address::of(address);
    const Allocation wanted{cta, at.column, columns};
    if (at.lane == 0 && std::find(held_.begin(), held_.end(), wanted) != held_.end())
        return std::nullopt;
    return Refusal{Rule::NotAllocated, fmt::format("{} columns at 0x{:x}", columns, address)};
}

Verdict ColumnAllocator::dealloc(Cta cta, std::uint32_t address, unsigned columns)
{
    if (auto problem = problemOfDealloc(cta, address, columns)) return problem;
    std::erase(held_, Allocation{cta, Address::of(address).column, columns});
    return std::nullopt;
}

Verdict ColumnAllocator::deallocPair(ColumnAllocator& even, Cta evenCta, ColumnAllocator& odd,
                                     Cta oddCta, std::uint32_t address, unsigned columns)
{
    if (auto problem = even.problemOfDealloc(evenCta, address, columns)) return problem;
    if (auto problem = odd.dealloc(oddCta, address, columns)) return problem;
    return even.dealloc(evenCta, address, columns);
}

void ColumnAllocator::relinquish(Cta cta) { resident(cta).relinquished = true; }

Verdict ColumnAllocator::exit(Cta cta)
{
    unsigned columns = 0, first = 0;
    for (const Allocation& a : held_) {
        if (a.cta != cta) continue;
        if (columns == 0) first = a.column;
        columns += a.columns;
    }
    std::erase_if(held_, [&](const Allocation& a) { return a.cta == cta; });
    std::erase_if(residents_, [&](const Resident& r) { return r.cta == cta; });
    if (columns == 0) return std::nullopt;
    return Refusal{Rule::ColumnsLeft,
                   fmt::format("{} columns are left, the first is {}", columns, first)};
}

Verdict ColumnAllocator::useGroup(Cta cta, unsigned group)
{
    Resident& r = resident(cta);
    if (r.group == 0) r.group = group;
    if (r.group == group) return std::nullopt;
    return Refusal{Rule::MixedGroups,
                   fmt::format("cta_group::{} after cta_group::{}", group, r.group)};
}

Verdict ColumnAllocator::problemOfAccess(Cta cta, unsigned column, unsigned columns) const
{
    unsigned next = column;  // allocations ascend: those of the CTA may lie side by side
    for (const Allocation& a : held_) {
        if (a.cta == cta && a.column <= next && next < a.column + a.columns)
            next = a.column + a.columns;
    }
    if (next >= column + columns) return std::nullopt;
    return Refusal{Rule::Unallocated, fmt::format("columns {} to {}: column {} is not allocated",
                                                  column, column + columns - 1, next)};
}

}  // namespace gsu::tmem
