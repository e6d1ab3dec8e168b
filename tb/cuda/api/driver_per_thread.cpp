// Forms of the driver's functions that programs call when they are compiled with per-thread default streams: the same, with another default stream.
#include "cuda/api/driver.hpp"

using namespace gsu::cuda;

// A structure that is only passed on is a pointer to anything here.
#define GSU_FORM(name, suffix, parameters, arguments)                                              \
    extern "C" int name parameters;                                                                \
    GSU_DRIVER(name##suffix) parameters                                                            \
    {                                                                                              \
        const PerThreadDefault scope(__builtin_return_address(0));                                 \
        return name arguments;                                                                     \
    }

GSU_FORM(cuMemcpy, _ptds, (DevicePointer a, DevicePointer b, std::size_t c), (a, b, c))
GSU_FORM(cuMemcpyHtoD_v2, _ptds, (DevicePointer a, const void* b, std::size_t c), (a, b, c))
GSU_FORM(cuMemcpyDtoH_v2, _ptds, (void* a, DevicePointer b, std::size_t c), (a, b, c))
GSU_FORM(cuMemcpyDtoD_v2, _ptds, (DevicePointer a, DevicePointer b, std::size_t c), (a, b, c))
GSU_FORM(cuMemcpy2D_v2, _ptds, (const void* a), (a))
GSU_FORM(cuMemcpy2DUnaligned_v2, _ptds, (const void* a), (a))
GSU_FORM(cuMemcpy3D_v2, _ptds, (const void* a), (a))
GSU_FORM(cuMemsetD8_v2, _ptds, (DevicePointer a, unsigned char b, std::size_t c), (a, b, c))
GSU_FORM(cuMemsetD16_v2, _ptds, (DevicePointer a, unsigned short b, std::size_t c), (a, b, c))
GSU_FORM(cuMemsetD32_v2, _ptds, (DevicePointer a, unsigned b, std::size_t c), (a, b, c))
GSU_FORM(cuMemsetD2D8_v2, _ptds,
         (DevicePointer a, std::size_t b, unsigned char c, std::size_t d, std::size_t e),
         (a, b, c, d, e))
GSU_FORM(cuMemsetD2D16_v2, _ptds,
         (DevicePointer a, std::size_t b, unsigned short c, std::size_t d, std::size_t e),
         (a, b, c, d, e))
GSU_FORM(cuMemsetD2D32_v2, _ptds,
         (DevicePointer a, std::size_t b, unsigned c, std::size_t d, std::size_t e),
         (a, b, c, d, e))
GSU_FORM(cuMemcpyAsync, _ptsz, (DevicePointer a, DevicePointer b, std::size_t c, Handle d),
         (a, b, c, d))
GSU_FORM(cuMemcpyHtoDAsync_v2, _ptsz, (DevicePointer a, const void* b, std::size_t c, Handle d),
         (a, b, c, d))
GSU_FORM(cuMemcpyDtoHAsync_v2, _ptsz, (void* a, DevicePointer b, std::size_t c, Handle d),
         (a, b, c, d))
GSU_FORM(cuMemcpyDtoDAsync_v2, _ptsz, (DevicePointer a, DevicePointer b, std::size_t c, Handle d),
         (a, b, c, d))
GSU_FORM(cuMemcpy2DAsync_v2, _ptsz, (const void* a, Handle b), (a, b))
GSU_FORM(cuMemcpy3DAsync_v2, _ptsz, (const void* a, Handle b), (a, b))
GSU_FORM(cuMemsetD8Async, _ptsz, (DevicePointer a, unsigned char b, std::size_t c, Handle d),
         (a, b, c, d))
GSU_FORM(cuMemsetD16Async, _ptsz, (DevicePointer a, unsigned short b, std::size_t c, Handle d),
         (a, b, c, d))
GSU_FORM(cuMemsetD32Async, _ptsz, (DevicePointer a, unsigned b, std::size_t c, Handle d),
         (a, b, c, d))
GSU_FORM(cuMemsetD2D8Async, _ptsz,
         (DevicePointer a, std::size_t b, unsigned char c, std::size_t d, std::size_t e, Handle f),
         (a, b, c, d, e, f))
GSU_FORM(cuMemsetD2D16Async, _ptsz,
         (DevicePointer a, std::size_t b, unsigned short c, std::size_t d, std::size_t e, Handle f),
         (a, b, c, d, e, f))
GSU_FORM(cuMemsetD2D32Async, _ptsz,
         (DevicePointer a, std::size_t b, unsigned c, std::size_t d, std::size_t e, Handle f),
         (a, b, c, d, e, f))
GSU_FORM(cuMemAllocAsync, _ptsz, (DevicePointer * a, std::size_t b, Handle c), (a, b, c))
GSU_FORM(cuMemFreeAsync, _ptsz, (DevicePointer a, Handle b), (a, b))
GSU_FORM(cuStreamSynchronize, _ptsz, (Handle a), (a))
GSU_FORM(cuStreamQuery, _ptsz, (Handle a), (a))
GSU_FORM(cuStreamWaitEvent, _ptsz, (Handle a, Handle b, unsigned c), (a, b, c))
GSU_FORM(cuStreamAddCallback, _ptsz, (Handle a, void* b, void* c, unsigned d), (a, b, c, d))
GSU_FORM(cuStreamGetFlags, _ptsz, (Handle a, unsigned* b), (a, b))
GSU_FORM(cuStreamGetPriority, _ptsz, (Handle a, int* b), (a, b))
GSU_FORM(cuStreamGetCtx, _ptsz, (Handle a, Handle* b), (a, b))
GSU_FORM(cuStreamBeginCapture_v2, _ptsz, (Handle a, int b), (a, b))
GSU_FORM(cuStreamEndCapture, _ptsz, (Handle a, Handle* b), (a, b))
GSU_FORM(cuStreamIsCapturing, _ptsz, (Handle a, int* b), (a, b))
GSU_FORM(cuEventRecord, _ptsz, (Handle a, Handle b), (a, b))
GSU_FORM(cuLaunchHostFunc, _ptsz, (Handle a, void* b, void* c), (a, b, c))
GSU_FORM(cuLaunchKernel, _ptsz,
         (Handle a, unsigned b, unsigned c, unsigned d, unsigned e, unsigned f, unsigned g,
          unsigned h, Handle i, void** j, void** k),
         (a, b, c, d, e, f, g, h, i, j, k))
GSU_FORM(cuLaunchCooperativeKernel, _ptsz,
         (Handle a, unsigned b, unsigned c, unsigned d, unsigned e, unsigned f, unsigned g,
          unsigned h, Handle i, void** j),
         (a, b, c, d, e, f, g, h, i, j))
GSU_FORM(cuLaunchKernelEx, _ptsz, (const void* a, Handle b, void** c, void** d), (a, b, c, d))
GSU_FORM(cuGraphLaunch, _ptsz, (Handle a, Handle b), (a, b))
GSU_FORM(cuGraphUpload, _ptsz, (Handle a, Handle b), (a, b))
