/// What `gsu ... --json` says.
#pragma once
#include <nlohmann/json.hpp>

#include "gsu_process.hpp"

namespace process {

/// The one JSON object of a call that succeeds; `arguments` name --json.
inline nlohmann::json jsonOf(const std::string& arguments)
{
    CAPTURE(arguments);
    const Outcome done = runGsu(arguments);
    CAPTURE(done.out, done.err);
    REQUIRE(done.code == 0);
    return nlohmann::json::parse(done.out);
}

}  // namespace process
