"""Kernels of numba-cuda under `gsu exec`: elements, shared memory and atomics, a grid barrier, a stream, a device function in PTX that is linked to
them. Prints "ok" and the version."""
import numba_cuda
import numpy as np
from numba import cuda, float32, int32

TWICE = """
.version 8.0
.target sm_90
.address_size 64
.visible .func (.param .b32 status) twice(.param .b64 result, .param .b32 x)
{
    .reg .b32 %r<4>;
    .reg .b64 %rd<2>;
    ld.param.b64 %rd1, [result];
    ld.param.b32 %r1, [x];
    add.u32 %r2, %r1, %r1;
    st.b32 [%rd1], %r2;
    mov.u32 %r3, 0;
    st.param.b32 [status], %r3;
    ret;
}
"""


@cuda.jit
def add(a, b, c):
    i = cuda.grid(1)
    if i < c.size:
        c[i] = a[i] + b[i]


@cuda.jit
def total(a, out):
    part = cuda.shared.array(64, float32)
    t = cuda.threadIdx.x
    part[t] = a[cuda.grid(1)]
    step = 32
    while step > 0:
        cuda.syncthreads()
        if t < step:
            part[t] += part[t + step]
        step //= 2
    if t == 0:
        cuda.atomic.add(out, 0, part[0])


@cuda.jit
def rounds(data, steps):
    grid = cuda.cg.this_grid()
    for s in range(steps):
        if cuda.threadIdx.x == 0:
            cuda.atomic.add(data, (cuda.blockIdx.x + s) % cuda.gridDim.x, 1)
        grid.sync()


def linked():
    twice = cuda.declare_device("twice", int32(int32), link=cuda.PTXSource(TWICE.encode()))

    @cuda.jit
    def kernel(x):
        i = cuda.grid(1)
        x[i] = twice(x[i])

    x = np.arange(32, dtype=np.int32)
    kernel[1, 32](x)
    assert (x == 2 * np.arange(32)).all()


def main():
    a = np.arange(100, dtype=np.float32)
    c = np.zeros_like(a)
    add[4, 32](a, 2 * a, c)
    assert (c == 3 * a).all()
    stream = cuda.stream()
    on_device = cuda.to_device(np.arange(128, dtype=np.float32), stream)
    out = cuda.to_device(np.zeros(1, np.float32), stream)
    total[2, 64, stream](on_device, out)
    assert out.copy_to_host(stream=stream)[0] == 127 * 128 / 2
    data = np.zeros(4, np.int32)
    rounds[4, 64](data, 3)
    assert (data == 3).all()
    linked()
    print("ok: numba-cuda", numba_cuda.__version__)


main()
