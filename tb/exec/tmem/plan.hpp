/// The bytes that an instruction will read and write, computed before it executes: for records of operations in flight, and for race detection.
#pragma once
#include <bitset>

#include "exec/tmem/product.hpp"

namespace gsu::tmem {

/// Cells of tensor memory of one CTA of the group (0: the even one, or the only one).
struct CellAccess {
    unsigned cta{};
    Window window;
    bool reads{}, writes{};
};

/// Bytes of shared memory of one CTA that are read.
struct SharedAccess {
    unsigned cta{};
    std::uint32_t first{}, bytes{};
    friend bool operator==(const SharedAccess&, const SharedAccess&) = default;
};

struct Plan {
    std::vector<CellAccess> cells;
    std::vector<SharedAccess> shared;  ///< by CTA, ascending, disjoint
};

/// The plan of a matrix instruction. Disabled lanes of D are neither read nor written; scale factors are read in all four quarters.
[[nodiscard]] Judged<Plan> planOf(const Instruction& instruction, const Operands& operands);
/// The plan of tcgen05.cp in one CTA.
[[nodiscard]] Judged<Plan> planOf(const Copy& copy, const SharedDescriptor& source, Address to);
/// The plan of tcgen05.shift in one CTA.
[[nodiscard]] Plan planOf(const Shift& shift);
/// The plan of tcgen05.ld, or st, from the lane of firstLane() on.
[[nodiscard]] Judged<Plan> planOf(const Transfer& transfer, bool store, unsigned lane,
                                  unsigned column);

}  // namespace gsu::tmem
