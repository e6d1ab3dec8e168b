/// Why a replay hangs, as far as its port shows.
#pragma once
#include <nlohmann/json.hpp>
#include <string>

#include "causes/port_causes.hpp"
#include "observers/time_mark.hpp"
#include "trace/replayer.hpp"

namespace gsu::cli {

struct ReplayCause {
    std::string kind, sentence;
    std::vector<std::string> others;  ///< "KIND: sentence"
    nlohmann::ordered_json json, debts;
    RunMarks marks;
};
/// A trace has neither control flow nor memory: kinds that need them are unknown.
[[nodiscard]] ReplayCause causeOf(const trace::ReplayResult& result, const PortHang& hang);

}  // namespace gsu::cli
