#include <string>

#include "entries.hpp"
#include "exec/machine/executor.hpp"
#include "golden/golden_port.hpp"
#include "ptx/parser.hpp"

namespace {

constexpr gsu::Cycle kCycles = 30'000;
constexpr std::uint64_t kInstructions = 20'000;
constexpr std::uint64_t kBytes = 64ull << 20;
constexpr std::string_view kSplit = "\n%%\n";

void execute(std::string_view json, std::string_view ptx)
{
    // The folder does not exist: no data file is ever found.
    const gsu::LaunchSpec spec =
        gsu::parseLaunch(std::string(json), "no such folder/fuzz.launch.json", kBytes);
    const gsu::ptx::Module module = gsu::ptx::parseModule(ptx, "fuzz.ptx");
    if (!module.ok()) return;
    gsu::RunOptions options;
    options.maxCycles = kCycles;
    options.maxInstructions = kInstructions;
    options.memoryBytes = kBytes;
    options.seed = ptx.size();
    options.params.quiet = 200;  // loops are compared soon
    gsu::Executor executor(spec, module, options);
    gsu::GoldenPort port(executor.sms(), {.onNote = [&executor](const gsu::MbarNote& note) {
                             executor.note(note);
                         }});
    port.setMemory(executor.sharedMemory());
    const gsu::RunResult result = executor.run(port);
    gsu::fuzz::require(!result.fault, "the golden unit takes what the executor gives");
    for (const gsu::Finding& f : result.findings)
        gsu::fuzz::require(!f.message.empty() && f.count != 0, "a finding says what it is");
    for (std::size_t i = 0; i < spec.params.size(); ++i) static_cast<void>(executor.readBuffer(i));
}

}  // namespace

void gsu::fuzz::launch(std::string_view input)
{
    const std::size_t split = input.find(kSplit);
    const auto json = input.substr(0, split);
    const auto ptx =
        split == std::string_view::npos ? std::string_view() : input.substr(split + kSplit.size());
    try {
        execute(json, ptx);
    } catch (const InputError& e) {
        require(!e.reason.empty(), "a refusal has a reason");
    }
}
