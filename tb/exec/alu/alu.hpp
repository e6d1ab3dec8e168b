/// Arithmetic micro-operations: templates over the type, and the tables that select one by name. Private to tb/exec.
#pragma once
#include <bit>
#include <string_view>
#include <type_traits>

#include "exec/alu/wide_host.hpp"
#include "exec/tensor/half.hpp"
#include "exec/warps/context.hpp"

namespace gsu::exec {

template <class T> [[nodiscard]] inline T as(std::uint64_t cell) noexcept
{
    if constexpr (std::is_same_v<T, float>) {
        return std::bit_cast<float>(static_cast<std::uint32_t>(cell));
    } else if constexpr (std::is_same_v<T, double>) {
        return std::bit_cast<double>(cell);
    } else {
        return static_cast<T>(cell);
    }
}

template <class T> [[nodiscard]] inline std::uint64_t cell(T value) noexcept
{
    if constexpr (std::is_same_v<T, float>) {
        // Single precision has one NaN result.
        return value != value ? 0x7fff'ffffu : std::bit_cast<std::uint32_t>(value);
    } else if constexpr (std::is_same_v<T, double>) {
        return std::bit_cast<std::uint64_t>(value);
    } else {
        return static_cast<std::make_unsigned_t<T>>(value);
    }
}

template <class T, class F> void unaryOp(Ctx& x, const MicroOp& o, Lanes lanes)
{
    std::uint64_t* d = x.row(o.d);
    const std::uint64_t* a = x.src(o.a);
    eachCell(lanes, [&](unsigned l) { d[l] = cell(F{}(as<T>(a[l]))); });
}

template <class T, class F> void binaryOp(Ctx& x, const MicroOp& o, Lanes lanes)
{
    std::uint64_t* d = x.row(o.d);
    const std::uint64_t *a = x.src(o.a), *b = x.src(o.b);
    eachCell(lanes, [&](unsigned l) { d[l] = cell(F{}(as<T>(a[l]), as<T>(b[l]))); });
}

template <class T, class F> void ternaryOp(Ctx& x, const MicroOp& o, Lanes lanes)
{
    std::uint64_t* d = x.row(o.d);
    const std::uint64_t *a = x.src(o.a), *b = x.src(o.b), *c = x.src(o.c);
    eachCell(lanes, [&](unsigned l) { d[l] = cell(F{}(as<T>(a[l]), as<T>(b[l]), as<T>(c[l]))); });
}

/// The operation of an integer type; nullptr if there is none. Names are mnemonics with their distinguishing qualifiers: "mul.hi", "mad.wide".
[[nodiscard]] ExecFn integerOp(std::string_view name, ptx::Type type);
/// Logic, shifts, bit fields: "and", "shl", "popc", "bfe", "prmt.f4e", "shf.l.wrap", ...
[[nodiscard]] ExecFn bitOp(std::string_view name, ptx::Type type);

struct FloatMods {
    Round round{Round::Rn};
    bool ftz{}, sat{}, nan{}, abs{}, xorsign{}, relu{}, approx{}, full{};
};
/// "add", "fma", "div", "rcp", "min", "tanh", ... for f32, f64, f16, bf16 and packed halves.
[[nodiscard]] ExecFn floatOp(std::string_view name, ptx::Type type, const FloatMods& mods);
[[nodiscard]] ExecFn halfOp(std::string_view name, ptx::Type type, const FloatMods& mods);
/// FloatOperands::flags.
inline constexpr std::uint8_t kFtz = 1, kSat = 2, kNan = 4, kAbs = 8, kXorSign = 16, kRelu = 32,
                              kSatFinite = 64, kOob = 128;
[[nodiscard]] std::uint8_t flagsOf(const FloatMods& mods) noexcept;

/// Conversions (ConvertOperands).
struct CvtMods {
    Round round{Round::Rn};
    bool ftz{}, sat{}, integral{}, relu{};
};
[[nodiscard]] ExecFn convertOp(ptx::Type to, ptx::Type from, const CvtMods& mods);
/// Pairs of 8-, 6- and 4-bit formats from and to f32, f16x2 and bf16x2; `extra` holds the types as for convertOp.
[[nodiscard]] ExecFn smallConvertOp(ptx::Type to, ptx::Type from);

/// cvt.rs: rows[list..) are two or four f32, the upper element first, c the random bits: the upper 16 for the upper half of the
/// elements; f16 uses 13 of them. `extra`: target type.
void stochasticOp(Ctx& x, const MicroOp& o, Lanes lanes);

/// Comparisons of setp and set (CompareOperands).
enum class CompareOp : std::uint8_t {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    Lo,
    Ls,
    Hi,
    Hs,
    Equ,
    Neu,
    Ltu,
    Leu,
    Gtu,
    Geu,
    Num,
    Nan
};
enum class BoolOp : std::uint8_t { None, And, Or, Xor };
[[nodiscard]] ExecFn compareOp(ptx::Type type);

[[nodiscard]] inline float flush(float x) noexcept
{
    return (std::bit_cast<std::uint32_t>(x) & 0x7f80'0000u) == 0
               ? std::bit_cast<float>(std::bit_cast<std::uint32_t>(x) & 0x8000'0000u)
               : x;
}

}  // namespace gsu::exec
