/// gsu fuzz: options and the command.
#pragma once
#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>

namespace gsu::cli {

struct FuzzOptions {
    std::uint64_t programs{100}, seed{1}, from{};
    unsigned runs{3};
    std::string without, with, only, out, resume, unit, timing, inject;
    std::uint64_t maxCycles{20'000'000};
    std::uint32_t maxLatency{40'000};
    double seconds{};
    bool print{}, noShrink{};
    std::string check;  ///< "race": every run with the race detector; "paths": with causality
    std::uint64_t requests{}, perStream{20'000};   ///< requests of streams at the port
    std::string traffic, record, model, coverage;  ///< options of these streams
    bool breaks{};  ///< each program with one synchronization removed or changed

    void addTo(CLI::App& app);

private:
    void addRequests(CLI::App& app);
};

/// Runs the command. Returns the exit code: 0 if all programs ended as computed, else 1. Throws InputError.
[[nodiscard]] int fuzz(const FuzzOptions& options);

}  // namespace gsu::cli
