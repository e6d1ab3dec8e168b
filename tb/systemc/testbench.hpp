/// Base of every SystemC testbench: clock, reset, seed, time limit and the verdict. One testbench per process.
/// A testbench passes only if it calls finish() before its limit and SystemC reported nothing above SC_INFO.
#pragma once
#include <random>
#include <string>
#include <systemc>

#include "systemc/cycle_time.hpp"

namespace gsu {

struct TestbenchOptions {
    std::uint64_t seed{1};
    Cycle limit{1'000'000};  ///< cycles until the testbench counts as stuck
    sc_core::sc_time period{1, sc_core::SC_NS};
};

class Testbench : public sc_core::sc_module {
public:
    Testbench(const sc_core::sc_module_name& name, const TestbenchOptions& options);
    ~Testbench() override;

    [[nodiscard]] const TestbenchOptions& options() const noexcept { return options_; }
    [[nodiscard]] const CycleTime& time() const noexcept { return time_; }
    /// Source of all random choices of a testbench.
    [[nodiscard]] std::mt19937_64& random() noexcept { return random_; }

    /// Runs the simulation to its end and prints the verdict on standard error: 0 passed, 1 failed. Once per process.
    [[nodiscard]] int run();

protected:
    /// Ends the stimulus: stops the simulation.
    void finish();
    /// Reports a difference. The testbench continues, so that all differences are reported.
    void fail(const std::string& why);

private:
    TestbenchOptions options_;
    CycleTime time_;
    std::mt19937_64 random_;
    bool finished_{};
};

/// A testbench with clock and reset pins. The clock is low in the first half of a period: cycle n begins with its falling edge.
class PinTestbench : public Testbench {
public:
    PinTestbench(const sc_core::sc_module_name& name, const TestbenchOptions& options);

protected:
    static constexpr Cycle kResetCycles = 2;
    /// Waits until the reset is over; call first, from an SC_THREAD. Returns at the beginning of a cycle.
    void reset();

    sc_core::sc_clock clk_;
    sc_core::sc_signal<bool> rst_n_{"rst_n"};
};

}  // namespace gsu
