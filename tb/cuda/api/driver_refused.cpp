// Calls of the driver that are refused by name.
#include "cuda/api/api.hpp"

using namespace gsu::cuda;

#define GSU_REFUSED(name)                                                                          \
    GSU_DRIVER(name)() { return static_cast<int>(unsupported(#name)); }
#include "cuda/api/driver_refused.def"
#undef GSU_REFUSED
