// Which M and N there are for a kind.
#include <fmt/format.h>

#include "exec/tmem/instruction.hpp"

namespace gsu::tmem::detail {
namespace {

bool isM(const Instruction& i) noexcept
{
    const Modifiers& x = i.modifiers;
    if (x.weightStationary) return i.m == 32 || i.m == 64 || i.m == 128;
    if (x.group == 2) return i.m == 256 || i.m == 128;
    return i.m == 128 || (i.m == 64 && !isScaled(x.kind));
}

bool isN(const Instruction& i) noexcept
{
    const Modifiers& x = i.modifiers;
    if (i.n == 0 || i.n > 256) return false;
    if (x.weightStationary) return i.n == 64 || i.n == 128 || (i.n == 256 && !x.sparse);
    if (x.kind == Kind::I8) {
        if (x.group == 2) return i.n % 32 == 0;
        return i.n % 16 == 0 || i.n == 8 || i.n == 24;
    }
    return i.n % (8 * x.group) == 0;
}

}  // namespace

Verdict problemOfShape(const Instruction& i)
{
    const Modifiers& x = i.modifiers;
    if (!isM(i) || !isN(i))
        return Refusal{Rule::Shape,
                       fmt::format("M = {}, N = {} is no shape of .kind::{}{} with cta_group::{}{}",
                                   i.m, i.n, nameOf(x.kind), x.sparse ? ", sparse," : "", x.group,
                                   x.weightStationary ? " and .ws" : "")};
    if (isScaled(x.kind) && x.group == 2 && i.m == 128)
        return x.sparse ? Refusal{Rule::LayoutC, "a sparse product of M = 128 with cta_group::2"}
                        : Refusal{Rule::PairScales, "block scaling of M = 128 with cta_group::2"};
    const bool bytes = x.kind == Kind::F8f6f4 || x.kind == Kind::I8 || x.kind == Kind::Mxf8f6f4;
    if (bytes && i.transposeB && i.n % (16 * x.group) != 0)
        return Refusal{
            Rule::Transposed,
            fmt::format("a transposed B of 8 bits with N = {} and cta_group::{}", i.n, x.group)};
    return std::nullopt;
}

}  // namespace gsu::tmem::detail
