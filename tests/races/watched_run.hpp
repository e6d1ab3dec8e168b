/// A kernel run on the golden unit with the race detector.
#pragma once
#include <algorithm>
#include <string>
#include <vector>

#include "exec/machine/executor.hpp"
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

/// For messages.
inline std::string textOf(const std::vector<Finding>& found)
{
    std::string text;
    for (const Finding& f : found)
        text += f.rule + " line " + std::to_string(f.line) + ": " + f.message + "\n";
    return text;
}

}  // namespace racetests
