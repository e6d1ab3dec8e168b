// Benchmark: what ordinary programs do most, reading and writing memory. 2^20 elements each; the launch files are memory_*.launch.json.
// nvcc -ptx -arch=sm_90 memory_bound.cu
using u32 = unsigned;

extern "C" __global__ void vector_add(const float* a, const float* b, float* c, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}

/// A sum of each CTA, by a tree in shared memory.
extern "C" __global__ void reduction(const u32* in, u32* sums, int n)
{
    __shared__ u32 part[256];
    u32 sum = 0;
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) sum += in[i];
    part[threadIdx.x] = sum;
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0) sums[blockIdx.x] = part[0];
}

/// Of tiles of 32 x 32, by 8 rows of threads.
extern "C" __global__ void transpose(const float* in, float* out, int width)
{
    __shared__ float tile[32][33];
    const int x = threadIdx.x, y = threadIdx.y;
    for (int r = y; r < 32; r += 8) tile[r][x] = in[(blockIdx.y * 32 + r) * width + blockIdx.x * 32 + x];
    __syncthreads();
    for (int r = y; r < 32; r += 8) out[(blockIdx.x * 32 + r) * width + blockIdx.y * 32 + x] = tile[x][r];
}

/// Of 256 values, first in shared memory.
extern "C" __global__ void histogram(const u32* in, u32* bins, int n)
{
    __shared__ u32 mine[256];
    mine[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) atomicAdd(&mine[(in[i] * 2654435761u) >> 24], 1);
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], mine[threadIdx.x]);
}

/// Five points.
extern "C" __global__ void stencil(const float* in, float* out, int width, int height)
{
    const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y, i = y * width + x;
    if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1) return;
    out[i] = 0.5f * in[i] + 0.125f * (in[i - 1] + in[i + 1] + in[i - width] + in[i + width]);
}
