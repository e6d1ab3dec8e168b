/// What `gsu litmus` says about a test.
#pragma once
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "litmus/explore.hpp"

namespace gsu::cli {

struct LitmusReport {
    std::shared_ptr<litmus::Test> test;
    std::string memory;
    litmus::Exploration exploration;
    std::vector<std::vector<std::string>> witnesses;  ///< by place in Exploration::seen
    std::vector<std::string> hang;                    ///< a way to one
};

[[nodiscard]] std::string textOf(const LitmusReport& report);
[[nodiscard]] nlohmann::ordered_json jsonOf(const LitmusReport& report);

}  // namespace gsu::cli
