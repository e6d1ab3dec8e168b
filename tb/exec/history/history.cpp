#include "exec/history/history.hpp"

#include <algorithm>

#include "golden/op_traits.hpp"

namespace gsu::exec {
namespace {

bool isNoted(const MicroOp& op)
{
    switch (op.kind) {
        case Kind::Branch:
        case Kind::BranchIndexed:
        case Kind::Ret:
        case Kind::Exit:
        case Kind::Sync: return true;
        case Kind::Exec: break;
        default: return false;
    }
    const bool writes = op.touch == Touch::Writes || op.touch == Touch::Updates;
    return op.copies || (writes && op.space != ptx::Space::Local && op.space != ptx::Space::Param);
}

/// completions without a seen commit are forgotten beyond this number
constexpr std::size_t kTold = 4096;

template <class Map>
const typename Map::mapped_type* valueIn(const Map& map, const typename Map::key_type& key)
{
    const auto found = map.find(key);
    return found == map.end() ? nullptr : &found->second;
}

}  // namespace

void numberNotes(Program& program)
{
    for (Code& code : program.codes) {
        for (MicroOp& op : code.ops) op.note = isNoted(op) ? ++program.notes : 0;
    }
}

void History::prepare(const Program& program, bool on)
{
    on_ = on;
    count_ = program.notes;
}

void History::started(Cta& cta)
{
    ++starts_;
    auto& slot = resident_[cta.serial];
    if (gone_.size() >= kGone) {
        slot = std::move(gone_.front());
        gone_.pop_front();
    } else {
        slot = std::make_unique<CtaNotes>();
    }
    CtaNotes& notes = *slot;
    notes.linear = cta.linear;
    notes.serial = cta.serial;
    notes.gone = false;
    notes.ops.assign(std::size_t{count_} * cta.warps.size(), {});
    notes.ends.assign(cta.warps.size(), {});
    for (Warp& w : cta.warps) w.notes = notes.ops.data() + std::size_t{count_} * w.index;
}

void History::ended(const Cta& cta)
{
    mbars_.erase(cta.serial);
    named_.erase(cta.serial);
    const auto found = resident_.find(cta.serial);
    if (found == resident_.end()) return;
    found->second->gone = true;
    gone_.push_back(std::move(found->second));
    resident_.erase(found);
}

void History::left(const Warp& warp, const WarpEnd& end)
{
    const auto found = resident_.find(warp.cta->serial);
    if (found == resident_.end()) return;
    WarpEnd& mine = found->second->ends[warp.index];
    const Lanes before = mine.lanes;
    mine = end;
    mine.lanes |= before;
}

void History::copyTold(std::uint64_t owner, std::uint32_t offset, const Doer& doer)
{
    if (!on_) return;
    if (told_.size() == kTold) told_.pop_front();
    told_.push_back({owner, offset, doer});
}

void History::mbar(const Commit& c, const Cta& owner, Doer doer)
{
    if (!on_) return;
    const std::uint32_t offset = clusterOffset(c.object);
    if (c.op == Op::EvAsyncCompleteTx && c.src == Src::AsyncCopy) {
        const auto told = std::find_if(told_.begin(), told_.end(), [&](const Told& t) {
            return t.owner == owner.serial && t.offset == offset;
        });
        if (told != told_.end()) {
            doer = told->doer;
            told_.erase(told);
        }
    }
    if (c.refused) return;
    mbars_[owner.serial][offset].commit(c, doer);
}

void History::named(const Commit& c, const Cta& owner, std::uint32_t line)
{
    if (!on_) return;
    if (c.refused || c.object >= kBarsPerCta) return;
    NamedHistory& history = named_[owner.serial][c.object];
    if (isNamed(c.op)) {
        history.running.push_back({{owner.linear, c.at.warp}, line, false});
        ++history.totals[{c.at.warp, line}];
    }
    if (!c.flip) return;
    ++history.generations;
    history.running.clear();
}

void History::looked(const Cta& owner, std::uint32_t offset, const WarpId& warp, std::uint32_t line,
                     Cycle now)
{
    if (!on_) return;
    mbars_[owner.serial][offset].looked(warp, line, now);
}

const MbarHistory* History::mbarOf(std::uint64_t serial, std::uint32_t offset) const
{
    return valueIn(mbarsOf(serial), offset);
}

const History::Mbars& History::mbarsOf(std::uint64_t serial) const
{
    static const Mbars none;
    const Mbars* all = valueIn(mbars_, serial);
    return all == nullptr ? none : *all;
}

const NamedHistory* History::namedOf(std::uint64_t serial, std::uint32_t id) const
{
    return valueIn(namedsOf(serial), id);
}

const History::Nameds& History::namedsOf(std::uint64_t serial) const
{
    static const Nameds none;
    const Nameds* all = valueIn(named_, serial);
    return all == nullptr ? none : *all;
}

const CtaNotes* History::notesOf(std::uint64_t serial) const
{
    if (const auto found = resident_.find(serial); found != resident_.end())
        return found->second.get();
    for (const auto& notes : gone_) {
        if (notes->serial == serial) return notes.get();
    }
    return nullptr;
}

}  // namespace gsu::exec
