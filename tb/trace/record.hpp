/// A trace in memory: the header and one value per line of a .gsut file (format versions 4 and 5, README.md).
/// Times are RTL clocks. `dt` counts from an anchor that the kind of record defines, so that a replay with other
/// parameters stretches with the answers; outcomes (SyncResponse, Release, CtaFree, Delivered, GridEvent, CancelQuery) carry the absolute cycle.
#pragma once
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "golden/chip_layout.hpp"
#include "golden/params.hpp"
#include "golden/structure.hpp"
#include "golden/types.hpp"

namespace gsu::trace {

inline constexpr unsigned kFormatVersion = 4;
/// Version of a trace with accesses to memory.
inline constexpr unsigned kAccessVersion = 5;
/// More lines than this are refused: the decoded form must fit into memory.
inline constexpr std::uint64_t kMaxRecords = std::uint64_t{1} << 26;
inline constexpr std::size_t kMaxLine = 8192;

struct Header {
    unsigned version{kFormatVersion};
    std::string unit{"golden"};  ///< "rtl", "golden" or "lockstep": the recorded unit
    Structure structure{};       ///< structure of the SMs
    Preset preset{Preset::Hopper};
    Config config{};
    std::uint32_t clockMhz{1};
    std::uint32_t sms{1};
    std::uint32_t network{kChipNetworkSms};  ///< SMs of a network
    std::uint64_t seed{};
    bool answers{true};  ///< the trace holds the answers of the port
    std::uint64_t ptxHash{};
    std::string ptxName, entry;  ///< no control characters; empty: none
    std::vector<std::pair<std::string, std::uint64_t>> exec;  ///< parameters of the executor
    [[nodiscard]] ChipLayout chip() const noexcept { return {sms, network}; }
    bool operator==(const Header&) const = default;
};

/// Route of a CTA. Anchor: the cycle of the `frees`-th CtaFree of the run, 0 for none.
struct RouteRecord {
    Cycle dt{};
    std::uint32_t frees{};
    ClusterRoute route;
};
/// A grid starts, or has ended elsewhere. Since version 4.
struct GridRecord {
    Cycle dt{};
    std::uint32_t frees{};
    GridStart start;
};
struct LaunchRecord {
    Cycle dt{};
    std::uint32_t frees{};
    Launch launch;
};
/// Lanes exit. Anchor: the latest answer to any of its lanes, at first the launch of the CTA.
struct ExitRecord {
    Cycle dt{};
    Exit exit;
};
struct RequestRecord {
    Cycle dt{};
    SyncRequest request;
};
/// An asynchronous operation is issued. Anchor: the previous request or exit of the warp, at first the launch of the CTA.
struct IssueRecord {
    Cycle dt{};
    WarpRef at;
    std::uint32_t id{};  ///< 1.., unique in the trace
};
/// Completion of an asynchronous operation. Anchor: the issue `id`; id 0: as IssueRecord.
struct AsyncRecord {
    Cycle dt{};
    std::uint32_t id{};
    AsyncUpdate update;
};
/// An ordinary store to a word of the unit. Anchor: the previous launch, exit or request of the SM.
struct StoreRecord {
    Cycle dt{};
    std::uint8_t sm{};
    std::uint32_t addr{}, bytes{};
};

/// Ordinary accesses are outstanding, or are performed. Anchor: as IssueRecord. Since version 2.
struct AccessRecord {
    Cycle dt{};
    Accesses accesses;
    bool performed{};
};

/// A query of try_cancel is answered. Anchor: the query of this lane. Since version 4.
struct CancelRecord {
    Cycle dt{};
    std::uint8_t sm{}, cta{}, lane{};
    std::uint16_t tag{};
    bool canceled{};
    std::array<std::uint32_t, 3> first{};  ///< ctaid of the cluster's first CTA
};

/// The owner of the count: the warp, or the CTA, whichever of its warps is named.
[[nodiscard]] inline WarpRef countedFor(const Accesses& accesses) noexcept
{
    WarpRef at = accesses.at;
    if (accesses.reach == Reach::Everyone) at.warp = 0;
    return at;
}

/// The recorded run ended before this cycle; later answers of the port are not recorded.
struct StopRecord {
    Cycle cycle{};
};

/// Accesses of threads and copies to memory, for race detectors: races/access_text.hpp has the text. Anchor: the MemoryRecord before. Since
/// version 5.
struct MemoryRecord {
    Cycle dt{};
    std::string text;
};

using Record =
    std::variant<RouteRecord, LaunchRecord, ExitRecord, RequestRecord, IssueRecord, AsyncRecord,
                 StoreRecord, AccessRecord, SyncResponse, Release, CtaFree, Delivered, StopRecord,
                 GridRecord, GridEvent, CancelRecord, CancelQuery, MemoryRecord>;

}  // namespace gsu::trace
