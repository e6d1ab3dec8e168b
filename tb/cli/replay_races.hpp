/// Races in a replayed trace that holds the accesses to memory (gsu replay --check race).
#pragma once
#include <nlohmann/json.hpp>

#include "races/detector.hpp"
#include "trace/memory_feed.hpp"

namespace gsu::cli {

/// A base of its own: it must be there before the reader that tells it.
struct ReplayDetector {
    races::Detector detector_;
};

class ReplayRaces final : private ReplayDetector, private races::AccessReader {
public:
    /// The program outlives it. Throws InputError when no race can be found in this replay. `compares`: it is the recorded run once more.
    ReplayRaces(const trace::Program& program, bool compares);
    [[nodiscard]] PortObserver& observer() noexcept { return detector_.port(); }
    [[nodiscard]] trace::MemoryFeed& feed() noexcept { return feed_; }
    /// The replay is over: what was found. `whole`: it agreed with the recording; else nothing is told.
    void finish(bool whole);
    /// As the findings of a run.
    [[nodiscard]] nlohmann::ordered_json json() const;
    /// The first 20 and the number of the others.
    [[nodiscard]] std::string text() const;
    [[nodiscard]] bool any() const noexcept { return !result_.findings.empty(); }

private:
    void onLines(const races::ModuleLines& lines) override { detector_.learn(lines); }
    [[nodiscard]] static const trace::Program& checked(const trace::Program& program,
                                                       bool compares);

    const trace::Program& program_;
    trace::MemoryFeed feed_;
    ptx::Module named_;  ///< the trace's PTX file, of which there is the name alone
    RunResult result_;
    bool whole_{};
};

}  // namespace gsu::cli
