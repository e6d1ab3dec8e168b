/// A kernel run on the golden unit with the race detector.
#pragma once
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "catch.hpp"
#include "exec/machine/executor.hpp"
#include "files.hpp"
#include "golden/golden.hpp"
#include "observers/tap_port.hpp"
#include "ptx/parser.hpp"
#include "races/detector.hpp"

namespace racetests {

using namespace gsu;

/// Tells the detector where CTAs are.
class Places final : public ExecObserver {
public:
    explicit Places(PortObserver& to) : to_(to) {}
    void onPlaced(const CtaPlace& place) override { to_.onPlace(place.launch, place.linear); }

private:
    PortObserver& to_;
};

inline RunResult watchedRun(const LaunchSpec& spec, const ptx::Module& module,
                            const RunOptions& options, std::vector<std::uint8_t>* out = nullptr)
{
    Executor executor(spec, module, options);
    races::Detector detector(module);
    Places places(detector.port());
    executor.addObserver(places);
    executor.watchAccesses(detector);
    GoldenOptions golden;
    const auto port = makeGoldenPort(executor.sms(), golden, &executor.sharedMemory());
    TapPort tap(*port);
    tap.add({&detector.port()});
    RunResult result = executor.run(tap);
    if (out != nullptr && spec.params.size() > 1) *out = executor.readBuffer(1);
    return result;
}

/// Findings of races, in the order in which they were found.
inline std::vector<Finding> racesOf(const RunResult& result)
{
    std::vector<Finding> found;
    for (const Finding& f : result.findings)
        if (f.race != nullptr) found.push_back(f);
    return found;
}

/// The findings of the detector: races, and the rules of mbarriers that depend on order.
inline std::vector<Finding> orderFindings(const RunResult& result)
{
    std::vector<Finding> found;
    for (const Finding& f : result.findings)
        if (f.race != nullptr || f.rule == "HS-013" || f.rule == "MBW-014" || f.rule == "MBAR-029")
            found.push_back(f);
    return found;
}

inline constexpr std::uint64_t kPage = 4096;  ///< buffers begin at one, wherever the host puts them

/// Each finding as a line: rule, line, how often, CTA/warp/lanes, memory, agents and message, but no cycle.
inline std::string factsOf(const std::vector<Finding>& found)
{
    std::string text;
    for (const Finding& f : found) {
        text +=
            fmt::format("{}\t{}\t{}\t{}/{}/{:#x}", f.rule, f.line, f.count, f.cta, f.warp, f.lanes);
        if (f.race != nullptr) {
            const RaceFacts& r = *f.race;
            text += fmt::format("\t{}@{}:{}\t{} {}\t", r.space, r.address % kPage, r.size, r.scope,
                                fmt::join(r.missing, "+"));
            for (std::size_t i = 0; i < r.agents.size(); ++i)
                text += fmt::format("{}L{} {}/{}/{:#x}", i == 0 ? "" : ", ", r.lines[i],
                                    r.agents[i].cta, r.agents[i].warp, r.agents[i].lanes);
        }
        text += '\t' + f.message + '\n';
    }
    return text;
}

/// Compares with a table of this folder; GSU_WRITE_FINDINGS writes it anew, to be read by a person.
inline void checkTable(const std::string& name, const std::string& table)
{
    const std::string file = testfiles::testsFolder() + "/races/" + name;
    if (std::getenv("GSU_WRITE_FINDINGS") != nullptr) testfiles::spill(file, table);
    CHECK(table == testfiles::slurp(file));
}

/// For messages.
inline std::string textOf(const std::vector<Finding>& found)
{
    std::string text;
    for (const Finding& f : found)
        text += f.rule + " line " + std::to_string(f.line) + ": " + f.message + "\n";
    return text;
}

}  // namespace racetests
