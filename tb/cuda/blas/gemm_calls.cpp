// Products of matrices, computed on the host when the stream reaches them.
#include <fmt/format.h>

#include <array>
#include <set>

#include "cuda/api/stream_calls.hpp"
#include "cuda/blas/blas.hpp"
#include "cuda/blas/gemm.hpp"
#include "cuda/platform/copies.hpp"

namespace gsu::cuda::blas {
namespace {

using Number = std::int64_t;

struct Side {
    const void* at{};
    int type{};
    Number ld{};
    Number stride{};  ///< elements from one matrix of a batch to the next
};
/// The arguments of a call.
struct Asked {
    int a{}, b{};  ///< cublasOperation_t
    Number m{}, n{}, k{};
    const void *alpha{}, *beta{};
    Side left{}, right{}, result{};
    Number batch{1};
};

[[noreturn]] void wrong(const std::string& what) { throw Refusal{Status::InvalidValue, what}; }

/// The type of sums for a cublasComputeType_t. Faster and stricter modes of one type compute the same sums here.
Sums sumsOf(int compute)
{
    switch (compute) {
        case 64:
        case 65: return Sums::F16;
        case 68:
        case 69:
        case 74:
        case 75:
        case 77: return Sums::F32;
        case 70:
        case 71: return Sums::F64;
        case 72:
        case 73: return Sums::S32;
        default:
            throw Refusal{Status::NotSupported,
                          fmt::format("cublasComputeType_t {} is not supported", compute)};
    }
}

Matrix matrixOf(const Side& side, bool transposed, Number rows, Number columns, const char* name)
{
    const Number least = std::max<Number>(1, transposed ? columns : rows);
    if (side.ld < least)
        wrong(
            fmt::format("ld{} is {}: columns of {} have {} elements", name, side.ld, name, least));
    return {static_cast<Element>(side.type), transposed, static_cast<std::uint64_t>(side.ld)};
}

Gemm gemmOf(const Asked& asked, Sums sums)
{
    if (asked.m < 0 || asked.n < 0 || asked.k < 0 || asked.batch < 0)
        wrong(fmt::format("m {}, n {}, k {}, {} matrices", asked.m, asked.n, asked.k, asked.batch));
    for (const int operation : {asked.a, asked.b}) {
        if (operation < 0 || operation > 2)
            wrong(fmt::format("{} is no cublasOperation_t", operation));
    }
    if (asked.alpha == nullptr || asked.beta == nullptr) wrong("alpha or beta is a null pointer");
    Gemm g;
    g.m = static_cast<std::uint64_t>(asked.m);
    g.n = static_cast<std::uint64_t>(asked.n);
    g.k = static_cast<std::uint64_t>(asked.k);
    g.a = matrixOf(asked.left, asked.a != 0, asked.m, asked.k, "a");
    g.b = matrixOf(asked.right, asked.b != 0, asked.k, asked.n, "b");
    g.c = matrixOf(asked.result, false, asked.m, asked.n, "c");
    g.sums = sums;
    if (!known(g))
        throw Refusal{Status::NotSupported,
                      fmt::format("{} times {} to {} is not supported with this compute type",
                                  nameOf(g.a.element), nameOf(g.b.element), nameOf(g.c.element))};
    return g;
}

/// The address in this process of one matrix of the batch.
std::uint8_t* bytesOf(Platform& p, const Side& side, const Matrix& matrix, std::uint64_t rows,
                      std::uint64_t columns, Number index, const char* name)
{
    const unsigned size = bytesOf(matrix.element);
    const auto* first = static_cast<const std::uint8_t*>(side.at) + index * side.stride * size;
    const std::uint64_t count = matrix.extent(rows, columns);
    if (count == 0) return nullptr;
    return bytesAt(p, first, (Size(count) * size).value(), true, name);
}

/// Records what is written, because the program reads it from now on.
void noteWritten(Platform& p, const Asked& asked, const Gemm& g, Number index)
{
    if (!p.heap.watched()) return;
    const unsigned size = bytesOf(g.c.element);
    const auto first = reinterpret_cast<std::uint64_t>(asked.result.at) +
                       static_cast<std::uint64_t>(index * asked.result.stride) * size;
    for (std::uint64_t j = 0; j < g.n; ++j) p.heap.wrote(first + j * g.c.ld * size, g.m * size);
}

void multiplyAll(Platform& p, const Asked& asked, const Gemm& g, const void* alpha,
                 const void* beta)
{
    for (Number i = 0; i < asked.batch; ++i) {
        const std::uint8_t* const a = bytesOf(p, asked.left, g.a, g.m, g.k, i, "A");
        const std::uint8_t* const b = bytesOf(p, asked.right, g.b, g.k, g.n, i, "B");
        std::uint8_t* const c = bytesOf(p, asked.result, g.c, g.m, g.n, i, "C");
        if (c == nullptr) continue;
        multiply(g, alpha, a, b, beta, c);
        noteWritten(p, asked, g, i);
    }
}

/// alpha or beta.
using Scalar = std::array<std::uint8_t, 8>;
Scalar scalarAt(Platform& p, const void* at, Sums sums, bool onDevice)
{
    const std::uint64_t bytes = sums == Sums::F16 ? 2 : sums == Sums::F64 ? 8 : 4;
    const std::uint8_t* const from = bytesAt(p, at, bytes, onDevice, "alpha or beta");
    Scalar value{};
    std::copy_n(from, bytes, value.begin());
    return value;
}

void sayOnce(const char* name, const Gemm& g)
{
    static std::set<std::string> said;
    if (!said.insert(name).second) return;
    say(fmt::format("{}: computed on the host, not by a kernel (first: m {}, n {}, k {}, {} to {})",
                    name, g.m, g.n, g.k, nameOf(g.a.element), nameOf(g.c.element)));
}

Status submitGemm(Platform& p, const char* name, BlasContext& context, const Asked& asked,
                  Sums sums)
{
    const Gemm g = gemmOf(asked, sums);
    sayOnce(name, g);
    const bool onDevice = context.pointers == 1;
    Scalar alpha{}, beta{};
    if (!onDevice) {
        alpha = scalarAt(p, asked.alpha, sums, false);
        beta = scalarAt(p, asked.beta, sums, false);
    }
    // Every matrix is checked now, so that the call reports wrong arguments, and again when the stream reaches it.
    for (Number i = 0; i < asked.batch; ++i) {
        static_cast<void>(bytesOf(p, asked.left, g.a, g.m, g.k, i, "A"));
        static_cast<void>(bytesOf(p, asked.right, g.b, g.k, g.n, i, "B"));
        static_cast<void>(bytesOf(p, asked.result, g.c, g.m, g.n, i, "C"));
    }
    Work work{Work::Kind::Host, [&p, asked, g, alpha, beta, onDevice] {
                  const Scalar one = onDevice ? scalarAt(p, asked.alpha, g.sums, true) : alpha;
                  const Scalar two = onDevice ? scalarAt(p, asked.beta, g.sums, true) : beta;
                  multiplyAll(p, asked, g, one.data(), two.data());
                  return Status::Success;
              }};
    return submit(p, context.stream, std::move(work));
}

int gemm(const char* name, Handle handle, const Asked& asked, int compute)
{
    return blasCall(name, [&](Platform& p) {
        return submitGemm(p, name, contextOf(handle), asked, sumsOf(compute));
    });
}

constexpr int kR32F = 0, kR64F = 1, kR16F = 2, kCompute16F = 64, kCompute32F = 68, kCompute64F = 70;

}  // namespace
}  // namespace gsu::cuda::blas

using namespace gsu::cuda;
using namespace gsu::cuda::blas;

// The forms of one function, with 32-bit and 64-bit numbers.
#define GSU_GEMM_WIDTH(name, Int, type, compute)                                                   \
    GSU_BLAS(name)                                                                                 \
    (Handle handle, int opA, int opB, Int m, Int n, Int k, const void* alpha, const void* a,       \
     Int lda, const void* b, Int ldb, const void* beta, void* c, Int ldc)                          \
    {                                                                                              \
        return gemm(                                                                               \
            #name, handle,                                                                         \
            {opA, opB, m, n, k, alpha, beta, {a, type, lda}, {b, type, ldb}, {c, type, ldc}},      \
            compute);                                                                              \
    }
#define GSU_GEMM_STRIDED_WIDTH(name, Int, type, compute)                                           \
    GSU_BLAS(name)                                                                                 \
    (Handle handle, int opA, int opB, Int m, Int n, Int k, const void* alpha, const void* a,       \
     Int lda, long long strideA, const void* b, Int ldb, long long strideB, const void* beta,      \
     void* c, Int ldc, long long strideC, Int batch)                                               \
    {                                                                                              \
        return gemm(#name, handle,                                                                 \
                    {opA,                                                                          \
                     opB,                                                                          \
                     m,                                                                            \
                     n,                                                                            \
                     k,                                                                            \
                     alpha,                                                                        \
                     beta,                                                                         \
                     {a, type, lda, strideA},                                                      \
                     {b, type, ldb, strideB},                                                      \
                     {c, type, ldc, strideC},                                                      \
                     batch},                                                                       \
                    compute);                                                                      \
    }
#define GSU_GEMM_EX_WIDTH(name, Int)                                                               \
    GSU_BLAS(name)                                                                                 \
    (Handle handle, int opA, int opB, Int m, Int n, Int k, const void* alpha, const void* a,       \
     int typeA, Int lda, const void* b, int typeB, Int ldb, const void* beta, void* c, int typeC,  \
     Int ldc, int compute, int)                                                                    \
    {                                                                                              \
        return gemm(                                                                               \
            #name, handle,                                                                         \
            {opA, opB, m, n, k, alpha, beta, {a, typeA, lda}, {b, typeB, ldb}, {c, typeC, ldc}},   \
            compute);                                                                              \
    }
#define GSU_GEMM_EX_STRIDED_WIDTH(name, Int)                                                       \
    GSU_BLAS(name)                                                                                 \
    (Handle handle, int opA, int opB, Int m, Int n, Int k, const void* alpha, const void* a,       \
     int typeA, Int lda, long long strideA, const void* b, int typeB, Int ldb, long long strideB,  \
     const void* beta, void* c, int typeC, Int ldc, long long strideC, Int batch, int compute,     \
     int)                                                                                          \
    {                                                                                              \
        return gemm(#name, handle,                                                                 \
                    {opA,                                                                          \
                     opB,                                                                          \
                     m,                                                                            \
                     n,                                                                            \
                     k,                                                                            \
                     alpha,                                                                        \
                     beta,                                                                         \
                     {a, typeA, lda, strideA},                                                     \
                     {b, typeB, ldb, strideB},                                                     \
                     {c, typeC, ldc, strideC},                                                     \
                     batch},                                                                       \
                    compute);                                                                      \
    }
#define GSU_SGEMM_EX_WIDTH(name, Int)                                                              \
    GSU_BLAS(name)                                                                                 \
    (Handle handle, int opA, int opB, Int m, Int n, Int k, const void* alpha, const void* a,       \
     int typeA, Int lda, const void* b, int typeB, Int ldb, const void* beta, void* c, int typeC,  \
     Int ldc)                                                                                      \
    {                                                                                              \
        return gemm(                                                                               \
            #name, handle,                                                                         \
            {opA, opB, m, n, k, alpha, beta, {a, typeA, lda}, {b, typeB, ldb}, {c, typeC, ldc}},   \
            kCompute32F);                                                                          \
    }
#define GSU_WIDTHS(form, name, ...)                                                                \
    form(name, int __VA_OPT__(, ) __VA_ARGS__)                                                     \
        form(name##_64, std::int64_t __VA_OPT__(, ) __VA_ARGS__)

GSU_WIDTHS(GSU_GEMM_WIDTH, cublasSgemm_v2, kR32F, kCompute32F)
GSU_WIDTHS(GSU_GEMM_WIDTH, cublasDgemm_v2, kR64F, kCompute64F)
GSU_WIDTHS(GSU_GEMM_WIDTH, cublasHgemm, kR16F, kCompute16F)
GSU_WIDTHS(GSU_GEMM_STRIDED_WIDTH, cublasSgemmStridedBatched, kR32F, kCompute32F)
GSU_WIDTHS(GSU_GEMM_STRIDED_WIDTH, cublasDgemmStridedBatched, kR64F, kCompute64F)
GSU_WIDTHS(GSU_GEMM_STRIDED_WIDTH, cublasHgemmStridedBatched, kR16F, kCompute16F)
GSU_WIDTHS(GSU_GEMM_EX_WIDTH, cublasGemmEx)
GSU_WIDTHS(GSU_GEMM_EX_STRIDED_WIDTH, cublasGemmStridedBatchedEx)
GSU_WIDTHS(GSU_SGEMM_EX_WIDTH, cublasSgemmEx)
