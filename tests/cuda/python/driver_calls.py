"""One kernel by calls of the driver, with nothing but Python: for machines without a compiler and without packages (scripts/wheel)."""
import ctypes

# Each warp leaves its number plus one; behind the barrier every thread adds those of all warps.
PTX = b"""
.version 8.0
.target sm_90
.address_size 64
.visible .entry sums(.param .u64 to)
{
    .reg .pred %p<2>;
    .reg .b32 %r<8>;
    .reg .b64 %rd<4>;
    .shared .align 4 .b8 parts[16];
    ld.param.u64 %rd1, [to];
    mov.u32 %r1, %tid.x;
    shr.u32 %r2, %r1, 5;
    add.u32 %r3, %r2, 1;
    mov.u32 %r4, parts;
    mad.lo.u32 %r5, %r2, 4, %r4;
    st.shared.u32 [%r5], %r3;
    bar.sync 0;
    ld.shared.u32 %r5, [%r4];
    ld.shared.u32 %r6, [%r4+4];
    add.u32 %r5, %r5, %r6;
    mul.wide.u32 %rd2, %r1, 4;
    add.u64 %rd2, %rd1, %rd2;
    st.global.u32 [%rd2], %r5;
    ret;
}
"""
THREADS = 64


def main():
    cuda = ctypes.CDLL("libcuda.so.1")

    def call(name, *arguments):
        status = getattr(cuda, name)(*arguments)
        if status != 0:
            raise SystemExit(f"{name} failed: {status}")

    device, context, module, function = ctypes.c_int(), ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
    memory = ctypes.c_uint64()
    call("cuInit", 0)
    call("cuDeviceGet", ctypes.byref(device), 0)
    call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
    call("cuCtxSetCurrent", context)
    call("cuModuleLoadData", ctypes.byref(module), PTX)
    call("cuModuleGetFunction", ctypes.byref(function), module, b"sums")
    call("cuMemAlloc_v2", ctypes.byref(memory), ctypes.c_size_t(4 * THREADS))
    parameters = (ctypes.c_void_p * 1)(ctypes.addressof(memory))
    call("cuLaunchKernel", function, 1, 1, 1, THREADS, 1, 1, 0, None, parameters, None)
    sums = (ctypes.c_uint32 * THREADS)()
    call("cuMemcpyDtoH_v2", sums, memory, ctypes.c_size_t(ctypes.sizeof(sums)))
    if list(sums) != [3] * THREADS:
        raise SystemExit(f"wrong sums: {list(sums)}")
    print("the sums are right")


main()
