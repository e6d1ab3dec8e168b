/// Which context Verilator's run-time library works on.
#pragma once
#include <verilated.h>

#include <mutex>

namespace gsu {

/// Verilator keeps a context per thread and, without a lock, the last one of the process: whatever may touch that one holds this.
inline std::mutex& contextMutex()
{
    static std::mutex mutex;
    return mutex;
}

/// What models report goes to the context of the thread that evaluates them.
inline void enterContext(VerilatedContext& context)
{
    thread_local bool entered =
        false;  // before that, Verilator would look at the last one of the process
    if (entered && Verilated::threadContextp() == &context) return;
    const std::lock_guard lock(contextMutex());
    Verilated::threadContextp(&context);
    entered = true;
}

}  // namespace gsu
