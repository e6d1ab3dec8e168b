/// Launches of a list that go on beside each other on one unit: one, and those behind it that griddepcontrol lets begin before it has ended.
#pragma once
#include <memory>
#include <vector>

#include "exec/shared_units/shared_unit.hpp"
#include "run/launch_run.hpp"

namespace gsu::run {

/// Indices of launches that share a unit, in the order of their begin; one alone has it for itself.
using ConcurrentLaunches = std::vector<std::size_t>;

/// What of the list shares a unit: a dependent launch goes beside the one before it when that comes directly before it in `order` and has a
/// griddepcontrol.launch_dependents, or goes beside others itself. Cooperative launches, and what the host writes before a launch, stay in order.
[[nodiscard]] std::vector<ConcurrentLaunches>
concurrentLaunches(const std::vector<LaunchSpec>& launches, const std::vector<std::size_t>& order,
                   const std::vector<LaunchNeeds>& needs);

class ConcurrentRun {
public:
    struct Ended {
        std::size_t index{};  ///< in the list
        Cycle begun{};        ///< by the unit's clock
        LaunchOutcome outcome;
        std::vector<MemoryContents> contents;  ///< its buffers, where they are wanted
    };
    /// `files` are those of launch `index`; the unit's are those of its first launch. All must outlive it. Throws InputError.
    ConcurrentRun(const RunSetup& setup, const LaunchFile& file, Device& device,
                  ConcurrentLaunches which, unsigned sms, bool contents);
    ~ConcurrentRun();
    ConcurrentRun(const ConcurrentRun&) = delete;
    ConcurrentRun& operator=(const ConcurrentRun&) = delete;

    /// Until all have ended; after one that does not end as expected no other begins. In the order of their begin.
    [[nodiscard]] std::vector<Ended> run();
    /// The unit's files, once they have run.
    [[nodiscard]] Outputs finish();
    /// Clocks of the unit.
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
    const CommonOptions files_;  ///< of the unit
    SharedUnit shared_;
    std::unique_ptr<Unit> unit_;
    std::vector<std::unique_ptr<Launch>> launches_;  ///< that have begun; gone when they have ended
    bool failed_{};
};

/// The options of one launch of a list: files of its own, memory is written at the end.
[[nodiscard]] CommonOptions optionsOf(const CommonOptions& all, std::size_t index);

}  // namespace gsu::run
