#include "cuda/device/status.hpp"

namespace gsu::cuda {
namespace {

constexpr StatusText kTexts[] = {
#define GSU_CUDA_ERROR(number, runtime, driver, text) {number, runtime, driver, text},
#include "cuda/device/errors.def"
#undef GSU_CUDA_ERROR
};

}  // namespace

const StatusText* find(int number) noexcept
{
    for (const StatusText& t : kTexts) {
        if (t.number == number) return &t;
    }
    return nullptr;
}

bool sticky(Status status) noexcept
{
    switch (status) {
        case Status::IllegalAddress:
        case Status::LaunchTimeout:
        case Status::Assert:
        case Status::HardwareStack:
        case Status::MisalignedAddress:
        case Status::InvalidAddressSpace:
        case Status::InvalidPc:
        case Status::LaunchFailure:
        case Status::Unknown: return true;
        default: return false;
    }
}

}  // namespace gsu::cuda
