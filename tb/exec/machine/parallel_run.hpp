/// One launch on several threads. Its SMs are divided into parts that share nothing except global memory, and each part is executed for a
/// stretch of time in parallel with the others. Either the result is that of one thread, to the bit, or there is none (parallel.md explains
/// how that is known).
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "exec/machine/executor.hpp"

namespace gsu {

/// The SMs [first, first + count).
struct SmSpan {
    unsigned first{}, count{};
};

class ParallelRun {
public:
    /// The reason why the launch must run on one thread; nullptr: it can run in parts.
    [[nodiscard]] static const char* obstacle(const Executor& executor);
    /// Divides a launch. Pre: no obstacle, nothing has run. The executor outlives it, and is not run itself.
    explicit ParallelRun(Executor& executor);
    ~ParallelRun();
    ParallelRun(const ParallelRun&) = delete;
    ParallelRun& operator=(const ParallelRun&) = delete;

    /// The SMs of each part; at least two parts.
    [[nodiscard]] const std::vector<SmSpan>& parts() const noexcept { return spans_; }
    /// Adds an observer of the placement of a part's CTAs; it outlives the run.
    void addObserver(unsigned part, ExecObserver& observer);
    /// As Executor::watchTensor, for a part.
    void watchTensor(unsigned part, TensorObserver& observer);
    /// As Executor::note, for a part's unit.
    void note(unsigned part, const MbarNote& note);
    /// Calls work(part) once for each part below `parts`, in any order and on any threads; returns when all are done (ThreadPool::run).
    using Share = std::function<void(unsigned parts, const std::function<void(unsigned)>& work)>;
    /// Runs the launch. ports[i] has the SMs of part i, by their numbers in the chip. `exchanged` is called with a cycle when all parts
    /// have reached it. Nothing: the launch has to run on one thread (left() gives the reason), after undo(), by the executor after
    /// restart().
    [[nodiscard]] std::optional<RunResult> run(const std::vector<SyncPort*>& ports,
                                               const Share& share,
                                               const std::function<void(Cycle)>& exchanged);
    /// Restores memory.
    void undo();
    /// The reason why there was no result.
    [[nodiscard]] const char* left() const noexcept { return left_; }

private:
    struct Part;
    void place(const std::vector<Part*>& freed, Cycle now);
    void advance(const std::vector<Part*>& going, Cycle until, const Share& share);
    [[nodiscard]] bool exchange(Cycle until);
    [[nodiscard]] bool conflict();
    [[nodiscard]] RunResult result(Cycle begun) const;

    exec::KernelRun& whole_;
    std::vector<SmSpan> spans_;
    struct Shared;
    std::unique_ptr<Shared> shared_;
    std::vector<std::unique_ptr<Part>> parts_;
    std::vector<std::vector<std::uint8_t>> before_;  ///< global memory, by block
    const char* left_{};
};

}  // namespace gsu
