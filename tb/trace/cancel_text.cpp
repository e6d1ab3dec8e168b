#include "trace/cancel_text.hpp"

#include <fmt/format.h>

namespace gsu::trace {

void appendCanceled(std::string& out, const CancelRecord& r)
{
    out += fmt::format("canceled +{} {}/{} #{} lane={} ", r.dt, r.sm, r.cta, r.tag, r.lane);
    out += r.canceled ? fmt::format("first={},{},{}", r.first[0], r.first[1], r.first[2]) : "none";
}

void appendCancel(std::string& out, const CancelQuery& q, Cycle dt)
{
    out += fmt::format("cancel +{} {}/{} #{} lane={} slot={}{}", dt, q.sm, q.cta, q.tag, q.lane,
                       q.slot, q.multicast ? " multicast" : "");
}

CancelRecord parseCanceled(Cursor& c, Cycle dt)
{
    CancelRecord r;
    r.dt = dt;
    c.slot(r.sm, r.cta);
    c.expect(" #");
    r.tag = c.field<std::uint16_t>("tag", 4095);
    c.expect(" lane=");
    r.lane = c.field<std::uint8_t>("lane", kLanes - 1);
    c.expect(" ");
    r.canceled = !c.accept("none");
    if (!r.canceled) return r;
    c.expect("first=");
    for (unsigned i = 0; i < 3; ++i) {
        if (i != 0) c.expect(",");
        r.first[i] = c.mask("coordinate");
    }
    return r;
}

CancelQuery parseCancel(Cursor& c, Cycle cycle)
{
    CancelQuery r;
    r.cycle = cycle;
    c.slot(r.sm, r.cta);
    c.expect(" #");
    r.tag = c.field<std::uint16_t>("tag", 4095);
    c.expect(" lane=");
    r.lane = c.field<std::uint8_t>("lane", kLanes - 1);
    c.expect(" slot=");
    r.slot = c.field<std::uint8_t>("slot", 31);
    r.multicast = c.accept(" multicast");
    return r;
}

}  // namespace gsu::trace
