#include "trace/grid_text.hpp"

#include <fmt/format.h>

namespace gsu::trace {

void appendGrid(std::string& out, const GridRecord& r)
{
    const GridStart& g = r.start;
    out += fmt::format("grid +{} after={} slot={}", r.dt, r.frees, g.grid);
    out += g.ended   ? " ended"
           : g.fewer ? fmt::format(" fewer={}", g.ctas)
                     : fmt::format(" ctas={} prereqs={:#06x}", g.ctas, g.prereqs);
}

GridRecord parseGrid(Cursor& c, Cycle dt)
{
    GridRecord r{.dt = dt, .frees = 0, .start = {}};
    GridStart& g = r.start;
    c.expect("after=");
    r.frees = c.mask("frees");
    c.expect(" slot=");
    g.grid = c.field<std::uint8_t>("grid slot", kMaxGrids - 1);
    if (g.grid == 0) c.fail("grid slots count from 1");
    g.ended = c.accept(" ended");
    if (g.ended) return r;
    g.fewer = c.accept(" fewer=");
    if (g.fewer) {
        g.ctas = c.mask("CTAs");
        if (g.ctas == 0) c.fail("fewer by none");
        return r;
    }
    c.expect(" ctas=");
    g.ctas = c.mask("CTAs");
    c.expect(" prereqs=");
    g.prereqs = c.field<std::uint16_t>("prerequisites", 0xffff);
    if ((g.prereqs >> g.grid & 1) != 0) c.fail("the grid is its own prerequisite");
    return r;
}

GridEvent parseGridEvent(Cursor& c, Cycle cycle)
{
    GridEvent r{};
    r.cycle = cycle;
    r.grid = c.field<std::uint8_t>("grid slot", kMaxGrids - 1);
    r.complete = c.accept(" complete");
    if (!r.complete) c.expect(" signalled");
    return r;
}

}  // namespace gsu::trace
