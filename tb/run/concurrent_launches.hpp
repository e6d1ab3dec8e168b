/// Launches of a list that run at the same time on one unit: a launch, and the following ones that griddepcontrol lets begin before it has ended.
#pragma once
#include <memory>
#include <vector>

#include "exec/shared_units/shared_unit.hpp"
#include "run/launch_run.hpp"

namespace gsu::run {

/// Indices of launches that share a unit, in the order of their begin; a single index has the unit for itself.
using ConcurrentLaunches = std::vector<std::size_t>;

/// Groups the launches of a list that share a unit. A dependent launch runs beside the preceding one if it comes directly after it in
/// `order`, and that one has a griddepcontrol.launch_dependents or itself runs beside others. Cooperative launches, and writes of the host
/// before a launch, stay in order.
[[nodiscard]] std::vector<ConcurrentLaunches>
concurrentLaunches(const std::vector<LaunchSpec>& launches, const std::vector<std::size_t>& order,
                   const std::vector<LaunchNeeds>& needs);

class ConcurrentRun {
public:
    struct Ended {
        std::size_t index{};  ///< index in the list
        Cycle begun{};        ///< begin by the unit's clock
        LaunchOutcome outcome;
        std::vector<MemoryContents> contents;  ///< its buffers, if they are wanted
    };
    /// Prepares the launches. `files` are those of launch `index`; the unit's files are those of its first launch. All must outlive the
    /// run. Throws InputError.
    ConcurrentRun(const RunSetup& setup, const LaunchFile& file, Device& device,
                  ConcurrentLaunches which, unsigned sms, bool contents);
    ~ConcurrentRun();
    ConcurrentRun(const ConcurrentRun&) = delete;
    ConcurrentRun& operator=(const ConcurrentRun&) = delete;

    /// Runs until all launches have ended. After a launch that does not end as expected no other begins. Results are in the order of their begin.
    [[nodiscard]] std::vector<Ended> run();
    /// Finishes the unit's files, after run().
    [[nodiscard]] Outputs finish();
    /// Clocks of the unit so far.
    [[nodiscard]] Cycle cycles() const noexcept;

private:
    struct Unit;
    struct Launch;
    [[nodiscard]] bool mayBegin(std::size_t k) const;
    void begin(std::size_t k);
    void giveUp(std::size_t behind);
    void collect(std::vector<Ended>& ended);

    const RunSetup setup_;
    const LaunchFile& file_;
    Device& device_;
    const ConcurrentLaunches which_;
    const bool contents_;
    const CommonOptions files_;  ///< files of the unit
    SharedUnit shared_;
    std::unique_ptr<Unit> unit_;
    /// launches that have begun; nullptr when they have ended
    std::vector<std::unique_ptr<Launch>> launches_;
    bool failed_{};
};

/// The options of one launch of a list: files of its own, memory is written at the end.
[[nodiscard]] CommonOptions optionsOf(const CommonOptions& all, std::size_t index);

}  // namespace gsu::run
