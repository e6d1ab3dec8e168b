#include "unit_port.hpp"

#include "golden/golden_port.hpp"
#include "lockstep/lockstep_port.hpp"
#include "verilated/rtl_port.hpp"

namespace gsu {

std::vector<std::string> unitNames() { return {"rtl", "golden", "lockstep"}; }

UnitPort::UnitPort(const std::string& name, unsigned sms)
    : UnitPort(name, sms, configOf(Preset::Hopper))
{
}

UnitPort::UnitPort(const std::string& name, unsigned sms, const Config& config)
{
    if (name == "golden") {
        port_ = std::make_unique<GoldenPort>(sms);
    } else if (name == "rtl") {
        port_ = std::make_unique<RtlPort>(sms, config);
    } else {
        device_ = std::make_unique<RtlPort>(sms, config);
        port_ = std::make_unique<LockstepPort>(*device_);
    }
}

}  // namespace gsu
