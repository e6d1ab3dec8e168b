/// The report of `gsu litmus` on a test.
#pragma once
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "litmus/explore.hpp"

namespace gsu::cli {

/// Result of repeating a witness on a unit.
struct Replay {
    bool tried{};
    bool shown{};
    std::string why;  ///< reason why the witness was not shown
    std::uint64_t seed{};
    Cycle cycles{};
};

struct LitmusReport {
    std::shared_ptr<litmus::Test> test;
    std::string memory;
    litmus::Exploration exploration;
    std::vector<std::vector<std::string>> witnesses;  ///< by index in Exploration::seen
    std::vector<std::string> hang;                    ///< steps that lead to a hang
    std::vector<Replay> replays;                      ///< by index in Exploration::seen
    std::string unit;                                 ///< unit of the replays
};

[[nodiscard]] std::string textOf(const LitmusReport& report);
[[nodiscard]] nlohmann::ordered_json jsonOf(const LitmusReport& report);

}  // namespace gsu::cli
