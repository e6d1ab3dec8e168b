"""The driver API of CUDA by ctypes, as far as scripts/on_gpu and tests/hardware need it. There are Python packages for the API; this file needs none."""
import ctypes


class CudaError(Exception):
    """A call of the driver failed."""


class Attribute(ctypes.Structure):  # CUlaunchAttribute
    _fields_ = [("id", ctypes.c_int), ("pad", ctypes.c_char * 4), ("value", ctypes.c_uint32 * 16)]


class Config(ctypes.Structure):  # CUlaunchConfig
    _fields_ = [(n, ctypes.c_uint) for n in ("gx", "gy", "gz", "bx", "by", "bz", "smem")] + [
        ("stream", ctypes.c_void_p), ("attributes", ctypes.POINTER(Attribute)), ("count", ctypes.c_uint)]


CLUSTER, COOPERATIVE, OVERLAPPED = 4, 2, 6  # CUlaunchAttributeID
DYNAMIC_SMEM, NON_PORTABLE = 8, 14  # CUfunction_attribute


class Gpu:
    """The first device and a context on it."""

    def __init__(self):
        try:
            self.lib = ctypes.CDLL("libcuda.so.1")
        except OSError:
            raise CudaError("no libcuda.so.1: this machine has no GPU driver") from None
        self("cuInit", 0)
        device, context = ctypes.c_int(), ctypes.c_void_p()
        self("cuDeviceGet", ctypes.byref(device), 0)
        self("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        self("cuCtxSetCurrent", context)
        name = ctypes.create_string_buffer(100)
        self("cuDeviceGetName", name, 100, device)
        self.name = name.value.decode()
        self.allocated = []

    def __call__(self, call, *arguments):
        code = getattr(self.lib, call)(*arguments)
        if code:
            text = ctypes.c_char_p()
            self.lib.cuGetErrorName(code, ctypes.byref(text))
            raise CudaError(f"{call}: {(text.value or b'?').decode()}")

    def allocate(self, size):
        at = ctypes.c_uint64()
        self("cuMemAlloc_v2", ctypes.byref(at), ctypes.c_size_t(max(size, 1)))
        self.allocated.append(at.value)
        return at.value

    def write(self, at, data):
        if data:
            self("cuMemcpyHtoD_v2", ctypes.c_uint64(at), bytes(data), ctypes.c_size_t(len(data)))

    def read(self, at, size):
        data = ctypes.create_string_buffer(max(size, 1))
        if size:
            self("cuMemcpyDtoH_v2", data, ctypes.c_uint64(at), ctypes.c_size_t(size))
        return data.raw[:size]

    def module(self, texts):
        module = ctypes.c_void_p()
        if len(texts) == 1:
            self("cuModuleLoadData", ctypes.byref(module), texts[0] + b"\0")
            return module
        link, cubin, size = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_size_t()
        self("cuLinkCreate_v2", 0, None, None, ctypes.byref(link))
        for i, text in enumerate(texts):
            self("cuLinkAddData_v2", link, 1, text + b"\0", ctypes.c_size_t(len(text) + 1), f"module{i}".encode(), 0, None, None)
        self("cuLinkComplete", link, ctypes.byref(cubin), ctypes.byref(size))
        self("cuModuleLoadData", ctypes.byref(module), cubin)
        return module

    def free(self):
        for at in self.allocated:
            self("cuMemFree_v2", ctypes.c_uint64(at))
        self.allocated.clear()
