/// Structures of gsu.h to and from the values of golden/types.hpp. Input structures are checked here for size, reserved members and the
/// range of enumerations; golden/limits.hpp checks structural maxima, the input checker contradictions.
#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "capi/gsu.h"
#include "golden/findings.hpp"

namespace gsu::capi {

/// A refused call: becomes the returned status and gsu_last_error().
struct Refusal {
    gsu_status status{};
    std::string reason;
};

/// A grid of one of the networks of a unit.
struct GridInput {
    std::uint32_t network{};
    GridStart start{};
};

/// Refuses a result structure whose size was not filled in.
template <typename T> void requireSize(const T& out, const char* name)
{
    if (out.size < sizeof(out.size))
        throw Refusal{GSU_E_VERSION,
                      fmt::format("{}: size {}; was GSU_INIT forgotten?", name, out.size)};
}
/// Copies as much as the caller's structure has room for; the caller's `size` stays.
template <typename T> void give(const T& value, T& out)
{
    const std::uint32_t size = out.size;
    std::memcpy(static_cast<void*>(&out), &value, std::min<std::size_t>(size, sizeof(T)));
    out.size = size;
}

/// Converts an input. Each overload throws Refusal, also for a null pointer.
[[nodiscard]] SyncRequest fromC(const gsu_request* in);
[[nodiscard]] Launch fromC(const gsu_launch* in);
[[nodiscard]] Exit fromC(const gsu_exit* in);
[[nodiscard]] ClusterRoute fromC(const gsu_route* in);
[[nodiscard]] GridInput fromC(const gsu_grid* in);
[[nodiscard]] AsyncUpdate fromC(const gsu_async* in);
[[nodiscard]] Accesses fromC(const gsu_accesses* in);
[[nodiscard]] CancelAnswer fromC(const gsu_cancel_answer* in);
[[nodiscard]] gsu_waves fromC(const gsu_waves* in);
[[nodiscard]] gsu_callbacks callbacksOf(const gsu_callbacks* in);
[[nodiscard]] gsu_options optionsOf(const gsu_options* in);

[[nodiscard]] gsu_response toC(const SyncResponse& in);
[[nodiscard]] gsu_release toC(const Release& in);
[[nodiscard]] gsu_commit toC(const Commit& in);
[[nodiscard]] gsu_delivered toC(const Delivered& in);
[[nodiscard]] gsu_grid_event toC(const GridEvent& in);
[[nodiscard]] gsu_cta_free toC(const CtaFree& in);
[[nodiscard]] gsu_cancel toC(const CancelQuery& in);
/// A finding about a commit.
[[nodiscard]] gsu_finding toC(const FindingRule& rule, const Commit& in);
/// A remark of the golden model; `commit` is the commit that shows it, null for stores and ends of CTAs.
[[nodiscard]] gsu_finding toC(const FindingRule& rule, const MbarNote& note, const Commit* commit,
                              Cycle now);

}  // namespace gsu::capi
