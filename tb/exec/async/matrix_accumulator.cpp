// Accumulators of wgmma: moved out of the registers, which hold poison meanwhile, and back.
#include "exec/async/matrix_parts.hpp"

#include <algorithm>

#include "exec/tensor/fragment.hpp"

namespace gsu::exec {

void MatrixEngine::poison(const Ctx& x, const Accumulator& a) const
{
    for (const std::uint32_t row : a.rows) {
        if (row == kSink) continue;
        std::fill_n(x.warp->regs.begin() + std::size_t{row} * 32, 32, kPoison);
    }
}

/// The registers of an operation's accumulator.
MatrixEngine::Accumulator MatrixEngine::accumulatorOf(const Operation& o)
{
    const WgmmaInfo& info = *o.info;
    Accumulator a;
    for (unsigned i = 0; i < info.d; ++i) {
        const Row r = o.rows[info.a + i];
        a.rows.push_back(r == kNoRow ? kSink : o.regBase + static_cast<std::uint32_t>(r));
    }
    a.elem = info.form.d;
    a.n = info.form.n;
    a.line = o.line;
    return a;
}

/// Loads an accumulator's values from the registers.
void MatrixEngine::load(const Ctx& x, Accumulator& a) const
{
    if (s_.options.tensor == TensorMode::Skip) return;
    std::vector<std::uint64_t> sink(32);
    std::vector<const tensor::Cell*> cells;
    for (const std::uint32_t row : a.rows)
        cells.push_back(row == kSink ? sink.data() : x.warp->regs.data() + std::size_t{row} * 32);
    a.values.resize(std::size_t{16} * a.n);
    if (a.elem == tensor::Elem::F16) {
        std::vector<float> halves(a.values.size());
        tensor::unpackC(a.elem, 16, a.n, cells.data(), halves.data());
        std::transform(halves.begin(), halves.end(), a.values.begin(), tensor::halfOf);
    } else {
        std::vector<std::int32_t> words(a.values.size());
        tensor::unpackC(16, a.n, cells.data(), words.data());
        std::copy(words.begin(), words.end(), a.values.begin());
    }
}

/// Stores an accumulator's values into the registers.
void MatrixEngine::store(Warp& warp, const Accumulator& a) const
{
    if (s_.options.tensor == TensorMode::Skip) {
        for (const std::uint32_t row : a.rows)
            if (row != kSink) std::fill_n(warp.regs.begin() + std::size_t{row} * 32, 32, 0);
        return;
    }
    std::vector<tensor::Cell*> cells;
    for (const std::uint32_t row : a.rows)
        cells.push_back(row == kSink ? nullptr : warp.regs.data() + std::size_t{row} * 32);
    if (a.elem == tensor::Elem::F16) {
        std::vector<float> halves;
        for (const std::uint32_t v : a.values)
            halves.push_back(tensor::valueOf(tensor::Elem::F16, v));
        tensor::packD(a.elem, 16, a.n, halves.data(), cells.data());
    } else {
        const std::vector<std::int32_t> words(a.values.begin(), a.values.end());
        tensor::packD(16, a.n, words.data(), cells.data());
    }
}

/// The accumulator of an operation: taken from registers if none of them is in flight.
std::size_t MatrixEngine::open(const Ctx& x, WarpState& w, const Operation& o)
{
    Accumulator a = accumulatorOf(o);
    checkFence(x, w, o, a);
    for (std::size_t i = 0; i < w.accumulators.size(); ++i) {
        const Accumulator& old = w.accumulators[i];
        if (old.open != 0 && old.rows == a.rows && old.elem == a.elem) return i;
    }
    const bool overlaps = std::any_of(a.rows.begin(), a.rows.end(), [&](std::uint32_t row) {
        return row != kSink && (w.flags[row] & kAccumulator) != 0;
    });
    if (overlaps)
        report(x, "TEN-010", Severity::Error,
               "accumulators of another wgmma of this warp, in another order or of another type, "
               "before wgmma.wait_group",
               o.line);
    load(x, a);
    for (const std::uint32_t row : a.rows) {
        if (row != kSink) w.flags[row] |= kAccumulator;
    }
    poison(x, a);
    const auto free = std::find_if(w.accumulators.begin(), w.accumulators.end(),
                                   [](const Accumulator& one) { return one.open == 0; });
    const auto at = static_cast<std::size_t>(free - w.accumulators.begin());
    if (free == w.accumulators.end())
        w.accumulators.push_back(std::move(a));
    else
        *free = std::move(a);
    return at;
}

}  // namespace gsu::exec
