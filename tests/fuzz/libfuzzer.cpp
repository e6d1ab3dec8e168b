// libFuzzer's entry; GSU_FUZZ_ENTRY is the name of a function of entries.hpp.
#include <cstddef>
#include <cstdint>

#include "entries.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    gsu::fuzz::GSU_FUZZ_ENTRY({reinterpret_cast<const char*>(data), size});
    return 0;
}
