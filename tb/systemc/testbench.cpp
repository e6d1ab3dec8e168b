#include "testbench.hpp"

#include <cstdio>
#include <utility>

namespace gsu {

namespace {

/// Number of reports of the process; SystemC's report handler is a plain function.
unsigned complaints = 0;
bool stopping = false;

void stop()
{
    if (!std::exchange(stopping, true)) sc_core::sc_stop();  // a second call would be a warning
}

void onReport(const sc_core::sc_report& report, const sc_core::sc_actions& actions)
{
    // Debian's SystemC reports its own deprecations as SC_INFO: every higher severity is a failure.
    if (report.get_severity() == sc_core::SC_INFO) {
        sc_core::sc_report_handler::default_handler(report, actions);
        return;
    }
    ++complaints;
    std::fprintf(stderr, "testbench: %s: %s: %s (%s) in %s\n",
                 report.get_severity() == sc_core::SC_WARNING ? "warning" : "error",
                 report.get_msg_type(), report.get_msg(),
                 sc_core::sc_time_stamp().to_string().c_str(),
                 report.get_process_name() != nullptr ? report.get_process_name() : "no process");
    if (report.get_severity() == sc_core::SC_FATAL)
        sc_core::sc_report_handler::default_handler(report, actions);
    else
        stop();
}

}  // namespace

Testbench::Testbench(const sc_core::sc_module_name& name, const TestbenchOptions& options)
    : sc_module(name), options_(options), time_(options.period), random_(options.seed)
{
    sc_core::sc_report_handler::set_handler(onReport);
    sc_core::sc_set_stop_mode(sc_core::SC_STOP_FINISH_DELTA);
}

Testbench::~Testbench() { sc_core::sc_report_handler::set_handler(nullptr); }

int Testbench::run()
{
    sc_core::sc_start(time_.startOf(options_.limit));
    const std::string at = sc_core::sc_time_stamp().to_string();
    if (!finished_) {
        ++complaints;
        std::fprintf(stderr, "testbench %s: did not reach its end; stopped at %s\n", name(),
                     at.c_str());
    }
    std::fprintf(stderr, "testbench %s: %s at %s, seed %llu, %u complaints\n", name(),
                 complaints == 0 ? "passed" : "FAILED", at.c_str(),
                 static_cast<unsigned long long>(options_.seed), complaints);
    return complaints == 0 ? 0 : 1;
}

void Testbench::finish()
{
    finished_ = true;
    stop();
}

void Testbench::fail(const std::string& why)
{
    ++complaints;
    std::fprintf(stderr, "testbench %s: %s: %s\n", name(),
                 sc_core::sc_time_stamp().to_string().c_str(), why.c_str());
}

PinTestbench::PinTestbench(const sc_core::sc_module_name& name, const TestbenchOptions& options)
    : Testbench(name, options), clk_("clk", options.period, 0.5, options.period / 2, true)
{
}

void PinTestbench::reset()
{
    rst_n_ = false;
    wait(time().startOf(kResetCycles));
    rst_n_ = true;
}

}  // namespace gsu
