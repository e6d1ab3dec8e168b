#include "exec/visibility/store_queue.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>

#include "base/random.hpp"

namespace gsu::visibility {
namespace {

bool overlap(Where a, unsigned aBytes, Where b, unsigned bBytes) noexcept
{
    return a < b + bBytes && b < a + aBytes;
}

/// Copies what `from` holds of [where, where + bytes).
void lay(const Store& from, Where where, unsigned bytes, std::uint8_t* to)
{
    const Where first = std::max(from.where, where);
    const Where last = std::min(from.where + from.bytes, where + bytes);
    if (first < last)
        std::memcpy(to + (first - where), from.data.data() + (first - from.where), last - first);
}

}  // namespace

Cycle StoreQueue::draw(std::uint32_t bound)
{
    // Half of the stores are quick: what overtakes and what is overtaken both happen.
    const std::uint64_t r = splitmix64(rng_);
    const std::uint32_t most = (r & 1) != 0 ? std::min(bound, 32u) : bound;
    return 1 + (r >> 1) % std::max(most, 1u);
}

bool StoreQueue::sameBuffer(const Entry& a, const Entry& b) const noexcept
{
    if (a.inCta != b.inCta) return false;
    return a.inCta ? a.store.by.cta == b.store.by.cta : a.store.by == b.store.by;
}

StoreQueue::Id StoreQueue::insert(const Entry& entry)
{
    Entry e = entry;
    std::vector<InLine>& line = lines_[e.store.where / kLineBytes];
    for (const InLine& there : line) {
        const Entry& older = *there.entry;
        if (sameBuffer(older, e) &&
            overlap(older.store.where, older.store.bytes, e.store.where, e.store.bytes))
            e.due = std::max(e.due, older.due);
    }
    const Id id = ++last_;
    dues_.insert({e.due, id});
    inCtas_ += e.inCta;
    const auto made = entries_.emplace_hint(entries_.end(), id, std::move(e));
    line.push_back({id, &made->second});
    return id;
}

template <class Of>
std::vector<StoreQueue::Id> StoreQueue::idsIn(Where where, unsigned bytes, Of&& of) const
{
    std::vector<Id> ids;
    for (Where line = where / kLineBytes; line <= (where + bytes - 1) / kLineBytes; ++line) {
        const auto found = lines_.find(line);
        if (found == lines_.end()) continue;
        for (const InLine& there : found->second)
            if (of(there.id, *there.entry)) ids.push_back(there.id);
    }
    return ids;
}

StoreQueue::Id StoreQueue::hold(const Store& store)
{
    assert(store.bytes != 0 && store.where % kLineBytes + store.bytes <= kLineBytes);
    Entry e;
    e.store = store;
    e.store.twoSteps = false;
    e.due = e.everyone = kNever;
    e.stays = true;
    ++held_;
    return insert(e);
}

void StoreQueue::left(Id id)
{
    const auto found = entries_.find(id);
    if (found != entries_.end()) found->second.stays = false;
}

void StoreQueue::performHeld(Id id, Cycle now, StoreSink& sink)
{
    const auto found = entries_.find(id);
    if (found == entries_.end()) return;
    const Store store = found->second.store;
    const auto before = [&](Id older, const Entry& e) { return older < id && sees(store.by, e); };
    for (const Id older : idsIn(store.where, store.bytes, before))
        if (entries_.contains(older)) finish(older, now, sink, true);
    finish(id, now, sink, true);
}

void StoreQueue::push(const Store& store, Cycle now)
{
    const bool two = store.twoSteps && store.reduce == 0;
    const Cycle first = now + draw(two ? delays_.cta : delays_.everyone);
    push(store, now, first, two ? first + draw(delays_.everyone) : first);
}

void StoreQueue::push(const Store& store, Cycle now, Cycle cta, Cycle everyone)
{
    assert(store.bytes != 0 && store.where % kLineBytes + store.bytes <= kLineBytes);
    assert(cta > now && everyone >= cta);
    static_cast<void>(now);
    Entry e;
    e.store = store;
    // A reduction is one step on memory: no CTA sees it before the others.
    e.store.twoSteps = store.twoSteps && store.reduce == 0;
    e.due = e.store.twoSteps ? cta : everyone;
    e.everyone = everyone;
    insert(e);
}

StoreQueue::Entry StoreQueue::take(Id id)
{
    const auto found = entries_.find(id);
    Entry e = std::move(found->second);
    entries_.erase(found);
    dues_.erase({e.due, id});
    held_ -= e.due == kNever;
    inCtas_ -= e.inCta;
    const auto line = lines_.find(e.store.where / kLineBytes);
    std::erase_if(line->second, [&](const InLine& there) { return there.id == id; });
    if (line->second.empty()) lines_.erase(line);
    return e;
}

void StoreQueue::finish(Id id, Cycle now, StoreSink& sink, bool wholly)
{
    Entry e = take(id);
    const Store& s = e.store;
    if (e.inCta || !s.twoSteps || wholly) {
        // What the CTA has seen there came before: it goes first.
        if (!e.inCta && inCtas_ != 0) {
            const auto seen = [&](Id, const Entry& o) {
                return o.inCta && o.store.by.cta == s.by.cta;
            };
            for (const Id older : idsIn(s.where, s.bytes, seen)) finish(older, now, sink, true);
        }
        sink.toEveryone(s, e.announced);
        return;
    }
    sink.toCta(s, e.announced);
    e.inCta = true;
    e.announced.own = Announced::kNot;
    e.due = std::max(e.everyone, now + 1);
    insert(e);
}

void StoreQueue::perform(Cycle now, StoreSink& sink)
{
    while (!dues_.empty() && dues_.begin()->first <= now)
        finish(dues_.begin()->second, now, sink, false);
}

void StoreQueue::overlay(const Thread& reader, Where where, unsigned bytes, std::uint8_t* to) const
{
    for (const bool inCta : {true, false}) {  // what the thread itself has stored is newer
        for (Where line = where / kLineBytes; line <= (where + bytes - 1) / kLineBytes; ++line) {
            const auto found = lines_.find(line);
            if (found == lines_.end()) continue;
            for (const InLine& there : found->second) {
                const Entry& e = *there.entry;
                if (e.inCta == inCta && sees(reader, e)) lay(e.store, where, bytes, to);
            }
        }
    }
}

bool StoreQueue::reduces(const Thread& reader, Where where, unsigned bytes) const
{
    const auto own = [&](Id, const Entry& e) { return e.store.reduce != 0 && sees(reader, e); };
    return !idsIn(where, bytes, own).empty();
}

template <class Of> void StoreQueue::performThose(Of&& of, Cycle now, StoreSink& sink)
{
    for (const bool inCta : {true, false}) {
        std::vector<Id> ids;
        for (const auto& [id, e] : entries_)
            if (e.inCta == inCta && of(e)) ids.push_back(id);
        for (const Id id : ids)
            if (entries_.contains(id)) finish(id, now, sink, true);
    }
}

void StoreQueue::settle(const Thread& by, Where where, unsigned bytes, Cycle now, StoreSink& sink)
{
    for (const bool inCta : {true, false}) {
        if (inCta && inCtas_ == 0) continue;
        const auto seen = [&](Id, const Entry& e) { return e.inCta == inCta && sees(by, e); };
        for (const Id id : idsIn(where, bytes, seen))
            if (entries_.contains(id)) finish(id, now, sink, true);
    }
}

void StoreQueue::performOwn(std::uint64_t cta, std::uint8_t warp, Cycle now, StoreSink& sink)
{
    std::vector<Id> ids;
    for (const auto& [id, e] : entries_)
        if (!e.inCta && e.store.by.cta == cta && e.store.by.warp == warp) ids.push_back(id);
    for (const Id id : ids) finish(id, now, sink, false);
}

void StoreQueue::performWide(std::uint64_t cta, Cycle now, StoreSink& sink)
{
    performThose([&](const Entry& e) { return e.store.by.cta == cta; }, now, sink);
}

void StoreQueue::performInto(Where first, Where last, Cycle now, StoreSink& sink)
{
    performThose([&](const Entry& e) { return e.store.where >= first && e.store.where < last; },
                 now, sink);
}

void StoreQueue::performAll(Cycle now, StoreSink& sink)
{
    performThose([](const Entry&) { return true; }, now, sink);
}

std::uint32_t StoreQueue::announce(const Thread& by, Reach reach, std::uint8_t epoch)
{
    std::uint32_t count = 0;
    for (auto& [id, e] : entries_) {
        if (e.store.by.cta != by.cta || e.stays) continue;
        std::uint8_t& said = reach == Reach::Cta ? e.announced.own : e.announced.wide;
        if (said != Announced::kNot) continue;
        if (reach == Reach::Cta && (e.inCta || e.store.by.warp != by.warp)) continue;
        said = epoch;
        ++count;
    }
    return count;
}

}  // namespace gsu::visibility
