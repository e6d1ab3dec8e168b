/// The port as the executor uses it. It remembers whether the unit got an input in the cycle that is being executed. Skipped cycles are
/// passed to the port only when it is needed again, so an idle port costs nothing.
#pragma once
#include <cassert>
#include <utility>
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
    /// Returns the cycle that the next step executes; later inputs are inputs of that cycle.
    Cycle startTurn()
    {
        given_ = false;
        for (const Accesses& accesses : late_) give().performed(accesses);
        late_.clear();
        return now();
    }
    [[nodiscard]] bool given() const noexcept { return given_; }
    /// The fault of the port at the time it was last given: skipped cycles have no outputs.
    [[nodiscard]] std::optional<Fault> fault() const
    {
        return behind_ ? std::nullopt : port_->fault();
    }
    [[nodiscard]] Cycle quietUntil()
    {
        if (!quietKnown_) quiet_ = catchUp().quietUntil();
        quietKnown_ = true;
        return quiet_;
    }
    void step()
    {
        SyncPort& port = catchUp();
        quietKnown_ = false;
        stepping_ = true;
        port.step();
        stepping_ = false;
    }
    /// Moves time to `cycle`. Pre: this cycle has no input.
    void skipTo(Cycle cycle)
    {
        assert(!given_ && cycle >= now());
        now_ = cycle;
        behind_ = true;
    }
    [[nodiscard]] Cycle now() const { return behind_ ? now_ : port_->now(); }
    /// Gives the port the present time.
    SyncPort& catchUp()
    {
        if (std::exchange(behind_, false)) port_->skipTo(now_);
        return *port_;
    }

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
    /// Number of inputs that may change the answer of a wait on an mbarrier, now or later.
    [[nodiscard]] std::uint64_t acts() const noexcept { return acts_; }
    void route(const ClusterRoute& route) { give().route(route); }
    void grid(const GridStart& grid) { give().grid(grid); }
    void noMoreRoutes() { port_->noMoreRoutes(); }
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
    /// Reports performed accesses. Accesses that an output of a step performs are input of the next step, so that a trace can express it.
    void performed(const Accesses& accesses)
    {
        if (stepping_)
            late_.push_back(accesses);
        else
            give().performed(accesses);
    }
    [[nodiscard]] bool launch(const Launch& launch)
    {
        quietKnown_ = false;
        if (!catchUp().launch(launch)) return false;
        given_ = true;
        return true;
    }

private:
    SyncPort& give()
    {
        given_ = true;
        quietKnown_ = false;
        return catchUp();
    }
    SyncPort* port_{};
    Cycle now_{};    ///< time, if the port is behind it
    Cycle quiet_{};  ///< last result of the port's quietUntil()
    bool behind_{}, quietKnown_{};
    bool given_{};
    bool stepping_{};
    std::uint64_t acts_{};
    std::vector<Accesses> late_;
};

}  // namespace gsu::exec
