"""cuda-python's driver bindings under `gsu exec`: a kernel from CUDA C++ by NVRTC where that is there, from PTX otherwise; memory, streams, events,
a graph by capture, a library. Prints "ok" and which compiler it used."""
import ctypes
import sys

import numpy as np
from cuda.bindings import driver

PTX = b"""
.version 8.0
.target sm_90
.address_size 64
.visible .entry saxpy(.param .f32 a, .param .u64 x, .param .u64 y, .param .u32 n)
{
    .reg .pred %p<2>;
    .reg .f32 %f<4>;
    .reg .b32 %r<6>;
    .reg .b64 %rd<6>;
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r2, %ntid.x;
    mov.u32 %r3, %tid.x;
    mad.lo.u32 %r4, %r1, %r2, %r3;
    ld.param.u32 %r5, [n];
    setp.ge.u32 %p1, %r4, %r5;
    @%p1 ret;
    ld.param.f32 %f1, [a];
    ld.param.u64 %rd1, [x];
    ld.param.u64 %rd2, [y];
    mul.wide.u32 %rd3, %r4, 4;
    add.u64 %rd1, %rd1, %rd3;
    add.u64 %rd2, %rd2, %rd3;
    ld.global.f32 %f2, [%rd1];
    ld.global.f32 %f3, [%rd2];
    fma.rn.f32 %f3, %f1, %f2, %f3;
    st.global.f32 [%rd2], %f3;
    ret;
}
"""
SOURCE = b"""
extern "C" __global__ void saxpy(float a, const float* x, float* y, unsigned n)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}
"""


def ok(result):
    """What a call gives behind its code; a code that is not success ends the program."""
    code, *values = result
    assert int(code) == 0, code
    return values[0] if len(values) == 1 else values


def compiled(major, minor):
    """PTX of SOURCE by NVRTC; None: it is not installed."""
    try:
        from cuda.bindings import nvrtc

        program = ok(nvrtc.nvrtcCreateProgram(SOURCE, b"saxpy.cu", 0, [], []))
    except (ImportError, RuntimeError, OSError) as missing:
        print(f"SKIP of NVRTC: {str(missing).splitlines()[0]}")
        return None
    options = [f"--gpu-architecture=compute_{major}{minor}".encode()]
    ok(nvrtc.nvrtcCompileProgram(program, len(options), options))
    ptx = b" " * ok(nvrtc.nvrtcGetPTXSize(program))
    ok(nvrtc.nvrtcGetPTX(program, ptx))
    return ptx


def named():
    """Error codes have the names that the bindings publish; how many this driver knows."""
    known = 0
    for code in driver.CUresult:
        answer, text = driver.cuGetErrorName(code)
        if int(answer) == 0:
            assert text.decode() == code.name, (code, text)
            known += 1
        else:
            assert int(answer) == 1, (code, answer)
    return known


def answered(device):
    """Attributes of the device that have a value."""
    codes = [driver.cuDeviceGetAttribute(a, device)[0] for a in driver.CUdevice_attribute]
    assert all(int(c) in (0, 1) for c in codes)
    return sum(int(c) == 0 for c in codes), len(codes)


def main():
    ok(driver.cuInit(0))
    print("error codes:", named(), "of", len(list(driver.CUresult)), "known, with the names of the bindings")
    print("attributes of the device: {} of {} answered".format(*answered(ok(driver.cuDeviceGet(0)))))
    device = ok(driver.cuDeviceGet(0))
    assert b"GSU" in ok(driver.cuDeviceGetName(64, device))
    number = driver.CUdevice_attribute
    major = ok(driver.cuDeviceGetAttribute(number.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device))
    minor = ok(driver.cuDeviceGetAttribute(number.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device))
    context = ok(driver.cuDevicePrimaryCtxRetain(device))
    ok(driver.cuCtxSetCurrent(context))
    ptx = compiled(major, minor)
    module = ok(driver.cuModuleLoadData(PTX if ptx is None else ptx))
    kernel = ok(driver.cuModuleGetFunction(module, b"saxpy"))
    n = 1000
    x, y = np.arange(n, dtype=np.float32), np.full(n, 7, dtype=np.float32)
    stream = ok(driver.cuStreamCreate(0))
    begin, end = ok(driver.cuEventCreate(0)), ok(driver.cuEventCreate(0))
    on_device = [ok(driver.cuMemAlloc(n * 4)) for _ in range(2)]
    for to, host in zip(on_device, (x, y)):
        ok(driver.cuMemcpyHtoDAsync(to, host.ctypes.data, n * 4, stream))
    arguments = (
        (2.5, on_device[0], on_device[1], n),
        (ctypes.c_float, None, None, ctypes.c_uint),
    )

    def launch(function):
        ok(driver.cuLaunchKernel(function, (n + 127) // 128, 1, 1, 128, 1, 1, 0, stream, arguments, 0))

    def result():
        got = np.zeros(n, dtype=np.float32)
        ok(driver.cuMemcpyDtoHAsync(got.ctypes.data, on_device[1], n * 4, stream))
        ok(driver.cuStreamSynchronize(stream))
        return got

    ok(driver.cuEventRecord(begin, stream))
    launch(kernel)
    ok(driver.cuEventRecord(end, stream))
    assert np.array_equal(result(), 2.5 * x + 7)
    assert ok(driver.cuEventElapsedTime(begin, end)) > 0
    ok(driver.cuStreamBeginCapture(stream, driver.CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_GLOBAL))
    launch(kernel)
    launch(kernel)
    graph = ok(driver.cuStreamEndCapture(stream))
    nodes, count = ok(driver.cuGraphGetNodes(graph, 8))
    assert count == 2, count
    instance = ok(driver.cuGraphInstantiate(graph, 0))
    ok(driver.cuGraphLaunch(instance, stream))
    assert np.array_equal(result(), 3 * 2.5 * x + 7)
    library = ok(driver.cuLibraryLoadData(PTX, [], [], 0, [], [], 0))
    launch(ok(driver.cuKernelGetFunction(ok(driver.cuLibraryGetKernel(library, b"saxpy")))))
    assert np.array_equal(result(), 4 * 2.5 * x + 7)
    code, *_ = driver.cuModuleGetFunction(module, b"absent")
    assert code == driver.CUresult.CUDA_ERROR_NOT_FOUND
    print("ok, kernel from", "PTX" if ptx is None else "NVRTC")


if __name__ == "__main__":
    sys.exit(main())
