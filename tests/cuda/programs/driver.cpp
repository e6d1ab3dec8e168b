// The driver: PTX and fat binaries at run time, launches, the linker, tensor maps.
#include <cstring>

#include "scenarios.hpp"

namespace {

const char* const kCaller = R"(
.version 8.0
.target sm_90
.address_size 64
.extern .func (.param .b32 r) twice(.param .b32 x);
.visible .entry call(.param .u64 out)
{
    .reg .b32 %r<4>;
    .reg .b64 %rd<4>;
    .param .b32 a;
    .param .b32 b;
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, 21;
    st.param.b32 [a], %r1;
    call (b), twice, (a);
    ld.param.b32 %r2, [b];
    st.global.u32 [%rd1], %r2;
    ret;
}
)";
const char* const kCallee = R"(
.version 8.0
.target sm_90
.address_size 64
.visible .func (.param .b32 r) twice(.param .b32 x)
{
    .reg .b32 %r<4>;
    ld.param.b32 %r1, [x];
    add.u32 %r1, %r1, %r1;
    st.param.b32 [r], %r1;
    ret;
}
)";

unsigned read(std::uint64_t from)
{
    unsigned value = 0;
    OK(cuMemcpyDtoH_v2(&value, from, 4));
    return value;
}

/// An archive as ar writes it: a table of symbols, one of long names, a member.
std::string archiveOf(const std::string& member)
{
    std::string archive = "!<arch>\n";
    const auto add = [&](std::string name, const std::string& data) {
        const std::string size = std::to_string(data.size());
        name.resize(48, ' ');
        archive += name + size + std::string(10 - size.size(), ' ') + "`\n" + data;
        if (data.size() % 2 != 0) archive += '\n';
    };
    add("/", "12345");
    add("//", member + "/\n");
    add("/0", "code");
    return archive;
}

void linker(std::uint64_t out)
{
    void *job = nullptr, *image = nullptr, *module = nullptr, *function = nullptr;
    std::size_t bytes = 0;
    int option = 0;  // registers of a thread
    void* most = reinterpret_cast<void*>(std::uintptr_t{38});
    OK(cuLinkCreate_v2(1, &option, &most, &job));
    for (const char* text : {kCaller, kCallee})
        OK(cuLinkAddData_v2(job, 1, const_cast<char*>(text), std::strlen(text) + 1, "part", 0,
                            nullptr, nullptr));
    // The vendor's device runtime has its place taken; nothing else of machine code can be linked.
    std::string runtime = archiveOf("cuda_device_runtime.o"), other = archiveOf("other.o");
    OK(cuLinkAddData_v2(job, 4, runtime.data(), runtime.size(), "runtime", 0, nullptr, nullptr));
    EXPECT(801, cuLinkAddData_v2(job, 4, other.data(), other.size(), "other", 0, nullptr, nullptr));
    OK(cuLinkComplete(job, &image, &bytes));
    const std::string copy(static_cast<char*>(image), bytes);
    OK(cuLinkDestroy(job));
    OK(cuModuleLoadData(&module, copy.data()));
    OK(cuModuleGetFunction(&function, module, "call"));
    int registers = 0;
    OK(cuFuncGetAttribute(&registers, 4, function));
    CHECK(registers == 38);
    void* arguments[] = {&out};
    OK(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr));
    CHECK(read(out) == 42);
    OK(cuModuleUnload(module));
}

void tensorMap(std::uint64_t memory)
{
    alignas(64) unsigned char map[128] = {};
    const std::uint64_t sizes[] = {64, 4}, strides[] = {256};
    const std::uint32_t box[] = {32, 4}, steps[] = {1, 1};
    void* address = reinterpret_cast<void*>(memory);
    OK(cuTensorMapEncodeTiled(map, 7, 2, address, sizes, strides, box, steps, 0, 0, 0, 0));
    CHECK(std::memcmp(map, "GSUTMAP1", 8) == 0);
    const std::uint32_t wide[] = {300, 4};
    EXPECT(1, cuTensorMapEncodeTiled(map, 7, 2, address, sizes, strides, wide, steps, 0, 0, 0, 0));
    // CUTLASS's grouped GEMM: the kernel puts the address in.
    OK(cuTensorMapEncodeTiled(map, 7, 2, nullptr, sizes, strides, box, steps, 0, 0, 0, 0));
    // 4 and 6 bits: with gaps in shared memory only 128 elements a row.
    const std::uint64_t packed[] = {256, 4};
    const std::uint32_t row[] = {128, 4};
    for (const int type : {13, 14, 15})
        OK(cuTensorMapEncodeTiled(map, type, 2, address, packed, strides, row, steps, 0, 0, 0, 0));
    OK(cuTensorMapEncodeTiled(map, 13, 2, address, packed, strides, box, steps, 0, 0, 0, 0));
    EXPECT(1, cuTensorMapEncodeTiled(map, 14, 2, address, packed, strides, box, steps, 0, 0, 0, 0));
    EXPECT(1, cuTensorMapEncodeTiled(map, 16, 2, address, packed, strides, row, steps, 0, 0, 0, 0));
}

/// Memory of the device's pool counts as used until it is freed.
void pooled(int device)
{
    void* pool = nullptr;
    std::uint64_t taken = 0, used = 0;
    OK(cuDeviceGetDefaultMemPool(&pool, device));
    OK(cuMemAllocFromPoolAsync(&taken, 64, pool, nullptr));
    OK(cuMemsetD32_v2(taken, 7, 16));
    CHECK(read(taken + 60) == 7);
    constexpr int kUsed = 7;
    OK(cuMemPoolGetAttribute(pool, kUsed, &used));
    CHECK(used >= 4096 + 64);
    OK(cuMemFree_v2(taken));
}

void launched(void* function, std::uint64_t out, std::uint64_t bias)
{
    unsigned value = 35;
    void* arguments[] = {&out, &value};
    OK(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr));
    OK(cuCtxSynchronize());
    CHECK(read(out) == 42);
    // An error that has its own code only in the runtime is an invalid value here.
    EXPECT(1, cuLaunchKernel(function, 1, 1, 1, 1025, 1, 1, 0, nullptr, arguments, nullptr));
    EXPECT(1, cuLaunchKernel(function, 0, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr));
    EXPECT(1, cuMemsetD2D32_v2(out, 16, 0, 8, 2));
    const unsigned three = 3;
    OK(cuMemcpyHtoD_v2(bias, &three, 4));
    struct {
        std::uint64_t out;
        unsigned value;
    } block{out, 4};
    std::size_t size = 12;
    void* extra[] = {reinterpret_cast<void*>(1), &block, reinterpret_cast<void*>(2), &size,
                     nullptr};
    OK(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, extra));
    CHECK(read(out) == 7);
}

/// Addresses of calls by name and version.
void entryPoints(void* context)
{
    int found = -1;
    void* entry = nullptr;
    OK(cuGetProcAddress_v2("cuMemAlloc", &entry, 12000, 0, &found));
    CHECK(found == 0 && entry == reinterpret_cast<void*>(&cuMemAlloc_v2));
    OK(cuGetProcAddress_v2("cuLaunchKernel", &entry, 12000, 0, &found));
    CHECK(entry == reinterpret_cast<void*>(&cuLaunchKernel));
    OK(cuGetProcAddress_v2("cuLaunchKernel", &entry, 12000, 2,
                           &found));  // per-thread default streams
    CHECK(found == 0 && entry != reinterpret_cast<void*>(&cuLaunchKernel));
    // Forms with more parameters are those of newer headers.
    void *older = nullptr, *newer = nullptr;
    OK(cuGetProcAddress_v2("cuGraphAddDependencies", &older, 12000, 0, &found));
    OK(cuGetProcAddress_v2("cuGraphAddDependencies", &newer, 12030, 0, &found));
    CHECK(newer == reinterpret_cast<void*>(&cuGraphAddDependencies_v2) && older != newer);
    OK(cuGetProcAddress_v2("cuStreamGetCtx", &newer, 13000, 0, &found));
    void *green = &found, *ofStream = nullptr;
    OK(reinterpret_cast<int (*)(void*, void**, void**)>(newer)(nullptr, &ofStream, &green));
    CHECK(ofStream == context && green == nullptr);
    EXPECT(500, cuGetProcAddress_v2("cuNothing", &entry, 12000, 0, &found));
    CHECK(found == 1);
}

}  // namespace

void driver(const char* file)
{
    void *context = nullptr, *module = nullptr, *function = nullptr;
    std::uint64_t out = 0, bias = 0;
    std::size_t bytes = 0;
    EXPECT(3, cuModuleLoadData(&module, kPutPtx));
    OK(cuInit(0));
    EXPECT(201, cuModuleLoadData(&module, kPutPtx));
    int device = -1;
    OK(cuDeviceGet(&device, 0));
    char name[64];
    OK(cuDeviceGetName(name, sizeof name, device));
    CHECK(std::strncmp(name, "GSU", 3) == 0);
    OK(cuCtxCreate_v2(&context, 0, device));
    OK(cuModuleLoadData(&module, kPutPtx));
    OK(cuMemAlloc_v2(&out, 4096));
    OK(cuMemsetD32_v2(out, 0x01020304, 1024));
    CHECK(read(out + 4092) == 0x01020304);
    pooled(device);
    OK(cuModuleGetFunction(&function, module, "put"));
    EXPECT(500, cuModuleGetFunction(&function, module, "absent"));
    OK(cuModuleGetFunction(&function, module, "put"));
    OK(cuModuleGetGlobal_v2(&bias, &bytes, module, "bias"));
    CHECK(bytes == 4);
    launched(function, out, bias);
    OK(cuModuleUnload(module));
    EXPECT(400, cuModuleGetFunction(&function, module, "put"));
    EXPECT(218, cuModuleLoadData(&module, ".version 8.0\n.target sm_90\nnonsense"));
    EXPECT(200, cuModuleLoadData(&module, "no code at all"));
    EXPECT(209, cuModuleLoadData(&module, "\x7f"
                                          "ELF"));
    const std::string image = contentsOf(file);
    OK(cuModuleLoadData(&module, image.data()));
    OK(cuModuleGetFunction(&function, module, "add"));
    linker(out);
    tensorMap(out);
    entryPoints(context);
    const char* text = nullptr;
    OK(cuGetErrorName(700, &text));
    CHECK(std::strcmp(text, "CUDA_ERROR_ILLEGAL_ADDRESS") == 0);
    OK(cuMemFree_v2(out));
    EXPECT(1, cuMemFree_v2(out));
    OK(cuCtxDestroy_v2(context));
    EXPECT(201, cuMemAlloc_v2(&out, 4));
}
