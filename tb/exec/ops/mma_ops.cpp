#include "exec/ops/mma_ops.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "exec/state/report.hpp"
#include "exec/state/run_parts.hpp"
#include "exec/state/run_state.hpp"
#include "exec/tensor/mma.hpp"

namespace gsu::exec {
namespace {

constexpr unsigned kMaxRegisters = 16;

using tensor::Cell;

/// The value of lane 0; all lanes must have it.
unsigned uniform(const Ctx& x, Row row, Lanes lanes)
{
    return row == kNoRow ? 0 : static_cast<unsigned>(x.src(row)[__builtin_ctz(lanes)]);
}

void checkMetadata(const Ctx& x, const MicroOp& o, Lanes lanes, const MmaInfo& info,
                   const tensor::Fragments& f)
{
    if (!info.form.ordered || metadataOrdered(info.form, f.metadata, f.selector)) return;
    x.parts->state.findings.add(
        {"TEN-003", Severity::Error,
         "sparse metadata of .sp::ordered_metadata whose indices do not ascend", x.cta->linear,
         x.warp->index, lanes, o.line, x.parts->state.now()});
}

/// Reads the scales; false: a selector is out of range, and a lane has a fault.
bool readScales(Ctx& x, Lanes lanes, const MmaInfo& info, tensor::Fragments& f)
{
    f.scaleA = {x.src(info.scaleA), uniform(x, info.byteA, lanes), uniform(x, info.laneA, lanes)};
    f.scaleB = {x.src(info.scaleB), uniform(x, info.byteB, lanes), uniform(x, info.laneB, lanes)};
    const auto bad = [&](const tensor::Scales& s, unsigned givers) {
        return s.lane >= givers || s.byte + info.form.scaleVec > 4 ||
               s.byte % info.form.scaleVec != 0;
    };
    if (!bad(f.scaleA, 2) && !bad(f.scaleB, 4)) return true;
    faultLane(x, static_cast<unsigned>(__builtin_ctz(lanes)), "TEN-004",
              "byte or thread selector of a scale outside its range", TrapKind::Instruction);
    return false;
}

tensor::Form truncated(tensor::Form form)
{
    form.truncated = true;
    return form;
}

/// Clears sums that are not computed.
void clear(const tensor::Fragments& f, unsigned registers)
{
    for (unsigned i = 0; i < registers; ++i)
        if (f.d[i] != nullptr) std::fill_n(f.d[i], 32, Cell{0});
}

}  // namespace

void mmaOp(Ctx& x, const MicroOp& o, Lanes lanes)
{
    checkWhole(x, o, lanes, "a matrix instruction (.aligned)");
    const MmaInfo& info = x.parts->program.mmas[o.extra];
    const Row* rows = x.parts->program.rows.data() + o.list;
    std::array<const Cell*, kMaxRegisters> a{}, b{}, c{};
    std::array<Cell*, kMaxRegisters> d{};
    for (unsigned i = 0; i < info.a; ++i) a[i] = x.src(*rows++);
    for (unsigned i = 0; i < info.b; ++i) b[i] = x.src(*rows++);
    for (unsigned i = 0; i < info.c; ++i) c[i] = x.src(*rows++);
    std::array<std::array<Cell, 32>, kMaxRegisters> whole;
    const bool all = lanes == ~Lanes{0};
    for (unsigned i = 0; i < info.d; ++i) {
        if (rows[i] != kNoRow) d[i] = all ? x.row(rows[i]) : whole[i].data();
    }
    tensor::Fragments f;
    f.a = a.data();
    f.b = b.data();
    f.c = c.data();
    f.d = d.data();
    f.selector = info.selector;
    if (info.form.sparse) {
        f.metadata = x.src(info.metadata);
        checkMetadata(x, o, lanes, info, f);
    }
    if (info.form.scaleVec != 0 && !readScales(x, lanes, info, f)) return;
    if (x.parts->options.tensor == TensorMode::Skip)
        clear(f, info.d);
    else if (x.parts->options.tensor == TensorMode::Truncate)
        tensor::mma(truncated(info.form), f);
    else
        tensor::mma(info.form, f);
    for (unsigned i = 0; !all && i < info.d; ++i) {
        if (rows[i] == kNoRow) continue;
        Cell* to = x.row(rows[i]);
        eachLane(lanes, [&](unsigned l) { to[l] = whole[i][l]; });
    }
}

}  // namespace gsu::exec
