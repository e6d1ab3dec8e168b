// Products of tcgen05 and of wgmma without an executor, on the same normal data: operands in shared memory, sums where each keeps them.
#include <cstring>
#include <random>

#include "bench.hpp"
#include "exec/async/matrix_engine.hpp"
#include "exec/tmem/product.hpp"

namespace gsu::bench {

namespace {

constexpr std::uint32_t kStartB = 32768;
constexpr unsigned kColumns = 256, kCalls = 10;

/// A of 128 rows and B of 256 columns, K-major with a swizzle of 128 bytes.
struct NormalData final : exec::WgmmaOperands {
    std::vector<std::uint8_t> bytes = std::vector<std::uint8_t>(kStartB + kColumns * 128);

    explicit NormalData(bool halves)
    {
        std::mt19937 random(1);
        std::normal_distribution<float> normal;
        for (std::size_t i = 0; halves && i < bytes.size(); i += 2) {
            const std::uint16_t half = tensor::halfOf(normal(random));
            std::memcpy(&bytes[i], &half, sizeof half);
        }
        // e4m3 of like sizes: exponents of 2^-4 to 2^1.
        for (std::size_t i = 0; !halves && i < bytes.size(); ++i)
            bytes[i] = static_cast<std::uint8_t>((random() & 0x87) | (3 + random() % 6) << 3);
    }
    const std::uint8_t* unit(std::uint32_t address) override { return bytes.data() + address; }
};

/// Operations a second; a product is two. `k`: of one step.
double rateOf(unsigned rows, unsigned k, const std::function<void()>& step)
{
    return 2.0 * rows * kColumns * k * kCalls / best(60, [&] {
               for (unsigned i = 0; i < kCalls; ++i) step();
           });
}

double wgmmaRate(NormalData& data)
{
    constexpr unsigned kRows = 64, kRowsOfWarp = 16, kK = 16;
    exec::WgmmaInfo info;
    info.form = {.m = kRowsOfWarp,
                 .n = kColumns,
                 .k = kK,
                 .a = tensor::Elem::F16,
                 .b = tensor::Elem::F16,
                 .c = tensor::Elem::F32,
                 .d = tensor::Elem::F32};
    const std::uint64_t common = std::uint64_t{1024 >> 4} << 32 | 1ull << 62,
                        b = common | kStartB >> 4;
    std::vector<std::uint32_t> sums(std::size_t{kRows} * kColumns);
    return rateOf(kRows, kK, [&] {
        const exec::WgmmaFactor factor = exec::wgmmaFactor(info, b, data);
        for (unsigned row = 0; row < kRows; row += kRowsOfWarp)
            exec::wgmmaProduct(info, common, factor, row, nullptr, nullptr, true, false, data,
                               sums.data() + std::size_t{row} * kColumns);
    });
}

double tcgen05Rate(tmem::Kind kind, NormalData& data)
{
    constexpr unsigned kRows = 128;
    tmem::Modifiers modifiers;
    modifiers.kind = kind;
    const tmem::Instruction instruction =
        *tmem::instructionOf(1u << 4 | kColumns / 8 << 17 | kRows / 16 << 24, modifiers);
    tmem::Operands operands;
    operands.accumulate = true;
    operands.a = std::uint64_t{1024 >> 4} << 32 | 1ull << 46 | 2ull << 61;
    operands.b = operands.a | kStartB >> 4;
    tmem::TensorMemory memory;
    for (unsigned lane = 0; lane < kRows; ++lane) std::fill_n(memory.lane(lane), kColumns, 0u);
    const tmem::Side side{&memory, data.bytes};
    tmem::Scratch scratch;
    return rateOf(kRows, instruction.k, [&] {
        static_cast<void>(tmem::multiply(instruction, operands, {&side, 1}, scratch));
    });
}

}  // namespace

void measureTcgen05(std::vector<Figure>& figures)
{
    NormalData halves(true), bytes(false);
    const double wgmma = wgmmaRate(halves), f16 = tcgen05Rate(tmem::Kind::F16, halves),
                 f8 = tcgen05Rate(tmem::Kind::F8f6f4, bytes);
    figures.push_back({"wgmma m64n256k16 of f16, product alone", wgmma / 1e9, "GFLOP/s", ""});
    figures.push_back({"tcgen05.mma m128n256k16 of f16, product alone", f16 / 1e9, "GFLOP/s", ""});
    figures.push_back({"the same over wgmma", f16 / wgmma, "x", ">= 2"});
    figures.push_back({"tcgen05.mma m128n256k32 of e4m3 over f16", f8 / f16, "x", ">= 1"});
}

}  // namespace gsu::bench
