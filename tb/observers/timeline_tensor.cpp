// The tracks of tensor memory in a timeline: matrix instructions and copies in flight, loads and stores, allocated columns.
#include <fmt/format.h>

#include "observers/timeline.hpp"
#include "observers/timeline_text.hpp"

namespace gsu {
namespace {

constexpr unsigned kCoreTrack = 400, kMoveTrack = 401, kColumnTrack = 402;
constexpr unsigned kColumnUnit = 32;  // allocations begin at multiples of this

}  // namespace

void Timeline::onTensorOperation(WarpRef at, bool core, Cycle from, Cycle to,
                                 const std::string& name, std::uint32_t line)
{
    const unsigned pid = timeline::processOf(at.sm, at.cta);
    const unsigned track = core ? kCoreTrack : kMoveTrack;
    trackOnce(pid, track, core ? "tensor core" : "tensor memory: ld, st");
    file_.slice({pid, track}, from, to, name,
                {{"warp", std::int64_t{at.warp}}, {"line", std::int64_t{line}}});
}

void Timeline::onColumns(WarpRef at, Cycle from, Cycle to, unsigned column, unsigned columns)
{
    const unsigned pid = timeline::processOf(at.sm, at.cta);
    const unsigned track = kColumnTrack + column / kColumnUnit;
    trackOnce(pid, track, fmt::format("tensor memory from column {}", column));
    file_.slice({pid, track}, from, to, fmt::format("{} columns", columns),
                {{"first", std::int64_t{column}}, {"columns", std::int64_t{columns}}});
}

}  // namespace gsu
