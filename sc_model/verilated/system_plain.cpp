// The fast models: no assertions and no trace code in them.
#include <Vgsu_net.h>
#include <Vgsu_net_wide.h>

#include "verilated/split_sm.hpp"
#include "verilated/system.hpp"

namespace gsu {

std::unique_ptr<RtlPort::System> makePlainSystem(unsigned sms, const Config& config, unsigned first)
{
    if (sms <= sizeof(Vgsu_net::tx_i) / sizeof(Vgsu_net::tx_i[0]))
        return std::make_unique<ModelSystem<SplitSm, Vgsu_net, false>>(sms, config, first);
    return std::make_unique<ModelSystem<SplitSm, Vgsu_net_wide, false>>(sms, config, first);
}

}  // namespace gsu
