// Splitting and merging of lane groups. Progress never depends on reconvergence: a parked group is given up after a bounded
// number of clocks or instructions, an aligned operation is issued with the lanes it has when no other can come.
#include <algorithm>

#include "exec/machine/machine.hpp"

namespace gsu::exec {

void Machine::setParkPc(Warp& warp, Group& group)
{
    group.parkPc = ptx::kNone;
    if (group.tokens.empty()) return;
    const Token& t = warp.tokens[group.tokens.back()];
    if (t.code == group.code && t.depth == group.stack.size()) group.parkPc = t.rpc;
}

std::uint32_t Machine::groupOf(const Warp& warp, Lanes lanes) const
{
    for (std::uint32_t i = 0; i < warp.groups.size(); ++i) {
        if ((warp.groups[i].lanes & lanes) != 0) return i;
    }
    return ptx::kNone;
}

void Machine::diverge(Warp& warp, std::uint32_t index, Lanes taken, std::uint32_t target,
                      std::uint32_t stayPc, bool token)
{
    if (token) {
        const Group& g = warp.groups[index];
        std::uint32_t rpc = program.codes[g.code].reconverge[g.pc];
        std::uint32_t code = g.code, depth = static_cast<std::uint32_t>(g.stack.size());
        if (rpc == ptx::kNone && depth > 0) {
            rpc = g.stack.back().returnPc + 1;
            code = g.stack.back().code;
            --depth;
        }
        if (rpc != ptx::kNone) {
            auto slot = static_cast<std::uint32_t>(
                std::find_if(warp.tokens.begin(), warp.tokens.end(),
                             [](const Token& t) { return t.expected == 0; }) -
                warp.tokens.begin());
            if (slot == warp.tokens.size()) warp.tokens.emplace_back();
            warp.tokens[slot] = {rpc, code, depth, g.lanes, 0, 0};
            warp.groups[index].tokens.push_back(slot);
        }
    }
    Group split = warp.groups[index];
    split.loop = {};
    Group& stay = warp.groups[index];
    stay.lanes &= ~taken;
    split.lanes = taken;
    const bool back = target <= split.pc;
    split.pc = target;
    stay.pc = stayPc;
    setParkPc(warp, stay);
    setParkPc(warp, split);
    if (back && target != stayPc) backward(warp, split);
    warp.groups.push_back(std::move(split));
    if ((random() & 1) != 0) warp.current = static_cast<std::uint32_t>(warp.groups.size() - 1);
}

bool Machine::splitBy(Warp& warp, std::uint32_t index, const std::uint64_t* values, Lanes lanes)
{
    const auto first = static_cast<unsigned>(__builtin_ctz(lanes));
    Lanes same = 0;
    eachLane(lanes, [&](unsigned l) { same |= values[l] == values[first] ? 1u << l : 0; });
    if (same == lanes) return false;
    // Lanes outside `lanes` stay with the first value's.
    const std::uint32_t pc = warp.groups[index].pc;
    diverge(warp, index, lanes & ~same, pc, pc, true);
    return true;
}

void Machine::merge(Warp& warp, std::uint32_t into, std::uint32_t from)
{
    Group& a = warp.groups[into];
    Group& b = warp.groups[from];
    std::size_t common = 0;
    while (common < a.tokens.size() && common < b.tokens.size() &&
           a.tokens[common] == b.tokens[common]) {
        ++common;
    }
    for (Group* g : {&a, &b}) {
        for (std::size_t i = common; i < g->tokens.size(); ++i) {
            warp.tokens[g->tokens[i]].expected &= ~g->lanes;
        }
    }
    a.tokens.resize(common);
    a.lanes |= b.lanes;
    a.readyAt = std::max(a.readyAt, b.readyAt);
    a.loop = {};
    setParkPc(warp, a);
    warp.groups.erase(warp.groups.begin() + from);
    warp.current = 0;
}

void Machine::tryMerge(Warp& warp, std::uint32_t index)
{
    for (std::uint32_t i = 0; i < warp.groups.size();) {
        const Group& a = warp.groups[index];
        const Group& b = warp.groups[i];
        if (i != index && a.state == GroupState::Ready && b.state == GroupState::Ready &&
            a.pc == b.pc && a.code == b.code && a.stack == b.stack) {
            merge(warp, index, i);
            if (i < index) --index;
        } else {
            ++i;
        }
    }
}

bool Machine::park(Warp& warp, std::uint32_t& index)
{
    Group& g = warp.groups[index];
    const std::uint32_t id = g.tokens.back();
    Token& t = warp.tokens[id];
    if (t.arrived == 0) t.since = warp.issued;
    t.arrived |= g.lanes;
    g.state = GroupState::Parked;
    if (t.arrived != t.expected) return true;
    const Lanes mine = g.lanes;
    giveUp(warp, id);
    index = groupOf(warp, mine);
    return false;
}

void Machine::giveUp(Warp& warp, std::uint32_t id)
{
    std::uint32_t first = ptx::kNone;
    for (std::uint32_t i = 0; i < warp.groups.size();) {
        Group& g = warp.groups[i];
        if (g.state != GroupState::Parked || g.tokens.empty() || g.tokens.back() != id) {
            ++i;
            continue;
        }
        g.state = GroupState::Ready;
        g.tokens.pop_back();
        if (first == ptx::kNone) {
            first = i++;
        } else {
            merge(warp, first, i);
        }
    }
    Token& t = warp.tokens[id];
    t.expected &= ~t.arrived;
    t.arrived = 0;
    if (first == ptx::kNone) return;
    Group& g = warp.groups[first];
    setParkPc(warp, g);
    warp.current = first;
}

void Machine::giveUpAll(Warp& warp)
{
    for (std::uint32_t id = 0; id < warp.tokens.size(); ++id) {
        if (warp.tokens[id].arrived != 0) giveUp(warp, id);
    }
}

void Machine::checkTokens(Warp& warp)
{
    if (warp.groups.size() == 1 && warp.groups[0].state == GroupState::Ready) return;
    for (std::uint32_t id = 0; id < warp.tokens.size(); ++id) {
        const Token& t = warp.tokens[id];
        if (t.arrived == 0) continue;
        if (t.arrived == t.expected || warp.issued - t.since > ep.reconverge_instructions) {
            giveUp(warp, id);
        }
    }
}

bool Machine::alignedReady(Warp& warp, std::uint32_t& index)
{
    if (warp.groups[index].forced || warp.groups[index].lanes == warp.live) {
        warp.groups[index].forced = false;
        return true;
    }
    warp.groups[index].state = GroupState::Ready;
    for (std::uint32_t i = 0; i < warp.groups.size();) {
        const Group& a = warp.groups[index];
        const Group& b = warp.groups[i];
        if (i != index && b.state == GroupState::Aligned && a.pc == b.pc && a.code == b.code &&
            a.stack == b.stack) {
            merge(warp, index, i);
            if (i < index) --index;
        } else {
            ++i;
        }
    }
    Group& g = warp.groups[index];
    if (g.lanes == warp.live) return true;
    g.state = GroupState::Aligned;
    g.alignedSince = warp.issued;
    g.line = program.codes[g.code].ops[g.pc].line;
    return false;
}

void Machine::checkAligned(Warp& warp)
{
    bool aligned = false, mayCome = false;
    for (const Group& g : warp.groups) {
        aligned |= g.state == GroupState::Aligned;
        mayCome |= g.state != GroupState::Aligned;
    }
    if (!aligned) return;
    for (Group& g : warp.groups) {
        if (g.state != GroupState::Aligned) continue;
        const bool whole = g.lanes == warp.live;
        const bool late = warp.issued - g.alignedSince > ep.aligned_instructions;
        if (!whole && mayCome && !late) continue;
        g.forced = true;
        g.state = GroupState::Ready;
        g.readyAt = now + 1;
    }
}

void Machine::wake(Warp& warp, Group& group)
{
    group.state = GroupState::Ready;
    group.readyAt = std::max(group.readyAt, now + 1);
    group.slice = 0;
    for (ExecObserver* o : observers) o->onWoken(now, refOf(warp), group.lanes);
    tryMerge(warp, groupOf(warp, group.lanes));
    rouse(warp, now + 1);
}

}  // namespace gsu::exec
