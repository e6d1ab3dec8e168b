#include "exec/async/async_engines.hpp"

#include <algorithm>
#include <cassert>

#include "exec/async/operation_events.hpp"
#include "exec/ctas/launcher.hpp"

namespace gsu::exec {
namespace {

std::uint64_t threadKey(const Warp& warp, unsigned lane)
{
    return warp.cta->serial << 10 | std::uint64_t{warp.index} << 5 | lane;
}

std::uint64_t warpKey(const CtaKey& cta, unsigned warp) { return cta.serial << 5 | warp; }

bool drained(const LaneGroups& g, std::size_t mayStay, bool reads, bool all)
{
    if (all && g.current != nullptr && *g.current != 0) return false;
    const std::size_t n = g.committed.size();
    for (std::size_t i = 0; i + mayStay < n; ++i) {
        if (*(reads ? g.committed[i].second : g.committed[i].first) != 0) return false;
    }
    return true;
}

}  // namespace

namespace {

/// Place of a copy's writes in shared memory, and number of bytes.
std::pair<std::uint32_t, std::uint32_t> landingOf(const Copy& copy)
{
    if (copy.tile == nullptr || copy.tile->runs.empty())
        return {static_cast<std::uint32_t>(copy.destination), copy.bytes};
    std::uint32_t first = ~0u, last = 0;
    for (const TileRun& run : copy.tile->runs) {
        first = std::min(first, run.shared);
        last = std::max(last, run.shared + run.bytes);
    }
    return {first, last - first};
}

}  // namespace

/// cp.async.mbarrier.arrive: one arrival per lane once the request has been answered and the copies are performed.
struct AsyncEngines::PendingArrive {
    CtaKey cta;
    std::uint8_t warp{};
    std::uint16_t tag{};
    bool answered{};
    std::vector<Counter> waits;
    std::unordered_map<std::uint32_t, std::uint32_t> arrivals;  ///< mbarrier address -> lanes
};

/// Bytes of a window that a bulk copy with an mbarrier writes and has not written completely.
struct AsyncEngines::Landing {
    const Copy* copy{};
    CtaKey to;
    std::uint32_t offset{}, bytes{}, line{};
};

void LaneGroups::commit()
{
    committed.emplace_back(std::move(current), std::move(currentReads));
    current = std::make_shared<std::uint32_t>(0);
    currentReads = std::make_shared<std::uint32_t>(0);
}

AsyncEngines::AsyncEngines(RunState& state, Memory& memory, SyncClient& client,
                           const Residents& residents, Launcher& launcher, Reconvergence& lanes)
    : s_(state),
      memory_(memory),
      client_(client),
      residents_(residents),
      launcher_(launcher),
      lanes_(lanes)
{
}
AsyncEngines::~AsyncEngines() = default;

void AsyncEngines::at(Cycle when, Late what, std::uint32_t slot, std::uint32_t piece)
{
    s_.events.at(when, s_.now(), *this,
                 std::uint64_t{static_cast<std::uint8_t>(what)} << 62 | std::uint64_t{piece} << 32 |
                     slot);
}

void AsyncEngines::due(std::uint64_t token)
{
    const auto slot = static_cast<std::uint32_t>(token);
    const auto piece = static_cast<std::uint32_t>(token >> 32 & 0x3fff'ffff);
    switch (static_cast<Late>(token >> 62)) {
        case Late::Piece: {
            assert(copies_[slot] != nullptr);
            Copy& copy = *copies_[slot];
            if (copy.moved <= piece) move(copy, piece);
            if (copy.bytes - piece > kPieceBytes) return;
            if (copy.clocks && copy.clocks->read < copy.clocks->last) {
                finishRead(copy);
                return at(std::max(copy.clocks->last, s_.now() + 1), Late::Last, slot);
            }
            finish(copy);
            copies_[slot].reset();
            freeCopies_.push_back(slot);
            return;
        }
        case Late::Last:
            finishLast(*copies_[slot]);
            copies_[slot].reset();
            freeCopies_.push_back(slot);
            return;
        case Late::Atomic:
            ended();
            freeAtomics_.push_back(slot);
            performAtomic(atomics_[slot]);
            return;
        case Late::Cancel:
            ended();
            freeAnswers_.push_back(slot);
            client_.answer(answers_[slot]);
            s_.progress.changed();
            return;
    }
}

/// The copy's last byte is in place.
void AsyncEngines::landed(const Copy& c)
{
    if (!c.lands) return;
    const auto found = std::find_if(landings_.begin(), landings_.end(),
                                    [&](const Landing& landing) { return landing.copy == &c; });
    assert(found != landings_.end());
    if (Cta* to = residents_.live(found->to)) {
        assert(to->landing != 0);
        --to->landing;
    }
    landings_.erase(found);
}

void AsyncEngines::finish(const Copy& c)
{
    landed(c);
    assert(*c.read != 0 && *c.performed != 0);
    --*c.read;
    --*c.performed;
    ended();
    progressed(c.issuer, c.warp);
}

/// Ends the reading of a store's source, which may be written again; the arrival of the bytes is reported later.
void AsyncEngines::finishRead(const Copy& c)
{
    assert(*c.read != 0);
    --*c.read;
    progressed(c.issuer, c.warp);
}

void AsyncEngines::finishLast(const Copy& c)
{
    landed(c);
    assert(*c.performed != 0);
    --*c.performed;
    ended();
    progressed(c.issuer, c.warp);
}

void AsyncEngines::lateCopy(const Copy& c, const char* what)
{
    s_.findings.add({"HS-024", Severity::Warning,
                     std::string("an asynchronous copy ") + what + " a CTA that has ended", 0,
                     c.warp, 0, c.line, s_.now()});
}

LaneGroups& AsyncEngines::groupsOf(const Warp& warp, unsigned lane, bool bulk)
{
    LaneGroups& g = groups_[threadKey(warp, lane)][bulk ? 1 : 0];
    if (g.current == nullptr) {
        g.current = std::make_shared<std::uint32_t>(0);
        g.currentReads = std::make_shared<std::uint32_t>(0);
    }
    while (!g.committed.empty() && *g.committed.front().first == 0) g.committed.pop_front();
    return g;
}

void AsyncEngines::start(Copy what)
{
    if (s_.accesses != nullptr) tell(what);
    const std::uint32_t slot =
        slotIn(copies_, freeCopies_, std::make_unique<Copy>(std::move(what)));
    const Copy& copy = *copies_[slot];
    ++*copy.performed;
    ++*copy.read;
    ++inFlight_;
    const ExecParams& ep = s_.ep;
    Cycle& engine = copyFreeAt_[copy.issuer.sm];
    const std::uint64_t jitter = std::uint64_t{ep.copy_lat} * ep.copy_jitter / 100;
    Cycle when = std::max(s_.now() + ep.copy_lat +
                              (jitter == 0 ? 0 : s_.random(copy.issuer.sm) % (jitter + 1)),
                          engine);
    // Boxes of tensors are watched if tensor cores read them.
    const bool watched = copy.completes && (copy.tile == nullptr || !s_.program.tcgen05s.empty());
    Cta* to = watched ? residents_.live(copy.to) : nullptr;
    if (to != nullptr && copy.bytes != 0) {
        ++to->landing;
        const auto [first, bytes] = landingOf(copy);
        landings_.push_back({&copy, copy.to, first, bytes, copy.line});
        copies_[slot]->lands = true;
    }
    if (s_.timingAdapter != nullptr) return pace(*copies_[slot], slot);
    for (std::uint32_t piece = 0; piece < copy.bytes || piece == 0; piece += kPieceBytes) {
        when += (std::min(kPieceBytes, copy.bytes - piece) + ep.copy_bytes - 1) / ep.copy_bytes;
        at(when, Late::Piece, slot, piece);
    }
    // The engine moves one copy after the other, unless the seed lets a later one overtake.
    if (ep.copy_jitter == 0 || (s_.random(copy.issuer.sm) & 1) != 0)
        engine = when - std::min<Cycle>(when, ep.copy_lat);
}

void AsyncEngines::start(const LateAtomic& atomic, std::uint32_t latency)
{
    if (s_.accesses != nullptr) tellLate(s_, atomic);
    ++inFlight_;
    at(s_.now() + latency + s_.random(atomic.at.sm) % 64, Late::Atomic,
       slotIn(atomics_, freeAtomics_, atomic));
}

bool AsyncEngines::copiesDone(const Warp& warp, const Group& g)
{
    bool done = true;
    eachLane(g.lanes & g.copyLanes, [&](unsigned l) {
        done =
            done && drained(groupsOf(warp, l, g.copyBulk), g.copyMayStay, g.copyReads, g.copyAll);
    });
    return done;
}

/// Checks everything that waits for a copy of this warp.
void AsyncEngines::progressed(const CtaKey& issuer, std::uint8_t index)
{
    tryArrives(warpKey(issuer, index));
    Cta* cta = residents_.live(issuer);
    if (cta == nullptr) return;
    Warp& warp = cta->warps[index];
    for (std::size_t i = 0; i < warp.groups.size(); ++i) {
        Group& g = warp.groups[i];
        if (g.state != GroupState::Copies || !copiesDone(warp, g)) continue;
        lanes_.wake(warp, g);
        i = ~std::size_t{0};  // waking may merge groups
    }
}

/// The arrivals of a warp that wait for nothing any more. Only its own copies and answers let them go.
void AsyncEngines::tryArrives(std::uint64_t warp)
{
    const auto found = arrives_.find(warp);
    if (found == arrives_.end()) return;
    std::vector<PendingArrive>& list = found->second;
    for (std::size_t i = 0; i < list.size();) {
        const PendingArrive& p = list[i];
        const bool ready = p.answered && std::all_of(p.waits.begin(), p.waits.end(),
                                                     [](const Counter& c) { return *c == 0; });
        if (!ready) {
            ++i;
            continue;
        }
        if (const Cta* cta = residents_.live(p.cta); cta != nullptr) {
            for (const auto& [address, lanes] : p.arrivals) {
                client_.update({AsyncKind::ArriveOn, p.cta.sm, p.cta.slot, p.warp, address, lanes,
                                p.tag, cta->launch.era});
            }
            s_.progress.changed();
        }
        ended();
        list.erase(list.begin() + static_cast<std::ptrdiff_t>(i));
    }
    if (list.empty()) arrives_.erase(found);
}

void AsyncEngines::noteArrive(const Warp& warp, const SyncRequest& request)
{
    PendingArrive p;
    p.cta = keyOf(*warp.cta);
    p.warp = warp.index;
    p.tag = request.tag;
    eachLane(request.lanes, [&](unsigned l) {
        ++p.arrivals[request.addr[l]];
        const LaneGroups& g = groupsOf(warp, l, false);
        if (*g.current != 0) p.waits.push_back(g.current);
        for (const auto& [performed, read] : g.committed) {
            if (*performed != 0) p.waits.push_back(performed);
        }
    });
    ++inFlight_;
    arrives_[warpKey(p.cta, p.warp)].push_back(std::move(p));
}

void AsyncEngines::arriveAnswered(std::uint8_t sm, std::uint16_t tag)
{
    for (auto& [warp, list] : arrives_) {
        const auto found = std::ranges::find_if(list, [&](const PendingArrive& p) {
            return !p.answered && p.tag == tag && p.cta.sm == sm;
        });
        if (found == list.end()) continue;
        found->answered = true;
        return tryArrives(warp);  // a tag is of one open request of its SM
    }
}

bool AsyncEngines::landsIn(const Place& place, unsigned bytes) const
{
    if (place.owner == nullptr || place.owner->landing == 0) return false;
    const CtaKey owner = keyOf(*place.owner);
    return std::any_of(landings_.begin(), landings_.end(), [&](const Landing& l) {
        return l.to == owner && place.offset < l.offset + l.bytes &&
               l.offset < place.offset + bytes;
    });
}

void AsyncEngines::readsLanding(const Ctx& ctx, const MicroOp& op, const Place& place,
                                unsigned bytes, unsigned lane)
{
    const CtaKey owner = keyOf(*place.owner);
    for (const Landing& l : landings_) {
        if (l.to != owner || place.offset >= l.offset + l.bytes || l.offset >= place.offset + bytes)
            continue;
        s_.findings.add({"MBW-019", Severity::Error,
                         "reads shared memory that the bulk copy of " + s_.module.lineText(l.line) +
                             " is still writing: no wait on its mbarrier has returned true yet",
                         ctx.cta->linear, ctx.warp->index, 1u << lane, op.line, s_.now()});
        return;
    }
}

void AsyncEngines::forgetThreads(const Warp& warp, Lanes lanes)
{
    if (groups_.empty()) return;
    eachLane(lanes, [&](unsigned l) { groups_.erase(threadKey(warp, l)); });
}

void AsyncEngines::readOut(const Cta& cta)
{
    const CtaKey key = keyOf(cta);
    for (const std::unique_ptr<Copy>& copy : copies_) {
        if (copy == nullptr || copy->from != key || copy->moved >= copy->bytes) continue;
        if (copy->tile != nullptr && !copy->tile->store) continue;
        lateCopy(*copy, "is still to read");
        while (copy->moved < copy->bytes) move(*copy, copy->moved);
    }
}

void AsyncEngines::sendRemote(std::uint32_t packet, RemoteData data)
{
    assert(!remote_.contains(packet));
    remote_[packet] = std::move(data);
    ++inFlight_;
}

void AsyncEngines::dropRemote(std::uint32_t packet)
{
    if (remote_.erase(packet) != 0) ended();
}

}  // namespace gsu::exec
