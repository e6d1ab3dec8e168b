// Splitting and merging of lane groups. Lanes parked at a reconvergence point wait for the others only while those keep running. If the
// others block or poll in a loop, they may be waiting for the parked lanes, so these continue (D-70). Aligned operations are issued when
// all live lanes have come, or with the lanes that are there when no other ever can (BAR-031, CLU-015).
#include "exec/lanes/reconvergence.hpp"

#include <algorithm>
#include <cassert>

namespace gsu::exec {

void Reconvergence::setParkPc(Warp& warp, Group& group)
{
    group.parkPc = ptx::kNone;
    if (group.tokens.empty()) return;
    const Token& t = warp.tokens[group.tokens.back()];
    if (t.code == group.code && t.depth == group.stack.size()) group.parkPc = t.rpc;
}

std::uint32_t groupOf(const Warp& warp, Lanes lanes)
{
    for (std::uint32_t i = 0; i < warp.groups.size(); ++i) {
        if ((warp.groups[i].lanes & lanes) != 0) return i;
    }
    return ptx::kNone;
}

/// The group's lanes meet again where the paths of its next instruction do.
void Reconvergence::pushToken(Warp& warp, std::uint32_t index)
{
    Group& g = warp.groups[index];
    std::uint32_t rpc = s_.program.codes[g.code].reconverge[g.pc];
    std::uint32_t code = g.code, depth = static_cast<std::uint32_t>(g.stack.size());
    if (rpc == ptx::kNone && depth > 0) {
        rpc = g.stack.back().returnPc + 1;
        code = g.stack.back().code;
        --depth;
    }
    // A loop that its lanes leave one by one needs one token, not one per lane.
    const Token* inner = g.tokens.empty() ? nullptr : &warp.tokens[g.tokens.back()];
    const bool same =
        inner != nullptr && inner->rpc == rpc && inner->code == code && inner->depth == depth;
    if (rpc == ptx::kNone || same) return;
    const auto slot =
        static_cast<std::uint32_t>(std::find_if(warp.tokens.begin(), warp.tokens.end(),
                                                [](const Token& t) { return t.expected == 0; }) -
                                   warp.tokens.begin());
    if (slot == warp.tokens.size()) warp.tokens.emplace_back();
    warp.tokens[slot] = {rpc, code, depth, g.lanes, 0, 0};
    g.tokens.push_back(slot);
}

void Reconvergence::diverge(Warp& warp, std::uint32_t index, Lanes taken, std::uint32_t target,
                            std::uint32_t stayPc, bool token)
{
    assert(taken != 0 && taken != warp.groups[index].lanes);
    assert((taken & ~warp.groups[index].lanes) == 0);
    if (token) pushToken(warp, index);
    warp.groups[index].polling = false;
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
    if (back && target != stayPc) loops_.backward(warp, split);
    warp.groups.push_back(std::move(split));
    if ((s_.random(warp.cta->launch.sm) & 1) != 0)
        warp.current = static_cast<std::uint32_t>(warp.groups.size() - 1);
}

bool Reconvergence::splitBy(Warp& warp, std::uint32_t index, const std::uint64_t* values,
                            Lanes lanes)
{
    const auto first = static_cast<unsigned>(__builtin_ctz(lanes));
    std::uint64_t differ = 0;
    eachLane(lanes, [&](unsigned l) { differ |= values[l] ^ values[first]; });
    if (differ == 0) return false;
    Lanes same = 0;
    eachLane(lanes, [&](unsigned l) { same |= values[l] == values[first] ? 1u << l : 0; });
    // Lanes outside `lanes` stay with the first value's.
    const std::uint32_t pc = warp.groups[index].pc;
    diverge(warp, index, lanes & ~same, pc, pc, true);
    return true;
}

void Reconvergence::merge(Warp& warp, std::uint32_t into, std::uint32_t from)
{
    Group& a = warp.groups[into];
    Group& b = warp.groups[from];
    assert((a.lanes & b.lanes) == 0 && a.pc == b.pc && a.code == b.code);
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
    a.reads = {};
    a.polling = false;
    setParkPc(warp, a);
    warp.groups.erase(warp.groups.begin() + from);
    warp.current = 0;
}

void Reconvergence::tryMerge(Warp& warp, std::uint32_t index)
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

bool Reconvergence::park(Warp& warp, std::uint32_t& index)
{
    Group& g = warp.groups[index];
    const std::uint32_t id = g.tokens.back();
    Token& t = warp.tokens[id];
    assert((g.lanes & ~t.expected) == 0 && (g.lanes & t.arrived) == 0);
    if (t.arrived == 0) t.since = warp.issued;
    t.arrived |= g.lanes;
    g.state = GroupState::Parked;
    if (t.arrived != t.expected) return true;
    const Lanes mine = g.lanes;
    giveUp(warp, id);
    index = groupOf(warp, mine);
    return false;
}

void Reconvergence::giveUp(Warp& warp, std::uint32_t id)
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

void Reconvergence::giveUpAll(Warp& warp)
{
    for (std::uint32_t id = 0; id < warp.tokens.size(); ++id) {
        if (warp.tokens[id].arrived != 0) giveUp(warp, id);
    }
}

void Reconvergence::checkTokens(Warp& warp)
{
    if (warp.groups.size() == 1 && warp.groups[0].state == GroupState::Ready) return;
    for (std::uint32_t id = 0; id < warp.tokens.size(); ++id) {
        const Token& t = warp.tokens[id];
        if (t.arrived == 0) continue;
        if (t.arrived == t.expected || warp.issued - t.since > s_.ep.reconverge_instructions) {
            giveUp(warp, id);
        }
    }
}

/// Lanes that a group needs to continue; all live ones if that is not known. `patient`: acts of other warps, and the release of parked
/// lanes, may still come.
Lanes Reconvergence::waitsFor(const Warp& warp, const Group& group, bool patient) const
{
    const Lanes outside = patient ? 0 : warp.live;
    switch (group.state) {
        case GroupState::Ready: return group.polling ? outside : 0;
        case GroupState::Copies:
        case GroupState::Matrix:
        case GroupState::Columns: return 0;
        case GroupState::Aligned: return warp.live;
        case GroupState::Parked: {
            const Token& t = warp.tokens[group.tokens.back()];
            return patient ? 0 : t.expected & ~t.arrived;
        }
        case GroupState::Shuffling: {
            for (const OpenShuffle& m : warp.shuffles) {
                if ((m.arrived & group.lanes) != 0) return m.mask & warp.live & ~m.arrived;
            }
            return 0;
        }
        case GroupState::Waiting: break;
    }
    return waitsForAnswer(warp, group, outside);
}

Lanes Reconvergence::waitsForAnswer(const Warp& warp, const Group& group, Lanes outside) const
{
    Lanes missing = 0;
    for (const std::uint16_t tag : warp.openTags) {
        const OpenRequest& mine = client_.open(warp, tag);
        if ((mine.request.lanes & group.lanes) == 0) continue;
        if (meetsLanes(mine.request.op)) {
            if (mine.joined) continue;  // some have their answer already
            Lanes here = 0;
            for (const std::uint16_t otherTag : warp.openTags) {
                const OpenRequest& other = client_.open(warp, otherTag);
                const SyncRequest& r = other.request;
                if (!other.joined && r.op == mine.request.op && r.kind == mine.request.kind &&
                    r.arg0 == mine.request.arg0)
                    here |= r.lanes;
            }
            missing |= mine.request.arg0 & warp.live & ~here;
        } else if (mine.info->splits) {  // joins the whole warp, then waits for other warps
            missing |= client_.joined(warp, mine) ? outside : warp.live;
        } else if (mine.suspended) {
            missing |= outside;
        }
    }
    return missing;
}

/// Lanes that can continue while all other lanes stay where they are.
Lanes Reconvergence::coming(const Warp& warp, bool patient) const
{
    Lanes lanes = 0;
    for (bool more = true; more;) {
        more = false;
        for (const Group& g : warp.groups) {
            if ((g.lanes & lanes) != 0 || (waitsFor(warp, g, patient) & ~lanes) != 0) continue;
            lanes |= g.lanes;
            more = true;
        }
    }
    return lanes;
}

void Reconvergence::releaseParked(Warp& warp)
{
    for (;;) {
        Lanes parked = 0;
        bool doubt = false;  // if all others run, they come
        for (const Group& g : warp.groups) {
            const bool runs = g.state == GroupState::Ready && !g.polling;
            parked |= g.state == GroupState::Parked ? g.lanes : 0;
            doubt |= !runs && g.state != GroupState::Parked;
        }
        if (parked == 0 || !doubt) return;
        // Lanes that wait for parked lanes may still come when these continue.
        const Lanes comes = coming(warp, false) | parked;
        const auto late = std::find_if(warp.tokens.begin(), warp.tokens.end(), [&](const Token& t) {
            return t.arrived != 0 && (t.expected & ~t.arrived & ~comes) != 0;
        });
        if (late == warp.tokens.end()) return;
        giveUp(warp, static_cast<std::uint32_t>(late - warp.tokens.begin()));
    }
}

bool Reconvergence::alignedReady(Warp& warp, std::uint32_t& index)
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
    g.line = s_.program.codes[g.code].ops[g.pc].line;
    return false;
}

void Reconvergence::checkAligned(Warp& warp)
{
    if (std::none_of(warp.groups.begin(), warp.groups.end(),
                     [](const Group& g) { return g.state == GroupState::Aligned; }))
        return;
    const Lanes come = coming(warp, true);
    for (Group& g : warp.groups) {
        if (g.state != GroupState::Aligned) continue;
        if (g.lanes != warp.live && come != 0) continue;
        g.forced = true;
        g.state = GroupState::Ready;
        g.readyAt = s_.now() + 1;
    }
}

void Reconvergence::settle(Warp& warp)
{
    checkTokens(warp);
    releaseParked(warp);
    checkAligned(warp);
}

bool Reconvergence::releaseHeld(Warp& warp)
{
    const bool released = std::any_of(warp.groups.begin(), warp.groups.end(),
                                      [](const Group& g) { return g.state == GroupState::Parked; });
    if (!released) return false;
    giveUpAll(warp);
    schedulers_.rouse(warp, s_.now() + 1);
    return true;
}

void Reconvergence::answered(Warp& warp, Lanes lanes)
{
    const std::uint32_t i = groupOf(warp, lanes);
    if (i == ptx::kNone) return;
    Group& g = warp.groups[i];
    if (g.open != 0 && --g.open == 0 && g.state == GroupState::Waiting) wake(warp, g);
}

void Reconvergence::wake(Warp& warp, Group& group)
{
    assert(group.open == 0 && group.state != GroupState::Parked);
    const Cycle continues =
        s_.timingAdapter != nullptr ? s_.timingAdapter->woke(warp, group, s_.now()) : s_.now() + 1;
    group.state = GroupState::Ready;
    group.readyAt = std::max(group.readyAt, continues);
    tryMerge(warp, groupOf(warp, group.lanes));
    schedulers_.rouse(warp, continues);
}

}  // namespace gsu::exec
