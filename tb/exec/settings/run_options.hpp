/// Options of the run of one launch: seed, limits, memory, ignored findings.
#pragma once
#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "exec/settings/params.hpp"
#include "golden/structure.hpp"
#include "golden/types.hpp"

namespace gsu {

namespace timing {
class Sharing;
}

/// Arithmetic of matrix instructions (tb/exec/tensor.md).
enum class TensorMode : std::uint8_t {
    Compute,
    Truncate,  ///< sums of floats are cut off as published for Hopper
    /// every result is zero, memory is not compared at the end; times and synchronization are unchanged
    Skip
};

/// A word of global memory by which CTAs take their work; address 0: there is none, or none is known.
struct WorkCounterPlace {
    std::uint64_t address{};
    std::uint32_t line{};  ///< of the PTX, of an atom that takes
};

/// Ignored findings: of a rule, or of one line alone (0: of all).
struct Suppression {
    std::string rule;
    std::uint32_t line{};
};

/// Progress of a run.
struct RunProgress {
    Cycle cycle{};
    std::uint64_t instructions{};       ///< of warps
    std::uint64_t ctasEnded{}, ctas{};  ///< CTAs of the grid that have ended, and all of them
};

struct RunOptions {
    ExecParams params;
    std::uint64_t seed{1};
    Cycle maxCycles{kNever};
    std::uint64_t maxInstructions{~0ull};  ///< of warps; reaching it is Verdict::Limit, too
    /// Work of the simulator, not of the kernel: 1 for each warp instruction, 16 for each executed cycle (about 50 ns and 1 us).
    /// Verdict::Limit after this much work without a change of memory or of a barrier, or (second value) without a CTA starting or ending.
    /// So an endless spin is stopped and a long run that makes progress is not.
    std::uint64_t quietWork{1ull << 30}, ctaWork{1ull << 32};
    /// When it becomes true the run ends: Verdict::Interrupted.
    const std::atomic<bool>* stop{};
    /// Called every 4096 executed cycles (some milliseconds), to report the progress of a long run.
    std::function<void(const RunProgress&)> watch{};
    /// Accesses outside every allocation of global memory are findings and the thread continues: reads give 0, writes do nothing. Otherwise
    /// they trap.
    bool keepGoing{};
    TensorMode tensor{TensorMode::Compute};
    /// Times at which stores of a PTX line are performed towards their CTA and towards everyone, if exec.memory delays them: clocks in
    /// place of drawn ones (a litmus test's witness).
    std::map<std::uint32_t, std::pair<Cycle, Cycle>> storeTimes{};
    /// Which lines SMs that are not simulated read as well, for exec.of; nullptr: estimated.
    std::shared_ptr<const timing::Sharing> sharing{};
    /// The counter from which CTAs take their work, for exec.of (WorkCounter).
    WorkCounterPlace workCounter{};
    /// RunResult::timing has the activity of each server over time.
    bool serverActivity{};
    /// Structure of the port's SMs.
    Structure structure{};
    /// Findings of these rules or lines are counted (RunResult::ignored) and left out: they do not affect the verdict.
    std::vector<Suppression> ignore{};
    /// Keeps a history from which a hang is explained. Without it a hang has no cause: for measurements of its cost.
    bool explains{true};
    /// Limit of host memory for buffers, variables, registers and local memory.
    std::uint64_t memoryBytes{4ull << 30};
};

}  // namespace gsu
