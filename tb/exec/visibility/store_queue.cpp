#include "exec/visibility/store_queue.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <utility>

namespace gsu::visibility {
namespace {

bool overlap(Where a, unsigned aBytes, Where b, unsigned bBytes) noexcept
{
    return a < b + bBytes && b < a + aBytes;
}

/// Copies the bytes of `from` in [where, where + bytes).
void lay(const Store& from, Where where, unsigned bytes, std::uint8_t* to)
{
    const Where first = std::max(from.where, where);
    const Where last = std::min(from.where + from.bytes, where + bytes);
    if (first < last)
        std::memcpy(to + (first - where), from.data.data() + (first - from.where), last - first);
}

}  // namespace

Cycle StoreQueue::draw(unsigned sm, std::uint32_t bound)
{
    // Half of the stores are quick: so stores overtake others, and are overtaken.
    const std::uint64_t r = random_.next(sm);
    const std::uint32_t most = (r & 1) != 0 ? std::min(bound, 32u) : bound;
    return 1 + (r >> 1) % std::max(most, 1u);
}

bool StoreQueue::sameBuffer(const Entry& a, const Entry& b) const noexcept
{
    if (a.inCta != b.inCta) return false;
    return a.inCta ? a.store.by.cta == b.store.by.cta : a.store.by == b.store.by;
}

void StoreQueue::append(List& list, Links Entry::*links, Slot slot)
{
    entries_[slot].*links = {list.last, kNone};
    (list.last == kNone ? list.first : (entries_[list.last].*links).behind) = slot;
    list.last = slot;
}

void StoreQueue::drop(List& list, Links Entry::*links, Slot slot)
{
    const Links at = entries_[slot].*links;
    (at.before == kNone ? list.first : (entries_[at.before].*links).behind) = at.behind;
    (at.behind == kNone ? list.last : (entries_[at.behind].*links).before) = at.before;
}

const StoreQueue::List& StoreQueue::lineList(Where line, std::uint64_t cta) const noexcept
{
    constexpr std::uint64_t kGolden = 0x9e37'79b9'7f4a'7c15ull;  // lines of a row are neighbours
    return lines_[((line + (cta << 20)) * kGolden >> 32) & (lines_.size() - 1)];
}

StoreQueue::List& StoreQueue::lineList(Where line, std::uint64_t cta) noexcept
{
    return const_cast<List&>(std::as_const(*this).lineList(line, cta));
}

void StoreQueue::growLines()
{
    lines_.assign(std::max<std::size_t>(256, 2 * lines_.size()), List{});
    std::vector<Id> ids;
    for (const Entry& e : entries_)
        if (e.id != 0) ids.push_back(e.id);
    std::ranges::sort(ids);
    for (const Id id : ids) {
        const Slot slot = slotOf(id);
        const Store& store = entries_[slot].store;
        append(lineList(store.where / kLineBytes, store.by.cta), &Entry::line, slot);
    }
}

StoreQueue::Cta* StoreQueue::known(std::uint64_t serial)
{
    if (lastCta_ != nullptr && lastSerial_ == serial) return lastCta_;
    const auto found = ctas_.find(serial);
    if (found == ctas_.end()) return nullptr;
    lastSerial_ = serial;
    return lastCta_ = &found->second;
}

StoreQueue::Cta& StoreQueue::ctaOf(std::uint64_t serial)
{
    if (Cta* cta = known(serial)) return *cta;
    if (ctas_.size() > mostCtas_) {
        std::erase_if(ctas_, [](const auto& cta) { return cta.second.count == 0; });
        mostCtas_ = 64 + 2 * ctas_.size();
    }
    lastSerial_ = serial;
    return *(lastCta_ = &ctas_[serial]);
}

void StoreQueue::countUnsaid(const Entry& e, std::uint32_t by) noexcept
{
    if (e.stays) return;
    if (!e.inCta && e.announced.own == Announced::kNot) e.cta->unsaidOwn[e.store.by.warp] += by;
    if (e.announced.wide == Announced::kNot) e.cta->unsaidWide += by;
}

StoreQueue::Slot StoreQueue::freeSlot()
{
    if (free_.empty()) {
        entries_.emplace_back();
        assert(entries_.size() <= 1u << kSlotBits);
        return static_cast<Slot>(entries_.size() - 1);
    }
    const Slot slot = free_.back();
    free_.pop_back();
    return slot;
}

StoreQueue::Id StoreQueue::insert(Slot slot)
{
    if (size_ >= lines_.size()) growLines();
    Entry& e = entries_[slot];
    const Where where = e.store.where;
    List& line = lineList(where / kLineBytes, e.store.by.cta);
    for (Slot at = line.first; at != kNone; at = entries_[at].line.behind) {
        const Entry& older = entries_[at];
        if (sameBuffer(older, e) &&
            overlap(older.store.where, older.store.bytes, where, e.store.bytes))
            e.due = std::max(e.due, older.due);
    }
    e.id = ++last_ << kSlotBits | slot;
    e.cta = &ctaOf(e.store.by.cta);
    append(line, &Entry::line, slot);
    append(e.cta->list, &Entry::ofCta, slot);
    if (e.due != kNever) dues_.add(slot, e.due);
    ++size_;
    inCtas_ += e.inCta;
    reductions_ += e.store.reduce != 0;
    ++e.cta->count;
    assert(e.store.by.warp < kMaxWarps);
    e.cta->own[e.store.by.warp] += !e.inCta;
    countUnsaid(e, 1);
    Around& around = around_[isGlobal(where) ? 1 : 0];
    // Whole lines: settle() and reduces() look at everything in a line.
    const Where low = where / kLineBytes * kLineBytes;
    if (around.count++ == 0) around = {low, low, 1};
    around.low = std::min(around.low, low);
    around.high = std::max(around.high, low + kLineBytes);
    return e.id;
}

void StoreQueue::unlink(Slot slot)
{
    Entry& e = entries_[slot];
    drop(lineList(e.store.where / kLineBytes, e.store.by.cta), &Entry::line, slot);
    drop(e.cta->list, &Entry::ofCta, slot);
    if (e.due != kNever)
        dues_.remove(slot, e.due);
    else
        --held_;
    --size_;
    inCtas_ -= e.inCta;
    reductions_ -= e.store.reduce != 0;
    --e.cta->count;
    e.cta->own[e.store.by.warp] -= !e.inCta;
    countUnsaid(e, ~0u);
    --around_[isGlobal(e.store.where) ? 1 : 0].count;
    e.id = 0;
}

template <class Of, class Fn>
void StoreQueue::eachIn(std::uint64_t cta, Where where, unsigned bytes, Of&& of, Fn&& fn)
{
    if (!near(where, bytes)) return;
    for (Where line = where / kLineBytes; line <= (where + bytes - 1) / kLineBytes; ++line) {
        for (Slot at = lineList(line, cta).first, next = kNone; at != kNone; at = next) {
            const Entry& e = entries_[at];
            next = e.line.behind;
            if (e.store.where / kLineBytes == line && of(e)) fn(at);
        }
    }
}

StoreQueue::Id StoreQueue::hold(const Store& store)
{
    assert(store.bytes != 0 && store.where % kLineBytes + store.bytes <= kLineBytes);
    const Slot slot = freeSlot();
    Entry& e = entries_[slot];
    e.store = store;
    e.store.twoSteps = e.inCta = false;
    e.due = e.everyone = kNever;
    e.announced = {};
    e.stays = true;
    ++held_;
    return insert(slot);
}

void StoreQueue::left(Id id)
{
    if (!pending(id)) return;
    Entry& e = entries_[slotOf(id)];
    countUnsaid(e, ~0u);
    e.stays = false;
    countUnsaid(e, 1);
}

void StoreQueue::performHeld(Id id, Cycle now, StoreSink& sink)
{
    if (!pending(id)) return;
    const Store store = entries_[slotOf(id)].store;
    for (const bool inCta : {true, false}) {
        const auto before = [&](const Entry& e) {
            return e.inCta == inCta && e.id < id && sees(store.by, e);
        };
        eachIn(store.by.cta, store.where, store.bytes, before,
               [&](Slot older) { finish(older, now, sink, true); });
    }
    finish(slotOf(id), now, sink, true);
}

void StoreQueue::push(const Store& store, Cycle now)
{
    const bool two = store.twoSteps && store.reduce == 0;
    const Cycle first = now + draw(store.at.sm, two ? delays_.cta : delays_.everyone);
    push(store, now, first, two ? first + draw(store.at.sm, delays_.everyone) : first);
}

void StoreQueue::push(const Store& store, Cycle now, Cycle cta, Cycle everyone)
{
    assert(store.bytes != 0 && store.where % kLineBytes + store.bytes <= kLineBytes);
    assert(cta > now && everyone >= cta);
    if (size_ == held_) dues_.advance(now + 1);
    const Slot slot = freeSlot();
    Entry& e = entries_[slot];
    e.store = store;
    // A reduction is one step on memory: no CTA sees it before the others.
    e.store.twoSteps = store.twoSteps && store.reduce == 0;
    e.inCta = e.stays = false;
    e.announced = {};
    e.due = e.store.twoSteps ? cta : everyone;
    e.everyone = everyone;
    insert(slot);
}

void StoreQueue::finish(Slot slot, Cycle now, StoreSink& sink, bool wholly)
{
    unlink(slot);
    const Entry& e = entries_[slot];
    if (e.inCta || !e.store.twoSteps || wholly) {
        const Store store = e.store;
        const Announced announced = e.announced;
        free_.push_back(slot);
        // Stores that the CTA has seen there came before: they go first.
        if (!e.inCta && inCtas_ != 0) {
            const auto seen = [&](const Entry& o) {
                return o.inCta && o.store.by.cta == store.by.cta;
            };
            eachIn(store.by.cta, store.where, store.bytes, seen,
                   [&](Slot older) { finish(older, now, sink, true); });
        }
        sink.toEveryone(store, announced);
        return;
    }
    sink.toCta(e.store, e.announced);
    Entry& again = entries_[slot];
    again.inCta = true;
    again.announced.own = Announced::kNot;
    again.due = std::max(again.everyone, now + 1);
    insert(slot);
}

void StoreQueue::perform(Cycle now, StoreSink& sink)
{
    for (Cycle due = dues_.next(); due <= now; due = dues_.next()) {
        dues_.advance(due);
        finish(dues_.first(), now, sink, false);
    }
    dues_.advance(now + 1);
}

void StoreQueue::overlay(const Thread& reader, Where where, unsigned bytes, std::uint8_t* to) const
{
    if (!near(where, bytes)) return;
    for (const bool inCta : {true, false}) {  // stores of the thread itself are newer
        if (inCta && inCtas_ == 0) continue;
        for (Where line = where / kLineBytes; line <= (where + bytes - 1) / kLineBytes; ++line) {
            for (Slot at = lineList(line, reader.cta).first; at != kNone;
                 at = entries_[at].line.behind) {
                const Entry& e = entries_[at];
                if (e.inCta == inCta && sees(reader, e)) lay(e.store, where, bytes, to);
            }
        }
    }
}

bool StoreQueue::reduces(const Thread& reader, Where where, unsigned bytes) const
{
    if (reductions_ == 0 || !near(where, bytes)) return false;
    for (Where line = where / kLineBytes; line <= (where + bytes - 1) / kLineBytes; ++line) {
        for (Slot at = lineList(line, reader.cta).first; at != kNone;
             at = entries_[at].line.behind) {
            const Entry& e = entries_[at];
            if (e.store.reduce != 0 && e.store.where / kLineBytes == line && sees(reader, e))
                return true;
        }
    }
    return false;
}

void StoreQueue::settle(const Thread& by, Where where, unsigned bytes, Cycle now, StoreSink& sink)
{
    for (const bool inCta : {true, false}) {
        if (inCta && inCtas_ == 0) continue;
        const auto seen = [&](const Entry& e) { return e.inCta == inCta && sees(by, e); };
        eachIn(by.cta, where, bytes, seen, [&](Slot older) { finish(older, now, sink, true); });
    }
}

void StoreQueue::performListed(Cycle now, StoreSink& sink, bool wholly)
{
    for (const Id id : ids_)
        if (pending(id)) finish(slotOf(id), now, sink, wholly);
    ids_.clear();
}

void StoreQueue::performOwn(std::uint64_t cta, std::uint8_t warp, Cycle now, StoreSink& sink)
{
    const Cta* of = known(cta);
    if (of == nullptr || of->own[warp] == 0) return;
    for (Slot at = of->list.first; at != kNone; at = entries_[at].ofCta.behind) {
        const Entry& e = entries_[at];
        if (!e.inCta && e.store.by.warp == warp) ids_.push_back(e.id);
    }
    performListed(now, sink, false);
}

void StoreQueue::performWide(std::uint64_t cta, Cycle now, StoreSink& sink)
{
    for (const bool inCta : {true, false}) {
        const Cta* of = known(cta);
        if (of == nullptr || of->count == 0) return;
        for (Slot at = of->list.first; at != kNone; at = entries_[at].ofCta.behind)
            if (entries_[at].inCta == inCta) ids_.push_back(entries_[at].id);
        performListed(now, sink, true);
    }
}

template <class Of> void StoreQueue::performThose(Of&& of, Cycle now, StoreSink& sink)
{
    for (const bool inCta : {true, false}) {
        for (const Entry& e : entries_)
            if (e.id != 0 && e.inCta == inCta && of(e)) ids_.push_back(e.id);
        std::ranges::sort(ids_);
        performListed(now, sink, true);
    }
}

void StoreQueue::performInto(Where first, Where last, Cycle now, StoreSink& sink)
{
    if (first >= last || !near(first, last - first)) return;
    performThose([&](const Entry& e) { return e.store.where >= first && e.store.where < last; },
                 now, sink);
}

void StoreQueue::performAll(Cycle now, StoreSink& sink)
{
    performThose([](const Entry&) { return true; }, now, sink);
}

std::uint32_t StoreQueue::announce(const Thread& by, Reach reach, std::uint8_t epoch)
{
    Cta* cta = known(by.cta);
    if (cta == nullptr) return 0;
    const bool own = reach == Reach::Cta;
    std::uint32_t& unsaid = own ? cta->unsaidOwn[by.warp] : cta->unsaidWide;
    const std::uint32_t count = std::exchange(unsaid, 0);
    // The newest ones are unannounced.
    std::uint32_t left = count;
    for (Slot at = cta->list.last; left != 0; at = entries_[at].ofCta.before) {
        Entry& e = entries_[at];
        std::uint8_t& said = own ? e.announced.own : e.announced.wide;
        if (e.stays || said != Announced::kNot) continue;
        if (own && (e.inCta || e.store.by.warp != by.warp)) continue;
        said = epoch;
        --left;
    }
    return count;
}

}  // namespace gsu::visibility
