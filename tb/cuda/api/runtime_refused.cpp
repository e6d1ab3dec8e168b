// Calls of the runtime that are refused by name.
#include "cuda/api/api.hpp"

using namespace gsu::cuda;

#define GSU_REFUSED(name)                                                                          \
    GSU_RUNTIME(name)()                                                                            \
    {                                                                                              \
        lastError = Status::NotSupported;                                                          \
        return static_cast<int>(unsupported(#name));                                               \
    }
#include "cuda/api/runtime_refused.def"
#undef GSU_REFUSED
