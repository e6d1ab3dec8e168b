// Source of clang_reduce.ptx: what LLVM writes, with debug sections, vectors, private memory and a jump table.
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
struct V4 { float x, y, z, w; } __attribute__((aligned(16)));
__device__ int counters[3] = {1, -2, 3};
__device__ __attribute__((noinline)) float fold(const V4& v, int how)
{
    switch (how) {
        case 0: return v.x + v.y;
        case 1: return v.x * v.w;
        case 2: return v.z - v.y;
        case 3: return -v.w;
        case 4: return v.y / 3.0f;
        default: return 0.5f;
    }
}
extern "C" __global__ void reduce(V4* data, float* out, int how)
{
    __shared__ float part[64];
    const int t = __nvvm_read_ptx_sreg_tid_x();
    part[t] = fold(data[t], how);
    __nvvm_bar_sync(0);
    float sum = 0;
    for (int i = 0; i < 64; ++i) sum += part[i];
    if (__nvvm_vote_all_sync(~0u, sum > 0)) out[t] = sum;
    __nvvm_atom_add_gen_i(counters + (t & 1), 1);
    __nvvm_membar_gl();
}
