// Input and check of the GEMMs in fp16.
#pragma once
#include <cuda_fp16.h>

#include "copies.cuh"

// Small whole numbers: every sum is exact.
__device__ __forceinline__ int valueA(int i, int k) { return (i * 7 + k * 3) % 9 - 4; }
__device__ __forceinline__ int valueB(int j, int k) { return (j * 5 + k * 11 + j * k) % 7 - 3; }

extern "C" __global__ void fill(__half* a, __half* b, int m, int n, int k)
{
    for (int at = blockIdx.x * blockDim.x + threadIdx.x; at < (m + n) * k; at += gridDim.x * blockDim.x) {
        const int row = at / k, column = at % k;
        if (row < m) a[at] = __int2half_rn(valueA(row, column));
        else b[at - m * k] = __int2half_rn(valueB(row - m, column));
    }
}

/// Counts elements, of one in `every`, that are not what a loop over whole numbers gives.
extern "C" __global__ void check(const float* d, u32* wrong, int m, int n, int k, int every)
{
    for (int at = (blockIdx.x * blockDim.x + threadIdx.x) * every; at < m * n; at += gridDim.x * blockDim.x * every) {
        int sum = 0;
        for (int x = 0; x < k; ++x) sum += valueA(at / n, x) * valueB(at % n, x);
        if (d[at] != static_cast<float>(sum)) atomicAdd(wrong, 1u);
    }
}
