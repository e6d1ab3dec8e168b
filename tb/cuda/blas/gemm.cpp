#include "cuda/blas/gemm.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "exec/tensor/half.hpp"

namespace gsu::cuda::blas {
namespace {

// rows and columns of C that one pass over k computes
constexpr std::size_t kRows = 8, kColumns = 4;

template <class T> T read(const std::uint8_t* from, std::uint64_t index) noexcept
{
    T value;
    std::memcpy(&value, from + index * sizeof(T), sizeof(T));
    return value;
}
template <class T> void write(std::uint8_t* to, std::uint64_t index, T value) noexcept
{
    std::memcpy(to + index * sizeof(T), &value, sizeof(T));
}

/// An element, converted to the type of the sums.
template <class T> T valueAt(Element element, const std::uint8_t* from, std::uint64_t index)
{
    switch (element) {
        case Element::F32: return static_cast<T>(read<float>(from, index));
        case Element::F64: return static_cast<T>(read<double>(from, index));
        case Element::S8: return static_cast<T>(read<std::int8_t>(from, index));
        case Element::F16:
            return static_cast<T>(exec::floatOfHalf(read<std::uint16_t>(from, index)));
        case Element::Bf16:
            return static_cast<T>(exec::floatOfBfloat(read<std::uint16_t>(from, index)));
        default: return static_cast<T>(read<std::int32_t>(from, index));
    }
}

template <class T> void put(Element element, std::uint8_t* to, std::uint64_t index, T value)
{
    switch (element) {
        case Element::F32: write(to, index, static_cast<float>(value)); break;
        case Element::F64: write(to, index, static_cast<double>(value)); break;
        case Element::F16: write(to, index, exec::halfOf(static_cast<double>(value))); break;
        case Element::Bf16: write(to, index, exec::bfloatOf(static_cast<double>(value))); break;
        default: write(to, index, static_cast<std::uint32_t>(value)); break;
    }
}

/// A or B in panels of `width` rows or columns, k by k; the last panel is filled up with zeros.
template <class T>
std::vector<T> panels(const Matrix& matrix, bool rowsFirst, const std::uint8_t* from,
                      std::uint64_t count, std::uint64_t k, std::size_t width)
{
    std::vector<T> out((count + width - 1) / width * width * k);
    const bool along = rowsFirst == matrix.transposed;  // k runs along a column in memory
    for (std::uint64_t i = 0; i < count; ++i) {
        T* const to = out.data() + i / width * width * k + i % width;
        for (std::uint64_t p = 0; p < k; ++p)
            to[p * width] =
                valueAt<T>(matrix.element, from, along ? i * matrix.ld + p : p * matrix.ld + i);
    }
    return out;
}

/// Computes kRows x kColumns elements of the product.
template <class T>
void tile(const T* a, const T* b, std::uint64_t k, T (&out)[kColumns][kRows]) noexcept
{
    using Vector [[gnu::vector_size(kRows * sizeof(T))]] = T;
    Vector sum[kColumns]{};
    for (std::uint64_t p = 0; p < k; ++p) {
        Vector rows;
        std::memcpy(&rows, a + p * kRows, sizeof(rows));
        for (std::size_t j = 0; j < kColumns; ++j) sum[j] += rows * b[p * kColumns + j];
    }
    std::memcpy(out, sum, sizeof(out));
}

template <class T>
void product(const Gemm& g, T alpha, T beta, const std::uint8_t* a, const std::uint8_t* b,
             std::uint8_t* c)
{
    const std::vector<T> rows = panels<T>(g.a, true, a, g.m, g.k, kRows);
    const std::vector<T> columns = panels<T>(g.b, false, b, g.n, g.k, kColumns);
    for (std::uint64_t j = 0; j < g.n; j += kColumns) {
        for (std::uint64_t i = 0; i < g.m; i += kRows) {
            T out[kColumns][kRows];
            tile(rows.data() + i * g.k, columns.data() + j * g.k, g.k, out);
            for (std::uint64_t y = j; y < std::min(g.n, j + kColumns); ++y) {
                for (std::uint64_t x = i; x < std::min(g.m, i + kRows); ++x) {
                    const std::uint64_t at = y * g.c.ld + x;
                    T value = alpha * out[y - j][x - i];
                    if (beta != T{}) value += beta * valueAt<T>(g.c.element, c, at);
                    put(g.c.element, c, at, value);
                }
            }
        }
    }
}

template <class T>
void product(const Gemm& g, const void* alpha, const void* beta, const std::uint8_t* a,
             const std::uint8_t* b, std::uint8_t* c)
{
    product<T>(g, read<T>(static_cast<const std::uint8_t*>(alpha), 0),
               read<T>(static_cast<const std::uint8_t*>(beta), 0), a, b, c);
}

}  // namespace

unsigned bytesOf(Element element) noexcept
{
    switch (element) {
        case Element::F64: return 8;
        case Element::F16:
        case Element::Bf16: return 2;
        case Element::S8: return 1;
        default: return 4;
    }
}

std::string nameOf(Element element)
{
    switch (element) {
        case Element::F32: return "CUDA_R_32F";
        case Element::F64: return "CUDA_R_64F";
        case Element::F16: return "CUDA_R_16F";
        case Element::S8: return "CUDA_R_8I";
        case Element::S32: return "CUDA_R_32I";
        case Element::Bf16: return "CUDA_R_16BF";
    }
    return "cudaDataType " + std::to_string(static_cast<int>(element));
}

std::uint64_t Matrix::extent(std::uint64_t rows, std::uint64_t columns) const noexcept
{
    if (transposed) std::swap(rows, columns);
    return rows == 0 || columns == 0 ? 0 : (columns - 1) * ld + rows;
}

bool known(const Gemm& g) noexcept
{
    const Element in = g.a.element, out = g.c.element;
    if (g.b.element != in) return false;
    switch (g.sums) {
        case Sums::F16: return in == Element::F16 && out == Element::F16;
        case Sums::F64: return in == Element::F64 && out == Element::F64;
        case Sums::S32: return in == Element::S8 && out == Element::S32;
        case Sums::F32: break;
    }
    if (in == Element::F16 || in == Element::Bf16) return out == in || out == Element::F32;
    return (in == Element::F32 || in == Element::S8) && out == Element::F32;
}

void multiply(const Gemm& g, const void* alpha, const std::uint8_t* a, const std::uint8_t* b,
              const void* beta, std::uint8_t* c)
{
    switch (g.sums) {
        case Sums::F32: return product<float>(g, alpha, beta, a, b, c);
        case Sums::F64: return product<double>(g, alpha, beta, a, b, c);
        case Sums::S32: return product<std::uint32_t>(g, alpha, beta, a, b, c);
        case Sums::F16: break;
    }
    const auto scalar = [](const void* at) {
        return valueAt<float>(Element::F16, static_cast<const std::uint8_t*>(at), 0);
    };
    product<float>(g, scalar(alpha), scalar(beta), a, b, c);
}

}  // namespace gsu::cuda::blas
