#include "unit_port.hpp"

#include "golden/golden.hpp"
#include "lockstep/lockstep.hpp"
#include "verilated/rtl_port.hpp"

namespace gsu {

std::vector<std::string> unitNames() { return {"rtl", "golden", "lockstep"}; }

UnitPort::UnitPort(const std::string& name, unsigned sms)
    : UnitPort(name, sms, configOf(Preset::Hopper))
{
}

UnitPort::UnitPort(const std::string& name, unsigned sms, const Config& config) : memory_(sms)
{
    const MbarPolicy policy{.lockOnError = (config.mbar_policy & 2) != 0,
                            .sm80 = (config.mbar_policy & 4) != 0};
    if (name == "golden") {
        port_ = makeGoldenPort(sms,
                               {.policy = policy,
                                .waitLimit = config.trywait_limit,
                                .waitSlots = config.trywait_slots},
                               &memory_);
        return;
    }
    auto rtl = std::make_unique<RtlPort>(sms, config);
    rtl->setMemory(memory_);
    if (name == "rtl") {
        port_ = std::move(rtl);
    } else {
        device_ = std::move(rtl);
        port_ = makeLockstepPort(*device_, {.policy = policy, .waitLimit = config.trywait_limit});
    }
}

}  // namespace gsu
