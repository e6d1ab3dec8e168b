/// The text of a litmus kernel; private to tb/litmus.
#pragma once
#include <sstream>

#include "litmus/kernel.hpp"

namespace gsu::litmus {

/// Writes instructions of a test as PTX. `why` is the reason if an instruction has no PTX here, or none that this machine runs.
class KernelWriter {
public:
    explicit KernelWriter(const Test& test);
    void begin();
    /// Begins a kernel for many runs of the test in one launch: see `manyKernelOf`.
    void beginMany();
    void threadBegin(unsigned thread);
    /// Emits code in which all threads of a run wait for each other, then each for a time of its own.
    void meet(unsigned thread, unsigned word, bool delayed);
    /// Emits a wait until the clock; then `line()` is that of the following instruction.
    void waitUntil(Cycle cycle);
    void instruction(unsigned thread, const Instruction& i);
    void threadEnd(unsigned thread, Cycle end);
    /// Emits stores of the shown values to the parameter `out`.
    void show(unsigned thread);
    [[nodiscard]] unsigned ctas() const noexcept { return grid_; }
    [[nodiscard]] unsigned clusterCtas() const noexcept { return clusterCtas_; }
    [[nodiscard]] unsigned threads() const noexcept { return 32 * warps_; }
    /// The initial words of the global memory of one run.
    [[nodiscard]] std::vector<std::int64_t> words() const;
    [[nodiscard]] std::uint32_t line() const noexcept { return line_; }
    [[nodiscard]] std::string finish();
    [[nodiscard]] std::string launch(const std::string& ptxName) const;
    std::string why;

private:
    void put(const std::string& text);
    void head(const char* moreParameters);
    /// Emits the jumps of each thread of the test to its code.
    void dispatch();
    void memory(unsigned thread, const Instruction& i);
    void fence(const Instruction& i);
    void mbarrier(unsigned thread, const Instruction& i);
    void copy(unsigned thread, const Instruction& i);
    void arithmetic(unsigned thread, const Instruction& i);
    [[nodiscard]] std::string reg(unsigned thread, int index) const;
    [[nodiscard]] std::string operand(unsigned thread, const Value& v) const;
    /// Leaves the address of a location in %rd3 or %r3. Returns ".global" and so on.
    [[nodiscard]] std::string address(unsigned thread, unsigned location);
    void clusterAddress(unsigned thread, unsigned location, const char* to);
    [[nodiscard]] std::string bytes(unsigned thread, unsigned mbarrier, const Value& v);
    [[nodiscard]] bool own(unsigned thread, unsigned location) const
    {
        return test_.locations[location].cta == test_.threads[thread].cta;
    }
    [[nodiscard]] unsigned rank(unsigned cta) const { return place_[cta] % clusterCtas_; }

    const Test& test_;
    std::ostringstream text_;
    std::uint32_t line_{1};
    unsigned labels_{}, clusterCtas_{1}, grid_{}, warps_{};
    std::vector<unsigned> place_;      ///< place of each CTA in the grid
    std::vector<std::int32_t> scale_;  ///< factor of bytes, by mbarrier: 4 where copies complete
};

}  // namespace gsu::litmus
