#include "lockstep/lockstep_port.hpp"

namespace gsu {

std::unique_ptr<SyncPort> makeLockstepPort(SyncPort& device, LockstepOptions options)
{
    return std::make_unique<LockstepPort>(device, std::move(options));
}

LockstepPort::LockstepPort(SyncPort& device, LockstepOptions options)
    : ForwardingPort(device), follower_(device.sms(), std::move(options), device.structure())
{
    add(follower_);
}

void LockstepPort::step()
{
    const auto epochOf = [&](const WarpRef& cta) { return inner_.epoch(cta, Reach::Everyone); };
    follower_.sample(epochOf, false);
    inner_.step();
    follower_.sample(epochOf, true);
    follower_.tick(inner_.now());
}

Cycle LockstepPort::quietUntil() const
{
    const Cycle quiet = inner_.quietUntil();
    if (quiet != kNever || follower_.fault()) return quiet;
    follower_.checkIdle(inner_.now());
    return follower_.fault() ? inner_.now() : quiet;
}

void LockstepPort::skipTo(Cycle cycle)
{
    inner_.skipTo(cycle);
    follower_.tick(cycle);
}

std::optional<Fault> LockstepPort::fault() const
{
    if (follower_.fault()) return follower_.fault();
    return inner_.fault();
}

}  // namespace gsu
