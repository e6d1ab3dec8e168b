// Logic, shifts and bit fields.
#include "exec/alu/alu.hpp"

namespace gsu::exec {
namespace {

template <class T> struct And {
    T operator()(T a, T b) const { return a & b; }
};
template <class T> struct Or {
    T operator()(T a, T b) const { return a | b; }
};
template <class T> struct Xor {
    T operator()(T a, T b) const { return a ^ b; }
};
template <class T> struct Not {
    T operator()(T a) const { return static_cast<T>(~a); }
};
template <class T> struct Cnot {
    T operator()(T a) const { return a == 0 ? T(1) : T(0); }
};
template <class T> struct Popc {
    std::uint32_t operator()(T a) const { return static_cast<std::uint32_t>(std::popcount(a)); }
};
template <class T> struct Clz {
    std::uint32_t operator()(T a) const { return static_cast<std::uint32_t>(std::countl_zero(a)); }
};
template <class T> struct Brev {
    T operator()(T a) const
    {
        T r = 0;
        for (unsigned i = 0; i < sizeof(T) * 8; ++i) r = static_cast<T>(r << 1 | (a >> i & 1));
        return r;
    }
};
template <class T> struct Bfind {
    std::uint32_t operator()(T a) const
    {
        using V = std::make_unsigned_t<T>;
        const V v = std::is_signed_v<T> && a < 0 ? V(~V(a)) : V(a);
        return v == 0 ? ~0u : static_cast<std::uint32_t>(std::bit_width(v) - 1);
    }
};
template <class T> struct BfindShift {
    std::uint32_t operator()(T a) const
    {
        const std::uint32_t at = Bfind<T>{}(a);
        return at == ~0u ? at : static_cast<std::uint32_t>(sizeof(T) * 8 - 1) - at;
    }
};

/// The shift amount is a 32-bit value and saturates at the width.
template <class T, bool Left> void shift(Ctx& x, const MicroOp& o, Lanes lanes)
{
    std::uint64_t* d = x.row(o.d);
    const std::uint64_t *a = x.src(o.a), *b = x.src(o.b);
    constexpr std::uint32_t width = sizeof(T) * 8;
    eachCell(lanes, [&](unsigned l) {
        const auto n = static_cast<std::uint32_t>(b[l]);
        const T v = static_cast<T>(a[l]);
        if constexpr (Left) {
            d[l] = n >= width ? 0 : cell(static_cast<T>(v << n));
        } else if constexpr (std::is_signed_v<T>) {
            d[l] = cell(static_cast<T>(v >> (n >= width ? width - 1 : n)));
        } else {
            d[l] = n >= width ? 0 : cell(static_cast<T>(v >> n));
        }
    });
}

template <class T> void bfe(Ctx& x, const MicroOp& o, Lanes lanes)
{
    using V = std::make_unsigned_t<T>;
    constexpr std::uint32_t width = sizeof(T) * 8;
    std::uint64_t* d = x.row(o.d);
    const std::uint64_t *a = x.src(o.a), *b = x.src(o.b), *c = x.src(o.c);
    eachCell(lanes, [&](unsigned l) {
        const std::uint32_t at = b[l] & 0xff, len = c[l] & 0xff;
        const V v = static_cast<V>(a[l]);
        const V shifted = at >= width ? V(0) : V(v >> at);
        V r = len >= width ? shifted : V(shifted & ((V(1) << len) - 1));
        if constexpr (std::is_signed_v<T>) {
            if (len != 0) {
                const std::uint32_t top = std::min(at + len - 1, width - 1);
                const bool negative = (v >> top & 1) != 0;
                const std::uint32_t have = at >= width ? 0 : std::min(len, width - at);
                if (negative && have < width) r |= V(~V(0)) << have;
            }
        }
        d[l] = cell(static_cast<V>(r));
    });
}

template <class V> void bfi(Ctx& x, const MicroOp& o, Lanes lanes)
{
    constexpr std::uint32_t width = sizeof(V) * 8;
    std::uint64_t* d = x.row(o.d);
    const std::uint64_t *a = x.src(o.a), *b = x.src(o.b), *c = x.src(o.c), *e = x.src(o.e);
    eachCell(lanes, [&](unsigned l) {
        const std::uint32_t at = c[l] & 0xff, len = e[l] & 0xff;
        V r = static_cast<V>(b[l]);
        if (at < width && len != 0) {
            const V field = len >= width ? V(~V(0)) : V((V(1) << len) - 1);
            const V mask = static_cast<V>(field << at);
            r = static_cast<V>((r & ~mask) | (static_cast<V>(static_cast<V>(a[l]) << at) & mask));
        }
        d[l] = cell(r);
    });
}

void prmt(Ctx& x, const MicroOp& o, Lanes lanes)
{
    const bool generic = o.permute == PermuteMode::Generic;
    static constexpr std::uint16_t kTable[7][4] = {{},
                                                   {0x3210, 0x4321, 0x5432, 0x6543},
                                                   {0x5670, 0x6701, 0x7012, 0x0123},
                                                   {0x0000, 0x1111, 0x2222, 0x3333},
                                                   {0x3210, 0x3211, 0x3222, 0x3333},
                                                   {0x0000, 0x1110, 0x2210, 0x3210},
                                                   {0x1010, 0x3232, 0x1010, 0x3232}};
    std::uint64_t* d = x.row(o.d);
    const std::uint64_t *a = x.src(o.a), *b = x.src(o.b), *c = x.src(o.c);
    eachCell(lanes, [&](unsigned l) {
        const std::uint64_t bytes = (b[l] & 0xffff'ffff) << 32 | (a[l] & 0xffff'ffff);
        const std::uint32_t selector = generic
                                           ? static_cast<std::uint32_t>(c[l])
                                           : kTable[static_cast<std::size_t>(o.permute)][c[l] & 3];
        std::uint32_t r = 0;
        for (unsigned i = 0; i < 4; ++i) {
            const std::uint32_t s = selector >> (4 * i) & 15;
            std::uint32_t byte = bytes >> (8 * (s & 7)) & 0xff;
            if (generic && (s & 8) != 0) byte = (byte & 0x80) != 0 ? 0xff : 0;
            r |= byte << (8 * i);
        }
        d[l] = r;
    });
}

void lop3(Ctx& x, const MicroOp& o, Lanes lanes)
{
    std::uint64_t* d = o.d == kNoRow ? nullptr : x.row(o.d);
    const std::uint64_t *a = x.src(o.a), *b = x.src(o.b), *c = x.src(o.c);
    Lanes nonzero = 0;
    eachCell(lanes, [&](unsigned l) {
        const auto A = static_cast<std::uint32_t>(a[l]), B = static_cast<std::uint32_t>(b[l]),
                   C = static_cast<std::uint32_t>(c[l]);
        std::uint32_t r = 0;
        for (unsigned k = 0; k < 8; ++k) {
            if ((o.lookUp.table >> k & 1) == 0) continue;
            r |= ((k & 4) != 0 ? A : ~A) & ((k & 2) != 0 ? B : ~B) & ((k & 1) != 0 ? C : ~C);
        }
        nonzero |= r != 0 ? 1u << l : 0;
        if (d != nullptr) d[l] = r;
    });
    const Lanes q = x.pred(o.pa);
    if (o.pd >= 0)
        x.setPred(o.pd, lanes, o.lookUp.combine == BoolOp::Or ? nonzero | q : nonzero & q);
}

void shf(Ctx& x, const MicroOp& o, Lanes lanes)
{
    std::uint64_t* d = x.row(o.d);
    const std::uint64_t *a = x.src(o.a), *b = x.src(o.b), *c = x.src(o.c);
    eachCell(lanes, [&](unsigned l) {
        auto n = static_cast<std::uint32_t>(c[l]);
        n = o.funnel.clamps ? std::min(n, 32u) : n & 31;
        const std::uint64_t pair = (b[l] & 0xffff'ffff) << 32 | (a[l] & 0xffff'ffff);
        d[l] = o.funnel.left ? (pair << n) >> 32 & 0xffff'ffff : (pair >> n) & 0xffff'ffff;
    });
}

/// szext and bmsk.
void maskOp(Ctx& x, const MicroOp& o, Lanes lanes)
{
    std::uint64_t* d = x.row(o.d);
    const std::uint64_t *a = x.src(o.a), *b = x.src(o.b);
    eachCell(lanes, [&](unsigned l) {
        const auto A = static_cast<std::uint32_t>(a[l]), B = static_cast<std::uint32_t>(b[l]);
        if (!o.mask.makes) {
            const std::uint32_t n = o.mask.wraps ? B & 31 : std::min(B, 32u);
            if (n >= 32) {
                d[l] = A;
            } else {
                const std::uint32_t low = A & ((1u << n) - 1);
                const bool negative = o.mask.isSigned && n != 0 && (A >> (n - 1) & 1) != 0;
                d[l] = negative ? low | ~((1u << n) - 1) : low;
            }
            return;
        }
        const std::uint32_t at = o.mask.wraps ? A & 31 : std::min(A, 32u);
        const std::uint32_t len = o.mask.wraps ? B & 31 : std::min(B, 32u);
        const std::uint64_t field = ((1ull << len) - 1) << at;
        d[l] = field & 0xffff'ffff;
    });
}

/// dp4a, dp2a.
void dotOp(Ctx& x, const MicroOp& o, Lanes lanes)
{
    std::uint64_t* d = x.row(o.d);
    const std::uint64_t *a = x.src(o.a), *b = x.src(o.b), *c = x.src(o.c);
    const bool bytes = o.dot.parts == DotOperands::Parts::Bytes;
    const unsigned low = o.dot.parts == DotOperands::Parts::High ? 16 : 0;
    const auto part = [](std::uint64_t v, unsigned at, unsigned bits,
                         bool isSigned) -> std::int64_t {
        const std::uint64_t raw = v >> at & ((1u << bits) - 1);
        return isSigned && (raw >> (bits - 1)) != 0 ? static_cast<std::int64_t>(raw) - (1 << bits)
                                                    : static_cast<std::int64_t>(raw);
    };
    eachCell(lanes, [&](unsigned l) {
        std::int64_t sum = static_cast<std::uint32_t>(c[l]);
        for (unsigned i = 0; i < (bytes ? 4u : 2u); ++i) {
            const std::int64_t A =
                bytes ? part(a[l], 8 * i, 8, o.dot.signedA) : part(a[l], 16 * i, 16, o.dot.signedA);
            sum += A * part(b[l], 8 * i + low, 8, o.dot.signedB);
        }
        d[l] = static_cast<std::uint32_t>(sum);
    });
}

/// fns: the position of the n-th set bit.
void fns(Ctx& x, const MicroOp& o, Lanes lanes)
{
    std::uint64_t* d = x.row(o.d);
    const std::uint64_t *a = x.src(o.a), *b = x.src(o.b), *c = x.src(o.c);
    eachCell(lanes, [&](unsigned l) {
        const auto mask = static_cast<std::uint32_t>(a[l]);
        const auto base = static_cast<int>(b[l] & 31);
        int left = static_cast<std::int32_t>(c[l]);
        std::uint32_t found = ~0u;
        if (left == 0) {
            found = (mask >> base & 1) != 0 ? static_cast<std::uint32_t>(base) : ~0u;
        } else {
            const int step = left > 0 ? 1 : -1;
            left = left > 0 ? left : -left;
            for (int at = base; at >= 0 && at < 32; at += step) {
                if ((mask >> at & 1) == 0 || --left != 0) continue;
                found = static_cast<std::uint32_t>(at);
                break;
            }
        }
        d[l] = found;
    });
}

template <template <class> class F> ExecFn logic(unsigned bytes)
{
    return bytes == 2   ? binaryOp<std::uint16_t, F<std::uint16_t>>
           : bytes == 4 ? binaryOp<std::uint32_t, F<std::uint32_t>>
           : bytes == 8 ? binaryOp<std::uint64_t, F<std::uint64_t>>
                        : nullptr;
}
template <template <class> class F> ExecFn one(unsigned bytes)
{
    return bytes == 2   ? unaryOp<std::uint16_t, F<std::uint16_t>>
           : bytes == 4 ? unaryOp<std::uint32_t, F<std::uint32_t>>
           : bytes == 8 ? unaryOp<std::uint64_t, F<std::uint64_t>>
                        : nullptr;
}
template <template <class> class F> ExecFn oneSigned(ptx::Type t)
{
    if (t == ptx::Type::S32) return unaryOp<std::int32_t, F<std::int32_t>>;
    if (t == ptx::Type::S64) return unaryOp<std::int64_t, F<std::int64_t>>;
    return one<F>(sizeOf(t));
}

}  // namespace

ExecFn bitOp(std::string_view n, ptx::Type t)
{
    const unsigned bytes = sizeOf(t);
    const bool isSigned = t == ptx::Type::S16 || t == ptx::Type::S32 || t == ptx::Type::S64;
    if (n == "and") return logic<And>(bytes);
    if (n == "or") return logic<Or>(bytes);
    if (n == "xor") return logic<Xor>(bytes);
    if (n == "not") return one<Not>(bytes);
    if (n == "cnot") return one<Cnot>(bytes);
    if (n == "popc") return one<Popc>(bytes);
    if (n == "clz") return one<Clz>(bytes);
    if (n == "brev") return one<Brev>(bytes);
    if (n == "bfind") return oneSigned<Bfind>(t);
    if (n == "bfind.shiftamt") return oneSigned<BfindShift>(t);
    if (n == "shl")
        return bytes == 2   ? shift<std::uint16_t, true>
               : bytes == 4 ? shift<std::uint32_t, true>
                            : shift<std::uint64_t, true>;
    if (n == "shr" && isSigned)
        return bytes == 2   ? shift<std::int16_t, false>
               : bytes == 4 ? shift<std::int32_t, false>
                            : shift<std::int64_t, false>;
    if (n == "shr")
        return bytes == 2   ? shift<std::uint16_t, false>
               : bytes == 4 ? shift<std::uint32_t, false>
                            : shift<std::uint64_t, false>;
    if (n == "bfe" && isSigned) return bytes == 4 ? bfe<std::int32_t> : bfe<std::int64_t>;
    if (n == "bfe") return bytes == 4 ? bfe<std::uint32_t> : bfe<std::uint64_t>;
    if (n == "bfi") return bytes == 4 ? bfi<std::uint32_t> : bfi<std::uint64_t>;
    if (n == "prmt") return prmt;
    if (n == "lop3") return lop3;
    if (n == "shf") return shf;
    if (n == "mask") return maskOp;
    if (n == "dot") return dotOp;
    if (n == "fns") return fns;
    return nullptr;
}

}  // namespace gsu::exec
