#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <cstring>

#include "exec/launch/launch_data.hpp"
#include "exec/tensor/half.hpp"

namespace gsu {

unsigned sizeOf(DataType type) noexcept
{
    switch (type) {
        case DataType::I8:
        case DataType::U8:
        case DataType::B8: return 1;
        case DataType::I16:
        case DataType::U16:
        case DataType::B16:
        case DataType::F16:
        case DataType::BF16: return 2;
        case DataType::I32:
        case DataType::U32:
        case DataType::B32:
        case DataType::F32: return 4;
        case DataType::I64:
        case DataType::U64:
        case DataType::B64:
        case DataType::F64: return 8;
    }
    return 1;
}

const char* nameOf(DataType type) noexcept
{
    switch (type) {
        case DataType::I8: return "i8";
        case DataType::U8: return "u8";
        case DataType::I16: return "i16";
        case DataType::U16: return "u16";
        case DataType::I32: return "i32";
        case DataType::U32: return "u32";
        case DataType::I64: return "i64";
        case DataType::U64: return "u64";
        case DataType::F16: return "f16";
        case DataType::BF16: return "bf16";
        case DataType::F32: return "f32";
        case DataType::F64: return "f64";
        case DataType::B8: return "b8";
        case DataType::B16: return "b16";
        case DataType::B32: return "b32";
        case DataType::B64: return "b64";
    }
    return "?";
}

bool isFloat(DataType type) noexcept
{
    return type == DataType::F16 || type == DataType::BF16 || type == DataType::F32 ||
           type == DataType::F64;
}

const char* nameOf(ExpectedVerdict verdict) noexcept
{
    switch (verdict) {
        case ExpectedVerdict::Pass: return "pass";
        case ExpectedVerdict::Hang: return "hang";
        case ExpectedVerdict::Misuse: return "misuse";
        case ExpectedVerdict::Trap: return "trap";
    }
    return "?";
}

namespace {

template <class T> T read(const std::uint8_t* bytes) noexcept
{
    T value;
    std::memcpy(&value, bytes, sizeof value);
    return value;
}

template <class T> void append(std::vector<std::uint8_t>& bytes, T value)
{
    const std::size_t at = bytes.size();
    bytes.resize(at + sizeof value);
    std::memcpy(bytes.data() + at, &value, sizeof value);
}

bool isSigned(DataType type) noexcept
{
    return type == DataType::I8 || type == DataType::I16 || type == DataType::I32 ||
           type == DataType::I64;
}

}  // namespace

Number elementOf(DataType type, const std::uint8_t* bytes) noexcept
{
    switch (type) {
        case DataType::I8: return {false, read<std::int8_t>(bytes), 0};
        case DataType::U8:
        case DataType::B8: return {false, read<std::uint8_t>(bytes), 0};
        case DataType::I16: return {false, read<std::int16_t>(bytes), 0};
        case DataType::U16:
        case DataType::B16: return {false, read<std::uint16_t>(bytes), 0};
        case DataType::I32: return {false, read<std::int32_t>(bytes), 0};
        case DataType::U32:
        case DataType::B32: return {false, read<std::uint32_t>(bytes), 0};
        case DataType::I64: return {false, read<std::int64_t>(bytes), 0};
        case DataType::U64:
        case DataType::B64: return {false, read<std::uint64_t>(bytes), 0};
        case DataType::F16: return {true, 0, exec::floatOfHalf(read<std::uint16_t>(bytes))};
        case DataType::BF16: return {true, 0, exec::floatOfBfloat(read<std::uint16_t>(bytes))};
        case DataType::F32: return {true, 0, read<float>(bytes)};
        case DataType::F64: return {true, 0, read<double>(bytes)};
    }
    return {};
}

std::string textOf(DataType type, const std::uint8_t* bytes)
{
    const Number n = elementOf(type, bytes);
    char text[40];
    if (n.floating) {
        std::snprintf(text, sizeof text, type == DataType::F64 ? "%.17g" : "%.9g", n.real);
    } else if (isSigned(type)) {
        std::snprintf(text, sizeof text, "%" PRId64, static_cast<std::int64_t>(n.integer));
    } else {
        std::snprintf(text, sizeof text, "%" PRIu64, static_cast<std::uint64_t>(n.integer));
    }
    return text;
}

namespace {

/// Appends a number; false if it is finite and the type has no finite value for it.
bool appendReal(DataArray& array, double real)
{
    auto& bytes = array.bytes;
    const auto kept = [real](double value) { return std::isfinite(value) || !std::isfinite(real); };
    switch (array.type) {
        case DataType::F16:
            append(bytes, exec::halfOf(real));
            return kept(exec::floatOfHalf(exec::halfOf(real)));
        case DataType::BF16:
            append(bytes, exec::bfloatOf(real));
            return kept(exec::floatOfBfloat(exec::bfloatOf(real)));
        case DataType::F32:
            append(bytes, static_cast<float>(real));
            return kept(static_cast<float>(real));
        default: append(bytes, real); return true;
    }
}

}  // namespace

bool appendNumber(DataArray& array, const Number& n)
{
    if (isFloat(array.type))
        return appendReal(array, n.floating ? n.real : static_cast<double>(n.integer));
    if (n.floating) return false;
    const unsigned bits = sizeOf(array.type) * 8;
    const Integer half = Integer{1} << (bits - 1);
    const Integer top = isSigned(array.type) ? half - 1 : 2 * half - 1;
    const Integer bottom = isSigned(array.type) || array.type >= DataType::B8 ? -half : 0;
    if (n.integer < bottom || n.integer > top) return false;
    const auto value = static_cast<std::uint64_t>(n.integer);
    const std::size_t at = array.bytes.size();
    array.bytes.resize(at + bits / 8);
    std::memcpy(array.bytes.data() + at, &value, bits / 8);
    return true;
}

}  // namespace gsu
