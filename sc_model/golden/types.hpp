/// \file
/// Requests, responses, commits and events of the sync unit as plain C++ values (golden/records.tsv lists their members). Lane i is
/// bit i of every mask (GEN-001). Cycles are RTL clocks. Rules: D-01 (commits), D-03 (errors), D-66 (addresses).
#pragma once
#include <cstddef>
#include <string>

#include "golden/port_types.hpp"
#include "golden/records.gen.hpp"

namespace gsu {

/// A packed struct of the RTL as a record, with the SM and the cycle in which it was seen.
template <class Record, class Word>
[[nodiscard]] Record recordOf(const Word& word, std::uint8_t sm, Cycle cycle) noexcept
{
    Record record;
    fromRaw(word, record);
    if constexpr (requires { record.at; })
        record.at.sm = sm;
    else
        record.sm = sm;
    record.cycle = cycle;
    return record;
}

/// The offset of the lowest lane of an mbarrier request.
[[nodiscard]] inline std::uint32_t leadOffset(const SyncRequest& r) noexcept
{
    const auto lead =
        std::size_t(__builtin_ctz(r.lanes | Lanes{1} << 31));  // defined without lanes
    return clusterOffset(r.addr[lead]);
}

/// Failure of a port: a lockstep difference, an RTL assertion. The run ends with exit code 3.
struct Fault {
    /// Kind of failure.
    enum class Kind : std::uint8_t {
        Divergence,  ///< RTL and golden model differ
        Assertion,   ///< an assertion of the RTL failed
        Protocol     ///< the driver broke the rules of SyncPort
    };
    Kind kind{};          ///< kind of failure
    Cycle cycle{};        ///< when
    std::string message;  ///< names request, both answers, the state before
};

}  // namespace gsu
