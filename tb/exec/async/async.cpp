// Asynchronous copies: groups, performing the bytes, completions.
#include "exec/async/async_state.hpp"

#include <algorithm>

#include "exec/machine/access.hpp"
#include "exec/machine/mem_ops.hpp"

namespace gsu::exec {
namespace {

constexpr std::uint32_t kPiece = 1024;  ///< bytes that are performed and completed together

std::uint64_t threadKey(const Warp& warp, unsigned lane)
{
    return warp.cta->serial << 10 | std::uint64_t{warp.index} << 5 | lane;
}

std::uint8_t* placeOf(Machine& m, const CtaKey& cta, std::uint64_t at, std::uint32_t bytes)
{
    if (cta.sm == kNoSm) return m.global.find(at, bytes);
    const Cta* owner = liveCta(m, cta);
    return owner == nullptr ? nullptr
                            : m.shared->at(owner->launch.sm,
                                           owner->launch.base + static_cast<std::uint32_t>(at));
}

/// Writes one piece.
void perform(Machine& m, const Copy& c, std::uint32_t at, std::vector<std::uint8_t> data)
{
    if (c.nowhere) return;
    const auto bytes = static_cast<std::uint32_t>(data.size());
    std::uint8_t* to = placeOf(m, c.to, c.destination + at, bytes);
    if (to == nullptr) return lateCopy(m, c, "reaches");
    for (std::uint32_t i = 0; c.mask != 0xffff && i < bytes; ++i) {
        if ((c.mask >> i % 16 & 1) == 0) data[i] = to[i];
    }
    if (c.reduces) {
        reduceInto(m, c, to, data.data(), bytes);
    } else if (std::memcmp(to, data.data(), bytes) != 0) {
        std::memcpy(to, data.data(), bytes);
        m.changed();
    }
    if (c.to.sm != kNoSm)
        m.stored(*liveCta(m, c.to), static_cast<std::uint32_t>(c.destination) + at, bytes);
}

/// Completes a piece's bytes on the mbarrier.
void complete(Machine& m, const Copy& c, std::uint32_t bytes)
{
    if (!c.completes) return;
    const Cta* owner = liveCta(m, c.mbarrierOwner);
    if (owner == nullptr) return lateCopy(m, c, "completes on the mbarrier of");
    const Launch& l = owner->launch;
    m.update(
        {AsyncKind::CompleteTx, l.sm, l.cta, c.warp, clusterAddress(l.rank, c.mbarrier), bytes, 0});
    m.changed();
}

/// The copy's last byte is in place.
void landed(Machine& m, const Copy& c)
{
    auto& list = m.async->landings;
    const auto found = std::find_if(list.begin(), list.end(),
                                    [&](const Landing& landing) { return landing.copy == &c; });
    if (found == list.end()) return;
    if (Cta* to = liveCta(m, found->to)) --to->landing;
    list.erase(found);
}

void move(Machine& m, const std::shared_ptr<Copy>& c, std::uint32_t at)
{
    const std::uint32_t bytes = std::min(kPiece, c->bytes - at);
    if (c->tile != nullptr) {
        moveTile(m, *c, at, bytes);
    } else {
        std::vector<std::uint8_t> data(bytes);
        const std::uint32_t have = c->valid > at ? std::min(bytes, c->valid - at) : 0;
        const std::uint8_t* from = have == 0 ? nullptr : placeOf(m, c->from, c->source + at, have);
        if (from != nullptr) std::memcpy(data.data(), from, have);
        if (have != 0 && from == nullptr) lateCopy(m, *c, "reads");
        perform(m, *c, at, std::move(data));
    }
    complete(m, *c, bytes);
    if (at + bytes < c->bytes) return;
    landed(m, *c);
    --*c->read;
    --*c->performed;
    --m.async->inFlight;
    copiesProgressed(m, c->issuer, c->warp);
}

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

void reduceInto(Machine& m, const Copy& c, std::uint8_t* to, const std::uint8_t* from,
                std::size_t bytes)
{
    const auto type = static_cast<ptx::Type>(c.type);
    const unsigned size = sizeOf(type);
    for (std::size_t i = 0; i + size <= bytes; i += size) {
        std::uint64_t old = 0, b = 0;
        std::memcpy(&old, to + i, size);
        std::memcpy(&b, from + i, size);
        const std::uint64_t next =
            atomValue(static_cast<AtomOp>(c.op), type, old, b, 0, c.to.sm == kNoSm);
        std::memcpy(to + i, &next, size);
    }
    m.changed();
}

void lateCopy(Machine& m, const Copy& c, const char* what)
{
    m.finding({"HS-024", Severity::Warning,
               std::string("an asynchronous copy ") + what + " a CTA that has ended", 0, c.warp, 0,
               c.line, m.now});
}

CtaKey keyOf(const Cta& cta) noexcept { return {cta.launch.sm, cta.launch.cta, cta.serial}; }

Cta* liveCta(Machine& m, const CtaKey& key) noexcept
{
    if (key.sm >= m.sms.size()) return nullptr;
    Cta* cta = m.sms[key.sm].ctas[key.slot].get();
    return cta != nullptr && cta->serial == key.serial && cta->liveWarps != 0 ? cta : nullptr;
}

LaneGroups& groupsOf(Machine& m, const Warp& warp, unsigned lane, bool bulk)
{
    LaneGroups& g = m.async->groups[threadKey(warp, lane)][bulk ? 1 : 0];
    if (g.current == nullptr) {
        g.current = std::make_shared<std::uint32_t>(0);
        g.currentReads = std::make_shared<std::uint32_t>(0);
    }
    while (!g.committed.empty() && *g.committed.front().first == 0) g.committed.pop_front();
    return g;
}

void startCopy(Machine& m, Copy copy)
{
    ++*copy.performed;
    ++*copy.read;
    ++m.async->inFlight;
    const ExecParams& ep = m.ep;
    Sm& sm = m.sms[copy.issuer.sm];
    const std::uint64_t jitter = std::uint64_t{ep.copy_lat} * ep.copy_jitter / 100;
    Cycle at = std::max(m.now + ep.copy_lat + (jitter == 0 ? 0 : m.random() % (jitter + 1)),
                        sm.copyFreeAt);
    const auto shared = std::make_shared<Copy>(std::move(copy));
    Cta* to = shared->completes && shared->tile == nullptr ? liveCta(m, shared->to) : nullptr;
    if (to != nullptr && shared->bytes != 0) {
        ++to->landing;
        m.async->landings.push_back({shared.get(), shared->to,
                                     static_cast<std::uint32_t>(shared->destination), shared->bytes,
                                     shared->line});
    }
    for (std::uint32_t piece = 0; piece < shared->bytes || piece == 0; piece += kPiece) {
        at += (std::min(kPiece, shared->bytes - piece) + ep.copy_bytes - 1) / ep.copy_bytes;
        m.at(at, [&m, shared, piece] { move(m, shared, piece); });
    }
    // The engine moves one copy after the other, unless the seed lets a later one overtake.
    if (ep.copy_jitter == 0 || (m.random() & 1) != 0)
        sm.copyFreeAt = at - std::min<Cycle>(at, ep.copy_lat);
}

bool copiesDone(Machine& m, const Warp& warp, const Group& g)
{
    bool done = true;
    eachLane(g.lanes & g.copyLanes, [&](unsigned l) {
        done = done &&
               drained(groupsOf(m, warp, l, g.copyBulk), g.copyMayStay, g.copyReads, g.copyAll);
    });
    return done;
}

void copiesProgressed(Machine& m, const CtaKey& issuer, std::uint8_t index)
{
    tryArrives(m);
    Cta* cta = liveCta(m, issuer);
    if (cta == nullptr) return;
    Warp& warp = cta->warps[index];
    for (std::size_t i = 0; i < warp.groups.size(); ++i) {
        Group& g = warp.groups[i];
        if (g.state != GroupState::Copies || !copiesDone(m, warp, g)) continue;
        m.wake(warp, g);
        i = ~std::size_t{0};  // waking may merge groups
    }
}

void tryArrives(Machine& m)
{
    auto& list = m.async->arrives;
    for (std::size_t i = 0; i < list.size();) {
        PendingArrive& p = list[i];
        const bool ready = p.answered && std::all_of(p.waits.begin(), p.waits.end(),
                                                     [](const Counter& c) { return *c == 0; });
        if (!ready) {
            ++i;
            continue;
        }
        if (liveCta(m, p.cta) != nullptr) {
            for (const auto& [address, lanes] : p.arrivals) {
                m.update(
                    {AsyncKind::ArriveOn, p.cta.sm, p.cta.slot, p.warp, address, lanes, p.tag});
            }
            m.changed();
        }
        --m.async->inFlight;
        list.erase(list.begin() + static_cast<std::ptrdiff_t>(i));
    }
}

void noteArrive(Machine& m, const Warp& warp, const SyncRequest& request)
{
    PendingArrive p;
    p.cta = keyOf(*warp.cta);
    p.warp = warp.index;
    p.tag = request.tag;
    eachLane(request.lanes, [&](unsigned l) {
        ++p.arrivals[request.addr[l]];
        const LaneGroups& g = groupsOf(m, warp, l, false);
        if (*g.current != 0) p.waits.push_back(g.current);
        for (const auto& [performed, read] : g.committed) {
            if (*performed != 0) p.waits.push_back(performed);
        }
    });
    ++m.async->inFlight;
    m.async->arrives.push_back(std::move(p));
}

void Machine::readsLanding(const Ctx& ctx, const MicroOp& op, const Place& place, unsigned bytes,
                           unsigned lane)
{
    const CtaKey owner = keyOf(*place.owner);
    for (const Landing& l : async->landings) {
        if (l.to.sm != owner.sm || l.to.slot != owner.slot || l.to.serial != owner.serial ||
            place.offset >= l.offset + l.bytes || l.offset >= place.offset + bytes)
            continue;
        finding({"MBW-019", Severity::Error,
                 "reads shared memory that the bulk copy of " + module.lineText(l.line) +
                     " is still writing: no wait on its mbarrier has returned true yet",
                 ctx.cta->linear, ctx.warp->index, 1u << lane, op.line, now});
        return;
    }
}

bool Machine::asyncBusy() const { return async->inFlight != 0; }

void Machine::forgetThreads(const Warp& warp, Lanes lanes)
{
    eachLane(lanes, [&](unsigned l) { async->groups.erase(threadKey(warp, l)); });
}

void Machine::onDelivered(const Delivered& delivered)
{
    for (ExecObserver* o : observers) o->onDelivered(delivered);
    const auto found = async->remote.find(delivered.tag);
    if (found == async->remote.end()) return;
    const RemoteData data = std::move(found->second);
    async->remote.erase(found);
    --async->inFlight;
    const Cta* owner = liveCta(*this, data.owner);
    if (owner == nullptr) return;
    std::uint8_t* to = shared->at(owner->launch.sm, owner->launch.base + data.offset);
    for (const std::uint64_t value : data.values) {
        std::uint64_t next = value;
        if (data.reduces) {
            std::uint64_t old = 0;
            std::memcpy(&old, to, data.bytes);
            next = atomValue(static_cast<AtomOp>(data.op), static_cast<ptx::Type>(data.type), old,
                             value, 0, false);
        }
        std::memcpy(to, &next, data.bytes);
        to += data.bytes;
    }
    changed();
    stored(*owner, data.offset, data.bytes * static_cast<std::uint32_t>(data.values.size()));
}

}  // namespace gsu::exec
