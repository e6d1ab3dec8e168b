/// Short ways to write port events.
#pragma once
#include "catch.hpp"
#include "golden/types.hpp"

namespace events {

inline gsu::Launch launch(std::uint8_t cta, std::uint16_t threads, std::uint8_t ctas = 1,
                          std::uint8_t rank = 0)
{
    gsu::Launch l;
    l.cta = cta, l.threads = threads, l.ctas = ctas, l.rank = rank;
    return l;
}

inline gsu::SyncRequest request(gsu::Op op, std::uint8_t warp, std::uint32_t id, std::uint32_t line,
                                std::uint16_t tag, gsu::Lanes lanes = ~gsu::Lanes{0},
                                std::uint8_t cta = 0)
{
    gsu::SyncRequest r;
    r.op = op, r.at = {0, cta, warp}, r.arg0 = id, r.source = line, r.tag = tag, r.lanes = lanes;
    return r;
}

inline gsu::Commit commit(gsu::Cycle cycle, gsu::Unit unit, gsu::Op op, std::uint8_t warp,
                          std::uint32_t object, bool flip = false, gsu::Src src = gsu::Src::Local)
{
    gsu::Commit c;
    c.cycle = cycle, c.unit = unit, c.op = op, c.at = {0, 0, warp}, c.object = object,
    c.flip = flip, c.src = src;
    c.lanes = ~gsu::Lanes{0};
    return c;
}

inline gsu::Release release(gsu::Cycle cycle, gsu::Lanes warps, std::uint8_t id,
                            bool cluster = false)
{
    gsu::Release r;
    r.cycle = cycle, r.warps = warps, r.id = id, r.cluster = cluster;
    return r;
}

inline gsu::SyncResponse response(gsu::Cycle cycle, std::uint8_t warp, std::uint16_t tag,
                                  gsu::Lanes lanes = ~gsu::Lanes{0})
{
    gsu::SyncResponse r;
    r.cycle = cycle, r.at = {0, 0, warp}, r.tag = tag, r.lanes = lanes, r.last = true;
    return r;
}

/// Two warps at barrier 3, line 10: warp 0 from cycle 100, warp 1 from 150, released at 170. Then warp 1 syncs its lanes (line 20,
/// 200..207), and warp 0 waits at barrier 5 (line 30) from 300 on for ever.
template <typename Observer> void play(Observer& o)
{
    using namespace gsu;
    o.onLaunch(0, launch(0, 64));
    o.onRequest(100, request(Op::BarSync, 0, 3, 10, 1));
    o.onCommit(commit(101, Unit::Named, Op::BarSync, 0, 3));
    o.onRequest(150, request(Op::BarSync, 1, 3, 10, 2));
    o.onCommit(commit(151, Unit::Named, Op::BarSync, 1, 3, true));
    o.onRelease(release(170, 0b11, 3));
    o.onRequest(200, request(Op::WarpSync, 1, ~0u, 20, 3));
    o.onCommit(commit(201, Unit::WarpSync, Op::WarpSync, 1, ~0u));
    o.onResponse(response(207, 1, 3));
    o.onRequest(300, request(Op::BarSync, 0, 5, 30, 4));
    o.onCommit(commit(301, Unit::Named, Op::BarSync, 0, 5));
    o.onExit(310, {{0, 0, 1}, ~Lanes{0}, false});
    o.onEnd(1000);
}

}  // namespace events
