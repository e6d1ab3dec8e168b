#include "traffic/grid_traffic.hpp"

#include <algorithm>
#include <bit>

namespace gsu::traffic {

namespace {

constexpr unsigned kSlots = 8;  // CTA slots of an SM that are used, two warps each
constexpr Cycle kHung = 2'000'000;

}  // namespace

GridTraffic::GridTraffic(SyncPort& port, const GridOptions& options)
    : port_(port), options_(options), random_(options.seed), ctas_(options.sms), tags_(options.sms)
{
    port_.setSink(*this);
}

/// Opens a grid of a few CTAs that follows some grids in flight; sometimes it runs elsewhere.
void GridTraffic::openGrid()
{
    const unsigned slot = 1 + random_.below(options_.slots - 1);
    if (grids_[slot].used) return;
    Grid& g = grids_[slot];
    stats_.reused += g.life != 0;
    g = {};
    g.used = true;
    g.life = ++lives_;
    g.elsewhere = random_.percent(15);
    GridStart start{.grid = std::uint8_t(slot)};
    if (!g.elsewhere) {
        start.ctas = 1 + random_.below(6);
        g.toLaunch = g.quiet = start.ctas;
        order_.push_back(slot);
    }
    for (unsigned other = 1; other < options_.slots; ++other) {
        if (other == slot || !random_.percent(40)) continue;
        // a slot that is not in use is no prerequisite
        start.prereqs |= std::uint16_t(1u << other);
        if (grids_[other].used) g.before.push_back({other, grids_[other].life});
    }
    port_.grid(start);
    ++stats_.grids;
    stats_.elsewhere += g.elsewhere;
}

/// Cancels CTAs of the grid that is being launched (clusterlaunchcontrol).
void GridTraffic::cancelSome()
{
    if (order_.empty() || !random_.percent(3)) return;
    const unsigned slot = order_.front();
    Grid& g = grids_[slot];
    const unsigned some = 1 + random_.below(g.toLaunch);
    port_.grid({.grid = std::uint8_t(slot), .ctas = some, .fewer = true});
    g.toLaunch -= some;
    g.quiet -= some;
    stats_.cancelled += some;
    if (g.toLaunch == 0) order_.erase(order_.begin());
}

void GridTraffic::launchOne()
{
    const unsigned sm = random_.below(options_.sms), slot = random_.below(kSlots);
    Cta& cta = ctas_[sm][slot];
    if (cta.used || (order_.empty() && stats_.grids >= options_.grids)) return;
    const bool plain = order_.empty() || random_.percent(10);
    const unsigned grid = plain ? 0 : order_.front();
    const Launch launch{.sm = std::uint8_t(sm),
                        .cta = std::uint8_t(slot),
                        .wbase = std::uint8_t(2 * slot),
                        .threads = std::uint16_t(random_.percent(50) ? 64 : 40),
                        .base = slot * 64u,
                        .size = 64,
                        .grid = std::uint8_t(grid)};
    if (!port_.launch(launch)) return;
    cta = {.used = true, .grid = grid, .budget = random_.below(12)};
    cta.live[0] = ~Lanes{0};
    cta.live[1] = launch.threads == 64 ? ~Lanes{0} : 0xff;
    if (random_.percent(options_.accesses)) {
        cta.late = 1 + random_.below(5);
        const WarpRef at{launch.sm, launch.cta, 0};
        port_.announce(
            {at, Reach::Everyone, port_.epoch(at, Reach::Everyone), std::uint16_t(cta.late)});
        ++stats_.lateMemory;
    }
    ++(plain ? stats_.plain : stats_.ctas);
    if (plain) return;
    ++grids_[grid].running;
    if (--grids_[grid].toLaunch == 0) order_.erase(order_.begin());
}

void GridTraffic::present(unsigned sm, unsigned slot, unsigned warp, Op op, Lanes lanes)
{
    Cta& cta = ctas_[sm][slot];
    SyncRequest r{};
    r.op = op;
    r.at = {std::uint8_t(sm), std::uint8_t(slot), std::uint8_t(warp)};
    r.lanes = lanes;
    r.tag = tags_[sm] = std::uint16_t((tags_[sm] + 1) % 4096);
    port_.present(r);
    cta.open[warp] |= lanes;
    for (Lanes rest = lanes; rest != 0; rest &= rest - 1)
        cta.tag[warp][static_cast<unsigned>(std::countr_zero(rest))] = r.tag;
    if (op == Op::GdcWait) {
        ++stats_.waits;
        cta.waiting[warp] |= lanes;
        const Grid& g = grids_[cta.grid];
        const bool waits = cta.grid != 0 && !std::all_of(g.before.begin(), g.before.end(),
                                                         [&](auto& b) { return complete(b); });
        ++(waits ? stats_.parked : stats_.atOnce);
        return;
    }
    ++(cta.signalled ? stats_.repeats : stats_.signals);
    if (cta.grid != 0 && !cta.signalled) --grids_[cta.grid].quiet;
    cta.signalled = true;
}

/// Lets one warp of the CTA act, if it can; true if it gave a request to the SM.
bool GridTraffic::act(unsigned sm, unsigned slot)
{
    Cta& cta = ctas_[sm][slot];
    const unsigned warp = random_.below(2);
    const Lanes loose = cta.live[warp] & ~cta.open[warp];
    if (loose == 0) return false;
    const Lanes lanes = random_.percent(50) ? loose : random_.subset(loose);
    if (cta.budget == 0 || random_.percent(5)) {
        port_.exit({{std::uint8_t(sm), std::uint8_t(slot), std::uint8_t(warp)}, lanes, false});
        cta.live[warp] &= ~lanes;
        if ((cta.live[0] | cta.live[1]) != 0) return false;
        cta.over = true;
        stats_.silent += cta.grid != 0 && !cta.signalled;
        if (cta.grid != 0 && !cta.signalled) --grids_[cta.grid].quiet;
        return false;
    }
    --cta.budget;
    present(sm, slot, warp, random_.percent(50) ? Op::GdcWait : Op::GdcLaunchDependents, lanes);
    return true;
}

/// Performs accesses that outlive their CTA's last lane: the CTA has not ended before (GDC-006).
void GridTraffic::performLate()
{
    const unsigned sm = random_.below(options_.sms), slot = random_.below(kSlots);
    Cta& cta = ctas_[sm][slot];
    if (!cta.used || cta.late == 0 || (!cta.over && random_.percent(80))) return;
    const unsigned some = 1 + random_.below(cta.late);
    const WarpRef at{std::uint8_t(sm), std::uint8_t(slot), 0};
    port_.performed({at, Reach::Everyone, 0, std::uint16_t(some)});
    cta.late -= some;
}

void GridTraffic::onResponse(const SyncResponse& r)
{
    Cta& cta = ctas_[r.at.sm][r.at.cta];
    if (!cta.used || (r.lanes & ~cta.open[r.at.warp]) != 0 || !r.last || r.cause == Cause::Refused)
        return say("an answer that is none");
    cta.open[r.at.warp] &= ~r.lanes;
    const Lanes waited = cta.waiting[r.at.warp] & r.lanes;
    if (waited != 0 && waited != r.lanes) say("a wait and a signal answered together");
    cta.waiting[r.at.warp] &= ~r.lanes;
    for (Lanes rest = r.lanes; rest != 0; rest &= rest - 1)
        if (cta.tag[r.at.warp][static_cast<unsigned>(std::countr_zero(rest))] != r.tag) {
            ++stats_.merged;
            break;
        }
    if (waited == 0 || cta.grid == 0) return;
    for (const auto& before : grids_[cta.grid].before)
        if (!complete(before)) say("griddepcontrol.wait has gone on too early (GDC-005)");
}

void GridTraffic::onCtaFree(const CtaFree& f)
{
    Cta& cta = ctas_[f.sm][f.cta];
    if (!cta.over || cta.late != 0) say("a CTA slot is free while something of it is left");
    if (cta.grid != 0) --grids_[cta.grid].running;
    cta = {};
}

void GridTraffic::onGrid(const GridEvent& e)
{
    Grid& g = grids_[e.grid];
    if (!g.used) return say("an event of a grid that is not in flight");
    if (!e.complete) {
        if (g.told || g.elsewhere || g.quiet != 0) say("dependents may start too early (GDC-002)");
        g.told = true;
        stats_.signalledEarly += g.running + g.toLaunch != 0;
        return;
    }
    if (!complete({e.grid, g.life}) || (!g.elsewhere && !g.told)) say("a grid is over too early");
    g.used = false;
}

bool GridTraffic::busy() const
{
    for (const auto& sm : ctas_)
        for (const Cta& cta : sm)
            if (cta.used) return true;
    return std::any_of(grids_.begin(), grids_.end(), [](const Grid& g) { return g.used; });
}

const GridStats& GridTraffic::run()
{
    Cycle last = 0;
    while (stats_.grids < options_.grids || busy()) {
        if (stats_.grids < options_.grids && random_.percent(30)) openGrid();
        cancelSome();
        launchOne();
        performLate();
        for (unsigned slot = 1; slot < options_.slots; ++slot) {
            Grid& g = grids_[slot];
            if (!g.used || !g.elsewhere || g.ended || !random_.percent(2)) continue;
            port_.grid({.grid = std::uint8_t(slot), .ended = true});
            g.ended = true;
        }
        for (unsigned sm = 0; sm < options_.sms; ++sm)
            for (unsigned tries = 0; tries < 4; ++tries) {
                const unsigned slot = random_.below(kSlots);
                if (!ctas_[sm][slot].used || !port_.canPresent(std::uint8_t(sm))) continue;
                if (act(sm, slot)) break;
            }
        port_.step();
        if (options_.skip && random_.percent(30)) {
            const Cycle quiet = port_.quietUntil();
            if (quiet != kNever && quiet > port_.now()) port_.skipTo(quiet);
        }
        if (port_.fault() || !stats_.wrong.empty()) break;
        if (port_.now() - last > kHung) {
            stats_.hung = true;
            break;
        }
    }
    stats_.cycles = port_.now();
    return stats_;
}

}  // namespace gsu::traffic
