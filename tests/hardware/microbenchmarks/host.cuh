// The host's part of a row: which ones are asked for, their launches, what is told of them.
#pragma once
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "ptx.cuh"

inline std::vector<std::string> wanted;  // names that rows have to begin with; none: all rows
inline bool asked(const std::string& name)
{
    if (wanted.empty()) return true;
    return std::any_of(wanted.begin(), wanted.end(), [&](const std::string& w) { return name.compare(0, w.size(), w) == 0; });
}

inline u32* device = nullptr;  // samples; zeros from 4096 words on
constexpr size_t kBytes = size_t(32) << 20;

inline void tell(const std::string& name, std::vector<double> samples, double per)
{
    std::sort(samples.begin(), samples.end());
    std::printf("%s\t%.1f\t%.1f\t%.1f\t%zu\n", name.c_str(), samples[samples.size() / 2] / per, samples.front() / per, samples.back() / per, samples.size());
    std::fflush(stdout);
}

struct Shape {
    unsigned threads = 32, ctas = 1, cluster = 1, dynamic = 0;
    bool cooperative = false;
    bool cold = false;  // nothing of it in L2
};

inline void flushL2()
{
    static void* large = nullptr;
    constexpr size_t kLarge = size_t(256) << 20;
    if (large == nullptr) CHECK(cudaMalloc(&large, kLarge));
    CHECK(cudaMemset(large, 0, kLarge));
    CHECK(cudaDeviceSynchronize());
}

template <class... P, class... A>
void launch(const Shape& shape, void (*kernel)(P...), A... arguments)
{
    if (shape.dynamic > 48 * 1024 || shape.cluster > 8) {
        CHECK(cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel), cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shape.dynamic)));
        if (shape.cluster > 8) CHECK(cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel), cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    }
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(shape.ctas), config.blockDim = dim3(shape.threads), config.dynamicSmemBytes = shape.dynamic;
    cudaLaunchAttribute attributes[2]{};
    unsigned n = 0;
    if (shape.cluster > 1) {
        attributes[n].id = cudaLaunchAttributeClusterDimension;
        attributes[n].val.clusterDim.x = shape.cluster, attributes[n].val.clusterDim.y = 1, attributes[n].val.clusterDim.z = 1;
        ++n;
    }
    if (shape.cooperative) attributes[n].id = cudaLaunchAttributeCooperative, attributes[n].val.cooperative = 1, ++n;
    config.attrs = attributes, config.numAttrs = n;
    CHECK(cudaLaunchKernelEx(&config, kernel, arguments...));
    CHECK(cudaDeviceSynchronize());
}

// Three launches, so that the last one finds code and data in the caches; its samples but the first are told.
template <class... P, class... A>
void row(const std::string& name, double per, const Shape& shape, void (*kernel)(P...), A... arguments)
{
    if (!asked(name)) return;
    int samples[kSamples];
    for (int again = 0; again < 3; ++again) {
        if (shape.cold) flushL2();
        launch(shape, kernel, arguments...);
    }
    CHECK(cudaMemcpy(samples, device, sizeof samples, cudaMemcpyDeviceToHost));
    tell(name, std::vector<double>(samples + 1, samples + kSamples), per);
}

#define ROW(NAME, PER) row(#NAME, PER, Shape{}, NAME, Out{device}, 0u)
