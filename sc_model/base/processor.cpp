#include "base/processor.hpp"

namespace gsu {

const char* missingInstruction() noexcept
{
#if defined(__x86_64__) && defined(__POPCNT__)
    if (__builtin_cpu_supports("popcnt") == 0)
        return "this processor has no popcnt, which this build of GSU uses: build it with "
               "-DGSU_POPCNT=OFF";
#endif
    return nullptr;
}

}  // namespace gsu
