/// The port as the executor uses it: remembers whether anything was given in the cycle that is being evaluated.
#pragma once
#include <cassert>
#include <vector>

#include "golden/op_traits.hpp"
#include "golden/port.hpp"

namespace gsu::exec {

class PortSide {
public:
    void attach(SyncPort& port, SyncSink& sink)
    {
        port_ = &port;
        port.setSink(sink);
    }
    /// The cycle that the next step executes; what is given from here on is input of it.
    Cycle startTurn()
    {
        given_ = false;
        for (const Accesses& accesses : late_) give().performed(accesses);
        late_.clear();
        return port_->now();
    }
    [[nodiscard]] bool given() const noexcept { return given_; }
    [[nodiscard]] std::optional<Fault> fault() const { return port_->fault(); }
    [[nodiscard]] Cycle quietUntil() const { return port_->quietUntil(); }
    void step()
    {
        stepping_ = true;
        port_->step();
        stepping_ = false;
    }
    /// Pre: nothing was given for this cycle.
    void skipTo(Cycle cycle)
    {
        assert(!given_ && cycle >= port_->now());
        port_->skipTo(cycle);
    }
    [[nodiscard]] Cycle now() const { return port_->now(); }

    [[nodiscard]] bool canPresent(std::uint8_t sm) const { return port_->canPresent(sm); }
    [[nodiscard]] bool canNotify(std::uint8_t sm) const { return port_->canNotify(sm); }
    void present(const SyncRequest& request)
    {
        acts_ += isMbarRequest(request) && !isMbarWait(request.op) ? 1 : 0;
        give().present(request);
    }
    void notify(const AsyncUpdate& update)
    {
        ++acts_;
        give().notify(update);
    }
    /// How many inputs were given that may change what a wait on an mbarrier finds, maybe later.
    [[nodiscard]] std::uint64_t acts() const noexcept { return acts_; }
    void route(const ClusterRoute& route) { give().route(route); }
    void grid(const GridStart& grid) { give().grid(grid); }
    void exit(const Exit& exit)
    {
        ++acts_;
        give().exit(exit);
    }
    void stored(std::uint8_t sm, std::uint32_t addr, std::uint32_t bytes)
    {
        give().stored(sm, addr, bytes);
    }
    [[nodiscard]] std::uint8_t epoch(const WarpRef& at, Reach reach) const
    {
        return port_->epoch(at, reach);
    }
    [[nodiscard]] bool canAnswerCancel(std::uint8_t sm) const { return port_->canAnswerCancel(sm); }
    void answerCancel(const CancelAnswer& answer) { give().answerCancel(answer); }
    void announce(const Accesses& accesses) { give().announce(accesses); }
    /// What an output of a step performs is input of the next one, as a trace can say it.
    void performed(const Accesses& accesses)
    {
        if (stepping_)
            late_.push_back(accesses);
        else
            give().performed(accesses);
    }
    [[nodiscard]] bool launch(const Launch& launch)
    {
        if (!port_->launch(launch)) return false;
        given_ = true;
        return true;
    }

private:
    SyncPort& give() noexcept
    {
        given_ = true;
        return *port_;
    }
    SyncPort* port_{};
    bool given_{};
    bool stepping_{};
    std::uint64_t acts_{};
    std::vector<Accesses> late_;
};

}  // namespace gsu::exec
