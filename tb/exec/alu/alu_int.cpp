// Integer arithmetic: wraps modulo the width, division by zero gives all ones as the hardware does.
#include <limits>

#include "exec/alu/alu.hpp"

namespace gsu::exec {
namespace {

template <class T> using U = std::make_unsigned_t<T>;

template <class T> T wrap(U<T> x) { return static_cast<T>(x); }

template <class T> struct Add {
    T operator()(T a, T b) const { return wrap<T>(U<T>(U<T>(a) + U<T>(b))); }
};
template <class T> struct Sub {
    T operator()(T a, T b) const { return wrap<T>(U<T>(U<T>(a) - U<T>(b))); }
};
template <class T> struct MulLo {
    T operator()(T a, T b) const
    {
        return wrap<T>(static_cast<U<T>>(std::uint64_t(U<T>(a)) * std::uint64_t(U<T>(b))));
    }
};
template <class T> struct MulHi {
    T operator()(T a, T b) const
    {
        using Wide = std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>;
        return static_cast<T>((Wide(a) * Wide(b)) >> (sizeof(T) * 8));
    }
};
template <class T> struct Div {
    T operator()(T a, T b) const
    {
        if (b == 0) return static_cast<T>(-1);
        if constexpr (std::is_signed_v<T>) {
            if (b == T(-1)) return wrap<T>(U<T>(0 - U<T>(a)));
        }
        return static_cast<T>(a / b);
    }
};
template <class T> struct Rem {
    T operator()(T a, T b) const
    {
        if (b == 0) return a;
        if constexpr (std::is_signed_v<T>) {
            if (b == T(-1)) return 0;
        }
        return static_cast<T>(a % b);
    }
};
template <class T> struct Min {
    T operator()(T a, T b) const { return b < a ? b : a; }
};
template <class T> struct Max {
    T operator()(T a, T b) const { return a < b ? b : a; }
};
template <class T> struct MinRelu {
    T operator()(T a, T b) const
    {
        const T r = b < a ? b : a;
        return r < 0 ? T(0) : r;
    }
};
template <class T> struct MaxRelu {
    T operator()(T a, T b) const
    {
        const T r = a < b ? b : a;
        return r < 0 ? T(0) : r;
    }
};
template <class T> struct Abs {
    T operator()(T a) const { return a < 0 ? wrap<T>(U<T>(0 - U<T>(a))) : a; }
};
template <class T> struct Neg {
    T operator()(T a) const { return wrap<T>(U<T>(0 - U<T>(a))); }
};
template <class T> struct MadLo {
    T operator()(T a, T b, T c) const { return Add<T>{}(MulLo<T>{}(a, b), c); }
};
template <class T> struct MadHi {
    T operator()(T a, T b, T c) const { return Add<T>{}(MulHi<T>{}(a, b), c); }
};
template <class T> struct Sad {
    T operator()(T a, T b, T c) const
    {
        return wrap<T>(U<T>(U<T>(c) + (a < b ? U<T>(U<T>(b) - U<T>(a)) : U<T>(U<T>(a) - U<T>(b)))));
    }
};
template <class T> struct AddSat {
    T operator()(T a, T b) const
    {
        T r;
        if (__builtin_add_overflow(a, b, &r))
            return b < 0 ? std::numeric_limits<T>::min() : std::numeric_limits<T>::max();
        return r;
    }
};
template <class T> struct SubSat {
    T operator()(T a, T b) const
    {
        T r;
        if (__builtin_sub_overflow(a, b, &r))
            return b < 0 ? std::numeric_limits<T>::max() : std::numeric_limits<T>::min();
        return r;
    }
};
/// The low 24 bits, sign- or zero-extended.
template <class T> std::int64_t low24(T a)
{
    return std::is_signed_v<T> ? std::int64_t(std::int32_t(std::uint32_t(a) << 8) >> 8)
                               : std::int64_t(std::uint32_t(a) & 0xff'ffff);
}
template <class T> struct Mul24Lo {
    T operator()(T a, T b) const { return static_cast<T>(low24(a) * low24(b)); }
};
template <class T> struct Mul24Hi {
    T operator()(T a, T b) const { return static_cast<T>(low24(a) * low24(b) >> 16); }
};
template <class T> struct Mad24Lo {
    T operator()(T a, T b, T c) const { return Add<T>{}(Mul24Lo<T>{}(a, b), c); }
};
template <class T> struct Mad24Hi {
    T operator()(T a, T b, T c) const { return Add<T>{}(Mul24Hi<T>{}(a, b), c); }
};
template <class T> struct Mad24HiSat {
    T operator()(T a, T b, T c) const { return AddSat<T>{}(Mul24Hi<T>{}(a, b), c); }
};
template <class T> struct MadHiSat {
    T operator()(T a, T b, T c) const { return AddSat<T>{}(MulHi<T>{}(a, b), c); }
};

template <class T, class W> void mulWide(Ctx& x, const MicroOp& o, Lanes lanes)
{
    std::uint64_t* d = x.row(o.d);
    const std::uint64_t *a = x.src(o.a), *b = x.src(o.b);
    eachCell(lanes,
             [&](unsigned l) { d[l] = cell(static_cast<W>(W(as<T>(a[l])) * W(as<T>(b[l])))); });
}

template <class T, class W> void madWide(Ctx& x, const MicroOp& o, Lanes lanes)
{
    std::uint64_t* d = x.row(o.d);
    const std::uint64_t *a = x.src(o.a), *b = x.src(o.b), *c = x.src(o.c);
    eachCell(lanes, [&](unsigned l) {
        const auto product = static_cast<U<W>>(W(as<T>(a[l])) * W(as<T>(b[l])));
        d[l] = cell(static_cast<U<W>>(product + static_cast<U<W>>(c[l])));
    });
}

/// Extended precision: the carry is the predicate pd (out) and pa (in). mode 1: subtract, 2: mad.lo, 3: mad.hi.
template <class T, int Mode> void carryOp(Ctx& x, const MicroOp& o, Lanes lanes)
{
    std::uint64_t* d = x.row(o.d);
    const std::uint64_t *a = x.src(o.a), *b = x.src(o.b);
    const std::uint64_t* c = Mode >= 2 ? x.src(o.c) : nullptr;
    const Lanes in = x.pred(o.pa);
    Lanes out = 0;
    eachLane(lanes, [&](unsigned l) {
        unsigned __int128 sum;
        const unsigned carry = in >> l & 1;
        if constexpr (Mode == 0) {
            sum = static_cast<unsigned __int128>(T(a[l])) + T(b[l]) + carry;
        } else if constexpr (Mode == 1) {
            sum = static_cast<unsigned __int128>(T(a[l])) - T(b[l]) - carry;
        } else {
            const T product = Mode == 2 ? T(T(a[l]) * T(b[l]))
                              : o.signedCarry
                                  ? T(MulHi<std::make_signed_t<T>>{}(std::make_signed_t<T>(a[l]),
                                                                     std::make_signed_t<T>(b[l])))
                                  : MulHi<T>{}(T(a[l]), T(b[l]));
            sum = static_cast<unsigned __int128>(product) + T(c[l]) + carry;
        }
        d[l] = static_cast<T>(sum);
        out |= (sum >> (sizeof(T) * 8) & 1) != 0 ? 1u << l : 0;
    });
    x.setPred(o.pd, lanes, out);
}

template <template <class> class F> ExecFn binary(ptx::Type t)
{
    using ptx::Type;
    switch (t) {
        case Type::U16:
        case Type::B16: return binaryOp<std::uint16_t, F<std::uint16_t>>;
        case Type::S16: return binaryOp<std::int16_t, F<std::int16_t>>;
        case Type::U32:
        case Type::B32: return binaryOp<std::uint32_t, F<std::uint32_t>>;
        case Type::S32: return binaryOp<std::int32_t, F<std::int32_t>>;
        case Type::U64:
        case Type::B64: return binaryOp<std::uint64_t, F<std::uint64_t>>;
        case Type::S64: return binaryOp<std::int64_t, F<std::int64_t>>;
        default: return nullptr;  // any other type has no such instruction
    }
}

template <template <class> class F> ExecFn ternary(ptx::Type t)
{
    using ptx::Type;
    switch (t) {
        case Type::U16:
        case Type::B16: return ternaryOp<std::uint16_t, F<std::uint16_t>>;
        case Type::S16: return ternaryOp<std::int16_t, F<std::int16_t>>;
        case Type::U32:
        case Type::B32: return ternaryOp<std::uint32_t, F<std::uint32_t>>;
        case Type::S32: return ternaryOp<std::int32_t, F<std::int32_t>>;
        case Type::U64:
        case Type::B64: return ternaryOp<std::uint64_t, F<std::uint64_t>>;
        case Type::S64: return ternaryOp<std::int64_t, F<std::int64_t>>;
        default: return nullptr;
    }
}

template <template <class> class F> ExecFn signedUnary(ptx::Type t)
{
    using ptx::Type;
    switch (t) {
        case Type::S16: return unaryOp<std::int16_t, F<std::int16_t>>;
        case Type::S32: return unaryOp<std::int32_t, F<std::int32_t>>;
        case Type::S64: return unaryOp<std::int64_t, F<std::int64_t>>;
        default: return nullptr;
    }
}

template <template <class> class F> ExecFn only32(ptx::Type t, bool three = false)
{
    if (t == ptx::Type::S32) {
        if constexpr (std::is_invocable_v<F<std::int32_t>, int, int, int>)
            return ternaryOp<std::int32_t, F<std::int32_t>>;
        else
            return binaryOp<std::int32_t, F<std::int32_t>>;
    }
    if (t == ptx::Type::U32 && !three) {
        if constexpr (std::is_invocable_v<F<std::uint32_t>, int, int, int>)
            return ternaryOp<std::uint32_t, F<std::uint32_t>>;
        else
            return binaryOp<std::uint32_t, F<std::uint32_t>>;
    }
    return nullptr;
}

/// Two 16-bit halves at once.
template <class T, template <class> class F> void packed(Ctx& x, const MicroOp& o, Lanes lanes)
{
    std::uint64_t* d = x.row(o.d);
    const std::uint64_t *a = x.src(o.a), *b = x.src(o.b);
    eachLane(lanes, [&](unsigned l) {
        const auto low = std::uint16_t(F<T>{}(T(a[l]), T(b[l])));
        const auto high = std::uint16_t(F<T>{}(T(a[l] >> 16), T(b[l] >> 16)));
        d[l] = std::uint32_t{high} << 16 | low;
    });
}

ExecFn wide(ptx::Type t, bool mad)
{
    using ptx::Type;
    switch (t) {
        case Type::U16:
            return mad ? madWide<std::uint16_t, std::uint32_t>
                       : mulWide<std::uint16_t, std::uint32_t>;
        case Type::S16:
            return mad ? madWide<std::int16_t, std::int32_t> : mulWide<std::int16_t, std::int32_t>;
        case Type::U32:
            return mad ? madWide<std::uint32_t, std::uint64_t>
                       : mulWide<std::uint32_t, std::uint64_t>;
        case Type::S32:
            return mad ? madWide<std::int32_t, std::int64_t> : mulWide<std::int32_t, std::int64_t>;
        default: return nullptr;
    }
}

}  // namespace

ExecFn integerOp(std::string_view n, ptx::Type t)
{
    const bool is64 = t == ptx::Type::U64 || t == ptx::Type::S64 || t == ptx::Type::B64;
    if (n == "add") return binary<Add>(t);
    if (n == "sub") return binary<Sub>(t);
    if (n == "mul.lo") return binary<MulLo>(t);
    if (n == "mul.hi") return binary<MulHi>(t);
    if (n == "mul.wide") return wide(t, false);
    if (n == "mad.wide") return wide(t, true);
    if (n == "mad.lo") return ternary<MadLo>(t);
    if (n == "mad.hi") return ternary<MadHi>(t);
    if (n == "mad.hi.sat") return only32<MadHiSat>(t, true);
    if (n == "sad") return ternary<Sad>(t);
    if (n == "div") return binary<Div>(t);
    if (n == "rem") return binary<Rem>(t);
    if (n == "min") return binary<Min>(t);
    if (n == "max") return binary<Max>(t);
    if (n == "min.relu") return only32<MinRelu>(t, true);
    if (n == "max.relu") return only32<MaxRelu>(t, true);
    if (n == "abs") return signedUnary<Abs>(t);
    if (n == "neg") return signedUnary<Neg>(t);
    if (n == "add.sat")
        return t == ptx::Type::S32 ? binaryOp<std::int32_t, AddSat<std::int32_t>> : nullptr;
    if (n == "sub.sat")
        return t == ptx::Type::S32 ? binaryOp<std::int32_t, SubSat<std::int32_t>> : nullptr;
    if (n == "mul24.lo") return only32<Mul24Lo>(t);
    if (n == "mul24.hi") return only32<Mul24Hi>(t);
    if (n == "mad24.lo") return only32<Mad24Lo>(t);
    if (n == "mad24.hi") return only32<Mad24Hi>(t);
    if (n == "mad24.hi.sat") return only32<Mad24HiSat>(t, true);
    if (n == "carry.add") return is64 ? carryOp<std::uint64_t, 0> : carryOp<std::uint32_t, 0>;
    if (n == "carry.sub") return is64 ? carryOp<std::uint64_t, 1> : carryOp<std::uint32_t, 1>;
    if (n == "carry.mad.lo") return is64 ? carryOp<std::uint64_t, 2> : carryOp<std::uint32_t, 2>;
    if (n == "carry.mad.hi") return is64 ? carryOp<std::uint64_t, 3> : carryOp<std::uint32_t, 3>;
    if (n == "add.u16x2" || n == "add.s16x2") return packed<std::uint16_t, Add>;
    if (n == "min.u16x2") return packed<std::uint16_t, Min>;
    if (n == "max.u16x2") return packed<std::uint16_t, Max>;
    if (n == "min.relu.s16x2") return packed<std::int16_t, MinRelu>;
    if (n == "max.relu.s16x2") return packed<std::int16_t, MaxRelu>;
    if (n == "min.s16x2") return packed<std::int16_t, Min>;
    if (n == "max.s16x2") return packed<std::int16_t, Max>;
    return nullptr;
}

}  // namespace gsu::exec
