/// Races in a replayed trace that holds the accesses to memory (gsu replay --check race).
#pragma once
#include <nlohmann/json.hpp>

#include "races/detector.hpp"
#include "trace/memory_feed.hpp"

namespace gsu::cli {

/// The detector; a base class, because it must exist before the reader that reports to it.
struct ReplayDetector {
    races::Detector detector_;
};

class ReplayRaces final : private ReplayDetector, private races::AccessReader {
public:
    /// Races of `program`, which must outlive this. Throws InputError if no race can be found in this replay. `compares`: it is the
    /// recorded run once more.
    ReplayRaces(const trace::Program& program, bool compares);
    [[nodiscard]] PortObserver& observer() noexcept { return detector_.port(); }
    [[nodiscard]] trace::MemoryFeed& feed() noexcept { return feed_; }
    /// Ends the replay and takes its races. `whole`: it agreed with the recording; otherwise no race is reported.
    void finish(bool whole);
    /// The races, in the form of findings of a run.
    [[nodiscard]] nlohmann::ordered_json json() const;
    /// The first 20 races and the number of the others, as text.
    [[nodiscard]] std::string text() const;
    [[nodiscard]] bool any() const noexcept { return !result_.findings.empty(); }

private:
    void onLines(const races::ModuleLines& lines) override { detector_.learn(lines); }
    [[nodiscard]] static const trace::Program& checked(const trace::Program& program,
                                                       bool compares);

    const trace::Program& program_;
    trace::MemoryFeed feed_;
    ptx::Module named_;  ///< only the name of the trace's PTX file
    RunResult result_;
    bool whole_{};
};

}  // namespace gsu::cli
