/// \file
/// The golden model as a SyncPort, for users of the library. Every latency is 1 clock; values and order follow the rules.
#pragma once
#include <functional>
#include <memory>

#include "golden/mbarrier_note.hpp"
#include "golden/port.hpp"

namespace gsu {

/// Parameters that change results; latencies do not exist here.
struct GoldenOptions {
    MbarPolicy policy{};  ///< the parameter mbar_policy
    std::uint32_t waitLimit{
        1'000'000};          ///< clocks a try_wait without hint is suspended, at least 1 (D-32)
    unsigned waitSlots{32};  ///< parked waits per SM (D-34)
    /// CTA slots, warp slots and named barriers; other members only affect timing
    Structure structure{};
    std::function<void(const MbarNote&)>
        onNote{};  ///< findings that no commit carries (D-37, D-43, D-44); optional
};

/// A golden unit of `sms` SMs (1..18). `memory` holds the words of mbarriers and must outlive the port; without it the port
/// keeps them itself.
[[nodiscard]] std::unique_ptr<SyncPort> makeGoldenPort(unsigned sms, GoldenOptions options = {},
                                                       SharedMemory* memory = nullptr);

}  // namespace gsu
