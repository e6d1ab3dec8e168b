/// Where the time of a launch went, under exec.timing other than simple.
#pragma once
#include <string>
#include <vector>

#include "exec/timing/ledger.hpp"

namespace gsu {

struct TimingReport {
    std::string timing;  ///< hopper, blackwell
    std::uint32_t clockMhz{}, window{};
    unsigned sms{}, of{};  ///< simulated ones of so many that do the same
    Cycle cycles{};
    timing::Ledger ledger;
    std::vector<timing::Utilisation> servers;
    std::string bound;      ///< as a sentence
    double multiplyAdds{};  ///< of matrix instructions, on the simulated SMs
    double bytes{};         ///< that they moved between L2 and HBM
    [[nodiscard]] double microseconds() const noexcept
    {
        return static_cast<double>(cycles) / clockMhz;
    }
    /// Of all SMs, if all did the same.
    [[nodiscard]] double teraflops() const noexcept
    {
        return 2 * multiplyAdds * of / sms / microseconds() / 1e6;
    }
    [[nodiscard]] double gigabytes() const noexcept
    {
        return bytes * of / sms / microseconds() / 1e3;
    }
};

}  // namespace gsu
