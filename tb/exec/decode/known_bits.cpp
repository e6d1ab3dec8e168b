#include "exec/decode/known_bits.hpp"

#include <algorithm>
#include <bit>

namespace gsu::exec {
namespace {

using ptx::Operand;

LowBits cut(unsigned count, unsigned bits) noexcept
{
    const unsigned known = (1u << std::min(count, LowBits::kBits)) - 1;
    return {static_cast<std::uint8_t>(known), static_cast<std::uint8_t>(bits & known)};
}

/// What is left of both when each bit depends on its own bits alone.
LowBits bitwise(unsigned known, unsigned bits) noexcept
{
    return {static_cast<std::uint8_t>(known), static_cast<std::uint8_t>(bits & known)};
}

bool betweenIntegers(const ptx::Instruction& conversion)
{
    return std::ranges::all_of(conversion.modifiers, [](const std::string& m) {
        const auto type = ptx::typeOf(m);
        return type && *type >= ptx::Type::B8 && *type <= ptx::Type::S64 &&
               *type != ptx::Type::B128;
    });
}

}  // namespace

unsigned LowBits::aligned() const noexcept { return static_cast<unsigned>(std::countr_one(known)); }

LowBits operator+(LowBits a, LowBits b) noexcept
{
    return cut(std::min(a.aligned(), b.aligned()), a.bits + b.bits);
}

LowBits operator-(LowBits a, LowBits b) noexcept
{
    return cut(std::min(a.aligned(), b.aligned()), unsigned{a.bits} - b.bits);
}

/// With a = x + m * 2^i and b = y + n * 2^j, of which only x and y are known, a * b = x y + x n 2^j + y m 2^i + m n 2^(i + j).
LowBits operator*(LowBits a, LowBits b) noexcept
{
    const unsigned i = a.aligned(), j = b.aligned();
    const auto x = cut(i, a.bits).bits, y = cut(j, b.bits).bits;
    const auto zeros = [](unsigned v) { return static_cast<unsigned>(std::countr_zero(v)); };
    return cut(std::min({j + zeros(x), i + zeros(y), i + j}), unsigned{x} * y);
}

LowBits operator&(LowBits a, LowBits b) noexcept
{
    const unsigned zeros = (a.known & ~a.bits) | (b.known & ~b.bits);
    return bitwise((a.known & b.known) | zeros, a.bits & b.bits);
}

LowBits operator|(LowBits a, LowBits b) noexcept
{
    const unsigned ones = (a.known & a.bits) | (b.known & b.bits);
    return bitwise((a.known & b.known) | ones, a.bits | b.bits);
}

LowBits operator^(LowBits a, LowBits b) noexcept
{
    return bitwise(a.known & b.known, a.bits ^ b.bits);
}

LowBits either(LowBits a, LowBits b) noexcept
{
    return bitwise(a.known & b.known & ~(a.bits ^ b.bits), a.bits);
}

/// A register that is written in a loop depends on itself, so this goes on until nothing changes. What nothing has been written to yet may still be all
/// that its later values agree on, so who reads it comes later. Every further change forgets a bit: that ends.
KnownBits::KnownBits(const ptx::Function& function) : values_(function.registers.size())
{
    for (bool changed = true; changed;) {
        changed = false;
        for (const ptx::Instruction& in : function.body) {
            if (in.operands.empty() || readsUnwritten(in)) continue;
            if (write(in.operands.front(), result(in))) changed = true;
        }
    }
}

bool KnownBits::readsUnwritten(const ptx::Instruction& in) const
{
    return std::any_of(in.operands.begin() + 1, in.operands.end(), [this](const Operand& o) {
        return o.kind == Operand::Kind::Register && o.index < values_.size() &&
               !values_[o.index].written;
    });
}

bool KnownBits::write(const Operand& to, LowBits value)
{
    bool changed = false;
    for (const Operand& element : to.elements)
        if (to.kind != Operand::Kind::Address && write(element, {})) changed = true;
    if (to.kind != Operand::Kind::Register || to.index >= values_.size()) return changed;
    Value& old = values_[to.index];
    const Value now{true, old.written ? either(old.low, value) : value};
    changed = !old.written || old.low != now.low;
    old = now;
    return changed;
}

LowBits KnownBits::of(const Operand& operand) const
{
    switch (operand.kind) {
        case Operand::Kind::Integer:
            return LowBits::of(static_cast<std::uint64_t>(operand.integer));
        case Operand::Kind::Symbol: return LowBits::of(static_cast<std::uint64_t>(operand.offset));
        case Operand::Kind::Register:
            return operand.negated || operand.index >= values_.size() ? LowBits{}
                                                                      : values_[operand.index].low;
        default: return {};
    }
}

/// 2^n of a shift by n to the left.
LowBits KnownBits::factor(const Operand& shift)
{
    if (shift.kind != Operand::Kind::Integer) return {};
    const auto by = static_cast<std::uint64_t>(shift.integer);
    return LowBits::of(by < LowBits::kBits ? std::uint64_t{1} << by : 0);
}

LowBits KnownBits::result(const ptx::Instruction& in) const
{
    const std::string& name = in.opcode;
    const auto from = [&](std::size_t i) {
        return i < in.operands.size() ? of(in.operands[i]) : LowBits{};
    };
    if (name == "mov" || name == "cvta" || (name == "cvt" && betweenIntegers(in))) return from(1);
    if (name == "add") return from(1) + from(2);
    if (name == "sub") return from(1) - from(2);
    if (name == "and") return from(1) & from(2);
    if (name == "or") return from(1) | from(2);
    if (name == "xor") return from(1) ^ from(2);
    if (name == "selp") return either(from(1), from(2));
    if (name == "shl" && in.operands.size() > 2) return from(1) * factor(in.operands[2]);
    const bool low = std::ranges::any_of(
        in.modifiers, [](const std::string& m) { return m == "lo" || m == "wide"; });
    if (low && name == "mul") return from(1) * from(2);
    if (low && name == "mad") return from(1) * from(2) + from(3);
    return {};
}

}  // namespace gsu::exec
