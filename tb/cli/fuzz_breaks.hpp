/// gsu fuzz --break.
#pragma once
#include "fuzz/campaign.hpp"

namespace gsu::cli {

/// Breaks each program of the campaign once, runs it with the race detector on the golden model, and prints which breaks were found.
/// Returns the exit code.
[[nodiscard]] int fuzzBreaks(const fuzz::CampaignOptions& campaign, std::uint64_t maxCycles);

}  // namespace gsu::cli
