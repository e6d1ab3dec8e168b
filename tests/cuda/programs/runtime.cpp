// Scenarios of the runtime that end well.
#include <cstring>

#include "scenarios.hpp"

void basics()
{
    constexpr int kN = 1000;
    std::vector<float> x(kN), y(kN);
    for (int i = 0; i < kN; ++i) {
        x[static_cast<std::size_t>(i)] = static_cast<float>(i);
        y[static_cast<std::size_t>(i)] = 0.5f;
    }
    float *a = onDevice(x), *b = onDevice(y), *c = onDevice(x);
    OK(cudaMemset(c, 0xff, kN * sizeof(float)));
    OK(launch(&host::add, {(kN + 255) / 256}, {256}, a, b, c, kN));
    OK(cudaDeviceSynchronize());
    OK(cudaGetLastError());
    const std::vector<float> sum = fromDevice(c, kN);
    for (std::size_t i = 0; i < kN; ++i) CHECK(sum[i] == x[i] + 0.5f);
    OK(cudaMemcpy(a, c, kN * sizeof(float), 3));
    CHECK(fromDevice(a, kN) == sum);
    std::vector<float> copy(kN);
    OK(cudaMemcpy(copy.data(), sum.data(), kN * sizeof(float), 0));
    CHECK(copy == sum);
    OK(cudaMemcpy(copy.data(), b, kN * sizeof(float), 4));
    CHECK(copy == y);
    for (float* p : {a, b, c}) OK(cudaFree(p));
    int devices = 0, major = 0, minor = 0;
    OK(cudaGetDeviceCount(&devices));
    CHECK(devices == 1);
    OK(cudaDeviceGetAttribute(&major, 75, 0));
    OK(cudaDeviceGetAttribute(&minor, 76, 0));
    std::vector<char> properties(4096, 'x');
    OK(cudaGetDeviceProperties(properties.data(), 0));
    int from[2];
    std::memcpy(from, properties.data() + 360, 8);
    CHECK(from[0] == major && from[1] == minor);
    CHECK(properties[1008] == 'x');  // version 13 ends there
    std::printf("%s sm_%d%d\n", properties.data(), major, minor);
}

void errors()
{
    int* p = onDevice(zeros(32));
    void* none = nullptr;
    EXPECT(2, cudaMalloc(&none, std::size_t{1} << 50));
    EXPECT(2, cudaPeekAtLastError());
    EXPECT(2, cudaGetLastError());
    OK(cudaGetLastError());
    EXPECT(101, cudaSetDevice(1));
    int host[64];
    EXPECT(1, cudaMemcpy(host, p, 64 * 4, 2));  // beyond the end
    EXPECT(1, cudaMemcpy(host, host, 4, 1));    // the target is not on the device
    EXPECT(21, cudaMemcpy(p, host, 4, 9));
    EXPECT(9, launch(&host::scaled, {}, {1025}, p));  // too many threads
    EXPECT(9, launch(&host::scaled, {0}, {32}, p));
    char stranger = 0;
    EXPECT(98, launch(&stranger, {}, {32}, p));
    EXPECT(13, cudaMemcpyToSymbol(&stranger, host, 4, 0, 1));
    EXPECT(1, cudaMemcpyToSymbol(&host::scale, host, 8, 0, 1));
    EXPECT(400, cudaStreamSynchronize(&stranger));
    void* list[] = {&p};
    EXPECT(1, cudaLaunchKernel(&host::scaled, {}, {32}, list, 100 * 1024, nullptr));
    CHECK(std::strcmp(cudaGetErrorName(700), "cudaErrorIllegalAddress") == 0);
    CHECK(std::strcmp(cudaGetErrorName(123456), "unrecognized error code") == 0);
    // Texts that programs compare with.
    const std::pair<int, const char*> texts[] = {{0, "no error"},
                                                 {1, "invalid argument"},
                                                 {2, "out of memory"},
                                                 {400, "invalid resource handle"},
                                                 {700, "an illegal memory access was encountered"},
                                                 {716, "misaligned address"},
                                                 {719, "unspecified launch failure"},
                                                 {123456, "unrecognized error code"}};
    for (const auto& [code, text] : texts) {
        CHECK(std::strcmp(cudaGetErrorString(code), text) == 0);
        const char* ofDriver = nullptr;
        if (code != 123456) OK(cuGetErrorString(code, &ofDriver));
        CHECK(code == 123456 || std::strcmp(ofDriver, text) == 0);
    }
    OK(launch(&host::scaled, {}, {32}, p));  // none of it stays
    OK(cudaDeviceSynchronize());
}

void symbols()
{
    int* p = onDevice(zeros(32));
    OK(launch(&host::scaled, {}, {32}, p));
    CHECK(fromDevice(p, 32)[7] == 21);
    const int five = 5;
    OK(cudaMemcpyToSymbol(&host::scale, &five, 4, 0, 1));
    OK(launch(&host::scaled, {}, {32}, p));
    CHECK(fromDevice(p, 32)[7] == 35);
    int counter = 0;
    OK(cudaMemcpyFromSymbol(&counter, &host::counter, 4, 0, 2));
    CHECK(counter == 44);
    void* address = nullptr;
    std::size_t bytes = 0;
    OK(cudaGetSymbolAddress(&address, &host::counter));
    OK(cudaGetSymbolSize(&bytes, &host::counter));
    CHECK(bytes == 4);
    OK(cudaMemset(address, 0, 4));
    OK(cudaMemcpyFromSymbol(&counter, &host::counter, 4, 0, 2));
    CHECK(counter == 0);
    OK(cudaDeviceSynchronize());
    CHECK(host::shared_by_both != nullptr && *host::shared_by_both == 20);
    *host::shared_by_both = 1;
    OK(launch(&host::scaled, {}, {32}, p));
    OK(cudaDeviceSynchronize());
    CHECK(*host::shared_by_both == 2);
}

void memory()
{
    void *managed = nullptr, *pinned = nullptr, *pitched = nullptr;
    OK(cudaMallocManaged(&managed, 128, 1));
    OK(launch(&host::scaled, {}, {32}, static_cast<int*>(managed)));
    OK(cudaDeviceSynchronize());
    CHECK(static_cast<int*>(managed)[9] == 27);
    OK(cudaMallocHost(&pinned, 128));
    OK(launch(&host::scaled, {}, {32}, static_cast<int*>(pinned)));
    OK(cudaDeviceSynchronize());
    CHECK(static_cast<int*>(pinned)[9] == 27);
    std::vector<int> mine(1024);
    OK(cudaHostRegister(mine.data(), 4096, 0));
    EXPECT(712, cudaHostRegister(mine.data(), 16, 0));
    OK(launch(&host::scaled, {}, {32}, mine.data()));
    OK(cudaDeviceSynchronize());
    CHECK(mine[31] == 93);
    OK(cudaHostUnregister(mine.data()));
    EXPECT(713, cudaHostUnregister(mine.data()));
    std::size_t pitch = 0;
    OK(cudaMallocPitch(&pitched, &pitch, 10, 3));
    CHECK(pitch >= 10);
    const char rows[3][10] = {"row zero.", "row one..", "row two.."};
    char back[3][16] = {};
    OK(cudaMemset2D(pitched, pitch, 7, 10, 3));
    OK(cudaMemcpy2D(pitched, pitch, rows, 10, 10, 2, 1));
    OK(cudaMemcpy2D(back, 16, pitched, pitch, 10, 3, 2));
    CHECK(std::strcmp(back[1], "row one..") == 0 && back[2][0] == 7);
    EXPECT(12, cudaMemcpy2D(back, 4, pitched, pitch, 10, 3, 2));
    PointerAttributes a{};
    const std::pair<const void*, int> kinds[] = {
        {managed, 3}, {pinned, 1}, {pitched, 2}, {rows, 0}};
    for (const auto& [pointer, type] : kinds) {
        OK(cudaPointerGetAttributes(&a, pointer));
        CHECK(a.type == type);
    }
    std::size_t before = 0, after = 0, total = 0;
    OK(cudaMemGetInfo(&before, &total));
    void* pool = nullptr;
    OK(cudaMallocAsync(&pool, 1 << 20, nullptr));
    OK(cudaMemGetInfo(&after, &total));
    CHECK(before - after == 1 << 20);
    OK(cudaFreeAsync(pool, nullptr));
    OK(cudaFree(managed));
    OK(cudaFreeHost(pinned));
    OK(cudaFree(pitched));
    EXPECT(1, cudaFree(&a));
}

void launches()
{
    std::vector<int> values(512);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<int>(i);
    int *in = onDevice(values), *out = onDevice(zeros(16));
    void* list[] = {&in, &out};
    OK(cudaLaunchKernel(&host::block_sum, {4}, {128}, list, 128 * 4, nullptr));
    CHECK(fromDevice(out, 4)[1] == 128 * 127 / 2 + 128 * 128);
    FunctionAttributes attributes{};
    OK(cudaFuncGetAttributes(&attributes, &host::block_sum));
    CHECK(attributes.maxThreads == 1024 && attributes.ptx == 90);
    OK(cudaFuncSetAttribute(&host::block_sum, 8, 100 * 1024));
    OK(cudaLaunchKernel(&host::block_sum, {4}, {128}, list, 100 * 1024, nullptr));
    int blocks = 0;
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &host::block_sum, 128, 100 * 1024));
    CHECK(blocks == 2);
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &host::block_sum, 128, 512));
    CHECK(blocks == 16);

    Attribute cluster;
    cluster.id = 4;
    cluster.grid = {4, 1, 1};
    Config config{{8}, {32}, 0, nullptr, &cluster, 1};
    void* ranks[] = {&out};
    OK(cudaLaunchKernelExC(&config, &host::cluster_ranks, ranks));
    CHECK(fromDevice(out, 8) == std::vector<int>(8, 1 + 2 + 3 + 4));
    OK(cudaOccupancyMaxActiveClusters(&blocks, &host::cluster_ranks, &config));
    CHECK(blocks > 0);
    cluster.grid = {3, 1, 1};
    EXPECT(912, cudaLaunchKernelExC(&config, &host::cluster_ranks, ranks));
    cluster.id = 12;
    EXPECT(801, cudaLaunchKernelExC(&config, &host::cluster_ranks, ranks));

    OK(cudaMemset(out, 0, 64));
    int steps = 3;
    void* grid[] = {&out, &steps};
    OK(cudaLaunchCooperativeKernel(&host::grid_steps, {4}, {64}, grid, 0, nullptr));
    CHECK(fromDevice(out, 4) == std::vector<int>(4, 3));
    EXPECT(720, cudaLaunchCooperativeKernel(&host::grid_steps, {100000}, {64}, grid, 0, nullptr));
}

/// Code that the program brings itself, as compilers at run time do.
void libraries()
{
    void *library = nullptr, *kernel = nullptr, *bias = nullptr;
    OK(cudaLibraryLoadData(&library, kPutPtx, nullptr, nullptr, 0, nullptr, nullptr, 0));
    unsigned count = 0;
    OK(cudaLibraryGetKernelCount(&count, library));
    CHECK(count == 1);
    OK(cudaLibraryGetKernel(&kernel, library, "put"));
    EXPECT(500, cudaLibraryGetKernel(&kernel, library, "get"));
    OK(cudaKernelSetAttributeForDevice(kernel, 8, 100 * 1024, 0));
    std::size_t bytes = 0;
    OK(cudaLibraryGetGlobal(&bias, &bytes, library, "bias"));
    CHECK(bytes == 4);
    const int nine = 9;
    OK(cudaMemcpy(bias, &nine, 4, 1));
    int* out = onDevice(zeros(1));
    int value = 30;
    void* list[] = {&out, &value};
    const Config config{{1}, {1}, 100 * 1024, nullptr, nullptr, 0};
    OK(cudaLaunchKernelExC(&config, kernel, list));
    CHECK(fromDevice(out, 1)[0] == 39);
    OK(cudaLibraryUnload(library));
    EXPECT(400, cudaLibraryGetKernelCount(&count, library));
    EXPECT(301,
           cudaLibraryLoadFromFile(&library, "none.ptx", nullptr, nullptr, 0, nullptr, nullptr, 0));
}

void streams()
{
    void *first = nullptr, *second = nullptr, *a = nullptr, *b = nullptr;
    OK(cudaStreamCreate(&first));
    OK(cudaStreamCreate(&second));
    OK(cudaEventCreate(&a));
    OK(cudaEventCreate(&b));
    int* p = onDevice(zeros(32));
    int* list[] = {p};
    void* arguments[] = {list};
    OK(cudaEventRecord(a, first));
    OK(cudaLaunchKernel(&host::scaled, {}, {32}, arguments, 0, first));
    OK(cudaEventRecord(b, first));
    OK(cudaStreamWaitEvent(second, b, 0));
    std::vector<int> back(32);
    OK(cudaMemcpyAsync(back.data(), p, 128, 2, second));
    bool told = false;
    OK(cudaLaunchHostFunc(
        second, [](void* to) { *static_cast<bool*>(to) = true; }, &told));
    OK(cudaStreamSynchronize(second));
    CHECK(told && back[31] == 93);
    OK(cudaEventQuery(b));
    float milliseconds = -1;
    OK(cudaEventElapsedTime(&milliseconds, a, b));
    CHECK(milliseconds > 0 && milliseconds < 1);
    OK(cudaStreamDestroy(first));
    EXPECT(400, cudaStreamDestroy(first));
    OK(cudaStreamDestroy(second));
}

/// How long a launch takes by events, for who compares it with the report.
void timed()
{
    void *a = nullptr, *b = nullptr;
    OK(cudaEventCreate(&a));
    OK(cudaEventCreate(&b));
    int* p = onDevice(zeros(32));
    OK(cudaEventRecord(a, nullptr));
    OK(launch(&host::scaled, {4}, {32}, p));
    OK(cudaEventRecord(b, nullptr));
    OK(cudaDeviceSynchronize());
    float milliseconds = -1;
    OK(cudaEventElapsedTime(&milliseconds, a, b));
    std::printf("%.6f us\n", 1e3 * static_cast<double>(milliseconds));
}

void graphs()
{
    void *main = nullptr, *side = nullptr, *fork = nullptr, *join = nullptr, *graph = nullptr,
         *exec = nullptr;
    OK(cudaStreamCreate(&main));
    OK(cudaStreamCreate(&side));
    OK(cudaEventCreate(&fork));
    OK(cudaEventCreate(&join));
    float* a = onDevice(std::vector<float>(64, 1.0f));
    int n = 64;
    void* arguments[] = {&a, &a, &a, &n};
    OK(cudaStreamBeginCapture(main, 0));
    OK(cudaEventRecord(fork, main));
    OK(cudaStreamWaitEvent(side, fork, 0));
    OK(cudaLaunchKernel(&host::add, {2}, {32}, arguments, 0, side));
    OK(cudaEventRecord(join, side));
    OK(cudaStreamWaitEvent(main, join, 0));
    OK(cudaLaunchKernel(&host::add, {2}, {32}, arguments, 0, main));
    EXPECT(907, cudaEventQuery(join));
    OK(cudaStreamEndCapture(main, &graph));
    CHECK(fromDevice(a, 64)[0] == 1.0f);  // nothing ran yet
    std::size_t nodes = 0;
    OK(cudaGraphGetNodes(graph, nullptr, &nodes));
    CHECK(nodes == 2);
    OK(cudaGraphInstantiate(&exec, graph, 0));
    OK(cudaGraphDestroy(graph));
    OK(cudaGraphLaunch(exec, main));
    OK(cudaGraphLaunch(exec, main));
    OK(cudaStreamSynchronize(main));
    CHECK(fromDevice(a, 64)[63] == 16.0f);
    OK(cudaGraphExecDestroy(exec));
    EXPECT(1, cudaGraphLaunch(exec, main));

    OK(cudaStreamBeginCapture(main, 0));
    EXPECT(900, cudaStreamSynchronize(main));
    EXPECT(901, cudaStreamEndCapture(main, &graph));
}

/// One of the summands is missing, except 16 bytes of it.
void unwritten()
{
    void *a = nullptr, *b = nullptr, *c = nullptr;
    for (void** p : {&a, &b, &c}) OK(cudaMalloc(p, 64 * sizeof(float)));
    OK(cudaMemset(a, 0, 64 * sizeof(float)));
    OK(cudaMemset(static_cast<char*>(b) + 16, 0, 16));
    OK(launch(&host::add, {2}, {32}, a, b, c, 64));
    OK(cudaDeviceSynchronize());
}

/// Memory that was filled, copied to, or written by a kernel, atomics of it, managed memory.
void written()
{
    void *a = nullptr, *b = nullptr, *c = nullptr, *managed = nullptr;
    for (void** p : {&a, &b, &c}) OK(cudaMalloc(p, 64 * sizeof(float)));
    OK(cudaMallocManaged(&managed, 256, 1));
    OK(cudaMemset(a, 0, 256));
    OK(cudaMemcpy(b, a, 256, 3));
    OK(launch(&host::add, {2}, {32}, a, b, c, 64));
    OK(launch(&host::add, {2}, {32}, c, managed, c, 64));
    int steps = 3;
    OK(cudaMemset(c, 0, 16));
    void* grid[] = {&c, &steps};
    OK(cudaLaunchCooperativeKernel(&host::grid_steps, {4}, {64}, grid, 0, nullptr));
    OK(cudaDeviceSynchronize());
}

/// Writes of the program between launches, to memory, a constant and a managed variable; memory that is allocated and freed.
void changedBetween()
{
    float *a = onDevice(std::vector<float>(64, 1.0f)), *b = onDevice(std::vector<float>(64, 2.0f));
    OK(launch(&host::add, {2}, {32}, a, b, a, 64));
    OK(cudaMemset(b, 0, 32 * sizeof(float)));
    OK(launch(&host::add, {2}, {32}, a, b, a, 64));
    int* p = onDevice(zeros(32));
    OK(launch(&host::scaled, {}, {32}, p));
    const int five = 5;
    OK(cudaMemcpyToSymbol(&host::scale, &five, 4, 0, 1));
    OK(cudaDeviceSynchronize());
    *host::shared_by_both = 100;
    OK(cudaFree(b));
    OK(launch(&host::scaled, {}, {32}, p));
    OK(cudaDeviceSynchronize());
    CHECK(fromDevice(p, 32)[7] == 35 && *host::shared_by_both == 200);
    CHECK(fromDevice(a, 64)[0] == 3.0f && fromDevice(a, 64)[63] == 5.0f);
}
