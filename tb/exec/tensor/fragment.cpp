#include "exec/tensor/fragment.hpp"

#include <cstring>

namespace gsu::tensor {
namespace {

constexpr unsigned kMaxTile = 8 * 4 * 32;  ///< elements of one register: of b1

/// Low halves of the cells, packed.
void bytesOf(const Cell* cells, std::uint8_t* out) noexcept
{
    std::uint32_t words[kLanes];
    for (unsigned l = 0; l < kLanes; ++l) words[l] = static_cast<std::uint32_t>(cells[l]);
    std::memcpy(out, words, sizeof words);
}

void decode(const Form& f, Elem elem, const Cell* cells, float* out) noexcept
{
    std::uint8_t bytes[4 * kLanes];
    bytesOf(cells, bytes);
    const unsigned slot = f.slot(elem);
    decodeFloats(elem, slot == 8, bytes, std::size_t{kLanes} * 32 / slot, out);
}
void decode(const Form&, Elem elem, const Cell* cells, std::int32_t* out) noexcept
{
    std::uint8_t bytes[4 * kLanes];
    bytesOf(cells, bytes);
    decodeIntegers(elem, bytes, std::size_t{kLanes} * 32 / bitsOf(elem), out);
}
void decode(const Form&, Elem, const Cell* cells, double* out) noexcept
{
    for (unsigned l = 0; l < kLanes; ++l) out[l] = std::bit_cast<double>(cells[l]);
}

unsigned elementsOf(const Form& f, Elem elem) noexcept
{
    return elem == Elem::F64 ? 1 : 32 / f.slot(elem);
}

template <class T> void unpackRows(const Form& f, const Cell* const* registers, T* out) noexcept
{
    const unsigned e = elementsOf(f, f.a), width = 4 * e, columns = f.storedK();
    const unsigned tiles = f.m / 8, count = tiles * columns / width;
    T tile[kMaxTile];
    for (unsigned r = 0; r < count; ++r) {
        decode(f, f.a, registers[r], tile);
        T* to = out + std::size_t{8} * (r % tiles) * columns + std::size_t{r / tiles} * width;
        for (unsigned row = 0; row < 8; ++row)
            std::memcpy(to + std::size_t{row} * columns, tile + std::size_t{row} * width,
                        sizeof(T) * width);
    }
}

template <class T> void unpackColumns(const Form& f, const Cell* const* registers, T* out) noexcept
{
    const unsigned e = elementsOf(f, f.b), width = 4 * e;
    const unsigned tiles = f.n / 8, count = tiles * f.k / width;
    T tile[kMaxTile];
    for (unsigned r = 0; r < count; ++r) {
        decode(f, f.b, registers[r], tile);
        T* to = out + std::size_t{r / tiles} * width * f.n + std::size_t{8} * (r % tiles);
        for (unsigned k = 0; k < width; ++k) {
            for (unsigned column = 0; column < 8; ++column)
                to[std::size_t{k} * f.n + column] = tile[std::size_t{column} * width + k];
        }
    }
}

/// Calls f(register, lane, element, offset in the matrix) for pairs of an accumulator's elements.
template <class F> void eachPair(unsigned m, unsigned n, F&& f) noexcept
{
    const unsigned tiles = m / 8, count = tiles * (n / 8);
    for (unsigned t = 0; t < count; ++t) {
        const std::size_t corner = std::size_t{8} * (t % tiles) * n + std::size_t{8} * (t / tiles);
        for (unsigned l = 0; l < kLanes; ++l)
            f(t, l, corner + std::size_t{l / 4} * n + 2 * (l % 4));
    }
}

/// The four bits of chunk `chunk` of `row`.
unsigned chunkBits(const Form& f, const Cell* metadata, unsigned selector, unsigned row,
                   unsigned chunk) noexcept
{
    const unsigned g = row % 8, upper = row / 8;
    const unsigned chunks = f.k / (f.slot(f.a) == 4 ? 8 : f.a == Elem::TF32 ? 2 : 4);
    unsigned lane = 0, bit = 0;
    if (f.slot(f.a) >= 16) {
        // 16 bits of a row in one lane: row g below, row g + 8 above; the next 16 in the next lane.
        const unsigned givers = chunks / 4;
        lane = 4 * g + givers * selector + chunk / 4;
        bit = 16 * upper + 4 * (chunk % 4);
    } else {
        const unsigned words = chunks / 8;  // 32 bits of a row in one lane
        lane = 4 * g + 2 * words * selector + words * upper + chunk / 8;
        bit = 4 * (chunk % 8);
    }
    return static_cast<unsigned>(metadata[lane] >> bit) & 0xf;
}

}  // namespace

Position packedPosition(unsigned rows, unsigned e, unsigned lane, unsigned index) noexcept
{
    const unsigned tiles = rows / 8, r = index / e;
    return {8 * (r % tiles) + lane / 4, 4 * e * (r / tiles) + e * (lane % 4) + index % e};
}

Position accumulatorPosition(unsigned m, unsigned lane, unsigned index) noexcept
{
    const unsigned tiles = m / 8, t = index / 2;
    return {8 * (t % tiles) + lane / 4, 8 * (t / tiles) + 2 * (lane % 4) + index % 2};
}

void unpackA(const Form& f, const Cell* const* r, float* out) noexcept { unpackRows(f, r, out); }
void unpackA(const Form& f, const Cell* const* r, std::int32_t* out) noexcept
{
    unpackRows(f, r, out);
}
void unpackA(const Form& f, const Cell* const* r, double* out) noexcept { unpackRows(f, r, out); }
void unpackB(const Form& f, const Cell* const* r, float* out) noexcept { unpackColumns(f, r, out); }
void unpackB(const Form& f, const Cell* const* r, std::int32_t* out) noexcept
{
    unpackColumns(f, r, out);
}
void unpackB(const Form& f, const Cell* const* r, double* out) noexcept
{
    unpackColumns(f, r, out);
}

void unpackC(Elem elem, unsigned m, unsigned n, const Cell* const* registers, float* out) noexcept
{
    eachPair(m, n, [&](unsigned t, unsigned l, std::size_t at) {
        if (elem == Elem::F16) {
            const auto pair = static_cast<std::uint32_t>(registers[t][l]);
            out[at] = valueOf(Elem::F16, pair & 0xffffu);
            out[at + 1] = valueOf(Elem::F16, pair >> 16);
            return;
        }
        out[at] = std::bit_cast<float>(static_cast<std::uint32_t>(registers[2 * t][l]));
        out[at + 1] = std::bit_cast<float>(static_cast<std::uint32_t>(registers[2 * t + 1][l]));
    });
}

void unpackC(unsigned m, unsigned n, const Cell* const* registers, std::int32_t* out) noexcept
{
    eachPair(m, n, [&](unsigned t, unsigned l, std::size_t at) {
        out[at] = static_cast<std::int32_t>(registers[2 * t][l]);
        out[at + 1] = static_cast<std::int32_t>(registers[2 * t + 1][l]);
    });
}

void unpackC(unsigned m, unsigned n, const Cell* const* registers, double* out) noexcept
{
    eachPair(m, n, [&](unsigned t, unsigned l, std::size_t at) {
        out[at] = std::bit_cast<double>(registers[2 * t][l]);
        out[at + 1] = std::bit_cast<double>(registers[2 * t + 1][l]);
    });
}

void packD(Elem elem, unsigned m, unsigned n, const float* in, Cell* const* registers) noexcept
{
    eachPair(m, n, [&](unsigned t, unsigned l, std::size_t at) {
        if (elem == Elem::F16) {
            if (registers[t] != nullptr)
                registers[t][l] = std::uint32_t{halfOf(in[at])} | std::uint32_t{halfOf(in[at + 1])}
                                                                      << 16;
            return;
        }
        if (registers[2 * t] != nullptr) registers[2 * t][l] = singleBits(in[at]);
        if (registers[2 * t + 1] != nullptr) registers[2 * t + 1][l] = singleBits(in[at + 1]);
    });
}

void packD(unsigned m, unsigned n, const std::int32_t* in, Cell* const* registers) noexcept
{
    eachPair(m, n, [&](unsigned t, unsigned l, std::size_t at) {
        for (unsigned e = 0; e < 2; ++e) {
            Cell* to = registers[2 * t + e];
            if (to != nullptr) to[l] = static_cast<std::uint32_t>(in[at + e]);
        }
    });
}

void packD(unsigned m, unsigned n, const double* in, Cell* const* registers) noexcept
{
    eachPair(m, n, [&](unsigned t, unsigned l, std::size_t at) {
        for (unsigned e = 0; e < 2; ++e) {
            Cell* to = registers[2 * t + e];
            if (to != nullptr) to[l] = std::bit_cast<Cell>(in[at + e]);
        }
    });
}

void sparseColumns(const Form& f, const Cell* metadata, unsigned selector,
                   std::uint16_t* out) noexcept
{
    const unsigned stored = f.storedK();
    for (unsigned row = 0; row < f.m; ++row) {
        std::uint16_t* to = out + std::size_t{row} * stored;
        for (unsigned j = 0; j < stored; ++j) {
            unsigned column = 0;
            if (f.a == Elem::TF32) {  // one of two: the index of its first 16-bit half
                const unsigned bits = chunkBits(f, metadata, selector, row, j);
                column = 2 * j + (bits >> 1 & 1);
            } else if (f.slot(f.a) == 4) {  // two pairs of eight
                const unsigned bits = chunkBits(f, metadata, selector, row, j / 4);
                column = 8 * (j / 4) + 2 * (bits >> (2 * (j / 2 % 2)) & 3) + j % 2;
            } else {
                const unsigned bits = chunkBits(f, metadata, selector, row, j / 2);
                column = 4 * (j / 2) + (bits >> (2 * (j % 2)) & 3);
            }
            to[j] = static_cast<std::uint16_t>(column);
        }
    }
}

bool metadataOrdered(const Form& f, const Cell* metadata, unsigned selector) noexcept
{
    const unsigned chunks = f.k / (f.slot(f.a) == 4 ? 8 : f.a == Elem::TF32 ? 2 : 4);
    for (unsigned row = 0; row < f.m; ++row) {
        for (unsigned chunk = 0; chunk < chunks; ++chunk) {
            const unsigned bits = chunkBits(f, metadata, selector, row, chunk);
            if ((bits & 3) >= bits >> 2) return false;
        }
    }
    return true;
}

}  // namespace gsu::tensor
