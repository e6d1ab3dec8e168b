#include "races/threads.hpp"

#include "golden/op_traits.hpp"

namespace gsu::races {
namespace {

/// closed groups of a lane that a wait may leave unfinished
constexpr std::size_t kMostGroups = 4096;
constexpr std::ptrdiff_t kMostMaybe = 32;  ///< fences of a level that may belong to an access

std::size_t index(Line line) { return static_cast<std::size_t>(line); }
std::size_t index(Level level) { return static_cast<std::size_t>(level); }

}  // namespace

bool Threads::reached(const Part& part, Line line, Lanes lanes, Time time) const noexcept
{
    return part.self[index(line)].reached(lanes, time) ||
           part.knows.all.reached(cta_, keyOf(line, warpOf(line, warp_)), lanes, time);
}

Threads::Snapshot Threads::snapshot(const Part& part, Lanes lanes) const
{
    return {lanes & part.lanes, part.knows, part.self, waited_, now_};
}

Knowledge Threads::given(const Snapshot& from, Lanes lanes) const
{
    Knowledge k = from.knows;
    for (unsigned i = 0; i < kOwnLines; ++i) {
        LaneTimes times = from.self[i];
        if (i == 0)
            times.raise(lanes, from.time);
        else
            times.join(from.waited[i], static_cast<Line>(i) == Line::Matrix ? ~Lanes{0} : lanes);
        const auto line = static_cast<Line>(i);
        k.all.join(cta_, keyOf(line, warpOf(line, warp_)), times);
    }
    return k;
}

Knowledge Threads::known(Lanes lanes) const
{
    Knowledge k;
    for (const Part& part : parts_) {
        if ((part.lanes & lanes) != 0) k.join(given(snapshot(part, lanes), part.lanes & lanes));
    }
    return k;
}

Knowledge Threads::release(Lanes lanes)
{
    Knowledge k = known(lanes);
    ++now_;
    return k;
}

/// Splits parts: afterwards no part has some of these lanes and others.
void Threads::split(Lanes lanes)
{
    for (std::size_t i = 0, count = parts_.size(); i < count; ++i) {
        const Lanes inside = parts_[i].lanes & lanes;
        if (inside == 0 || inside == parts_[i].lanes) continue;
        Part other = parts_[i];
        other.lanes = inside;
        parts_[i].lanes &= ~lanes;
        parts_.push_back(std::move(other));
    }
}

void Threads::merge()
{
    const auto same = [](const Part& a, const Part& b) {
        bool self = a.knows == b.knows;
        for (unsigned i = 0; i < kOwnLines && self; ++i)
            self = a.self[i].covers(b.self[i]) && b.self[i].covers(a.self[i]);
        return self;
    };
    for (std::size_t i = 0; i < parts_.size(); ++i) {
        for (std::size_t k = parts_.size(); k-- > i + 1;) {
            if (!same(parts_[i], parts_[k])) continue;
            parts_[i].lanes |= parts_[k].lanes;
            parts_.erase(parts_.begin() + static_cast<std::ptrdiff_t>(k));
        }
    }
}

void Threads::acquire(Lanes lanes, const Knowledge& from)
{
    split(lanes);
    for (Part& part : parts_) {
        if ((part.lanes & lanes) != 0) part.knows.join(from);
    }
    if (parts_.size() > 1) merge();
}

void Threads::meet(Lanes lanes)
{
    split(lanes);
    Knowledge all;
    OwnTimes self;
    for (const Part& part : parts_) {
        if ((part.lanes & lanes) == 0) continue;
        all.join(part.knows);
        for (unsigned i = 0; i < kOwnLines; ++i) self[i].join(part.self[i]);
    }
    self[0].raise(lanes, now_);
    for (unsigned i = 1; i < kOwnLines; ++i) self[i].join(waited_[i], lanes);
    for (Part& part : parts_) {
        if ((part.lanes & lanes) == 0) continue;
        part.knows = all;
        part.self = self;
    }
    ++now_;
    if (parts_.size() > 1) merge();
}

void Threads::fence(Lanes lanes, Level level, Sem sem, std::uint32_t line)
{
    if (acquires(sem)) {
        for (unsigned i = 0; i <= index(level); ++i) {
            for (Seen& s : seen_[i]) {
                if ((s.lanes & lanes) != 0) acquire(s.lanes & lanes, s.what);
                s.lanes &= ~lanes;
            }
            std::erase_if(seen_[i], [](const Seen& s) { return s.lanes == 0; });
        }
    }
    if (sem == Sem::Acquire) return;
    const bool releases = sem == Sem::Release;
    for (const Part& part : parts_) {
        if ((part.lanes & lanes) == 0) continue;
        const auto what = std::make_shared<const Snapshot>(snapshot(part, lanes));
        for (unsigned i = 0; i <= index(level); ++i) {
            std::vector<Fence>& list = fences_[i];
            for (Fence& f : list) {
                if (!releases || f.line == line) f.lanes &= ~what->lanes;
            }
            std::erase_if(list, [](const Fence& f) { return f.lanes == 0; });
            list.push_back({what->lanes, line, releases, what});
            bound(list);
        }
    }
    ++now_;
}

/// If there are too many fences that may belong to an access, the oldest is taken for one of the program, which causes no false report. It
/// covers the fences before it.
void Threads::bound(std::vector<Fence>& list)
{
    const auto maybe = [](const Fence& f) { return f.withAccess; };
    if (std::count_if(list.begin(), list.end(), maybe) <= kMostMaybe) return;
    const auto oldest = std::find_if(list.begin(), list.end(), maybe);
    oldest->withAccess = false;
    for (auto f = list.begin(); f != oldest; ++f) f->lanes &= ~oldest->lanes;
    std::erase_if(list, [](const Fence& f) { return f.lanes == 0; });
}

void Threads::forgetFence(Lanes lanes, std::uint32_t line)
{
    for (std::vector<Fence>& list : fences_) {
        for (Fence& f : list) {
            if (f.withAccess && f.line == line) f.lanes &= ~lanes;
        }
        std::erase_if(list, [](const Fence& f) { return f.lanes == 0; });
    }
}

Knowledge Threads::fenced(Lanes lanes, Level level) const
{
    Knowledge k;
    const std::vector<Fence>& list = fences_[index(level)];
    for (auto f = list.rbegin(); f != list.rend() && lanes != 0; ++f) {
        const Lanes mine = f->lanes & lanes;
        if (mine == 0) continue;
        k.join(given(*f->what, mine));
        lanes &= ~mine;
    }
    return k;
}

void Threads::saw(Lanes lanes, Level level, const Knowledge& what)
{
    if (what == Knowledge{}) return;
    std::vector<Seen>& list = seen_[index(level)];
    for (Seen& s : list) {
        if (s.lanes == lanes) return s.what.join(what);
    }
    list.push_back({lanes, what});
}

void Threads::proxyFence(Lanes lanes, bool shared, bool global)
{
    split(lanes);
    for (Part& part : parts_) {
        if ((part.lanes & lanes) == 0) continue;
        const Clock known = given(snapshot(part, lanes), part.lanes & lanes).all;
        if (shared) part.knows.asyncShared.join(known);
        if (global) part.knows.asyncGlobal.join(known);
    }
    ++now_;
}

void Threads::initFence(Lanes lanes)
{
    split(lanes);
    for (Part& part : parts_) {
        if ((part.lanes & lanes) == 0) continue;
        part.knows.inits.join(given(snapshot(part, lanes), part.lanes & lanes).all);
    }
    ++now_;
}

Time Threads::begin(Line line, unsigned lane)
{
    std::unique_ptr<BegunLanes>& all = begun_[index(line)];
    if (all == nullptr) all = std::make_unique<BegunLanes>();
    return ++(*all)[lane].count;
}

Time Threads::begun(Line line, unsigned lane) const noexcept
{
    const std::unique_ptr<BegunLanes>& all = begun_[index(line)];
    return all == nullptr ? 0 : (*all)[lane].count;
}

void Threads::closeGroup(Line line, Lanes lanes)
{
    std::unique_ptr<BegunLanes>& all = begun_[index(line)];
    if (all == nullptr) all = std::make_unique<BegunLanes>();
    eachLane(lanes, [&](unsigned l) {
        Begun& b = (*all)[l];
        b.groups.push_back(b.count);
        if (b.groups.size() > kMostGroups) b.groups.pop_front();
    });
}

void Threads::waitGroups(Line line, Lanes lanes, std::uint32_t mayStay, bool all, bool reads)
{
    const std::unique_ptr<BegunLanes>& begun = begun_[index(line)];
    if (begun == nullptr) return;
    eachLane(lanes, [&](unsigned l) {
        const Begun& b = (*begun)[l];
        const Time until = all                          ? b.count
                           : b.groups.size() <= mayStay ? 0
                                                        : b.groups[b.groups.size() - 1 - mayStay];
        const Lanes one = Lanes{1} << l;
        if (!reads) waited_[index(line)].raise(line == Line::Matrix ? ~Lanes{0} : one, until);
        if (line == Line::Bulk) waited_[index(Line::BulkRead)].raise(one, until);
    });
}

}  // namespace gsu::races
