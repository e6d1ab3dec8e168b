/// One launch on several threads. Its SMs are divided into parts that share nothing but global memory, and each part is executed for a stretch of time in
/// parallel with the others. Either the result is that of one thread, to the bit, or there is none (parallel.md explains why that can be known).
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "exec/machine/executor.hpp"

namespace gsu {

/// SMs [first, first + count).
struct SmSpan {
    unsigned first{}, count{};
};

class ParallelRun {
public:
    /// Why the launch is executed at once; nullptr: nothing is against parts.
    [[nodiscard]] static const char* obstacle(const Executor& executor);
    /// Pre: no obstacle, nothing has run. The executor outlives it, and is not run itself.
    explicit ParallelRun(Executor& executor);
    ~ParallelRun();
    ParallelRun(const ParallelRun&) = delete;
    ParallelRun& operator=(const ParallelRun&) = delete;

    /// The SMs of each part, two parts and more.
    [[nodiscard]] const std::vector<SmSpan>& parts() const noexcept { return spans_; }
    /// What observes the placement of a part's CTAs; it outlives the run.
    void addObserver(unsigned part, ExecObserver& observer);
    /// As Executor::watchTensor, of a part.
    void watchTensor(unsigned part, TensorObserver& observer);
    /// As Executor::note, of a part's unit.
    void note(unsigned part, const MbarNote& note);
    /// Calls work(part) once for each part below `parts`, in any order and on any threads; returns when all are done (ThreadPool::run).
    using Share = std::function<void(unsigned parts, const std::function<void(unsigned)>& work)>;
    /// Runs it. ports[i] has the SMs of part i, by their numbers in the whole. `exchanged` is called when all parts have come to a cycle, with it. None: the
    /// launch has to be executed at once (left() says why), after undo() by the executor after restart().
    [[nodiscard]] std::optional<RunResult> run(const std::vector<SyncPort*>& ports,
                                               const Share& share,
                                               const std::function<void(Cycle)>& exchanged);
    /// Memory is as it was before.
    void undo();
    /// Why there was no result.
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
