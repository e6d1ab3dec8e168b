#include "exec/tensormap/tensor_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "exec/tensormap/tile_rows.hpp"

namespace gsu {
namespace {

using ptx::Type;

constexpr std::array<char, 8> kMagic{'G', 'S', 'U', 'T', 'M', 'A', 'P', '1'};

struct Element {
    const char* name;
    Type type;
    Packing packing{};  ///< elements 0: each alone
};
/// By the number tensormap.replace gives them; those with Type::None change values on the way and are not modelled.
constexpr std::array<Element, 16> kElements{{{"u8", Type::B8},
                                             {"u16", Type::B16},
                                             {"u32", Type::U32},
                                             {"i32", Type::S32},
                                             {"u64", Type::U64},
                                             {"i64", Type::S64},
                                             {"f16", Type::F16},
                                             {"f32", Type::F32},
                                             {"f32_ftz", Type::None},
                                             {"f64", Type::F64},
                                             {"bf16", Type::BF16},
                                             {"tf32", Type::None},
                                             {"tf32_ftz", Type::None},
                                             {"b4x16", Type::B8, {16, 8, 8}},
                                             {"b4x16_p64", Type::B8, {16, 8, 16}},
                                             {"b6x16_p32", Type::B8, {16, 12, 16}}}};

template <class T> void put(std::uint8_t* to, T value) { std::memcpy(to, &value, sizeof value); }
template <class T> T get(const std::uint8_t* from)
{
    T value;
    std::memcpy(&value, from, sizeof value);
    return value;
}

std::uint64_t sumOf(const std::uint8_t* bytes)
{
    std::uint64_t hash = 0xcbf2'9ce4'8422'2325ull;
    for (unsigned i = 0; i < 120; ++i) hash = (hash ^ bytes[i]) * 0x100'0000'01b3ull;
    return hash;
}

}  // namespace

int tensorElement(std::string_view name) noexcept
{
    for (std::size_t i = 0; i < kElements.size(); ++i) {
        if (kElements[i].name == name && kElements[i].type != Type::None)
            return static_cast<int>(i);
    }
    return -1;
}

ptx::Type TensorMap::element() const noexcept
{
    return type < kElements.size() ? kElements[type].type : Type::None;
}

std::uint32_t TensorMap::count(unsigned dimension) const noexcept
{
    const std::uint32_t by = dimension == 0 ? 1 : step[dimension];
    return (box[dimension] + by - 1) / by;
}

const char* nameOf(MapMode mode) noexcept
{
    switch (mode) {
        case MapMode::Tile: return "tile";
        case MapMode::Im2col: return "im2col";
        case MapMode::Im2colW: return "im2col::w";
        case MapMode::Im2colW128: return "im2col::w::128";
    }
    return "?";
}

Packing TensorMap::packing() const noexcept
{
    const Packing packed = type < kElements.size() ? kElements[type].packing : Packing{};
    return packed.elements != 0 ? packed : Packing{1, elementBytes(), elementBytes()};
}

std::uint32_t TensorMap::rowBytes() const noexcept
{
    const Packing p = packing();
    return box[0] / p.elements * p.global;
}

std::uint64_t TensorMap::boxBytes() const noexcept
{
    std::uint64_t bytes = rowBytes();
    if (mode != MapMode::Tile) return bytes * pixelCount(*this, {});
    for (unsigned d = 1; d < rank; ++d) bytes *= count(d);
    return bytes;
}

std::uint64_t TensorMap::sharedBytes() const noexcept
{
    const Packing p = packing();
    return boxBytes() / p.global * p.shared;
}

std::uint64_t TensorMap::extent() const noexcept
{
    const Packing p = packing();
    std::uint64_t bytes = (size[0] * p.global + p.elements - 1) / p.elements;
    for (unsigned d = 1; d < rank; ++d) bytes += (size[d] - 1) * stride[d - 1];
    return bytes;
}

std::array<std::uint8_t, TensorMap::kBytes> TensorMap::encoded() const noexcept
{
    std::array<std::uint8_t, kBytes> bytes{};
    std::copy(kMagic.begin(), kMagic.end(), bytes.begin());
    put(&bytes[8], address);
    const std::array<std::uint8_t, 7> head{
        type, rank, swizzle, fill, interleave, atomicity, static_cast<std::uint8_t>(mode)};
    std::copy(head.begin(), head.end(), bytes.begin() + 16);
    for (unsigned d = 0; d < kMaxRank; ++d) {
        put(&bytes[24 + 4 * d], static_cast<std::uint32_t>(size[d] - 1));
        put(&bytes[44 + 2 * d], box[d]);
        bytes[54 + d] = step[d];
        if (d < 4) put(&bytes[64 + 8 * d], stride[d]);
    }
    put(&bytes[96], lower);
    put(&bytes[102], upper);
    put(&bytes[120], sumOf(bytes.data()));
    return bytes;
}

std::optional<TensorMap> TensorMap::decoded(const std::uint8_t* given) noexcept
{
    std::array<std::uint8_t, kBytes> whole;
    std::copy_n(given, kBytes, whole.begin());
    std::uint8_t* bytes = whole.data();
    if (std::memcmp(bytes, kMagic.data(), kMagic.size()) != 0) return std::nullopt;
    // Programs clear bit 21 of the second word in maps of small tensors, to get around a fault of a driver. In this format the bit belongs
    // to the address; the sum shows whether it was set.
    const std::uint64_t sum = get<std::uint64_t>(bytes + 120);
    if (sum != sumOf(bytes)) bytes[10] |= 1u << 5;
    if (sum != sumOf(bytes)) return std::nullopt;
    TensorMap m;
    m.address = get<std::uint64_t>(bytes + 8);
    m.type = bytes[16];
    m.rank = bytes[17];
    m.swizzle = bytes[18];
    m.fill = bytes[19];
    m.interleave = bytes[20];
    m.atomicity = bytes[21];
    m.mode = static_cast<MapMode>(bytes[22]);
    m.lower = get<std::array<std::int16_t, 3>>(bytes + 96);
    m.upper = get<std::array<std::int16_t, 3>>(bytes + 102);
    for (unsigned d = 0; d < kMaxRank; ++d) {
        m.size[d] = std::uint64_t{get<std::uint32_t>(bytes + 24 + 4 * d)} + 1;
        m.box[d] = get<std::uint16_t>(bytes + 44 + 2 * d);
        m.step[d] = bytes[54 + d];
        if (d < 4) m.stride[d] = get<std::uint64_t>(bytes + 64 + 8 * d);
    }
    return m;
}

namespace {

std::string text(const char* what, unsigned d, std::int64_t value, const std::string& why)
{
    return fmt::format("{}[{}] is {}: {}", what, d, value, why);
}

}  // namespace

std::string TensorMap::problem() const
{
    if (element() == Type::None) return fmt::format("element type {} is not modelled", type);
    if (rank == 0 || rank > kMaxRank) return "rank must be 1 to 5";
    if (interleave != 0) return "interleaved layouts are not modelled";
    if (mode > MapMode::Im2colW128) return "there is no such mode";
    if (address % 16 != 0) return "the address must be a multiple of 16";
    for (unsigned d = 0; d < rank; ++d) {
        if (size[d] == 0 || size[d] > 1ull << 32)
            return text("sizes", d, static_cast<std::int64_t>(size[d]), "must be 1 to 4294967296");
        if (mode == MapMode::Tile && (box[d] == 0 || box[d] > 256))
            return text("box", d, box[d], "must be 1 to 256");
        if (step[d] == 0 || step[d] > 8)
            return text("element_strides", d, step[d], "must be 1 to 8");
        if (d + 1 < rank && (stride[d] % 16 != 0 || stride[d] >= 1ull << 40))
            return text("strides", d, static_cast<std::int64_t>(stride[d]),
                        "must be a multiple of 16 below 2^40");
    }
    if (mode != MapMode::Tile) {
        if (std::string why = problemOfPixels(); !why.empty()) return why;
    }
    if (packing().elements != 1) {
        if (std::string why = problemOfPacking(); !why.empty()) return why;
    }
    return problemOfLayout();
}

/// The problem of a map of 4-bit or 6-bit elements.
std::string TensorMap::problemOfPacking() const
{
    constexpr unsigned kRow = 128, kAlign = 32;
    const char* const name = kElements[type].name;
    if (mode != MapMode::Tile) return fmt::format("copies of pixels are not modelled for {}", name);
    if (!padded())
        return size[0] % 2 == 0 && box[0] % packing().elements == 0
                   ? ""
                   : fmt::format("{}: sizes[0] must be even, box[0] a multiple of 16", name);
    if (size[0] % kRow != 0 || box[0] != kRow)
        return fmt::format("{}: sizes[0] must be a multiple of 128, box[0] 128", name);
    if (address % kAlign != 0) return fmt::format("{}: the address must be a multiple of 32", name);
    for (unsigned d = 0; d + 1 < rank; ++d)
        if (stride[d] % kAlign != 0)
            return text("strides", d, static_cast<std::int64_t>(stride[d]),
                        fmt::format("must be a multiple of 32 for {}", name));
    if ((swizzle != 0 && swizzle != 3) || atomicity > 1)
        return fmt::format("{} goes with no swizzle, 128B or 128B_32B", name);
    return {};
}

std::string TensorMap::problemOfColumn(std::int32_t column) const
{
    const int unit = padded() ? 16 : packing().elements != 1 ? 2 : 1;
    if (column % unit == 0) return {};
    return fmt::format("the first coordinate is {}: must be a multiple of {} for {}", column, unit,
                       kElements[type].name);
}

/// In shared memory.
std::string TensorMap::problemOfLayout() const
{
    if (swizzle > 3) return fmt::format("swizzle mode {} is not modelled", swizzle);
    if (atomicity > 3) return fmt::format("swizzle atomicity {} does not exist", atomicity);
    if (atomicity != 0 && swizzle != 3)
        return "swizzle atomicity other than 16 bytes goes with swizzle 128B only";
    const Packing p = packing();
    const std::uint64_t inner = std::uint64_t{box[0]} / p.elements * p.shared;
    const char* const what = mode == MapMode::Tile ? "the box is" : "the channels of a pixel are";
    if (inner % 16 != 0)
        return fmt::format("{} {} bytes wide: must be a multiple of 16", what, inner);
    if (swizzle != 0 && inner > 16u << swizzle) {
        return fmt::format("{} {} bytes wide: at most {} with this swizzle", what, inner,
                           16u << swizzle);
    }
    constexpr std::uint64_t kMostBytes = 256 * 1024;
    if (sharedBytes() > kMostBytes)
        return fmt::format("a copy is {} bytes: more than shared memory", sharedBytes());
    const bool floating = element() == Type::F16 || element() == Type::BF16 ||
                          element() == Type::F32 || element() == Type::F64;
    if (fill > 1 || (fill == 1 && !floating)) return "NaN fill is for floating-point elements";
    return {};
}

/// The problem of a map whose copies move pixels.
std::string TensorMap::problemOfPixels() const
{
    constexpr unsigned kMostChannels = 256, kMostPixels = 1024;
    if (rank < 3) return "im2col is for tensors of rank 3 to 5";
    if (box[0] == 0 || box[0] > kMostChannels)
        return fmt::format("channels is {}: must be 1 to {}", box[0], kMostChannels);
    if (box[1] == 0 || box[1] > kMostPixels)
        return fmt::format("pixels is {}: must be 1 to {}", box[1], kMostPixels);
    const bool wide = mode != MapMode::Im2col;
    // Corners have 16, 8 or 5 bits each, as there are 1, 2 or 3 of them.
    const int most = wide || rank == 3 ? 32767 : rank == 4 ? 127 : 15;
    for (unsigned d = 0; d + 2 < (wide ? 3u : rank); ++d) {
        for (const auto& [what, corner] : {std::pair{"lower", lower[d]}, {"upper", upper[d]}}) {
            if (corner > most || corner < -most - 1)
                return text(what, d, corner, fmt::format("must be {} to {}", -most - 1, most));
        }
        if (static_cast<std::int64_t>(size[d + 1]) - 1 + upper[d] < lower[d])
            return text("lower", d, lower[d], "no pixel is between the corners");
    }
    if (wide && (swizzle < 2 || atomicity > 1))
        return "im2col::w wants swizzle 64B, 128B or 128B_32B";
    return {};
}

std::uint32_t swizzled(std::uint32_t at, unsigned swizzle, unsigned atomicity) noexcept
{
    // Units of 16, 32 or 64 bytes trade places inside a row of 128 bytes, by the number of that row.
    const std::uint32_t row = at >> 7;
    if (atomicity == 3) return at ^ (row & 1) << 6;
    if (atomicity != 0) return at ^ (row & 3) << 5 ^ (atomicity == 2 ? (row & 1) << 3 : 0);
    const std::uint32_t mask = (1u << swizzle) - 1;
    return at ^ (row & mask) << 4;
}

void addRow(std::vector<TileRun>& runs, const TensorMap& m, const BoxRow& row, std::int64_t first,
            std::uint32_t shared)
{
    const Packing p = m.packing();
    const auto bytesOf = [&p](std::int64_t elements) {
        return elements * static_cast<std::int64_t>(p.global) /
               static_cast<std::int64_t>(p.elements);
    };
    const std::int64_t low = std::clamp<std::int64_t>(-first, 0, m.box[0]),
                       high = row.inside
                                  ? std::clamp<std::int64_t>(
                                        static_cast<std::int64_t>(m.size[0]) - first, low, m.box[0])
                                  : low;
    const auto from = static_cast<std::uint32_t>(bytesOf(low)),
               to = static_cast<std::uint32_t>(bytesOf(high));
    const std::uint32_t unit = m.padded()         ? p.global
                               : m.atomicity == 2 ? 8
                                                  : 16;  // what stays together
    for (std::uint32_t chunk = 0; chunk < m.rowBytes(); chunk += unit) {
        // At most three runs: before, inside and behind the tensor.
        for (std::uint32_t at = chunk; at < chunk + unit;) {
            const bool in = at >= from && at < to;
            const std::uint32_t end = in          ? std::min(to, chunk + unit)
                                      : at < from ? std::min(from, chunk + unit)
                                                  : chunk + unit;
            const std::uint32_t box = row.at + at,
                                place = shared + box / p.global * p.shared + box % p.global;
            const std::uint64_t global =
                in ? row.line + static_cast<std::uint64_t>(bytesOf(first) + at) : 0;
            runs.push_back({box, swizzled(place, m.swizzle, m.atomicity), global,
                            static_cast<std::uint8_t>(end - at)});
            at = end;
        }
    }
}

std::vector<TileRun> tileRuns(const TensorMap& m, const std::array<std::int32_t, 5>& origin,
                              std::uint32_t shared, bool rows)
{
    std::vector<TileRun> runs;
    const std::uint32_t width = m.rowBytes();
    std::uint32_t lines = 1;
    for (unsigned d = 1; d < m.rank; ++d) lines *= m.count(d);
    if (rows) lines = 4;
    runs.reserve(std::size_t{lines} * width / 16);
    for (std::uint32_t line = 0; line < lines; ++line) {
        BoxRow row{line * width, m.address, true};
        std::uint32_t rest = line;
        for (unsigned d = 1; d < m.rank; ++d) {
            const std::int64_t at =
                rows ? origin[1 + line]
                     : std::int64_t{origin[d]} + std::int64_t{rest % m.count(d)} * m.step[d];
            rest /= m.count(d);
            row.inside = row.inside && at >= 0 && at < static_cast<std::int64_t>(m.size[d]);
            row.line += static_cast<std::uint64_t>(at) * m.stride[d - 1];
        }
        addRow(runs, m, row, origin[0], shared);
    }
    return runs;
}

}  // namespace gsu
