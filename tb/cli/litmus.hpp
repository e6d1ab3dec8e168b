/// Options of `gsu litmus`.
#pragma once
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace gsu::cli {

struct LitmusOptions {
    std::vector<std::string> files;
    std::string memory{"weak"}, unit{"lockstep"}, kernels;
    std::uint64_t states{1'000'000}, runs{10'000}, kernelRuns{100}, seed{1}, maxMemory{512};
    bool json{}, noReplay{};

    void addTo(CLI::App& app);
};

[[nodiscard]] int litmus(const LitmusOptions& options);

}  // namespace gsu::cli
