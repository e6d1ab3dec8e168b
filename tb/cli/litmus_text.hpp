/// What `gsu litmus` says about a test.
#pragma once
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "litmus/explore.hpp"

namespace gsu::cli {

/// What became of repeating a witness on a unit.
struct Replay {
    bool tried{};
    bool shown{};
    std::string why;  ///< not shown, because ...
    std::uint64_t seed{};
    Cycle cycles{};
};

struct LitmusReport {
    std::shared_ptr<litmus::Test> test;
    std::string memory;
    litmus::Exploration exploration;
    std::vector<std::vector<std::string>> witnesses;  ///< by place in Exploration::seen
    std::vector<std::string> hang;                    ///< a way to one
    std::vector<Replay> replays;                      ///< by place in Exploration::seen
    std::string unit;                                 ///< of the replays
};

[[nodiscard]] std::string textOf(const LitmusReport& report);
[[nodiscard]] nlohmann::ordered_json jsonOf(const LitmusReport& report);

}  // namespace gsu::cli
