// Source of nvcc_pipeline.ptx: named barriers, mbarrier with try_wait, votes, calls through a table, a switch, dynamic shared memory.
extern __shared__ __align__(16) unsigned char dyn[];
struct Pair { int a; double b; const float* p; };
__device__ float weights[4] = {1.0f, -2.5f, 0.0f, 3e-9f};
__device__ Pair pairs[2] = {{1, 2.0, weights + 1}, {-3, 0.5, nullptr}};
__constant__ short table[3][2] = {{1, 2}, {3}, {-4, 5}};
__device__ __noinline__ int twice(int x) { return 2 * x + table[x & 1][0]; }
__device__ __noinline__ int thrice(int x) { return 3 * x; }
__device__ int (*chosen[2])(int) = {twice, thrice};

extern "C" __global__ void __launch_bounds__(128, 2) pipeline(int* out, Pair arg, int n)
{
    __shared__ unsigned long long full;
    __shared__ int ring[32];
    const unsigned bar = static_cast<unsigned>(__cvta_generic_to_shared(&full));
    if (threadIdx.x == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(bar), "r"(128));
    __syncthreads();
    int local[8];
    for (int i = 0; i < n; ++i) {
        local[i & 7] = ring[(threadIdx.x + i) & 31];
        asm volatile(
            "{\n\t.reg .b64 state;\n\t.reg .pred done;\n\tmbarrier.arrive.shared::cta.b64 state, [%0];\n"
            "WAIT:\n\tmbarrier.try_wait.shared::cta.b64 done, [%0], state;\n\t@done bra READY;\n\tbra WAIT;\nREADY:\n\t}"
            ::"r"(bar) : "memory");
    }
    asm volatile("bar.sync %0, 64;" ::"r"(1 + (threadIdx.x >> 6)));
    switch (n & 7) {
        case 0: out[0] = local[1]; break;
        case 1: out[2] = local[2] + 1; break;
        case 2: out[4] = local[3] * 5; break;
        case 3: out[6] = dyn[n]; break;
        case 4: out[8] = ring[n]; break;
        case 5: out[10] = -n; break;
        default: out[12] = local[7];
    }
    const unsigned votes = __ballot_sync(0xffffffffu, n > static_cast<int>(threadIdx.x));
    out[threadIdx.x] = chosen[n & 1](arg.a) + twice(n) + static_cast<int>(votes) + __shfl_xor_sync(~0u, n, 1) +
                       static_cast<int>(pairs[n & 1].b) + static_cast<int>(arg.b) + __reduce_add_sync(~0u, n);
    atomicAdd(out + 64, __popc(votes));
    __threadfence();
}
