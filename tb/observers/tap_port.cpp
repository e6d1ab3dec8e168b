#include "observers/tap_port.hpp"

namespace gsu {

namespace {
constexpr std::uint32_t kProgressSteps = 1u << 14;
}

void TapPort::finish()
{
    for (PortObserver* o : observers_) o->onEnd(inner_.now());
}

void TapPort::present(const SyncRequest& request)
{
    for (PortObserver* o : observers_) o->onRequest(inner_.now(), request);
    inner_.present(request);
}

void TapPort::notify(const AsyncUpdate& update)
{
    for (PortObserver* o : observers_) o->onNotify(inner_.now(), update);
    inner_.notify(update);
}

void TapPort::route(const ClusterRoute& route)
{
    for (PortObserver* o : observers_) o->onRoute(inner_.now(), route);
    inner_.route(route);
}

void TapPort::grid(const GridStart& grid)
{
    for (PortObserver* o : observers_) o->onGridStart(inner_.now(), grid);
    inner_.grid(grid);
}

bool TapPort::launch(const Launch& launch)
{
    if (!inner_.launch(launch)) return false;
    for (PortObserver* o : observers_) o->onLaunch(inner_.now(), launch);
    return true;
}

void TapPort::exit(const Exit& exit)
{
    for (PortObserver* o : observers_) o->onExit(inner_.now(), exit);
    inner_.exit(exit);
}

void TapPort::stored(std::uint8_t sm, std::uint32_t addr, std::uint32_t bytes)
{
    for (PortObserver* o : observers_) o->onStored(inner_.now(), sm, addr, bytes);
    inner_.stored(sm, addr, bytes);
}

void TapPort::announce(const Accesses& accesses)
{
    for (PortObserver* o : observers_) o->onAccesses(inner_.now(), accesses, false);
    inner_.announce(accesses);
}

void TapPort::performed(const Accesses& accesses)
{
    for (PortObserver* o : observers_) o->onAccesses(inner_.now(), accesses, true);
    inner_.performed(accesses);
}

void TapPort::answerCancel(const CancelAnswer& answer)
{
    for (PortObserver* o : observers_) o->onCancelAnswer(inner_.now(), answer);
    inner_.answerCancel(answer);
}

void TapPort::step()
{
    inner_.step();
    if (++steps_ % kProgressSteps == 0) {
        for (PortObserver* o : observers_) o->onProgress(inner_.now());
    }
}

void TapPort::onResponse(const SyncResponse& response)
{
    for (PortObserver* o : observers_) o->onResponse(response);
    ForwardingPort::onResponse(response);
}

void TapPort::onRelease(const Release& release)
{
    for (PortObserver* o : observers_) o->onRelease(release);
    ForwardingPort::onRelease(release);
}

void TapPort::onCommit(const Commit& commit)
{
    for (PortObserver* o : observers_) o->onCommit(commit);
    ForwardingPort::onCommit(commit);
}

void TapPort::onDelivered(const Delivered& delivered)
{
    for (PortObserver* o : observers_) o->onDelivered(delivered);
    ForwardingPort::onDelivered(delivered);
}

void TapPort::onCancel(const CancelQuery& query)
{
    for (PortObserver* o : observers_) o->onCancel(query);
    ForwardingPort::onCancel(query);
}

void TapPort::onCtaFree(const CtaFree& free)
{
    for (PortObserver* o : observers_) o->onCtaFree(free);
    ForwardingPort::onCtaFree(free);
}

void TapPort::onGrid(const GridEvent& event)
{
    for (PortObserver* o : observers_) o->onGrid(event);
    ForwardingPort::onGrid(event);
}

}  // namespace gsu
