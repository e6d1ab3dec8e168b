// Tensor arithmetic: products alone, and three own kernels for sm_90 and sm_100 end to end, computed and skipped.
#include <fmt/core.h>

#include <random>

#include "bench.hpp"
#include "exec/tensor/mma.hpp"
#include "whole_kernel.hpp"

namespace gsu::bench {

namespace {

/// Operations (a product is two) per second of mma.m16n8k16 on registers of random values.
double productRate(tensor::Elem type)
{
    const tensor::Form form{.m = 16,
                            .n = 8,
                            .k = 16,
                            .a = type,
                            .b = type,
                            .c = tensor::Elem::F32,
                            .d = tensor::Elem::F32};
    constexpr unsigned kLanesOfWarp = 32, kCalls = 20'000;
    std::mt19937 random(1);
    std::vector<tensor::Cell> cells(kLanesOfWarp * 16);
    for (tensor::Cell& cell : cells) cell = tensor::Cell(random() & 0x3fff'3fff);
    std::array<tensor::Cell*, 16> rows{};
    for (unsigned i = 0; i < rows.size(); ++i)
        rows[i] = cells.data() + std::size_t{i} * kLanesOfWarp;
    tensor::Fragments fragments;
    fragments.a = rows.data();
    fragments.b = rows.data() + 4;
    fragments.c = rows.data() + 6;
    fragments.d = rows.data() + 10;
    return kCalls * 2.0 * 16 * 8 * 16 / best(3, [&] {
               for (unsigned i = 0; i < kCalls; ++i) tensor::mma(form, fragments);
           });
}

}  // namespace

void measureTensor(std::vector<Figure>& figures)
{
    figures.push_back({"mma.m16n8k16 of f16, sums in f32", productRate(tensor::Elem::F16) / 1e9,
                       "GFLOP/s", ">= 4"});
    figures.push_back({"mma.m16n8k16 of bf16, sums in f32", productRate(tensor::Elem::BF16) / 1e9,
                       "GFLOP/s", ">= 4"});
    struct Kernel {
        const char *name, *text, *aim;
    };
    for (const auto& [name, text, aim] :
         {Kernel{"gemm_512", "fp16 GEMM 512 x 512 x 512 by wgmma", "<= 20"},
          {"gemm_512_sm100", "fp16 GEMM 512 x 512 x 512 by tcgen05", "<= 0.4"},
          {"attention_512", "attention forward, 1 head, 512 x 512, d 64", "<= 20"}}) {
        figures.push_back({fmt::format("{}, lockstep", text),
                           kernelSeconds(name, {true, TensorMode::Compute, "simple", 2}), "s",
                           aim});
        const double computed = kernelSeconds(name, {false, TensorMode::Compute, "simple", 2});
        figures.push_back({"the same on the golden unit", computed, "s", ""});
        figures.push_back({"the same, time over that of --tensor skip",
                           computed / kernelSeconds(name, {false, TensorMode::Skip, "simple", 2}),
                           "x", ""});
    }
    for (const auto& [name, text] : {std::pair{"wgmma_loop", "a loop of wgmma m64n256k16"},
                                     {"mma_loop", "a loop of mma m16n8k16"}})
        figures.push_back({fmt::format("{} in lockstep, time over that of --tensor skip", text),
                           kernelSeconds(name, {true, TensorMode::Compute, "simple", 2}) /
                               kernelSeconds(name, {true, TensorMode::Skip, "simple", 2}),
                           "x", ">= 3"});
}

}  // namespace gsu::bench
