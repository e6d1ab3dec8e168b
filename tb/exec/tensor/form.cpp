#include "exec/tensor/form.hpp"

#include <algorithm>
#include <initializer_list>

namespace gsu::tensor {
namespace {

struct Size {
    unsigned m, n, k;
};

bool among(const Form& f, std::initializer_list<Size> sizes)
{
    return std::any_of(sizes.begin(), sizes.end(),
                       [&](const Size& s) { return s.m == f.m && s.n == f.n && s.k == f.k; });
}

bool accumulates(const Form& f, Elem elem) { return f.c == elem && f.d == elem; }
bool isFp8(Elem e) { return e == Elem::E4M3 || e == Elem::E5M2; }
bool isNarrow(Elem e) { return isFp8(e) || e == Elem::E3M2 || e == Elem::E2M3 || e == Elem::E2M1; }

constexpr const char* kShape = "shape of these types";
constexpr const char* kTypes = "types";

const char* problemOfWmma(const Form& f)
{
    const bool wide = among(f, {{16, 16, 16}, {32, 8, 16}, {8, 32, 16}});
    if (f.a != f.b) return kTypes;
    const auto floating = [](Elem e) { return e == Elem::F16 || e == Elem::F32; };
    switch (f.a) {
        case Elem::F16: return !floating(f.c) || !floating(f.d) ? kTypes : wide ? "" : kShape;
        case Elem::BF16: return !accumulates(f, Elem::F32) ? kTypes : wide ? "" : kShape;
        case Elem::TF32:
            return !accumulates(f, Elem::F32) ? kTypes : among(f, {{16, 16, 8}}) ? "" : kShape;
        case Elem::F64:
            return !accumulates(f, Elem::F64) ? kTypes : among(f, {{8, 8, 4}}) ? "" : kShape;
        case Elem::S8:
        case Elem::U8: return !accumulates(f, Elem::S32) ? kTypes : wide ? "" : kShape;
        case Elem::S4:
        case Elem::U4:
            return !accumulates(f, Elem::S32) ? kTypes : among(f, {{8, 8, 32}}) ? "" : kShape;
        case Elem::B1:
            return !accumulates(f, Elem::S32) ? kTypes : among(f, {{8, 8, 128}}) ? "" : kShape;
        default: return kTypes;
    }
}

const char* problemOfScaled(const Form& f)
{
    const bool bytes = f.kind == BlockKind::Mxf8f6f4;
    if (!accumulates(f, Elem::F32)) return kTypes;
    if (bytes ? !isNarrow(f.a) || !isNarrow(f.b) : f.a != Elem::E2M1 || f.b != Elem::E2M1)
        return kTypes;
    const unsigned k = (bytes ? 32u : 64u) * (f.sparse ? 2 : 1);
    if (!among(f, {{16, 8, k}})) return kShape;
    if (f.scale == Elem::UE8M0) return f.scaleVec == (bytes ? 1u : 2u) ? "" : "scale_vec";
    const bool fine = f.kind == BlockKind::Mxf4nvf4 && f.scale == Elem::UE4M3 && f.scaleVec == 4;
    return fine ? "" : "scale type";
}

const char* problemOfFloats(const Form& f)
{
    if (f.a == Elem::F16 && f.b == Elem::F16) {
        if (f.quadPairs() && !f.sparse) {
            if (f.n != 8) return kShape;
            const bool widens = f.d == Elem::F32 && f.c == Elem::F16;
            return widens || accumulates(f, Elem::F16) || accumulates(f, Elem::F32) ? "" : kTypes;
        }
        if (!accumulates(f, Elem::F16) && !accumulates(f, Elem::F32)) return kTypes;
    } else if (isFp8(f.a) && isFp8(f.b)) {
        if (!accumulates(f, Elem::F16) && !accumulates(f, Elem::F32)) return kTypes;
        return (f.sparse ? among(f, {{16, 8, 64}}) : among(f, {{16, 8, 16}, {16, 8, 32}})) ? ""
                                                                                           : kShape;
    } else if (f.a != f.b || !accumulates(f, Elem::F32)) {
        return kTypes;
    }
    switch (f.a) {
        case Elem::F16:
        case Elem::BF16:
            return (f.sparse ? among(f, {{16, 8, 16}, {16, 8, 32}})
                             : among(f, {{16, 8, 8}, {16, 8, 16}}))
                       ? ""
                       : kShape;
        case Elem::TF32:
            return (f.sparse ? among(f, {{16, 8, 8}, {16, 8, 16}})
                             : among(f, {{16, 8, 4}, {16, 8, 8}}))
                       ? ""
                       : kShape;
        default: return kTypes;
    }
}

const char* problemOfIntegers(const Form& f)
{
    if (!accumulates(f, Elem::S32) || bitsOf(f.a) != bitsOf(f.b)) return kTypes;
    const unsigned byte = 32 / bitsOf(f.a);  // elements of a register
    if (f.sparse) return among(f, {{16, 8, 8 * byte}, {16, 8, 16 * byte}}) ? "" : kShape;
    return among(f, {{8, 8, 4 * byte}, {16, 8, 4 * byte}, {16, 8, 8 * byte}}) ? "" : kShape;
}

const char* problemOfMma(const Form& f)
{
    if (f.scaleVec != 0) return problemOfScaled(f);
    if (f.kind == BlockKind::F8f6f4) {
        if (!isNarrow(f.a) || !isNarrow(f.b)) return kTypes;
        if (!accumulates(f, Elem::F16) && !accumulates(f, Elem::F32)) return kTypes;
        return among(f, {{16, 8, f.sparse ? 64u : 32u}}) ? "" : kShape;
    }
    if (f.a == Elem::F64) {
        if (f.sparse || f.b != Elem::F64 || !accumulates(f, Elem::F64)) return kTypes;
        return among(f, {{8, 8, 4}, {16, 8, 4}, {16, 8, 8}, {16, 8, 16}}) ? "" : kShape;
    }
    if (f.a == Elem::B1) {
        if (f.sparse || f.b != Elem::B1 || !accumulates(f, Elem::S32)) return kTypes;
        return among(f, {{8, 8, 128}, {16, 8, 128}, {16, 8, 256}}) ? "" : kShape;
    }
    return isInteger(f.a) && isInteger(f.b) ? problemOfIntegers(f) : problemOfFloats(f);
}

}  // namespace

unsigned Form::aRegisters() const noexcept
{
    if (wmma && a == Elem::F16) return 8;
    if (quadPairs()) return 2;
    return m * storedK() * slot(a) / (a == Elem::F64 ? 2048 : 1024);
}

unsigned Form::bRegisters() const noexcept
{
    if (wmma && b == Elem::F16) return 8;
    if (quadPairs()) return 2;
    return n * k * slot(b) / (b == Elem::F64 ? 2048 : 1024);
}

unsigned Form::accumulatorRegisters(Elem elem) const noexcept
{
    if (quadPairs() && !wmma) return elem == Elem::F16 ? 4 : 8;
    return m * n / (elem == Elem::F16 ? 64 : 32);
}

unsigned Form::selectors() const noexcept
{
    // Metadata take 4 bits for four elements (s4, e2m1: eight, tf32: two), 32 for each lane that gives them.
    const unsigned chunk = slot(a) == 4 ? 8 : a == Elem::TF32 ? 2 : 4;
    return 32 / (m * k / chunk * 4 / 32);
}

std::string problemOf(const Form& form)
{
    return form.wmma ? problemOfWmma(form) : problemOfMma(form);
}

}  // namespace gsu::tensor
