// Runs one PTX kernel in GPGPU-Sim without nvcc: try FILE.ptx KERNEL CTAS THREADS WORDS prints the first WORDS 32-bit words of the buffer that the kernel
// is given as its one parameter (.u64). Needs `-gpgpu_ptx_use_cuobjdump 0` in gpgpusim.config. Licence: Apache-2.0.
#include <cuda.h>
#include <cuda_runtime_api.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

extern "C" void __cudaRegisterFunction(void**, const char*, char*, const char*, int, uint3*, uint3*,
                                       dim3*, dim3*, int*);

int main(int argc, char** argv)
{
    if (argc != 6) {
        std::fprintf(stderr, "try FILE.ptx KERNEL CTAS THREADS WORDS\n");
        return 2;
    }
    std::string path = argv[1];
    const std::size_t slash = path.rfind('/');
    std::string name = slash == std::string::npos ? path : path.substr(slash + 1);
    // GPGPU-Sim appends the file's name to the variable's value in place, so the value needs room for it.
    std::string folder = slash == std::string::npos ? "." : path.substr(0, slash);
    static char place[4096];
    std::snprintf(place, sizeof place, "PTX_JIT_PATH=%s", folder.c_str());
    putenv(place);
    cuLinkAddFile(nullptr, CU_JIT_INPUT_PTX, name.c_str(), 0, nullptr, nullptr);
    __cudaRegisterFunction(reinterpret_cast<void**>(1), argv[2], argv[2], argv[2], -1, nullptr,
                           nullptr, nullptr, nullptr, nullptr);
    const unsigned words = unsigned(std::atoi(argv[5]));
    void* buffer = nullptr;
    std::vector<unsigned> out(words);
    cudaMalloc(&buffer, 4 * words);
    cudaMemcpy(buffer, out.data(), 4 * words, cudaMemcpyHostToDevice);
    void* arguments[] = {&buffer};
    cuLaunchKernel(reinterpret_cast<CUfunction>(argv[2]), unsigned(std::atoi(argv[3])), 1, 1,
                   unsigned(std::atoi(argv[4])), 1, 1, 0, nullptr, arguments, nullptr);
    cudaDeviceSynchronize();
    cudaMemcpy(out.data(), buffer, 4 * words, cudaMemcpyDeviceToHost);
    std::printf("result:");
    for (const unsigned word : out) std::printf(" %u", word);
    std::printf("\n");
    return 0;
}
