#include "lockstep/lockstep_port.hpp"

namespace gsu {

std::unique_ptr<SyncPort> makeLockstepPort(SyncPort& device, LockstepOptions options)
{
    return std::make_unique<LockstepPort>(device, std::move(options));
}

LockstepPort::LockstepPort(SyncPort& device, LockstepOptions options)
    : ForwardingPort(device), follower_(device.sms(), std::move(options), device.structure())
{
}

void LockstepPort::present(const SyncRequest& request)
{
    follower_.present(request, inner_.now());
    inner_.present(request);
}

void LockstepPort::route(const ClusterRoute& route)
{
    follower_.route(route);
    inner_.route(route);
}

void LockstepPort::grid(const GridStart& grid)
{
    follower_.grid(grid, inner_.now());
    inner_.grid(grid);
}

bool LockstepPort::launch(const Launch& launch)
{
    if (!inner_.launch(launch)) return false;
    follower_.launch(launch, inner_.now());
    return true;
}

void LockstepPort::exit(const Exit& exit)
{
    follower_.exit(exit, inner_.now());
    inner_.exit(exit);
}

void LockstepPort::notify(const AsyncUpdate& update)
{
    follower_.notify(update, inner_.now());
    inner_.notify(update);
}

void LockstepPort::announce(const Accesses& accesses)
{
    follower_.announce(accesses, inner_.now());
    inner_.announce(accesses);
}

void LockstepPort::performed(const Accesses& accesses)
{
    follower_.performed(accesses, inner_.now());
    inner_.performed(accesses);
}

void LockstepPort::answerCancel(const CancelAnswer& answer)
{
    follower_.answer(answer, inner_.now());
    inner_.answerCancel(answer);
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

void LockstepPort::onResponse(const SyncResponse& response)
{
    follower_.onResponse(response);
    ForwardingPort::onResponse(response);
}

void LockstepPort::onRelease(const Release& release)
{
    follower_.onRelease(release);
    ForwardingPort::onRelease(release);
}

void LockstepPort::onCommit(const Commit& commit)
{
    follower_.onCommit(commit);
    ForwardingPort::onCommit(commit);
}

void LockstepPort::onDelivered(const Delivered& delivered)
{
    follower_.onDelivered(delivered);
    ForwardingPort::onDelivered(delivered);
}

void LockstepPort::onCancel(const CancelQuery& query)
{
    follower_.onCancel(query);
    ForwardingPort::onCancel(query);
}

void LockstepPort::onCtaFree(const CtaFree& free)
{
    follower_.onCtaFree(free);
    ForwardingPort::onCtaFree(free);
}

void LockstepPort::onGrid(const GridEvent& event)
{
    follower_.onGrid(event);
    ForwardingPort::onGrid(event);
}

}  // namespace gsu
