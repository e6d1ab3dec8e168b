/// A ForwardingPort for observers, which also notifies them of the progress and the end of a run.
#pragma once
#include "golden/forwarding_port.hpp"

namespace gsu {

class TapPort final : public ForwardingPort {
public:
    using ForwardingPort::ForwardingPort;
    /// Notifies the observers that the run is over.
    void finish() { tell(&PortObserver::onEnd); }
    void step() override
    {
        constexpr std::uint32_t kProgressSteps = 1u << 14;
        inner_.step();
        if (++steps_ % kProgressSteps == 0) tell(&PortObserver::onProgress);
    }

private:
    std::uint32_t steps_{};
};

}  // namespace gsu
