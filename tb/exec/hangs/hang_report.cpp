// Waiters of a hang, and their objects.
#include <algorithm>

#include "exec/hangs/hang_watch.hpp"
#include "golden/wait_text.hpp"

namespace gsu::exec {
namespace {

using Waiting = HangReport::Waiting;
using On = HangReport::Kind;

Waiting waitingOf(const RunState& state, const SyncClient& client, const Warp& w, const Group& g,
                  const PollLine& pollLine)
{
    Waiting entry{w.cta->linear, w.index, g.lanes, g.line, On::Spin, 0, 0, 0};
    if (g.state == GroupState::Shuffling || g.state == GroupState::Aligned) {
        entry.kind = On::Warp;
        return entry;
    }
    if (g.state == GroupState::Columns) {
        entry.kind = On::Columns;
        return entry;
    }
    if (g.loop.looping) {
        entry.line = g.loop.polled ? g.loop.pollLine : pollLine(g);
        if (entry.line == 0) entry.line = state.program.codes[g.code].ops[g.pc].line;
        entry.kind = g.loop.polled ? On::Mbarrier : On::Spin;
        entry.address = g.loop.pollAddress;
        return entry;
    }
    for (const std::uint16_t tag : w.openTags) {
        const OpenRequest& open = client.open(w, tag);
        const SyncRequest& r = open.request;
        if ((r.lanes & g.lanes) == 0) continue;
        entry.line = open.line;
        entry.kind = waitKindOf(r.op);
        if (entry.kind == On::Named) entry.id = r.arg0;
        if (entry.kind == On::Mbarrier) entry.address = leadOffset(r);
    }
    return entry;
}

/// The word of a barrier, written back or not.
std::string stateOf(const Cta& cta, Waiting& entry, const Memory& memory)
{
    if (entry.kind == On::Named) {
        const std::uint64_t* found = cta.words.named(entry.id);
        return found != nullptr ? namedText(*found) : std::string{};
    }
    if (entry.kind != On::Mbarrier) return {};
    const std::uint64_t* word = cta.words.mbarrier(entry.address);
    entry.word = word != nullptr ? *word : memory.sharedWord(cta, entry.address);
    return mbarrierText(entry.word);
}

}  // namespace

HangReport reportHang(const RunState& state, const Residents& residents, const SyncClient& client,
                      const Memory& memory, const PollLine& pollLine)
{
    HangReport report;
    residents.each([&](Cta& cta) {
        for (const Warp& w : cta.warps) {
            for (const Group& g : w.groups) {
                Waiting entry = waitingOf(state, client, w, g, pollLine);
                entry.state = stateOf(cta, entry, memory);
                report.waiting.push_back(std::move(entry));
            }
        }
    });
    std::stable_sort(report.waiting.begin(), report.waiting.end(),
                     [](const Waiting& a, const Waiting& b) {
                         return a.cta != b.cta ? a.cta < b.cta : a.warp < b.warp;
                     });
    return report;
}

}  // namespace gsu::exec
