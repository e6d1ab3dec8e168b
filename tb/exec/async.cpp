#include "exec/async_state.hpp"

namespace gsu::exec {

bool Machine::asyncBusy() const { return async->inFlight != 0; }

void Machine::onDelivered(const Delivered& delivered)
{
    for (ExecObserver* o : observers) o->onDelivered(delivered);
}

}  // namespace gsu::exec
