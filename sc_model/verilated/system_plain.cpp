// The fast models: no assertions and no trace code in them.
#include <Vgsu_net.h>

#include "verilated/split_sm.hpp"
#include "verilated/system.hpp"

namespace gsu {

std::unique_ptr<RtlPort::System> makePlainSystem(unsigned sms, const Config& config, unsigned first)
{
    return std::make_unique<ModelSystem<SplitSm, Vgsu_net, false>>(sms, config, first);
}

}  // namespace gsu
