/// Runs launches on the golden port with a form of memory and a seed.
#pragma once
#include <cstring>

#include "exec/machine/executor.hpp"
#include "exec/visibility/form.hpp"
#include "golden/golden_port.hpp"

namespace gsu::visibility::test {

struct Ran {
    RunResult result;
    std::vector<std::int32_t> out;  ///< of the buffer that was asked for
};

inline Ran runOnce(const LaunchSpec& spec, const ptx::Module& module, RunOptions options, Form form,
                   std::uint64_t seed, std::size_t buffer = ~std::size_t{0})
{
    options.params.memory = static_cast<std::uint32_t>(form);
    options.seed = seed;
    options.maxCycles = 20'000'000;
    Executor executor(spec, module, options);
    GoldenOptions golden;
    golden.onNote = [&executor](const MbarNote& note) { executor.note(note); };
    GoldenPort port(executor.sms(), golden);
    port.setMemory(executor.sharedMemory());
    Ran ran;
    ran.result = executor.run(port);
    if (buffer == ~std::size_t{0}) return ran;
    const std::vector<std::uint8_t> bytes = executor.readBuffer(buffer);
    ran.out.resize(bytes.size() / 4);
    if (!ran.out.empty()) std::memcpy(ran.out.data(), bytes.data(), ran.out.size() * 4);
    return ran;
}

inline const char* nameOf(Verdict verdict) { return gsu::nameOf(verdict); }

}  // namespace gsu::visibility::test
