// Kernels that run at the same time: they wait for each other, for the host, or begin before the preceding launch has ended. make_fatbins makes
// data/together.fatbin of it.

extern "C" __global__ void wait_for(volatile int* flag, int* out)
{
    while (*flag == 0) continue;
    out[0] = *flag + 1;
}

extern "C" __global__ void set_flag(volatile int* flag) { *flag = 41; }

// Takes turns with another launch: `mine` is 0 or 1.
extern "C" __global__ void take_turns(volatile int* turn, int mine, int rounds)
{
    for (int r = 0; r < rounds; ++r) {
        while (*turn % 2 != mine) continue;
        *turn = *turn + 1;
    }
}

// Counts while it waits: no two rounds of its loop are the same.
extern "C" __global__ void count_until(volatile int* flag, int* out)
{
    int n = 0;
    while (*flag == 0) ++n;
    out[0] = n > 0 ? *flag + 1 : -1;
}

// Every CTA signals except those from `silent` on, works for a while, and writes.
extern "C" __global__ void primary(int* data, int silent)
{
    if (static_cast<int>(blockIdx.x) < silent) asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
    volatile int* mine = data + blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = 0; i < 200; ++i) *mine = -i;
    *mine = 7;
}

// The values when it begins, and after the wait.
extern "C" __global__ void secondary(const volatile int* data, int* early, int* late)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    early[i] = data[i];
    asm volatile("griddepcontrol.wait;" ::: "memory");
    late[i] = data[i];
}
