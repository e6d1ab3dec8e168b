/// Options of the run of one launch: seed, limits, memory, what is left out.
#pragma once
#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "exec/settings/params.hpp"
#include "golden/structure.hpp"
#include "golden/types.hpp"

namespace gsu {

/// What matrix instructions do with their numbers (tb/exec/tensor.md).
enum class TensorMode : std::uint8_t {
    Compute,
    Truncate,  ///< sums of floats are cut off as published for Hopper
    Skip  ///< every result is zero, memory is not compared at the end; times and synchronization stay what they are
};

/// Findings that are not wanted: of a rule, or of one line alone (0: of all).
struct Suppression {
    std::string rule;
    std::uint32_t line{};
};

/// How far a run is.
struct RunProgress {
    Cycle cycle{};
    std::uint64_t instructions{};       ///< of warps
    std::uint64_t ctasEnded{}, ctas{};  ///< of the grid
};

struct RunOptions {
    ExecParams params;
    std::uint64_t seed{1};
    Cycle maxCycles{kNever};
    std::uint64_t maxInstructions{~0ull};  ///< of warps; reaching it is Verdict::Limit, too
    /// Work of the simulator, not of the kernel: 1 for each warp instruction, 16 for each evaluated cycle (about 50 ns and
    /// 1 us). So much of it without a change of memory or of a barrier is Verdict::Limit, and so much without a CTA that
    /// starts or ends: what spins forever ends, a long run that gets on does not.
    std::uint64_t quietWork{1ull << 30}, ctaWork{1ull << 32};
    /// When it becomes true the run ends: Verdict::Interrupted.
    const std::atomic<bool>* stop{};
    /// Called every 4096 evaluated cycles (some milliseconds), for who tells people how far a long run is.
    std::function<void(const RunProgress&)> watch{};
    /// Accesses outside every allocation of global memory are findings and the thread goes on: reads give 0, writes do
    /// nothing. Otherwise they trap.
    bool keepGoing{};
    TensorMode tensor{TensorMode::Compute};
    /// When stores of a PTX line are performed towards their CTA and towards everyone, where exec.memory delays them: clocks
    /// that take the place of drawn ones (a litmus test's witness).
    std::map<std::uint32_t, std::pair<Cycle, Cycle>> storeTimes{};
    /// RunResult::timing says how busy each server was as time went by.
    bool serverActivity{};
    /// What the SMs of the port have.
    Structure structure{};
    /// Findings of these are counted (RunResult::ignored) and left out: they make no verdict.
    std::vector<Suppression> ignore{};
    /// Remembers what a hang is explained by. Without it a hang has no cause: for measurements of what it costs.
    bool explains{true};
    /// Host memory for buffers, variables, registers and local memory.
    std::uint64_t memoryBytes{4ull << 30};
};

}  // namespace gsu
