#include "exec/tmem/movement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace gsu::tmem {
namespace {

/// The place as if nothing were packed: 32-bit columns.
Place unpacked(const Transfer& x, unsigned t, unsigned i) noexcept
{
    switch (x.shape) {
        case Shape::L32x32b: return {0, t, i};
        case Shape::L16x64b: return {0, t / 4 + 8 * (t % 2), t / 2 % 2 + 2 * i};
        case Shape::L16x128b: return {0, t / 4 + 8 * (i % 2), t % 4 + 4 * (i / 2)};
        case Shape::L16x256b:
            return {0, t / 4 + 8 * (i / 2 % 2), 2 * (t % 4) + i % 2 + 8 * (i / 4)};
        case Shape::L16x32bx2: return {0, t % 16, i};
    }
    return {};
}

constexpr unsigned perRepeat(Shape shape) noexcept
{
    return shape == Shape::L16x256b ? 4 : shape == Shape::L16x128b ? 2 : 1;
}

}  // namespace

unsigned Transfer::registers() const noexcept { return repeat * perRepeat(shape); }

unsigned Transfer::columns() const noexcept
{
    constexpr std::array<unsigned, 5> kColumnsOf{2, 4, 8, 1, 1};
    const unsigned own = kColumnsOf[static_cast<std::size_t>(shape)] * repeat * (packed ? 2 : 1);
    return own + (shape == Shape::L16x32bx2 ? split : 0);
}

Place Transfer::place(unsigned thread, unsigned index) const noexcept
{
    Place p = unpacked(*this, thread, index);
    if (packed) p.column *= 2;
    if (shape == Shape::L16x32bx2 && thread >= 16) p.column += split;
    return p;
}

Verdict problemOf(const Transfer& x, unsigned lane, unsigned column)
{
    if (!std::has_single_bit(x.repeat) || x.registers() > 128)
        return Refusal{Rule::RepeatCount,
                       fmt::format(".x{} has {} registers", x.repeat, x.registers())};
    if (lane % kQuarter % x.lanes() != 0)
        return Refusal{Rule::HalfOfQuarter,
                       fmt::format("{} lanes from lane {} on", x.lanes(), lane)};
    if (x.shape == Shape::L16x32bx2 && x.split > kColumns)
        return Refusal{Rule::SplitOffset,
                       fmt::format("immHalfSplitoff {}", static_cast<std::int32_t>(x.split))};
    return problemOf(Window{{lane, column}, x.lanes(), x.columns()});
}

void load(const Transfer& x, const TensorMemory& memory, unsigned lane, unsigned column,
          WarpRegisters out) noexcept
{
    for (unsigned i = 0; i < x.registers(); ++i) {
        for (unsigned t = 0; t < 32; ++t) {
            const Place p = x.place(t, i);
            const std::uint32_t* cell = memory.lane(lane + p.lane) + column + p.column;
            out[i][t] = x.packed ? (cell[0] & 0xffffu) | cell[1] << 16 : cell[0];
        }
    }
}

void store(const Transfer& x, TensorMemory& memory, unsigned lane, unsigned column,
           ConstWarpRegisters in) noexcept
{
    for (unsigned i = 0; i < x.registers(); ++i) {
        for (unsigned t = 0; t < 32; ++t) {
            const Place p = x.place(t, i);
            std::uint32_t* cell = memory.lane(lane + p.lane) + column + p.column;
            cell[0] = x.packed ? in[i][t] & 0xffffu : in[i][t];
            if (x.packed) cell[1] = in[i][t] >> 16;
        }
    }
}

Judged<Shift> shiftOf(ShiftReach reach, Address at)
{
    if (at.lane % kQuarter != 0) return Refusal{Rule::ShiftLane, fmt::format("lane {}", at.lane)};
    if (reach == ShiftReach::Refused)
        return Refusal{Rule::Shift, "--set exec.tcgen05_shift=warp: those of the quarter that the "
                                    "address names, as the text has it; =all: those of all four"};
    const Shift shift =
        reach == ShiftReach::Warp ? Shift{at, kQuarter} : Shift{{0, at.column}, kLanes};
    if (auto problem = problemOf(Window{shift.at, shift.lanes, Shift::kColumnsMoved}))
        return *problem;
    return shift;
}

void shiftDown(TensorMemory& memory, const Shift& shift) noexcept
{
    const unsigned column = shift.at.column;
    for (unsigned lane = shift.at.lane; lane < shift.at.lane + shift.lanes; ++lane) {
        if (lane % kQuarter != kQuarter - 1)
            std::copy_n(memory.lane(lane + 1) + column, Shift::kColumnsMoved,
                        memory.lane(lane) + column);
    }
}

}  // namespace gsu::tmem
