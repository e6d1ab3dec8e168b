/// The place of one end of an asynchronous copy; private to tb/exec.
#pragma once
#include "exec/memory/memory.hpp"

namespace gsu::exec {

/// One end of a copy.
struct CopyEnd {
    CtaKey cta;
    std::uint64_t at{};  ///< offset in the owner's window, or global address
    Cta* owner{};
    bool missing{};  ///< global memory that does not exist, and the run continues
};
/// Resolves one end of a copy; a bad one faults the lane.
bool resolveEnd(Ctx& x, ptx::Space space, std::uint64_t address, std::uint32_t bytes,
                std::uint32_t align, unsigned lane, const char* what, CopyEnd& end);

}  // namespace gsu::exec
