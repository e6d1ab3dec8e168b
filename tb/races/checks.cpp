#include "races/checks.hpp"

namespace gsu::races {
namespace {

/// The clock of an ordinary write that an asynchronous access needs, for its space and proxy.
const Clock& asyncClock(const Knowledge& k, bool global)
{
    return global ? k.asyncGlobal : k.asyncShared;
}

/// Whether two stores write the same value to the same bytes: nobody can tell which came first.
bool sameValue(const Record& a, const Record& b)
{
    return a.value != 0 && a.value == b.value && a.bytes == b.bytes;
}

/// The value that all these lanes store.
std::uint32_t valueOf(const Access& a, Lanes lanes)
{
    std::uint32_t all = 1;
    bool known = true;
    eachLane(lanes, [&](unsigned l) {
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

/// Lanes of an access that form one record: all at the same bytes, or each after the one before.
struct Run {
    unsigned first{};
    Lanes lanes{};
    std::uint32_t stride{};  ///< 0: the same bytes
};

/// Calls `each` for the runs of these lanes.
template <class Each> void eachRun(const Access& a, Lanes lanes, Each&& each)
{
    while (lanes != 0) {
        Run run;
        run.first = static_cast<unsigned>(__builtin_ctz(lanes));
        run.lanes = Lanes{1} << run.first;
        const MemoryRange& range = a.range[run.first];
        lanes &= lanes - 1;
        if (range.bytes == 0) continue;
        const auto follows = [&](unsigned l, std::uint64_t at) {
            return a.range[l].bytes == range.bytes && a.range[l].at == at &&
                   a.range[l].sameMemory(range);
        };
        unsigned next = run.first + 1;
        const std::uint64_t stride = next < 32 ? a.range[next].at - range.at : 0;
        if (stride >= range.bytes && stride <= kBlock / 2) {
            for (; next < 32 && (lanes >> next & 1) != 0 &&
                   follows(next, range.at + (next - run.first) * stride);
                 ++next)
                run.lanes |= Lanes{1} << next;
        }
        if (next > run.first + 1) {
            run.stride = static_cast<std::uint32_t>(stride);
        } else {
            eachLane(lanes, [&](unsigned l) {
                if (follows(l, range.at)) run.lanes |= Lanes{1} << l;
            });
        }
        lanes &= ~run.lanes;
        each(run);
    }
}

struct Piece {
    MemoryRange range;
    Record record;
};

Piece pieceOf(const Access& a, const Record& all, const Run& run)
{
    Piece p{a.range[run.first], all};
    p.record.lanes = run.lanes;
    p.record.value = valueOf(a, run.lanes);
    if (run.stride == 0) return p;
    p.record.each = static_cast<std::uint8_t>(p.range.bytes);
    p.record.stride = static_cast<std::uint8_t>(run.stride);
    p.record.lane = static_cast<std::uint8_t>(run.first);
    p.range.bytes += (static_cast<unsigned>(__builtin_popcount(run.lanes)) - 1) * run.stride;
    return p;
}

}  // namespace

/// Whether both are strong and the scope of each includes the other.
bool Checks::stronglyOrdered(const Record& a, const Record& b) const
{
    if (!a.strong || !b.strong) return false;
    const auto needed = static_cast<std::uint8_t>(state_.between(a.cta, b.cta));
    return a.scope >= needed && b.scope >= needed;
}

/// Order of lanes of one warp: accesses of one lane are in order; an access of another lane must be known.
bool Checks::orderedInWarp(const Record& old, const Record& r, const By& by,
                           const ByteSet& both) const
{
    const auto line = static_cast<Line>(old.on);
    if (line == Line::Matrix)
        return by.threads->waited(line, 0) >= old.time ||
               by.threads->reached(*by.part, line, 1, old.time);
    if (by.matrix && line == Line::Threads) return true;  // every lane executes it
    const unsigned step = std::max(
        1u, std::min<unsigned>(old.each == 0 ? kBlock : old.each, r.each == 0 ? kBlock : r.each));
    for (unsigned at = both.first(), last = both.last(); at <= last;
         at += step - (step > 1 ? at % step : 0)) {
        if (!both.has(at)) continue;
        const Lanes theirs = old.lanesAt({at, at});
        const Lanes mine = r.lanesAt({at, at});
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

/// Whether the old access is known by any kind of order, whatever its proxy.
bool Checks::known(const Record& old, const Record& r, const By& by) const
{
    const Knowledge& k = by.part->knows;
    const CtaState& theirs = *state_.ctas[old.cta];
    if (theirs.grid != by.cta->grid && (k.grids >> (theirs.grid % 64) & 1) != 0) return true;
    if (old.on == Record::kEnds) {
        const Ending& e = state_.endings[old.time];
        const std::uint32_t key = keyOfPhase(e.offset);
        return e.phase != Ending::kNot &&
               (by.known.reached(k.all, e.cta, key, 1, e.phase) ||
                (!old.writes && by.reads.reached(k.reads, e.cta, key, 1, e.phase)));
    }
    const ByteSet both = old.bytes & r.bytes;
    const auto line = static_cast<Line>(old.on);
    if (old.cta == by.threads->cta() && old.warp == Threads::warpOf(line, by.threads->warp()))
        return orderedInWarp(old, r, by, both);
    const Lanes lanes = line == Line::Matrix ? 1 : old.lanesAt(both);
    const std::uint32_t key = keyOf(line, old.warp);
    if (by.known.reached(k.all, old.cta, key, lanes, old.time)) return true;
    if (old.writes || k.reads.empty()) return false;
    bool each = true;  // one lane may be known in one way, another lane in the other
    eachLane(lanes, [&](unsigned l) {
        each &= by.known.reached(k.all, old.cta, key, Lanes{1} << l, old.time) ||
                by.reads.reached(k.reads, old.cta, key, Lanes{1} << l, old.time);
    });
    return each;
}

bool Checks::ordered(const Record& old, const Record& r, const By& by) const
{
    if (!known(old, r, by)) return false;
    if (!r.async || old.async || !old.writes || (r.writes && !r.updates)) return true;
    if (state_.ctas[old.cta]->grid != by.cta->grid)
        return true;  // the end of a grid covers all proxies
    const Clock& shown = asyncClock(by.part->knows, by.where.owner == nullptr);
    if (old.on == Record::kEnds) {
        const Ending& e = state_.endings[old.time];
        return by.shown.reached(shown, e.cta, keyOfPhase(e.offset), 1, e.phase);
    }
    return by.shown.reached(shown, old.cta, keyOf(static_cast<Line>(old.on), old.warp),
                            old.lanesAt(old.bytes & r.bytes), old.time);
}

/// The rule violated by a store beside an atomic on shared memory that is not atomic against stores; nullptr: none.
const char* Checks::besideAtomic(const Record& a, const Record& b) const
{
    if (reductions_ == nullptr || a.updates == b.updates || !a.writes || !b.writes) return nullptr;
    return reductions_->contains(a.updates ? a.line : b.line) ? "RED-016" : "ATOM-030";
}

bool Checks::check(const Block& block, const Record& r, const By& by)
{
    bool all = true;
    for (const Record& old : block.against(r)) {
        if (!old.bytes.overlaps(r.bytes)) continue;
        const char* const atomic = by.where.owner == nullptr ? nullptr : besideAtomic(old, r);
        const bool excused = (stronglyOrdered(old, r) && atomic == nullptr) || sameValue(old, r);
        if (!excused && ordered(old, r, by)) continue;
        all = false;
        if (excused) continue;
        const bool async = old.on != 0 || r.on != 0 || r.async;
        const char* rule = atomic != nullptr        ? atomic
                           : async                  ? "race-async"
                           : old.writes && r.writes ? "race-write-write"
                                                    : "race-read-write";
        findings_.race(rule, old, r, by.where, missingFor(old, r, by), findings_.now);
    }
    return all && r.writes;
}

/// Checks that another CTA's shared memory is accessed only after that CTA has started.
void Checks::started(const CtaState& owner, const By& by, const Record& r)
{
    if (owner.number == by.cta->number) return;
    const Knowledge& k = by.part->knows;
    if (k.somehow(owner.number)) return;
    findings_.lifetime(std::nullopt, r, by.where, {{"cluster-barrier"}, "cluster"}, findings_.now,
                       "the CTA whose shared memory this is may not have started");
}

/// Handles a range block by block.
void Checks::pieces(const MemoryRange& range, Record r, By& by, bool check, bool add)
{
    CtaState* owner = range.global() ? nullptr : state_.at(range.sm, range.slot);
    if (range.bytes == 0 || (owner == nullptr && !range.global())) return;
    by.where.owner = owner;
    by.where.space = owner == nullptr                  ? "global"
                     : owner->number == by.cta->number ? "shared"
                                                       : "shared::cluster";
    const std::uint64_t end = range.at + range.bytes;
    for (std::uint64_t at = range.at; at < end; at = (at / kBlock + 1) * kBlock) {
        const std::uint64_t block = at / kBlock;
        if (owner != nullptr && block >= owner->blocks.size()) return;
        Block& b = owner != nullptr ? owner->blocks[block] : global_.at(block);
        r.start = static_cast<std::int16_t>(static_cast<std::int64_t>(range.at - block * kBlock));
        r.bytes = {
            static_cast<unsigned>(at % kBlock),
            static_cast<unsigned>(std::min<std::uint64_t>(end - 1 - block * kBlock, kBlock - 1))};
        if (r.each != r.stride) r.bytes = r.bytesOfRow();
        by.where.at = block * kBlock;
        bool behind = false;  // whether it follows everything that it overlaps
        if (check) {
            if (owner != nullptr && at == range.at) started(*owner, by, r);
            behind = this->check(b, r, by);
        }
        if (add) {
            const int more = b.add(r, [&](const Record& old) {
                return (r.writes || !old.writes) &&
                       (!r.strong || (old.strong && old.scope <= r.scope)) &&
                       (behind || ordered(old, r, by));
            });
            if (owner == nullptr) global_.grew(more);
        }
    }
}

void Checks::access(const Access& a)
{
    const CtaState* cta = state_.at(a.at);
    const Threads* threads = state_.threads(a.at);
    if (threads == nullptr) return;
    Record r = recordOf(a, *threads);
    const std::vector<Threads::Part>& parts = threads->parts();
    if (a.consecutive && (a.lanes & ~parts.front().lanes) == 0) {
        const auto lead = static_cast<unsigned>(__builtin_ctz(a.lanes));
        const Piece piece = pieceOf(a, r, {lead, a.lanes, a.range[lead].bytes});
        By by{cta, threads, &parts.front(), false, {}, {}, {}, {}};
        return pieces(piece.range, piece.record, by, true, true);
    }
    // All lanes are checked before any is recorded: lanes of one instruction are not compared with each other.
    for (const bool add : {false, true}) {
        for (const Threads::Part& part : parts) {
            if ((a.lanes & part.lanes) == 0) continue;
            By by{cta, threads, &part, a.whole, {}, {}, {}, {}};
            if (a.whole) {
                r.lanes = a.lanes;
                for (const MemoryRange& range : a.range) pieces(range, r, by, !add, add);
                break;
            }
            eachRun(a, a.lanes & part.lanes, [&](const Run& run) {
                const Piece piece = pieceOf(a, r, run);
                pieces(piece.range, piece.record, by, !add, add);
            });
        }
    }
}

void Checks::async(const AsyncOp& op, std::uint32_t ending)
{
    const CtaState* cta = state_.at(op.at);
    Threads* threads = state_.threads(op.at);
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
    By by{cta, threads, &*part, matrix, {}, {}, {}, {}};
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
    const CtaState* cta = state_.at(request.at);
    const Threads* threads = state_.threads(request.at);
    const auto part = std::find_if(threads->parts().begin(), threads->parts().end(),
                                   [&](const auto& p) { return (p.lanes >> lane & 1) != 0; });
    if (part == threads->parts().end()) return;
    By by{cta, threads, &*part, false, {}, {}, {}, {}};
    Record r;
    r.cta = cta->number;
    r.warp = request.at.warp;
    r.lanes = Lanes{1} << lane;
    r.line = request.source;
    const std::uint32_t offset = clusterOffset(request.addr[lane]);
    r.bytes = {offset % kBlock, offset % kBlock + 7};
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
    findings_.lifetime(init, r, by.where, m, findings_.now,
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
            const std::uint32_t by = r.on == Record::kEnds ? state_.endings[r.time].issuer : r.cta;
            if (by == cta.number) continue;
            bool seen = false;
            if (r.on == Record::kEnds) {
                const Ending& e = state_.endings[r.time];
                seen = e.phase != Ending::kNot &&
                       k.all.reached(e.cta, keyOfPhase(e.offset), 1, e.phase);
            } else {
                const std::uint32_t key = keyOf(static_cast<Line>(r.on), r.warp);
                const Lanes lanes = r.lanesAt(r.bytes);
                seen = k.all.reached(r.cta, key, lanes, r.time) ||
                       k.weak.reached(r.cta, key, lanes, r.time);
            }
            if (seen) continue;
            findings_.lifetime(std::nullopt, r, {&cta, "shared::cluster", b * kBlock},
                               {{"cluster-barrier"}, "cluster"}, findings_.now,
                               "the CTA whose shared memory this is may have ended");
        }
    }
}

}  // namespace gsu::races
