/// Under which conditions a program runs: unit, preset, parameters, seed, threads, recording.
#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "fuzz/random.hpp"

namespace gsu::fuzz {

/// A parameter of --set as the program that runs kernels knows it.
struct Knob {
    std::string key, unit;
    std::uint32_t min{}, max{};
};

struct Conditions {
    std::string unit{"lockstep"}, preset{"hopper"};
    std::string timing;  ///< of --timing; empty: none
    std::vector<std::pair<std::string, std::uint32_t>> sets;
    std::uint64_t seed{1};
    unsigned threads{1};
    bool replay{};  ///< record the run and replay it

    /// "--unit lockstep --preset ideal --set ... --seed 5", without the name of a file.
    [[nodiscard]] std::string commandLine() const;
};

/// `turn` counts the runs of one program, so that all units have theirs; latencies are at most `most`.
[[nodiscard]] Conditions drawConditions(Random& random, const std::vector<Knob>& knobs, bool sm80,
                                        unsigned turn, std::uint32_t most);

}  // namespace gsu::fuzz
