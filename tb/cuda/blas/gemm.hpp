/// C = alpha * op(A) * op(B) + beta * C on the host, for matrices in column-major order. Sums run along k in ascending order.
#pragma once
#include <cstdint>
#include <string>

namespace gsu::cuda::blas {

/// Type of an element: cudaDataType.
enum class Element : int { F32 = 0, F64 = 1, F16 = 2, S8 = 3, S32 = 10, Bf16 = 14 };
/// Type of sums, and of alpha and beta.
enum class Sums : std::uint8_t { F16, F32, F64, S32 };

[[nodiscard]] unsigned bytesOf(Element element) noexcept;
[[nodiscard]] std::string nameOf(Element element);

/// One matrix in memory.
struct Matrix {
    Element element{};
    bool transposed{};  ///< memory has the transposed matrix
    std::uint64_t ld{1};
    /// Elements from the first to the last of `rows` x `columns` of the matrix itself.
    [[nodiscard]] std::uint64_t extent(std::uint64_t rows, std::uint64_t columns) const noexcept;
};

struct Gemm {
    std::uint64_t m{}, n{}, k{};
    Matrix a{}, b{}, c{};
    Sums sums{};
};

/// Whether these types can be multiplied with sums of this kind. The types of A and B are the same.
[[nodiscard]] bool known(const Gemm& gemm) noexcept;

/// Multiplies. `alpha` and `beta` point to numbers of the type of the sums (f16 for Sums::F16). C is not read if beta is 0. Pre:
/// known(gemm), and every pointer has the extent of its matrix.
void multiply(const Gemm& gemm, const void* alpha, const std::uint8_t* a, const std::uint8_t* b,
              const void* beta, std::uint8_t* c);

}  // namespace gsu::cuda::blas
