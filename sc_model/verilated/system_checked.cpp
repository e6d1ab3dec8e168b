// The models that check their own assertions.
#include <Vgsu_net_ck.h>
#include <Vgsu_sm_ck.h>

#include "verilated/system.hpp"

namespace gsu {

std::unique_ptr<RtlPort::System> makeCheckedSystem(unsigned sms, const Config& config,
                                                   unsigned first)
{
    return std::make_unique<ModelSystem<Vgsu_sm_ck, Vgsu_net_ck, true>>(sms, config, first);
}

}  // namespace gsu
