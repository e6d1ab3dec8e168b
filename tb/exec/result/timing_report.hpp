/// The time of a launch by cause, under an exec.timing other than simple.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "exec/timing/activity.hpp"
#include "exec/timing/ledger.hpp"

namespace gsu {

namespace timing {
class Sharing;
}

struct TimingReport {
    std::string timing;  ///< hopper, blackwell
    std::uint32_t clockMhz{}, window{};
    unsigned sms{}, of{};  ///< simulated SMs, of this many that do the same
    /// what is known of lines that the other SMs read as well; nullptr: an estimate from tensor maps
    std::shared_ptr<const timing::Sharing> sharing;
    std::uint32_t counterLine{};  ///< of RunOptions::workCounter; 0: there is none
    double wholes{1};             ///< ratio of the grid to the simulated CTAs
    Cycle cycles{};
    timing::Ledger ledger;
    std::vector<timing::Utilisation> servers;
    std::string bound;                 ///< the bound, as a sentence
    double multiplyAdds{};             ///< of matrix instructions, on the simulated SMs
    double bytes{};                    ///< bytes that they moved between L2 and HBM
    std::uint64_t fencesAmidCopies{};  ///< TimingModel::fencesAmidCopies()
    double fenceShare{};               ///< time of these fences, as a fraction of an SM's
    std::vector<timing::ServerActivity> activity;  ///< RunOptions::serverActivity
    std::shared_ptr<const TimingReport> inOrder;   ///< the same launch with window 1 (--range)
    [[nodiscard]] double microseconds() const noexcept
    {
        return static_cast<double>(cycles) / clockMhz;
    }
    /// TFLOPS of the grid, if its other CTAs do as much.
    [[nodiscard]] double teraflops() const noexcept
    {
        return 2 * multiplyAdds * wholes / microseconds() / 1e6;
    }
    [[nodiscard]] double gigabytes() const noexcept
    {
        return bytes * wholes / microseconds() / 1e3;
    }
};

}  // namespace gsu
