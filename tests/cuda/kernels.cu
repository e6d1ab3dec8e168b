// Kernels of the test programs. The fat binaries beside this file are made of it by make_fatbins (nvcc 13.0), in the three forms that compilers write:
// plain, LZ4, zstd.
#include <cstdio>
#include <cassert>
#include <cooperative_groups.h>

__constant__ int scale = 3;
__device__ int counter = 40;
__managed__ int shared_by_both = 5;

extern "C" __global__ void add(const float* a, const float* b, float* c, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}

extern "C" __global__ void scaled(int* out)
{
    out[threadIdx.x] = scale * static_cast<int>(threadIdx.x);
    if (threadIdx.x == 0) {
        counter += 2;
        shared_by_both *= 2;
    }
}

extern "C" __global__ void block_sum(const int* in, int* out)
{
    extern __shared__ int part[];
    part[threadIdx.x] = in[blockIdx.x * blockDim.x + threadIdx.x];
    for (unsigned step = blockDim.x / 2; step != 0; step /= 2) {
        __syncthreads();
        if (threadIdx.x < step) part[threadIdx.x] += part[threadIdx.x + step];
    }
    if (threadIdx.x == 0) out[blockIdx.x] = part[0];
}

extern "C" __global__ void cluster_ranks(int* out)
{
    __shared__ int mine;
    auto cluster = cooperative_groups::this_cluster();
    if (threadIdx.x == 0) mine = static_cast<int>(cluster.block_rank()) + 1;
    cluster.sync();
    if (threadIdx.x == 0) {
        int sum = 0;
        for (unsigned r = 0; r < cluster.num_blocks(); ++r) sum += *cluster.map_shared_rank(&mine, r);
        out[blockIdx.x] = sum;
    }
    cluster.sync();
}

extern "C" __global__ void grid_steps(int* data, int steps)
{
    auto grid = cooperative_groups::this_grid();
    for (int s = 0; s < steps; ++s) {
        if (threadIdx.x == 0) atomicAdd(&data[(blockIdx.x + s) % gridDim.x], 1);
        grid.sync();
    }
}

extern "C" __global__ void speak(int n)
{
    if (threadIdx.x == 0) printf("kernel says %d\n", n);
}

extern "C" __global__ void demand(int n) { assert(n == 7); }

extern "C" __global__ void wild(int* p, int at) { p[at] = 1; }

extern "C" __global__ void give_up() { __trap(); }

extern "C" __global__ void stuck(int* out)
{
    if (threadIdx.x < 32) asm volatile("barrier.sync 1, 64;");
    out[threadIdx.x] = 1;
}
