// Exact detection and explanation of hangs (D-62): nothing can happen any more, or every live lane is blocked or repeats a
// loop whose state came back unchanged (Brent's method at backward branches) while no memory changed. Before the second is
// said, those loops stand still until the port has nothing under way: whatever the latencies, nothing can end them then.
#include <algorithm>

#include "exec/machine/machine.hpp"

namespace gsu::exec {
namespace {

std::string plural(std::size_t n, const char* what)
{
    return std::to_string(n) + " " + what + (n == 1 ? "" : "s");
}

bool sameState(const Warp& w, const Group& g, std::uint32_t rows, std::uint32_t preds)
{
    const LoopWatch& l = g.loop;
    if (l.pc != g.pc || l.code != g.code || l.lanes != g.lanes || l.stack != g.stack) return false;
    if (l.cells.size() != std::size_t{rows} * 32 || l.preds.size() != preds) return false;
    for (std::uint32_t r = 0; r < rows; ++r) {
        bool same = true;
        eachLane(g.lanes, [&](unsigned lane) {
            same = same && l.cells[r * 32 + lane] == w.regs[r * 32 + lane];
        });
        if (!same) return false;
    }
    for (std::uint32_t p = 0; p < preds; ++p) {
        if (((l.preds[p] ^ w.preds[p]) & g.lanes) != 0) return false;
    }
    if (l.local.size() != w.local.size()) return false;
    if (w.localStride == 0) return true;
    bool same = true;
    eachLane(g.lanes, [&](unsigned lane) {
        same = same && std::memcmp(l.local.data() + lane * w.localStride,
                                   w.local.data() + lane * w.localStride, w.localStride) == 0;
    });
    return same;
}

}  // namespace

void Machine::backward(Warp& warp, Group& group)
{
    if (!group.tokens.empty()) {
        group.polling = group.reads.turn();
        if (group.polling) group.slice = ep.slice;  // other groups of the warp first
    }
    if (settled()) watchLoop(warp, group);
}

void Machine::watchLoop(const Warp& warp, Group& group)
{
    LoopWatch& l = group.loop;
    const Code& code = program.codes[group.code];
    const std::uint32_t rows = group.regBase + code.rows, preds = group.predBase + code.preds;
    if (l.changes == changes) {
        if (!l.looping && sameState(warp, group, rows, preds)) {
            l.looping = hangSuspected = true;
            return;
        }
        if (l.looping) {  // others may have stopped since
            hangSuspected = hangSuspected || result.instructions - suspectedAt >= ep.quiet;
            return;
        }
        if (++l.steps < l.power) return;
        l.power *= 2;
    } else {
        l.power = 1;
        l.changes = changes;
    }
    l.steps = 0;
    l.looping = l.polled = false;
    l.pc = group.pc;
    l.code = group.code;
    l.lanes = group.lanes;
    l.stack = group.stack;
    l.cells.assign(warp.regs.begin(),
                   warp.regs.begin() + static_cast<std::ptrdiff_t>(std::size_t{rows} * 32));
    l.preds.assign(warp.preds.begin(), warp.preds.begin() + preds);
    l.local = warp.local;
}

/// Only others, or an answer that asks for something to happen first, can get the group on.
bool Machine::stuck(const Sm& sm, const Warp& warp, const Group& group) const
{
    if (group.loop.looping && group.loop.changes == changes) return true;
    switch (group.state) {
        case GroupState::Meeting:
        case GroupState::Aligned:
        case GroupState::Parked: return true;
        case GroupState::Ready:
        case GroupState::Copies: return false;
        case GroupState::Waiting: break;
    }
    // A poll that is being answered moves on; a barrier that nobody completes does not.
    return std::all_of(warp.openTags.begin(), warp.openTags.end(), [&](std::uint16_t tag) {
        const OpenRequest& o = sm.open[tag];
        return (o.request.lanes & group.lanes) == 0 || o.info->splits;
    });
}

bool Machine::nothingMoves() const
{
    if (asyncBusy() || !events.empty() || launching != 0) return false;
    for (const Sm& sm : sms) {
        for (const auto& cta : sm.ctas) {
            if (cta == nullptr) continue;
            if (!cta->started) return false;
            for (const Warp& w : cta->warps) {
                for (const Group& g : w.groups) {
                    if (!stuck(sm, w, g)) return false;
                }
            }
        }
    }
    return true;
}

void Machine::watchHang()
{
    if (hangSuspected) {
        hangSuspected = false;
        suspectedAt = result.instructions;
        draining = nothingMoves();
        drainChanges = changes;
    } else if (draining && (roused || changes != drainChanges)) {
        draining = nothingMoves();
    }
    roused = false;
}

bool Machine::releaseHeld()
{
    // Parked lanes may be what the others wait for; only when none are left is an aligned operation known to stay alone.
    for (const bool aligned : {false, true}) {
        bool released = false;
        for (Sm& sm : sms) {
            for (auto& cta : sm.ctas) {
                if (cta == nullptr) continue;
                for (Warp& w : cta->warps) released = releaseWarp(w, aligned) || released;
            }
        }
        if (!released) continue;
        lastChange = result.instructions;
        return true;
    }
    return false;
}

bool Machine::releaseWarp(Warp& warp, bool aligned)
{
    bool released = false;
    for (const Group& g : warp.groups)
        released = released || (!aligned && g.state == GroupState::Parked);
    if (released) giveUpAll(warp);
    for (Group& g : warp.groups) {
        if (!aligned || g.state != GroupState::Aligned) continue;
        g.forced = true;
        g.state = GroupState::Ready;
        g.readyAt = now + 1;
        released = true;
    }
    if (released) rouse(warp, now + 1);
    return released;
}

namespace {

using Waiting = HangReport::Waiting;
using On = HangReport::Kind;

Waiting waitingOf(const Machine& m, const Warp& w, const Group& g)
{
    Waiting entry{w.cta->linear, w.index, g.lanes, g.line, On::Spin, 0, 0, 0};
    const Sm& sm = m.sms[w.cta->launch.sm];
    if (g.state == GroupState::Meeting || g.state == GroupState::Aligned) {
        entry.kind = On::Warp;
        return entry;
    }
    if (g.loop.looping) {
        entry.line = g.loop.polled ? g.loop.pollLine : m.program.codes[g.code].ops[g.pc].line;
        entry.kind = g.loop.polled ? On::Mbarrier : On::Spin;
        entry.address = g.loop.pollAddress;
        return entry;
    }
    for (const std::uint16_t tag : w.openTags) {
        const SyncRequest& r = sm.open[tag].request;
        if ((r.lanes & g.lanes) == 0) continue;
        entry.line = sm.open[tag].line;
        switch (r.op) {
            case Op::WarpSync: entry.kind = On::Warp; break;
            case Op::ClusterArrive:
            case Op::ClusterWait: entry.kind = On::Cluster; break;
            case Op::BarSync:
            case Op::BarArrive:
            case Op::BarRedPopc:
            case Op::BarRedAnd:
            case Op::BarRedOr:
                entry.kind = On::Named;
                entry.id = r.arg0;
                break;
            case Op::Fence:
            case Op::FenceMbarrierInit:
            case Op::FenceProxy:
            case Op::Membar:
            case Op::TensormapCpFence: entry.kind = On::Fence; break;
            default:  // the rest names an mbarrier
                entry.kind = On::Mbarrier;
                entry.address = r.addr[static_cast<unsigned>(__builtin_ctz(r.lanes))] & 0xff'ffff;
                break;
        }
    }
    return entry;
}

std::string nameOfObject(const Waiting& w)
{
    switch (w.kind) {
        case On::Named: return "named barrier " + std::to_string(w.id);
        case On::Mbarrier: return "the mbarrier at byte " + std::to_string(w.address);
        case On::Cluster: return "the cluster barrier";
        case On::Warp: return "other lanes of its warp";
        case On::Spin: return "memory that nothing can change any more";
        case On::Fence: return "older accesses to be performed";
    }
    return "?";
}

bool sameObject(const Waiting& a, const Waiting& b)
{
    if (a.kind != b.kind) return false;
    if (a.kind == On::Named) return a.cta == b.cta && a.id == b.id;
    if (a.kind == On::Mbarrier) return a.cta == b.cta && a.address == b.address;
    if (a.kind == On::Spin) return a.cta == b.cta && a.line == b.line;
    return a.kind == On::Cluster || (a.cta == b.cta && a.warp == b.warp);
}

std::string why(const std::vector<Waiting>& all, const Warp& w, const ptx::Module& module)
{
    if (w.live == 0) return "exited";
    for (const Waiting& other : all) {
        if (other.cta == w.cta->linear && other.warp == w.index) {
            return std::string(other.kind == On::Spin ? "spins on " : "waits for ") +
                   nameOfObject(other) + " at " + module.lineText(other.line);
        }
    }
    return "is running";
}

}  // namespace

void Machine::reportHang()
{
    HangReport report;
    std::vector<const Warp*> resident;
    for (const Sm& sm : sms) {
        for (const auto& cta : sm.ctas) {
            if (cta == nullptr) continue;
            for (const Warp& w : cta->warps) {
                resident.push_back(&w);
                for (const Group& g : w.groups) {
                    report.waiting.push_back(waitingOf(*this, w, g));
                    Waiting& entry = report.waiting.back();
                    if (entry.kind == On::Mbarrier)
                        entry.word = mbarWordOf(*this, *cta, entry.address);
                }
            }
        }
    }
    std::sort(report.waiting.begin(), report.waiting.end(), [](const Waiting& a, const Waiting& b) {
        return a.cta != b.cta ? a.cta < b.cta : a.warp < b.warp;
    });
    std::string text;
    std::vector<Waiting> told;
    std::set<std::pair<std::uint32_t, std::uint32_t>> listed;
    for (const Waiting& first : report.waiting) {
        if (std::any_of(told.begin(), told.end(),
                        [&](const Waiting& t) { return sameObject(t, first); }))
            continue;
        told.push_back(first);
        std::set<std::uint32_t> here;
        for (const Waiting& w : report.waiting) {
            if (sameObject(w, first) && w.cta == first.cta) here.insert(w.warp);
        }
        if (told.size() > 6) continue;
        text += (text.empty() ? "" : " ") + ("CTA " + std::to_string(first.cta)) + ": " +
                plural(here.size(), "warp") + " (first: warp " + std::to_string(first.warp) + ", " +
                module.lineText(first.line) + ") " + (first.kind == On::Spin ? "spin" : "wait") +
                (here.size() == 1 ? "s" : "") + (first.kind == On::Spin ? " on " : " for ") +
                nameOfObject(first);
        if (first.kind == On::Named || first.kind == On::Mbarrier)
            text += describeBarrier(*this, first);
        std::string missing;
        unsigned count = 0;
        for (const Warp* w : resident) {
            const bool candidate = first.kind == On::Cluster || w->cta->linear == first.cta;
            if (!candidate || (w->cta->linear == first.cta && here.contains(w->index))) continue;
            const bool waitsToo =
                std::any_of(report.waiting.begin(), report.waiting.end(), [&](const Waiting& o) {
                    return o.cta == w->cta->linear && o.warp == w->index && sameObject(o, first);
                });
            if (waitsToo || first.kind == On::Spin || first.kind == On::Warp ||
                first.kind == On::Fence)
                continue;
            const std::string reason = why(report.waiting, *w, module);
            if (++count <= 4) {
                missing +=
                    (missing.empty() ? "" : ", ") + std::string("warp ") +
                    std::to_string(w->index) +
                    (w->cta->linear != first.cta ? " of CTA " + std::to_string(w->cta->linear)
                                                 : "") +
                    " " + reason;
            }
            if (listed.insert({w->cta->linear, w->index}).second) {
                report.missing.push_back({w->cta->linear, w->index, reason});
            }
        }
        if (!missing.empty()) text += "; missing: " + missing;
        text += ".";
    }
    report.explanation = text.empty() ? "No thread can make progress." : text;
    result.hang = std::move(report);
}

}  // namespace gsu::exec
