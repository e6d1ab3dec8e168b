// A chain of dependent launches: each computes its array from that of the launch before. A stage begins when every CTA of the stage before has signalled. It
// prepares what does not depend on that stage, and waits for the stage before it reads. nvcc -ptx -arch=compute_90 dependent_chain.cu
extern "C" __global__ void produce(unsigned *data, unsigned *early)
{
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned x = i;
    for (unsigned k = 0; k < 200; ++k) x = x * 1664525u + (x >> 13) + 1013904223u;
    early[i] = 1;
    data[i] = x;
}

extern "C" __global__ void stage(const unsigned *in, const unsigned *early, unsigned *out, unsigned *saw)
{
    __shared__ unsigned table[64];
    const unsigned n = blockDim.x, i = blockIdx.x * n + threadIdx.x;
    table[threadIdx.x] = threadIdx.x * threadIdx.x;
    __syncthreads();
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
    saw[i] = *(volatile const unsigned *)(early + i);   // 0: it reads before the one in front of it has written
    asm volatile("griddepcontrol.wait;" ::: "memory");
    out[i] = in[(i + n) % (gridDim.x * n)] + table[(threadIdx.x + 1) % n];
}
