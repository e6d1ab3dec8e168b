#include "lockstep/lockstep_port.hpp"

namespace gsu {

std::unique_ptr<SyncPort> makeLockstepPort(SyncPort& device, LockstepOptions options)
{
    return std::make_unique<LockstepPort>(device, std::move(options));
}

LockstepPort::LockstepPort(SyncPort& device, LockstepOptions options)
    : device_(device), follower_(device.sms(), std::move(options))
{
    device_.setSink(*this);
}

void LockstepPort::present(const SyncRequest& request)
{
    follower_.present(request, device_.now());
    device_.present(request);
}

void LockstepPort::route(const ClusterRoute& route)
{
    follower_.route(route);
    device_.route(route);
}

bool LockstepPort::launch(const Launch& launch)
{
    if (!device_.launch(launch)) return false;
    follower_.launch(launch, device_.now());
    return true;
}

void LockstepPort::exit(const Exit& exit)
{
    follower_.exit(exit, device_.now());
    device_.exit(exit);
}

void LockstepPort::notify(const AsyncUpdate& update)
{
    follower_.notify(update, device_.now());
    device_.notify(update);
}

void LockstepPort::step()
{
    device_.step();
    follower_.tick(device_.now());
}

Cycle LockstepPort::quietUntil() const
{
    const Cycle quiet = device_.quietUntil();
    if (quiet != kNever || follower_.fault()) return quiet;
    follower_.checkIdle(device_.now());
    return follower_.fault() ? device_.now() : quiet;
}

void LockstepPort::skipTo(Cycle cycle)
{
    device_.skipTo(cycle);
    follower_.tick(cycle);
}

std::optional<Fault> LockstepPort::fault() const
{
    if (follower_.fault()) return follower_.fault();
    return device_.fault();
}

void LockstepPort::onResponse(const SyncResponse& response)
{
    follower_.onResponse(response);
    if (sink_ != nullptr) sink_->onResponse(response);
}

void LockstepPort::onRelease(const Release& release)
{
    follower_.onRelease(release);
    if (sink_ != nullptr) sink_->onRelease(release);
}

void LockstepPort::onCommit(const Commit& commit)
{
    follower_.onCommit(commit);
    if (sink_ != nullptr) sink_->onCommit(commit);
}

void LockstepPort::onDelivered(const Delivered& delivered)
{
    follower_.onDelivered(delivered);
    if (sink_ != nullptr) sink_->onDelivered(delivered);
}

void LockstepPort::onCtaFree(const CtaFree& free)
{
    follower_.onCtaFree(free);
    if (sink_ != nullptr) sink_->onCtaFree(free);
}

}  // namespace gsu
