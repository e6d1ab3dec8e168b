/// Testbenches that run a stimulus on one port inside SystemC and log all reports of the port.
#pragma once
#include <functional>

#include "event_log.hpp"
#include "systemc/tlm_port.hpp"
#include "testbench.hpp"

namespace gsu {

/// Drives the given port to the end of the stimulus. Runs in an SC_THREAD.
using Stimulus = std::function<void(SyncPort&)>;

/// Stimulus -> TlmPort -> SyncTlm -> the port under test.
class TlmTestbench final : public Testbench {
public:
    TlmTestbench(const sc_core::sc_module_name& name, const TestbenchOptions& options,
                 SyncPort& inner, Stimulus stimulus);
    [[nodiscard]] const std::vector<std::string>& log() const noexcept
    {
        return logged_.log().lines();
    }
    [[nodiscard]] const SyncTlm& target() const noexcept { return target_; }
    [[nodiscard]] std::uint64_t answers() const noexcept { return port_.answers(); }

private:
    void stimulate();

    SyncTlm target_;
    TlmPort port_;
    LoggingPort logged_;
    Stimulus stimulus_;
};

/// The log of the same stimulus without SystemC: the expected log.
[[nodiscard]] std::vector<std::string> logOf(SyncPort& port, const Stimulus& stimulus);

/// Empty if the logs are equal; else the first line that differs, from both.
[[nodiscard]] std::string firstDifference(const std::vector<std::string>& expected,
                                          const std::vector<std::string>& actual);

}  // namespace gsu
