// Functions of the linear algebra library that are refused by name, in both widths.
#include "cuda/blas/blas.hpp"

using namespace gsu::cuda;
using namespace gsu::cuda::blas;

#define GSU_REFUSED(name)                                                                          \
    GSU_BLAS(name)() { return static_cast<int>(blasStatus(unsupported(#name))); }
#define GSU_REFUSED_BOTH(name) GSU_REFUSED(name) GSU_REFUSED(name##_64)
#include "cuda/blas/refused.def"
