/// LockstepPort: any SyncPort with the golden model beside it. Forwards everything, compares everything (D-01).
#pragma once
#include "golden/forwarding_port.hpp"
#include "lockstep/follower.hpp"

namespace gsu {

/// The device must outlive the port. After the first difference fault() is set and checking stops; forwarding goes on.
class LockstepPort final : public ForwardingPort {
public:
    explicit LockstepPort(SyncPort& device, LockstepOptions options = {});

    void present(const SyncRequest& request) override;
    void notify(const AsyncUpdate& update) override;
    void route(const ClusterRoute& route) override;
    void grid(const GridStart& grid) override;
    bool launch(const Launch& launch) override;
    void exit(const Exit& exit) override;
    void stored(std::uint8_t sm, std::uint32_t addr, std::uint32_t bytes) override
    {
        follower_.stored(sm, addr, bytes);
        inner_.stored(sm, addr, bytes);
    }
    void announce(const Accesses& accesses) override;
    void performed(const Accesses& accesses) override;
    void answerCancel(const CancelAnswer& answer) override;
    void step() override;
    /// A device that is quiet for ever may owe nothing: then this finds a fault and the next cycle is not quiet.
    [[nodiscard]] Cycle quietUntil() const override;
    void skipTo(Cycle cycle) override;
    [[nodiscard]] std::optional<Fault> fault() const override;

    [[nodiscard]] const Follower& follower() const noexcept { return follower_; }

private:
    void onResponse(const SyncResponse& response) override;
    void onRelease(const Release& release) override;
    void onCommit(const Commit& commit) override;
    void onDelivered(const Delivered& delivered) override;
    void onCtaFree(const CtaFree& free) override;
    void onGrid(const GridEvent& event) override;
    void onCancel(const CancelQuery& query) override;

    mutable Follower follower_;  ///< quietUntil() may find what is owed
};

}  // namespace gsu
