#include <fmt/format.h>

#include "port_testbench.hpp"

#include <algorithm>

namespace gsu {

TlmTestbench::TlmTestbench(const sc_core::sc_module_name& name, const TestbenchOptions& options,
                           SyncPort& inner, Stimulus stimulus)
    : Testbench(name, options),
      target_("sync", inner, options.period),
      port_("port", target_),
      logged_(port_),
      stimulus_(std::move(stimulus))
{
    SC_HAS_PROCESS(TlmTestbench);
    SC_THREAD(stimulate);
}

void TlmTestbench::stimulate()
{
    stimulus_(logged_);
    finish();
}

std::vector<std::string> logOf(SyncPort& port, const Stimulus& stimulus)
{
    LoggingPort logged(port);
    stimulus(logged);
    return logged.log().lines();
}

std::string firstDifference(const std::vector<std::string>& expected,
                            const std::vector<std::string>& actual)
{
    const auto [e, a] =
        std::mismatch(expected.begin(), expected.end(), actual.begin(), actual.end());
    if (e == expected.end() && a == actual.end()) return {};
    return fmt::format("event {}: expected {}, got {}", e - expected.begin(),
                       e == expected.end() ? "no more" : "'" + *e + "'",
                       a == actual.end() ? "no more" : "'" + *a + "'");
}

}  // namespace gsu
