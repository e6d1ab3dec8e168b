/// The members of a kept event as Python takes them, in the order that gsu.unit names. Private to module.cpp.
#pragma once
#include <capi/gsu.h>
#include <nanobind/nanobind.h>

inline nanobind::tuple valuesOf(const gsu_event& e)
{
    switch (e.kind) {
        case GSU_EVENT_RESPONSE: {
            const auto& r = e.of.response;
            return nanobind::make_tuple(r.cycle, r.sm, r.cta, r.warp, r.tag, r.lanes, r.pred,
                                        r.last != 0, gsu_cause_name(r.cause), r.value, r.stride);
        }
        case GSU_EVENT_RELEASE: {
            const auto& r = e.of.release;
            return nanobind::make_tuple(r.cycle, r.sm, r.cta, r.cluster != 0, r.id, r.warps, r.popc,
                                        r.all != 0, r.any != 0, r.lanes);
        }
        case GSU_EVENT_COMMIT: {
            const auto& c = e.of.commit;
            return nanobind::make_tuple(c.cycle, c.seq, c.sm, c.cta, c.warp, gsu_part_name(c.part),
                                        gsu_op_name(c.op), c.tag, c.lanes, c.object, c.flip != 0,
                                        c.refused != 0, c.errors, gsu_source_name(c.source),
                                        c.old_word, c.new_word);
        }
        case GSU_EVENT_DROPPED:
        case GSU_EVENT_DELIVERED: {
            const auto& d = e.of.delivered;
            return nanobind::make_tuple(d.cycle, d.sm, d.cta, d.tag, d.lanes);
        }
        case GSU_EVENT_GRID: {
            const auto& g = e.of.grid;
            return nanobind::make_tuple(g.cycle, g.grid, g.complete != 0, g.network);
        }
        case GSU_EVENT_CANCEL: {
            const auto& c = e.of.cancel;
            return nanobind::make_tuple(c.cycle, c.sm, c.cta, c.tag, c.lane, c.slot,
                                        c.multicast != 0);
        }
        case GSU_EVENT_CTA_FREE: {
            const auto& f = e.of.cta_free;
            return nanobind::make_tuple(f.cycle, f.sm, f.cta);
        }
        default: {
            const auto& f = e.of.finding;
            return nanobind::make_tuple(f.cycle, f.rule, f.message,
                                        f.severity == GSU_SEVERITY_ERROR ? "error" : "warning",
                                        f.sm, f.cta, f.warp, f.lanes, f.object);
        }
    }
}
