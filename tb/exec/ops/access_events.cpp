#include "exec/ops/access_events.hpp"

#include <algorithm>

#include "exec/memory/access.hpp"
#include "exec/ops/async_ops.hpp"
#include "exec/ops/mem_ops.hpp"
#include "exec/ops/mma_ops.hpp"

namespace gsu::exec {
namespace {

MemoryRange rangeAt(const Ctx& x, const MicroOp& o, std::uint64_t address, std::uint32_t bytes,
                    unsigned lane)
{
    const Place p = x.parts->memory.locate(x, o.space, address, bytes, lane);
    return rangeOf(p, address, bytes);
}

/// Adds the lines of a fragment in memory, which all lanes share.
void fragmentLines(const Ctx& x, const MicroOp& o, Access& a)
{
    const WmmaInfo& w = x.parts->program.wmmas[o.extra];
    const unsigned rows = w.which == 'b' ? w.form.k : w.form.m,
                   columns = w.which == 'a' ? w.form.k : w.form.n;
    const unsigned lines = w.columns ? columns : rows, length = w.columns ? rows : columns;
    const auto lane = static_cast<unsigned>(__builtin_ctz(a.lanes));
    const std::uint64_t stride = w.stride == kNoRow ? length : x.src(w.stride)[lane] & 0xffff'ffff;
    const std::uint64_t bits = tensor::bitsOf(w.form.a), base = addressOf(x, o, lane);
    const auto bytes = static_cast<std::uint32_t>(std::max<std::uint64_t>(1, length * bits / 8));
    for (unsigned i = 0; i < std::min(lines, 32u); ++i)
        a.range[i] = rangeAt(x, o, base + i * stride * bits / 8, bytes, lane);
    a.whole = true;
}

/// Adds rows whose addresses some lanes give, and which all lanes share.
void matrixRows(const Ctx& x, const MicroOp& o, Access& a)
{
    const bool high = o.fn == ldmatrixBytesOp && o.matrix.form <= MatrixForm::M16n16B4;
    const Lanes giving =
        a.lanes & static_cast<Lanes>((1ull << (high ? 16u : 8u) * o.matrix.count) - 1);
    eachLane(giving, [&](unsigned l) { a.range[l] = rangeAt(x, o, addressOf(x, o, l), 16, l); });
    a.whole = true;
}

/// Reports the same bytes of each copy.
void tellCopies(const Ctx& x, const MicroOp& o, Access& a)
{
    const std::uint32_t bytes = std::uint32_t{o.bytes} * o.lanesOf;
    for (const DeviceMemory::Multimem& one : x.parts->device.multimem) {
        for (const std::uint64_t copy : one.copies) {
            bool any = false;
            a.range = {};
            eachLane(a.lanes, [&](unsigned l) {
                const std::uint64_t at = addressOf(x, o, l);
                if (at < one.base || at - one.base > one.bytes - bytes) return;
                a.range[l] = {copy + (at - one.base), bytes};
                any = true;
            });
            if (any) x.parts->state.accesses->onAccess(a);
        }
    }
}

/// A number that stands for the value that a lane stores, never 0.
std::uint32_t storedBy(const Ctx& x, const MicroOp& o, unsigned lane)
{
    const Row* rows = x.parts->program.rows.data() + o.list;
    std::uint64_t all = o.bytes;
    for (unsigned i = 0; i < o.lanesOf; ++i) {
        const std::uint64_t kept = o.bytes == 8 ? ~0ull : (1ull << 8 * o.bytes) - 1;
        all = (all ^ (x.src(rows[i])[lane] & kept)) * 0x9e37'79b9'7f4a'7c15ull;
        all ^= all >> 29;
    }
    return static_cast<std::uint32_t>(all) | 1;
}

void laneRanges(const Ctx& x, const MicroOp& o, Access& a)
{
    const std::uint32_t each = std::uint32_t{o.bytes} * o.lanesOf;
    const auto first = static_cast<unsigned>(__builtin_ctz(a.lanes));
    const bool away = o.fn == atomOp && !o.atom.red;  // reported when it is performed
    std::uint64_t next = 0;
    bool row = true;
    eachLane(a.lanes, [&](unsigned l) {
        const std::uint32_t bytes =
            o.fn == bulkZeroOp ? static_cast<std::uint32_t>(x.src(o.b)[l]) : each;
        const MemoryRange r = rangeAt(x, o, addressOf(x, o, l), bytes, l);
        if (o.fn == storeOp) a.value[l] = storedBy(x, o, l);
        const bool elsewhere = away && !r.global() && (r.sm != a.at.sm || r.slot != a.at.cta);
        if (!elsewhere) a.range[l] = r;
        row = row && a.range[l].bytes == each &&
              (l == first || (r.at == next && r.sameMemory(a.range[first])));
        next = r.at + bytes;
    });
    const Lanes without = a.lanes >> first;
    a.consecutive = row && (without & (without + 1)) == 0;
}

}  // namespace

void tellAccess(const Ctx& x, const MicroOp& o, Lanes lanes)
{
    if (o.fn == redReleaseOp) return;  // an AsyncOp
    Access a;
    a.at = refOf(*x.warp);
    a.lanes = lanes;
    a.line = o.line;
    a.touch = o.touch;
    a.order = o.order;
    a.cycle = x.parts->state.now();
    if (o.fn == multimemLoadOp || o.fn == multimemStoreOp || o.fn == multimemReduceOp)
        return tellCopies(x, o, a);
    if (o.fn == wmmaLoadOp || o.fn == wmmaStoreOp)
        fragmentLines(x, o, a);
    else if (o.fn == loadOp || o.fn == storeOp || o.fn == atomOp || o.fn == bulkZeroOp)
        laneRanges(x, o, a);
    else
        matrixRows(x, o, a);
    x.parts->state.accesses->onAccess(a);
}

}  // namespace gsu::exec
