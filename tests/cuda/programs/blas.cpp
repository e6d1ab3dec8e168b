// The linear algebra library: products in all the forms that are computed on the host, and what is refused. Declared from its public documentation.
#include <cmath>
#include <cstring>

#include "scenarios.hpp"

extern "C" {
int cublasCreate_v2(void**);
int cublasDestroy_v2(void*);
int cublasSetStream_v2(void*, void*);
int cublasGetStream_v2(void*, void**);
int cublasSetWorkspace_v2(void*, void*, std::size_t);
int cublasSetMathMode(void*, int);
int cublasGetMathMode(void*, int*);
int cublasSetPointerMode_v2(void*, int);
int cublasGetVersion_v2(void*, int*);
const char* cublasGetStatusString(int);
int cublasSgemm_v2(void*, int, int, int, int, int, const float*, const float*, int, const float*,
                   int, const float*, float*, int);
int cublasDgemm_v2_64(void*, int, int, std::int64_t, std::int64_t, std::int64_t, const double*,
                      const double*, std::int64_t, const double*, std::int64_t, const double*,
                      double*, std::int64_t);
int cublasHgemm(void*, int, int, int, int, int, const void*, const void*, int, const void*, int,
                const void*, void*, int);
int cublasGemmEx(void*, int, int, int, int, int, const void*, const void*, int, int, const void*,
                 int, int, const void*, void*, int, int, int, int);
int cublasSgemmStridedBatched(void*, int, int, int, int, int, const float*, const float*, int,
                              long long, const float*, int, long long, const float*, float*, int,
                              long long, int);
int cublasGemmStridedBatchedEx(void*, int, int, int, int, int, const void*, const void*, int, int,
                               long long, const void*, int, int, long long, const void*, void*, int,
                               int, long long, int, int, int);
int cublasSaxpy_v2(void*, int, const float*, const float*, int, float*, int);
}

namespace {

constexpr int kN = 0, kT = 1, kInvalid = 7, kNotSupported = 15, kNotInitialised = 1;
constexpr int kF32 = 0, kF16 = 2, kS8 = 3, kS32 = 10, kBf16 = 14;

/// Column by column, with room at the end of each: whole numbers from -4 to 4.
template <class T> std::vector<T> matrix(int ld, int columns, int start)
{
    std::vector<T> out(static_cast<std::size_t>(ld * columns));
    for (std::size_t i = 0; i < out.size(); ++i)
        out[i] = static_cast<T>((static_cast<int>(i) * 7 + start) % 9 - 4);
    return out;
}

/// Whole numbers of at most 11 bits as f16 or bf16.
std::uint16_t narrow(float x, bool brain)
{
    std::uint32_t bits = 0;
    std::memcpy(&bits, &x, 4);
    if (brain) return static_cast<std::uint16_t>(bits >> 16);
    if (x == 0) return 0;
    const std::uint32_t exponent = (bits >> 23 & 255) - 112;
    return static_cast<std::uint16_t>((bits >> 16 & 0x8000) | exponent << 10 |
                                      (bits >> 13 & 0x3ff));
}
std::vector<std::uint16_t> narrow(const std::vector<float>& from, bool brain)
{
    std::vector<std::uint16_t> out;
    for (const float x : from) out.push_back(narrow(x, brain));
    return out;
}

struct Problem {
    int m{19}, n{10}, k{13}, lda, ldb, ldc{23};
    bool ta, tb;
    std::vector<float> a, b, c;
    Problem(bool transposeA, bool transposeB)
        : lda(transposeA ? 15 : 21),
          ldb(transposeB ? 12 : 16),
          ta(transposeA),
          tb(transposeB),
          a(matrix<float>(lda, ta ? m : k, 1)),
          b(matrix<float>(ldb, tb ? k : n, 2)),
          c(matrix<float>(ldc, n, 3))
    {
    }
    /// alpha A B + beta C in place of C; bytes between the columns do not change.
    [[nodiscard]] std::vector<float> result(float alpha, float beta) const
    {
        std::vector<float> out = c;
        for (int j = 0; j < n; ++j) {
            for (int i = 0; i < m; ++i) {
                float sum = 0;
                for (int p = 0; p < k; ++p)
                    sum += a[static_cast<std::size_t>(ta ? i * lda + p : p * lda + i)] *
                           b[static_cast<std::size_t>(tb ? p * ldb + j : j * ldb + p)];
                float& at = out[static_cast<std::size_t>(j * ldc + i)];
                at = alpha * sum + beta * at;
            }
        }
        return out;
    }
};

void* made()
{
    void* handle = nullptr;
    OK(cublasCreate_v2(&handle));
    return handle;
}

void singles(void* handle)
{
    for (int form = 0; form < 4; ++form) {
        const Problem p((form & 1) != 0, (form & 2) != 0);
        const float alpha = 2, beta = form == 3 ? 0.0f : -1.0f;
        std::vector<float> before = p.c;
        if (beta == 0)  // not read then
            for (int j = 0; j < p.n; ++j)
                for (int i = 0; i < p.m; ++i)
                    before[static_cast<std::size_t>(j * p.ldc + i)] = std::nanf("");
        const float *a = onDevice(p.a), *b = onDevice(p.b);
        float* c = onDevice(before);
        OK(cublasSgemm_v2(handle, p.ta, p.tb, p.m, p.n, p.k, &alpha, a, p.lda, b, p.ldb, &beta, c,
                          p.ldc));
        CHECK(fromDevice(c, p.c.size()) == p.result(alpha, beta));
    }
}

void doubles(void* handle)
{
    const Problem p(false, true);
    const auto wide = [](const std::vector<float>& v) {
        return std::vector<double>(v.begin(), v.end());
    };
    const double alpha = 0.5, beta = 3;
    const double *a = onDevice(wide(p.a)), *b = onDevice(wide(p.b));
    double* c = onDevice(wide(p.c));
    OK(cublasDgemm_v2_64(handle, kN, kT, p.m, p.n, p.k, &alpha, a, p.lda, b, p.ldb, &beta, c,
                         p.ldc));
    CHECK(fromDevice(c, p.c.size()) == wide(p.result(0.5, 3)));
}

void halves(void* handle)
{
    const Problem p(true, false);
    for (const bool brain : {false, true}) {
        const auto *a = onDevice(narrow(p.a, brain)), *b = onDevice(narrow(p.b, brain));
        const int type = brain ? kBf16 : kF16;
        const float one = 1, none = 0;
        float* c = onDevice(p.c);
        OK(cublasGemmEx(handle, kT, kN, p.m, p.n, p.k, &one, a, type, p.lda, b, type, p.ldb, &none,
                        c, kF32, p.ldc, 68, -1));
        CHECK(fromDevice(c, p.c.size()) == p.result(1, 0));
        // 19 terms of at most 16: whole numbers that both have.
        std::uint16_t* d = onDevice(narrow(p.c, brain));
        OK(cublasGemmEx(handle, kT, kN, p.m, p.n, p.k, &one, a, type, p.lda, b, type, p.ldb, &none,
                        d, type, p.ldc, 68, -1));
        CHECK(fromDevice(d, p.c.size()) == narrow(p.result(1, 0), brain));
        if (brain) continue;
        const std::uint16_t oneHalf = narrow(1, false);
        std::uint16_t* e = onDevice(narrow(p.c, false));
        OK(cublasHgemm(handle, kT, kN, p.m, p.n, p.k, &oneHalf, a, p.lda, b, p.ldb, &oneHalf, e,
                       p.ldc));
        CHECK(fromDevice(e, p.c.size()) == narrow(p.result(1, 1), false));
    }
}

void wholeNumbers(void* handle)
{
    const Problem p(true, false);
    const std::vector<std::int8_t> a8(p.a.begin(), p.a.end()), b8(p.b.begin(), p.b.end());
    const std::vector<int> c32(p.c.begin(), p.c.end());
    const std::int8_t *a = onDevice(a8), *b = onDevice(b8);
    int* c = onDevice(c32);
    const int alpha = -3, beta = 5;
    OK(cublasGemmEx(handle, kT, kN, p.m, p.n, p.k, &alpha, a, kS8, p.lda, b, kS8, p.ldb, &beta, c,
                    kS32, p.ldc, 72, -1));
    const std::vector<float> result = p.result(-3, 5);
    CHECK(fromDevice(c, c32.size()) == std::vector<int>(result.begin(), result.end()));
}

void batches(void* handle)
{
    const Problem p(false, false);
    std::vector<float> a = p.a, c = p.c, expected = p.result(1, 2);
    for (float& x : a) x = -x;
    const std::vector<float> negative = a;
    a = p.a;
    a.insert(a.end(), negative.begin(), negative.end());
    c.insert(c.end(), p.c.begin(), p.c.end());
    Problem second = p;
    second.a = negative;
    for (const float x : second.result(1, 2)) expected.push_back(x);
    const float alpha = 1, beta = 2;
    const float *da = onDevice(a), *db = onDevice(p.b);
    for (const bool extended : {false, true}) {
        float* dc = onDevice(c);
        const auto strideA = static_cast<long long>(p.a.size());
        const auto strideC = static_cast<long long>(p.c.size());
        // The same B for all: a stride of 0.
        if (extended)
            OK(cublasGemmStridedBatchedEx(handle, kN, kN, p.m, p.n, p.k, &alpha, da, kF32, p.lda,
                                          strideA, db, kF32, p.ldb, 0, &beta, dc, kF32, p.ldc,
                                          strideC, 2, 77, -1));
        else
            OK(cublasSgemmStridedBatched(handle, kN, kN, p.m, p.n, p.k, &alpha, da, p.lda, strideA,
                                         db, p.ldb, 0, &beta, dc, p.ldc, strideC, 2));
        CHECK(fromDevice(dc, c.size()) == expected);
    }
}

/// A product in a stream is ordered between the launches of that stream; alpha and beta may be on the device.
void inStreams(void* handle)
{
    void *stream = nullptr, *given = nullptr;
    OK(cudaStreamCreate(&stream));
    OK(cublasSetStream_v2(handle, stream));
    OK(cublasGetStream_v2(handle, &given));
    CHECK(given == stream);
    float* x = onDevice(std::vector<float>(64, 1));
    float* y = onDevice(std::vector<float>(64, 0));
    const float* scalars = onDevice(std::vector<float>{1, 0});
    int n = 64;
    void* doubling[] = {&x, &x, &x, &n};
    OK(cudaLaunchKernel(&host::add, {2}, {32}, doubling, 0, stream));
    OK(cublasSetPointerMode_v2(handle, 1));
    OK(cublasSgemm_v2(handle, kN, kN, 8, 8, 8, scalars, x, 8, x, 8, scalars + 1, y, 8));
    OK(cublasSetPointerMode_v2(handle, 0));
    void* again[] = {&y, &y, &y, &n};
    OK(cudaLaunchKernel(&host::add, {2}, {32}, again, 0, stream));
    OK(cudaStreamSynchronize(stream));
    CHECK(fromDevice(y, 64) == std::vector<float>(64, 64));
    OK(cublasSetStream_v2(handle, nullptr));
    OK(cudaStreamDestroy(stream));
}

void wrongArguments(void* handle)
{
    const float one = 1;
    float* x = onDevice(std::vector<float>(64, 1));
    const auto call = [&](void* h, int operation, int m, int lda, const float* a) {
        return cublasSgemm_v2(h, operation, kN, m, 8, 8, &one, a, lda, x, 8, &one, x, 8);
    };
    EXPECT(kNotInitialised, call(nullptr, kN, 8, 8, x));
    EXPECT(kInvalid, call(handle, 5, 8, 8, x));
    EXPECT(kInvalid, call(handle, kN, -1, 8, x));
    EXPECT(kInvalid, call(handle, kN, 8, 7, x));
    EXPECT(kInvalid, call(handle, kN, 8, 9, x));  // the last columns of A lie behind its allocation
    EXPECT(kInvalid, call(handle, kN, 8, 8, nullptr));
    EXPECT(0, call(handle, kN, 0, 8, x));  // nothing to do
    EXPECT(kNotSupported, cublasSaxpy_v2(handle, 8, &one, x, 1, x, 1));
    EXPECT(kNotSupported, cublasGemmEx(handle, kN, kN, 8, 8, 8, &one, x, kF32, 8, x, kBf16, 8, &one,
                                       x, kF32, 8, 68, -1));
    CHECK(std::strcmp(cublasGetStatusString(kNotSupported), "CUBLAS_STATUS_NOT_SUPPORTED") == 0);
}

}  // namespace

void linearAlgebra()
{
    void* const handle = made();
    int mode = -1, version = 0;
    OK(cublasSetMathMode(handle, 3));
    OK(cublasGetMathMode(handle, &mode));
    CHECK(mode == 3);
    OK(cublasGetVersion_v2(handle, &version));
    CHECK(version >= 110000);
    OK(cublasSetWorkspace_v2(handle, onDevice(zeros(64)), 256));
    singles(handle);
    doubles(handle);
    halves(handle);
    wholeNumbers(handle);
    batches(handle);
    inStreams(handle);
    wrongArguments(handle);
    OK(cublasDestroy_v2(handle));
    EXPECT(kNotInitialised, cublasDestroy_v2(handle));
}
