/// The context on which Verilator's run-time library works.
#pragma once
#include <verilated.h>

#include <mutex>

namespace gsu {

/// The lock of Verilator's last context. Verilator keeps a context for each thread and, without a lock, the last one of the process: every
/// piece of code that may touch that one holds this mutex.
inline std::mutex& contextMutex()
{
    static std::mutex mutex;
    return mutex;
}

/// Makes `context` that of this thread. Reports of models go to the context of the thread that evaluates them.
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
