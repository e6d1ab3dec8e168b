/// LockstepPort: the implementation of Lockstep. It forwards every call to a SyncPort and compares every report with the golden model (D-01).
#pragma once
#include "golden/forwarding_port.hpp"
#include "lockstep/follower.hpp"

namespace gsu {

/// A port that compares. The device must outlive it. After the first difference fault() is set; the port still forwards, but no longer checks.
class LockstepPort final : public ForwardingPort {
public:
    explicit LockstepPort(SyncPort& device, LockstepOptions options = {});

    void step() override;
    /// A device that is quiet for ever may have no event due. If one is due, this function finds a fault and the next cycle is not quiet.
    [[nodiscard]] Cycle quietUntil() const override;
    void skipTo(Cycle cycle) override;
    [[nodiscard]] std::optional<Fault> fault() const override;

    [[nodiscard]] const Follower& follower() const noexcept { return follower_; }

private:
    mutable Follower follower_;  ///< quietUntil() may find overdue events
};

}  // namespace gsu
