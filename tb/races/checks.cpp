#include "races/checks.hpp"

namespace gsu::races {
namespace {

/// Of space and proxy: which clock an asynchronous access needs of an ordinary write.
const Clock& asyncClock(const Knowledge& k, bool global)
{
    return global ? k.asyncGlobal : k.asyncShared;
}

/// Two stores of the same to the same bytes: nobody can tell who was first.
bool sameValue(const Record& a, const Record& b)
{
    return a.value != 0 && a.value == b.value && a.from == b.from && a.bytes == b.bytes;
}

/// Of what all lanes store.
std::uint32_t valueOf(const Access& a)
{
    std::uint32_t all = 1;
    bool known = true;
    eachLane(a.lanes, [&](unsigned l) {
        known = known && a.value[l] != 0;
        all = all * 0x0100'0193u + a.value[l];
    });
    return known ? all | 1 : 0;
}

Record recordOf(const Access& a, const Threads& threads)
{
    Record r;
    r.cta = threads.cta();
    r.warp = static_cast<std::uint8_t>(threads.warp());
    r.line = a.line;
    r.time = threads.now();
    r.writes = a.touch != Touch::Reads;
    r.updates = a.touch == Touch::Updates;
    r.strong = a.order.strong;
    r.scope = static_cast<std::uint8_t>(levelOf(a.order.scope));
    return r;
}

}  // namespace

/// Both strong, and the scope of each includes the other.
bool Checks::stronglyOrdered(const Record& a, const Record& b) const
{
    if (!a.strong || !b.strong) return false;
    const auto needed = static_cast<std::uint8_t>(world_.between(a.cta, b.cta));
    return a.scope >= needed && b.scope >= needed;
}

/// Lanes of one warp: what a lane does is in order, what another lane has done must be known.
bool Checks::orderedInWarp(const Record& old, const Record& r, const By& by, unsigned first,
                           unsigned last) const
{
    const auto line = static_cast<Line>(old.on);
    if (line == Line::Matrix)
        return by.threads->waited(line, 0) >= old.time ||
               by.threads->reached(*by.part, line, 1, old.time);
    if (by.matrix && line == Line::Threads) return true;  // every lane executes it
    const unsigned step = std::max(
        1u, std::min<unsigned>(old.each == 0 ? kBlock : old.each, r.each == 0 ? kBlock : r.each));
    for (unsigned at = first; at < last; at += step - (step > 1 ? at % step : 0)) {
        const Lanes theirs = old.lanesAt(at, at);
        const Lanes mine = r.lanesAt(at, at);
        const bool alone = (mine & (mine - 1)) == 0;
        Lanes others = alone                                              ? theirs & ~mine
                       : (theirs == mine && (theirs & (theirs - 1)) == 0) ? 0
                                                                          : theirs;
        if (others != 0 && !by.threads->reached(*by.part, line, others, old.time)) return false;
        if (line == Line::Threads || (theirs & ~others) == 0) continue;
        const auto lane = static_cast<unsigned>(__builtin_ctz(theirs & ~others));
        if (by.threads->waited(line, lane) < old.time &&
            !by.threads->reached(*by.part, line, Lanes{1} << lane, old.time))
            return false;
    }
    return true;
}

/// By what kinds of order there are, whatever the proxy.
bool Checks::known(const Record& old, const Record& r, const By& by) const
{
    const Knowledge& k = by.part->knows;
    const CtaState& theirs = *world_.ctas[old.cta];
    if (theirs.grid != by.cta->grid && (k.grids >> (theirs.grid % 64) & 1) != 0) return true;
    if (old.on == Record::kEnds) {
        const Ending& e = world_.endings[old.time];
        return e.phase != Ending::kNot && k.all.reached(e.cta, keyOfPhase(e.offset), 1, e.phase);
    }
    const unsigned first = std::max(old.from, r.from), last = std::min(old.end(), r.end());
    const auto line = static_cast<Line>(old.on);
    if (old.cta == by.threads->cta() && old.warp == Threads::warpOf(line, by.threads->warp()))
        return orderedInWarp(old, r, by, first, last);
    const Lanes lanes = line == Line::Matrix ? 1 : old.lanesAt(first, last - 1);
    return k.all.reached(old.cta, keyOf(line, old.warp), lanes, old.time);
}

bool Checks::ordered(const Record& old, const Record& r, const By& by) const
{
    if (!known(old, r, by)) return false;
    if (!r.async || old.async || !old.writes || (r.writes && !r.updates)) return true;
    if (world_.ctas[old.cta]->grid != by.cta->grid)
        return true;  // the end of a grid is for all proxies
    const unsigned first = std::max(old.from, r.from), last = std::min(old.end(), r.end());
    const Clock& shown = asyncClock(by.part->knows, by.where.owner == nullptr);
    if (old.on == Record::kEnds) {
        const Ending& e = world_.endings[old.time];
        return shown.reached(e.cta, keyOfPhase(e.offset), 1, e.phase);
    }
    return shown.reached(old.cta, keyOf(static_cast<Line>(old.on), old.warp),
                         old.lanesAt(first, last - 1), old.time);
}

/// The rule that a store beside an atomic operation on shared memory breaks where the target has none that are atomic against stores; nullptr: none.
const char* Checks::besideAtomic(const Record& a, const Record& b) const
{
    if (reductions_ == nullptr || a.updates == b.updates || !a.writes || !b.writes) return nullptr;
    return reductions_->contains(a.updates ? a.line : b.line) ? "RED-016" : "ATOM-030";
}

void Checks::check(const Block& block, const Record& r, const By& by)
{
    for (const Record& old : block.against(r)) {
        if (old.from >= r.end() || r.from >= old.end()) continue;
        const char* const atomic = by.where.owner == nullptr ? nullptr : besideAtomic(old, r);
        if ((stronglyOrdered(old, r) && atomic == nullptr) || sameValue(old, r) ||
            ordered(old, r, by))
            continue;
        const bool async = old.on != 0 || r.on != 0 || r.async;
        const char* rule = atomic != nullptr        ? atomic
                           : async                  ? "race-async"
                           : old.writes && r.writes ? "race-write-write"
                                                    : "race-read-write";
        report_.race(rule, old, r, by.where, missingFor(old, r, by), report_.now);
    }
}

/// Another CTA's shared memory is there once it has started.
void Checks::started(const CtaState& owner, const By& by, const Record& r)
{
    if (owner.number == by.cta->number) return;
    const Knowledge& k = by.part->knows;
    if (k.somehow(owner.number)) return;
    report_.lifetime(std::nullopt, r, by.where, {{"cluster-barrier"}, "cluster"}, report_.now,
                     "the CTA whose shared memory this is may not have started");
}

/// Block by block.
void Checks::pieces(const MemoryRange& range, Record r, By by, bool check, bool add)
{
    CtaState* owner = range.global() ? nullptr : world_.at(range.sm, range.slot);
    if (range.bytes == 0 || (owner == nullptr && !range.global())) return;
    by.where.owner = owner;
    by.where.space = owner == nullptr                  ? "global"
                     : owner->number == by.cta->number ? "shared"
                                                       : "shared::cluster";
    const std::uint8_t firstLane = r.lane;
    for (std::uint64_t at = range.at, end = range.at + range.bytes; at < end;) {
        const std::uint64_t block = at / kBlock, next = std::min(end, (block + 1) * kBlock);
        if (owner != nullptr && block >= owner->blocks.size()) return;
        Block& b = owner != nullptr ? owner->blocks[block] : global_.at(block);
        r.from = static_cast<std::uint8_t>(at % kBlock);
        r.bytes = static_cast<std::uint8_t>(next - at);
        if (r.each != 0) {
            const std::uint64_t before = at - range.at;
            r.lane = static_cast<std::uint8_t>(firstLane + before / r.each);
            r.skip = static_cast<std::uint8_t>(before % r.each);
        }
        by.where.at = block * kBlock;
        if (check) {
            if (owner != nullptr && at == range.at) started(*owner, by, r);
            this->check(b, r, by);
        }
        if (add) {
            const int more = b.add(r, [&](const Record& old) {
                return (r.writes || !old.writes) &&
                       (!r.strong || (old.strong && old.scope <= r.scope)) && ordered(old, r, by);
            });
            if (owner == nullptr) global_.grew(more);
        }
        at = next;
    }
}

void Checks::access(const Access& a)
{
    const CtaState* cta = world_.at(a.at);
    const Threads* threads = world_.threads(a.at);
    if (threads == nullptr) return;
    Record r = recordOf(a, *threads);
    const auto lead = static_cast<unsigned>(__builtin_ctz(a.lanes));
    const std::vector<Threads::Part>& parts = threads->parts();
    if (a.consecutive && (a.lanes & ~parts.front().lanes) == 0) {
        MemoryRange range = a.range[lead];
        r.each = static_cast<std::uint8_t>(range.bytes);
        r.lane = static_cast<std::uint8_t>(lead);
        r.lanes = a.lanes;
        r.value = valueOf(a);
        range.bytes *= static_cast<std::uint32_t>(__builtin_popcount(a.lanes));
        return pieces(range, r, {cta, threads, &parts.front(), false, {}}, true, true);
    }
    // All are looked at before one is remembered: lanes of one instruction do not meet each other.
    for (const bool add : {false, true}) {
        for (const Threads::Part& part : parts) {
            const Lanes lanes = a.whole ? ~Lanes{0} : a.lanes & part.lanes;
            if ((a.lanes & part.lanes) == 0) continue;
            Lanes done = 0;
            eachLane(lanes, [&](unsigned l) {
                if (a.range[l].bytes == 0 || (done >> l & 1) != 0) return;
                Record one = r;
                one.lanes = Lanes{1} << l;
                one.value = a.value[l];
                for (unsigned k = l + 1; k < 32 && !a.whole; ++k) {  // the same bytes: one record
                    if ((lanes >> k & 1) == 0 || a.range[k].at != a.range[l].at ||
                        !a.range[k].sameMemory(a.range[l]))
                        continue;
                    one.lanes |= Lanes{1} << k;
                }
                if (a.whole) one.lanes = a.lanes;
                done |= one.lanes;
                pieces(a.range[l], one, {cta, threads, &part, a.whole, {}}, !add, add);
                if (a.whole) done = 0;
            });
            if (a.whole) break;
        }
    }
}

void Checks::async(const AsyncOp& op, std::uint32_t ending)
{
    const CtaState* cta = world_.at(op.at);
    Threads* threads = world_.threads(op.at);
    if (threads == nullptr) return;
    const auto lane = static_cast<unsigned>(__builtin_ctz(op.lanes));
    Record r;
    r.cta = cta->number;
    r.warp = op.at.warp;
    r.line = op.line;
    r.lanes = op.lanes;
    r.async = op.kind == AsyncOp::Kind::Bulk || op.kind == AsyncOp::Kind::Matrix ||
              op.kind == AsyncOp::Kind::Tensor;
    r.scope = static_cast<std::uint8_t>(Level::Gpu);
    Line line = Line::Threads;
    if (op.until != AsyncOp::Until::Group) {
        r.on = Record::kEnds;
        r.time = ending;
    } else {
        line = op.kind == AsyncOp::Kind::CpAsync ? Line::CpAsync
               : op.kind == AsyncOp::Kind::Bulk  ? Line::Bulk
                                                 : Line::Matrix;
        r.on = static_cast<std::uint8_t>(line);
        r.time = threads->begin(line, line == Line::Matrix ? 0 : lane);
        r.warp = static_cast<std::uint8_t>(Threads::warpOf(line, op.at.warp));
    }
    const bool matrix = op.kind == AsyncOp::Kind::Matrix;
    const auto part = std::find_if(threads->parts().begin(), threads->parts().end(),
                                   [&](const auto& p) { return (p.lanes >> lane & 1) != 0; });
    if (part == threads->parts().end()) return;
    const By by{cta, threads, &*part, matrix, {}};
    Record reads = r;
    if (line == Line::Bulk) reads.on = static_cast<std::uint8_t>(Line::BulkRead);
    for (const MemoryRange& range : op.reads) pieces(range, reads, by, true, true);
    r.writes = true;
    r.updates = r.strong = op.updates;  // reductions are atomic
    for (const MemoryRange& range : op.writes) pieces(range, r, by, true, true);
}

void Checks::usesMbarrier(const SyncRequest& request, unsigned lane, const CtaState& owner,
                          const Mbarrier* object)
{
    const CtaState* cta = world_.at(request.at);
    const Threads* threads = world_.threads(request.at);
    const auto part = std::find_if(threads->parts().begin(), threads->parts().end(),
                                   [&](const auto& p) { return (p.lanes >> lane & 1) != 0; });
    if (part == threads->parts().end()) return;
    By by{cta, threads, &*part, false, {}};
    Record r;
    r.cta = cta->number;
    r.warp = request.at.warp;
    r.lanes = Lanes{1} << lane;
    r.line = request.source;
    const std::uint32_t offset = clusterOffset(request.addr[lane]);
    r.from = static_cast<std::uint8_t>(offset % kBlock);
    r.bytes = 8;
    by.where = {&owner, owner.number == cta->number ? "shared" : "shared::cluster",
                offset / kBlock * kBlock};
    if (object == nullptr || !object->init) return started(owner, by, r);
    const Stamp& init = *object->init;
    const bool sameWarp = init.cta == cta->number && init.warp == request.at.warp;
    if (sameWarp && init.lanes == r.lanes) return;
    const Knowledge& k = part->knows;
    const std::uint32_t key = keyOf(Line::Threads, init.warp);
    if (k.all.reached(init.cta, key, init.lanes, init.time) ||
        k.inits.reached(init.cta, key, init.lanes, init.time) ||
        (sameWarp && threads->reached(*part, Line::Threads, init.lanes, init.time)))
        return;
    const bool weak = k.weak.reached(init.cta, key, init.lanes, init.time);
    const bool far = init.cta != cta->number;
    Missing m{{weak  ? "fence"
               : far ? "cluster-barrier"
                     : "barrier"},
              far        ? "cluster"
              : sameWarp ? "warp"
                         : "cta"};
    report_.lifetime(init, r, by.where, m, report_.now,
                     "the mbarrier's init is not ordered before this use");
}

void Checks::ends(const CtaState& cta)
{
    if (cta.launch.ctas <= 1) return;
    Knowledge k;
    for (const Threads& t : cta.warps) {
        for (const Threads::Part& part : t.parts()) k.join(part.knows);
    }
    for (std::size_t b = 0; b < cta.blocks.size(); ++b) {
        for (const Record& r : cta.blocks[b].records()) {
            const std::uint32_t by = r.on == Record::kEnds ? world_.endings[r.time].issuer : r.cta;
            if (by == cta.number) continue;
            bool seen = false;
            if (r.on == Record::kEnds) {
                const Ending& e = world_.endings[r.time];
                seen = e.phase != Ending::kNot &&
                       k.all.reached(e.cta, keyOfPhase(e.offset), 1, e.phase);
            } else {
                const std::uint32_t key = keyOf(static_cast<Line>(r.on), r.warp);
                const Lanes lanes = r.lanesAt(r.from, r.end() - 1);
                seen = k.all.reached(r.cta, key, lanes, r.time) ||
                       k.weak.reached(r.cta, key, lanes, r.time);
            }
            if (seen) continue;
            report_.lifetime(std::nullopt, r, {&cta, "shared::cluster", b * kBlock},
                             {{"cluster-barrier"}, "cluster"}, report_.now,
                             "the CTA whose shared memory this is may have ended");
        }
    }
}

}  // namespace gsu::races
