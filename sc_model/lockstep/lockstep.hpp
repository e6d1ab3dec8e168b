/// \file
/// Lockstep: a SyncPort that runs any other SyncPort with the golden model beside it. It forwards every call and compares every report (D-01).
#pragma once
#include <functional>
#include <memory>

#include "golden/mbarrier_note.hpp"
#include "golden/port.hpp"

namespace gsu {

/// What the golden side has to know of the device.
struct LockstepOptions {
    Cycle bound{100'000};  ///< clocks between something being due and it happening (D-70)
    bool mbarriers{true};  ///< false: the device has no mbarrier unit and refuses its operations
    MbarPolicy policy{};   ///< the device's mbar_policy
    std::uint32_t waitLimit{
        0};  ///< the device's suspension of a try_wait without hint; 0: a time-out may come at once
    std::function<void(const MbarNote&)> onNote{};  ///< findings that no commit carries; optional
};

/// The device must outlive the port, and its sink becomes the port's. The first difference is a Fault of kind Divergence; after it
/// forwarding goes on and checking stops.
[[nodiscard]] std::unique_ptr<SyncPort> makeLockstepPort(SyncPort& device,
                                                         LockstepOptions options = {});

}  // namespace gsu
