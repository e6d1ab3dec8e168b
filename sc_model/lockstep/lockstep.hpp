/// \file
/// Lockstep: a SyncPort that runs any other SyncPort with the golden model beside it. It forwards every call and compares every report (D-01).
#pragma once
#include <functional>
#include <memory>

#include "golden/mbarrier_note.hpp"
#include "golden/port.hpp"

namespace gsu {

/// Properties of the device that the golden model needs.
struct LockstepOptions {
    /// clocks from the time at which an event is due until it must have happened (D-70)
    Cycle bound{100'000};
    bool mbarriers{true};  ///< false: the device has no mbarrier unit and refuses its operations
    MbarPolicy policy{};   ///< the device's mbar_policy
    std::uint32_t waitLimit{
        0};  ///< the device's suspension of a try_wait without hint; 0: a time-out may come at once
    std::function<void(const MbarNote&)> onNote{};  ///< findings that no commit carries; optional
};

/// A lockstep port around `device`. The device must outlive the port, and its sink becomes the port's. The first difference is a Fault of
/// kind Divergence; after it the port still forwards, but no longer checks.
[[nodiscard]] std::unique_ptr<SyncPort> makeLockstepPort(SyncPort& device,
                                                         LockstepOptions options = {});

}  // namespace gsu
