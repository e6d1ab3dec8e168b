// Which modifiers and operands of tcgen05.mma go together.
#include <fmt/format.h>

#include "exec/tmem/instruction.hpp"

namespace gsu::tmem {
namespace {

Verdict problemOfScaleVector(const Modifiers& x)
{
    const unsigned v = x.scaleVector;
    const bool fits = x.kind == Kind::Mxf8f6f4   ? v == 1
                      : x.kind == Kind::Mxf4     ? v == 2
                      : x.kind == Kind::Mxf4nvf4 ? v == 2 || v == 4
                                                 : v == 0;
    if (fits) return std::nullopt;
    return Refusal{Rule::ScaleVector,
                   v == 0 ? fmt::format(".kind::{} without .block_scale", nameOf(x.kind))
                          : fmt::format(".kind::{} with {} factors", nameOf(x.kind), v)};
}

Verdict problemOfShift(const Modifiers& x)
{
    const bool alone = x.collector != Collector::Fill && x.collector != Collector::Use;
    if (!x.shiftA || (x.aInside && alone && x.kind == Kind::Tf32 && x.group == 1 && !x.sparse &&
                      !x.weightStationary))
        return std::nullopt;
    return Refusal{Rule::ShiftedA, fmt::format(".ashift with .kind::{}{}{}", nameOf(x.kind),
                                               x.sparse ? ", sparse" : "",
                                               x.aInside ? "" : " and A in shared memory")};
}

}  // namespace

const char* nameOf(Kind kind) noexcept
{
    constexpr const char* kNames[]{"f16", "tf32", "f8f6f4", "i8", "mxf8f6f4", "mxf4", "mxf4nvf4"};
    return kNames[static_cast<std::size_t>(kind)];
}

Verdict problemOf(const Modifiers& x)
{
    if (x.weightStationary && (x.group != 1 || isScaled(x.kind)))
        return Refusal{Rule::WsForms, fmt::format(".ws with .kind::{} and cta_group::{}",
                                                  nameOf(x.kind), x.group)};
    if (auto problem = problemOfScaleVector(x)) return problem;
    if (x.scaleInputD && ((x.kind != Kind::F16 && x.kind != Kind::Tf32) || *x.scaleInputD > 15 ||
                          x.weightStationary))
        return Refusal{Rule::ScaleInputD,
                       fmt::format("scale-input-d {} with .kind::{}{}", *x.scaleInputD,
                                   nameOf(x.kind), x.weightStationary ? " and .ws" : "")};
    if (x.disableWords != 0 &&
        (x.disableWords != 4 * x.group || isScaled(x.kind) || x.weightStationary))
        return Refusal{Rule::DisabledLanes,
                       fmt::format("{} words with .kind::{} and cta_group::{}{}", x.disableWords,
                                   nameOf(x.kind), x.group, x.weightStationary ? ", .ws" : "")};
    if (x.zeroColumnMask && !x.weightStationary)
        return Refusal{Rule::MaskForm, "a zero-column mask without .ws"};
    return problemOfShift(x);
}

}  // namespace gsu::tmem
