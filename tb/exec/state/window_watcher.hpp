/// Interface for observers of changes of CTAs' shared memory: the matrix engine, whose operands are there until its products have read them.
#pragma once
#include <cstdint>

#include "exec/warps/warp.hpp"

namespace gsu::exec {

/// Observer of windows. Offsets are bytes in the owner's window.
class WindowWatcher {
public:
    virtual ~WindowWatcher() = default;
    /// A thread of the owner stores these bytes.
    virtual void stored(const Cta& owner, std::uint32_t offset, std::uint32_t bytes) = 0;
    /// Called when any writer changes these bytes.
    virtual void overwritten(const Cta& owner, std::uint32_t offset, std::uint32_t bytes) = 0;
    /// A copy has written these bytes.
    virtual void arrived(const Cta& owner, std::uint32_t offset, std::uint32_t bytes) = 0;
    /// A delayed store of a thread of the CTA with serial number `by` is performed; `address` is in the shared memory of the SM.
    virtual void performed(std::uint8_t sm, std::uint64_t by, std::uint32_t address,
                           std::uint32_t bytes) = 0;
};

}  // namespace gsu::exec
