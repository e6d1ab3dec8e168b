/// A port that loses or delays one commit of the inner port: shows that a testbench notices a bad wrapper.
#pragma once
#include <optional>
#include <utility>

#include "golden/forwarding_port.hpp"

namespace gsu {

class FaultInjectingPort final : public ForwardingPort {
public:
    enum class How { Nothing, Drop, Delay };
    FaultInjectingPort(SyncPort& inner, How how) : ForwardingPort(inner), how_(how) {}

    void step() override
    {
        if (held_) sink_->onCommit(*std::exchange(held_, std::nullopt));
        inner_.step();
    }
    [[nodiscard]] Cycle quietUntil() const override { return held_ ? now() : inner_.quietUntil(); }

private:
    static constexpr unsigned kVictim = 40;

    void onCommit(const Commit& c) override
    {
        if (how_ == How::Nothing || ++seen_ != kVictim)
            sink_->onCommit(c);
        else if (how_ == How::Delay)
            held_ = c;
    }

    How how_;
    unsigned seen_{};
    std::optional<Commit> held_;
};

}  // namespace gsu
