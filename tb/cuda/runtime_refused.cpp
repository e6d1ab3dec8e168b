// Calls of the runtime that are refused by name.
#include "cuda/api.hpp"

using namespace gsu::cuda;

#define GSU_REFUSED(name)                                                                          \
    GSU_RUNTIME(name)()                                                                            \
    {                                                                                              \
        lastError = Status::NotSupported;                                                          \
        return static_cast<int>(unsupported(#name));                                               \
    }
#include "cuda/runtime_refused.def"
