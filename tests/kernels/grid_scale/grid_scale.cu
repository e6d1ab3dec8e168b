// Scales rows to their share of the whole array's sum: each CTA adds up its part after a split cuda::barrier, the grid meets (cooperative launch), then all
// CTAs scale. Arguments come as one struct with pointers; a list of chunks in memory points to the data.
#include <cooperative_groups.h>

#include <cuda/barrier>

struct Chunk {
    Chunk* next;
    const int* values;
    int count;
};

struct Arguments {
    Chunk* chunks;   // one list, read by every CTA
    int* partial;    // a sum per CTA
    float* share;    // of each value, chunk after chunk
    int* total;
};

extern "C" __global__ void grid_scale(Arguments a)
{
    using Barrier = cuda::barrier<cuda::thread_scope_block>;
    __shared__ alignas(Barrier) unsigned char raw[sizeof(Barrier)];
    __shared__ int sums[32];
    auto& barrier = *reinterpret_cast<Barrier*>(raw);
    const auto grid = cooperative_groups::this_grid();
    if (threadIdx.x == 0) init(&barrier, blockDim.x);
    __syncthreads();

    int mine = 0;
    for (const Chunk* c = a.chunks; c != nullptr; c = c->next) {
        for (unsigned i = grid.thread_rank(); i < c->count; i += grid.size()) mine += c->values[i];
    }
    mine = __reduce_add_sync(~0u, mine);
    if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = mine;
    auto token = barrier.arrive();
    barrier.wait(std::move(token));
    if (threadIdx.x == 0) {
        int sum = 0;
        for (unsigned w = 0; w < blockDim.x / 32; ++w) sum += sums[w];
        a.partial[blockIdx.x] = sum;
    }
    grid.sync();

    int total = 0;
    for (unsigned b = 0; b < gridDim.x; ++b) total += a.partial[b];
    if (grid.thread_rank() == 0) *a.total = total;
    int at = 0;
    for (const Chunk* c = a.chunks; c != nullptr; c = c->next) {
        for (unsigned i = grid.thread_rank(); i < c->count; i += grid.size())
            a.share[at + i] = float(c->values[i]) / float(total);
        at += c->count;
    }
    barrier.arrive_and_wait();
    __syncthreads();  // all have seen the phase: nobody waits any more
    if (threadIdx.x == 0) barrier.~Barrier();
}
