// An ordinary program, for the compiler itself.
#include <cstdio>
#include <vector>

__constant__ float factor = 1.0f;

template <class T> __global__ void add(const T* a, const T* b, T* c, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + factor * b[i];
}

int main()
{
    constexpr int kN = 1000;
    std::vector<float> x(kN, 1.0f), y(kN, 2.0f), z(kN);
    float *a, *b, *c;
    cudaMalloc(&a, kN * 4);
    cudaMalloc(&b, kN * 4);
    cudaMalloc(&c, kN * 4);
    cudaMemcpy(a, x.data(), kN * 4, cudaMemcpyHostToDevice);
    cudaMemcpy(b, y.data(), kN * 4, cudaMemcpyHostToDevice);
    const float two = 2.0f;
    cudaMemcpyToSymbol(factor, &two, 4);
    add<<<(kN + 255) / 256, 256>>>(a, b, c, kN);
    if (cudaError_t e = cudaDeviceSynchronize()) {
        std::printf("%s\n", cudaGetErrorString(e));
        return 1;
    }
    cudaMemcpy(z.data(), c, kN * 4, cudaMemcpyDeviceToHost);
    int good = 0;
    for (float v : z) good += v == 5.0f;
    std::printf("ok %d\n", good);
    return 0;
}
