/// Why a replay hangs, as far as its port tells.
#pragma once
#include <nlohmann/json.hpp>
#include <string>

#include "trace/replayer.hpp"

namespace gsu::cli {

struct ReplayCause {
    std::string kind, sentence;
    nlohmann::ordered_json json;
};
/// A trace has neither control flow nor memory: bytes are told, all else is unknown. Pre: something is blocked or waits.
[[nodiscard]] ReplayCause causeOf(const trace::ReplayResult& result);

}  // namespace gsu::cli
