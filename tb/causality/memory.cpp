// Accesses to memory, asynchronous operations, and what release and acquire of ordinary memory order.
#include <algorithm>

#include "causality/events.hpp"
#include "golden/op_traits.hpp"

namespace gsu::causality {

void Events::touch(Touching t)
{
    if (t.range.bytes == 0) return;
    std::uint64_t memory = ~std::uint64_t{0};
    if (!t.range.global()) {
        const Cta* owner = at(t.range.sm, t.range.slot);
        if (owner == nullptr) return;
        memory = owner->number;
        if (owner->number != t.cta) {
            asked_.push_back({owner->start, t.before, Need::Any, 0, t.line, "start"});
        }
    }
    memoryOf_.push_back(memory);
    touched_.push_back(t);
}

void Events::onAccess(const Access& a)
{
    Cta* cta = at(a.at);
    if (cta == nullptr) return;
    ++instructions_;
    eachLane(a.lanes, [&](unsigned l) {
        const Thread& thread = cta->threads[threadOf(a.at.warp, l)];
        Touching t;
        t.cta = cta->number;
        t.line = a.line;
        t.instruction = instructions_;
        t.warp = a.at.warp;
        t.lane = static_cast<std::uint8_t>(l);
        t.range = a.range[l];
        if (a.consecutive) {  // only the first is listed
            const auto lead = static_cast<unsigned>(__builtin_ctz(a.lanes));
            t.range = a.range[lead];
            t.range.at += std::uint64_t{t.range.bytes} *
                          static_cast<unsigned>(__builtin_popcount(a.lanes & ((1u << l) - 1)));
        }
        t.reads = a.touch != Touch::Writes;
        t.writes = a.touch != Touch::Reads;
        t.strong = a.order.strong;
        t.reach = reachOf(a.order.scope);
        t.value = a.value[l];
        t.before = thread.events.empty() ? kNone : thread.events.back();
        t.next = static_cast<std::uint32_t>(thread.events.size());
        touch(t);
    });
    if (!a.order.strong || a.whole) return;
    eachLane(a.lanes, [&](unsigned l) {
        if (a.range[l].bytes != 0) strong(a, l);
    });
}

/// Handles a strong access: the writes that it reads from, and what it releases.
void Events::strong(const Access& a, unsigned lane)
{
    Cta& cta = *at(a.at);
    const MemoryRange& range = a.range[lane];
    const Cta* owner = range.global() ? nullptr : at(range.sm, range.slot);
    if (owner == nullptr && !range.global()) return;
    const std::uint32_t thread = threadOf(a.at.warp, lane);
    const Node node = step(cta, thread);
    Thread& t = cta.threads[thread];
    std::vector<Written>& list =
        written_[{range.global() ? ~std::uint64_t{0} : owner->number, range.at}];
    const unsigned reach = reachOf(a.order.scope);
    if (a.touch != Touch::Writes) {
        for (const Written& w : list) {
            const unsigned needed = between(w.cta, cta.number);
            graph_.edge(w.at, node, Edge::Seen);
            if (w.reach < needed || reach < needed) continue;
            for (const Head& h : w.heads) {
                if (h.reach < needed) continue;
                if (acquires(a.order.sem))
                    graph_.edge(h.at, node);
                else if (std::none_of(t.saw.begin(), t.saw.end(), [&](const Saw& s) {
                             return s.what == h.at && s.needed == needed;
                         }))
                    t.saw.push_back({h.at, needed});
            }
        }
    }
    if (a.touch == Touch::Reads) return;
    Written w{cta.number, thread, reach, {}, node};
    if (gsu::releases(a.order.sem)) {
        std::erase_if(t.fences, [&](const Fence& f) { return f.line == a.line; });
        w.heads.push_back({node, reach});
    }
    for (const Fence& f : t.fences) w.heads.push_back({f.at, f.reach});
    if (a.touch != Touch::Updates)
        std::erase_if(list, [&](const Written& old) {
            return old.cta != cta.number || old.thread != thread;
        });
    supersede(list, w);
    list.push_back(std::move(w));
}

/// A thread that sees a write has everything that the same thread wrote and released before. Of a loop that polls by an atomic operation
/// only the last write is kept.
void Events::supersede(std::vector<Written>& list, Written& by)
{
    const auto older = std::find_if(list.begin(), list.end(), [&](const Written& w) {
        return w.cta == by.cta && w.thread == by.thread && w.reach == by.reach;
    });
    if (older == list.end()) return;
    unsigned widest = 0;
    for (const Head& h : by.heads) widest = std::max(widest, h.reach);
    for (const Head& h : older->heads) {
        const bool known = std::any_of(by.heads.begin(), by.heads.end(),
                                       [&](const Head& k) { return k.at == h.at; });
        if (!known && (by.heads.empty() || h.reach > widest)) by.heads.push_back(h);
    }
    list.erase(older);
}

void Events::onAsync(const AsyncOp& op)
{
    Cta* cta = at(op.at);
    if (cta == nullptr) return;
    const auto lane = static_cast<unsigned>(__builtin_ctz(op.lanes));
    Thread& thread = cta->threads[threadOf(op.at.warp, lane)];
    Touching t;
    t.cta = cta->number, t.line = op.line, t.instruction = ++instructions_;
    t.warp = op.at.warp, t.lane = static_cast<std::uint8_t>(lane);
    t.alone = true;
    t.proxy = op.kind != AsyncOp::Kind::CpAsync && op.kind != AsyncOp::Kind::RemoteData &&
              op.kind != AsyncOp::Kind::Late;
    t.reach = 2;
    t.before = thread.events.empty() ? kNone : thread.events.back();
    const Node end = graph_.add(), read = graph_.add();
    const bool groups = op.until == AsyncOp::Until::Group;
    const bool copy = op.kind == AsyncOp::Kind::CpAsync;
    t.reads = true;
    t.end = groups && !copy ? read : end;
    for (const MemoryRange& range : op.reads) {
        t.range = range;
        touch(t);
    }
    t.end = end;
    t.writes = true;
    t.reads = t.strong = op.updates;
    for (const MemoryRange& range : op.writes) {
        t.range = range;
        touch(t);
    }
    if (groups) {
        (copy ? thread.copies : thread.bulk).open.push_back(end);
        (copy ? thread.allCopies : thread.bulkRead.open).push_back(copy ? end : read);
    }
    if (op.until != AsyncOp::Until::Mbarrier) return;
    if (const Cta* owner = at(op.sm, op.slot)) objectOf_[op.name] = {owner->number, op.mbarrier};
    if (op.kind == AsyncOp::Kind::Tensor)
        commits_[op.name] = {cta->number, step(*cta, threadOf(op.at.warp, lane))};
    else
        completesLater(op, thread, end);
}

/// Handles an operation whose bytes are counted at an mbarrier. st.async and red.async also carry what earlier fences have released.
void Events::completesLater(const AsyncOp& op, const Thread& thread, Node end)
{
    std::vector<Node> fences;
    if (op.kind == AsyncOp::Kind::RemoteData) {
        for (const Fence& f : thread.fences)
            if (f.reach >= 1) fences.push_back(f.at);
    }
    named_[op.name] = {end, std::move(fences)};
}

void Events::completes(std::uint64_t name)
{
    const auto found = named_.find(name);
    const auto at = objectOf_.find(name);
    if (at == objectOf_.end()) return;
    Object& object = ctas_[at->second.first]->objects[at->second.second];
    if (const auto commit = commits_.find(name); commit != commits_.end())
        object.arriving.push_back(commit->second);
    else if (found != named_.end())
        object.completing.push_back(found->second.first);
}

void Events::onGroup(const GroupStep& s)
{
    Cta* cta = at(s.at);
    if (cta == nullptr) return;
    eachLane(s.lanes, [&](unsigned l) {
        Thread& t = cta->threads[threadOf(s.at.warp, l)];
        const auto close = [](Thread::Groups& g) { g.closed.push_back(std::exchange(g.open, {})); };
        const bool copy = s.kind == AsyncOp::Kind::CpAsync;
        if (!s.waits) {
            close(copy ? t.copies : t.bulk);
            if (!copy) close(t.bulkRead);
            return;
        }
        const Node node = step(*cta, threadOf(s.at.warp, l));
        const auto wait = [&](const Thread::Groups& g) {
            for (std::size_t i = 0; i + (s.all ? 0 : s.mayStay) < g.closed.size(); ++i)
                for (const Node end : g.closed[i]) graph_.edge(end, node);
            for (const Node end : g.open)
                if (s.all) graph_.edge(end, node);
        };
        if (copy) return wait(t.copies);
        wait(t.bulkRead);
        if (!s.reads) wait(t.bulk);
    });
}

}  // namespace gsu::causality
