#include "trace/mbar_preflight.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "golden/chip_layout.hpp"
#include "observers/mbar_word.hpp"
#include "observers/open_table.hpp"
#include "trace/instruction_text.hpp"

namespace gsu::trace {
namespace {

constexpr std::size_t kMost = 1000;            ///< findings
constexpr std::uint32_t kMostArrivals = 4096;  ///< of one completion

std::string nameOfObject(std::uint32_t name)
{
    return fmt::format("mbarrier {}:{}", clusterRank(name), clusterOffset(name));
}

/// Bytes that the operation expects (positive) or completes.
std::int64_t bytesOf(const MbarAccess& access)
{
    const auto amount = static_cast<std::int64_t>(static_cast<std::uint32_t>(access.data));
    const bool completes = access.op == Op::MbarCompleteTx || access.op == Op::EvAsyncCompleteTx ||
                           isCancel(access.op);
    return isMbarExpect(access.op) ? amount : completes ? -amount : 0;
}

/// Whether the phase of parity `phase` looks complete.
bool isComplete(std::uint64_t word, bool phase) { return (word >> 63 != 0) != phase; }

}  // namespace

MbarPreflight::MbarPreflight(unsigned sms, const Config& config, PortHistory& port)
    : policy_{.lockOnError = (config.mbar_policy & 2) != 0, .sm80 = (config.mbar_policy & 4) != 0},
      slots_(std::size_t{sms} * kMaxCtas),
      objects_(sms),
      port_(port)
{
}

void MbarPreflight::record(const Record& record, std::uint32_t line)
{
    const auto sms = objects_.size();  // Program refuses others
    if (const auto* t = std::get_if<RouteRecord>(&record)) {
        routes_[clusterOf(t->route.sm, t->route.cluster) << 4 | t->route.rank] = t->route;
    } else if (const auto* l = std::get_if<LaunchRecord>(&record)) {
        if (l->launch.sm < sms) launch(l->launch);
    } else if (const auto* r = std::get_if<RequestRecord>(&record)) {
        if (r->request.at.sm < sms) request(r->request, line);
    } else if (const auto* e = std::get_if<ExitRecord>(&record)) {
        forget(e->exit.at, e->exit.lanes);
    } else if (const auto* a = std::get_if<AsyncRecord>(&record)) {
        if (a->update.sm < sms) async(a->update, line);
    } else if (const auto* s = std::get_if<StoreRecord>(&record)) {
        if (s->sm < sms) stored(*s);
    } else if (const auto* c = std::get_if<CancelRecord>(&record)) {
        if (c->sm < sms) cancelled(*c, line);
    } else if (const auto* o = std::get_if<SyncResponse>(&record)) {
        answered(*o, line);
    }
}

void MbarPreflight::launch(const Launch& l)
{
    Slot& own = slot(l.sm, l.cta);
    if (own.used) endOf(own);
    own = {true, l};
    std::erase_if(objects_[l.sm], [&](const auto& entry) {
        return entry.first >= l.base && entry.first - l.base < l.size;
    });
    std::erase_if(remotes_, [this](const Remote& r) { return remote(r); });
}

MbarPreflight::Object& MbarPreflight::object(std::uint8_t sm, std::uint32_t address,
                                             std::uint32_t name, WarpRef at, Lanes lanes, Op op,
                                             std::uint32_t line, std::uint32_t source)
{
    const auto [found, fresh] = objects_[sm].try_emplace(address);
    Object& o = found->second;
    if (!fresh) return o;
    o.name = name;
    o.user = at;
    o.lanes = lanes;
    o.op = op;
    o.line = line;
    o.source = source;
    return o;
}

void MbarPreflight::request(const SyncRequest& r, std::uint32_t line)
{
    forget(r.at, r.lanes);
    if (isCancel(r.op)) cancels_[unsigned{r.at.sm} << 16 | r.tag] = r;
    if (!isMbarOp(r.op) || !slot(r.at.sm, r.at.cta).used) return;
    eachLane(r.lanes, [&](unsigned i) { lane(r, i, line); });
}

void MbarPreflight::lane(const SyncRequest& r, unsigned i, std::uint32_t line)
{
    const Launch& own = slot(r.at.sm, r.at.cta).launch;
    const MbarRoute to = mbarRoute(r, i, own, policy_);
    if (to.errs != 0 || to.either) return;
    if (to.away) {
        Remote away{r, to, clusterOf(own.sm, own.cluster), line};
        away.request.lanes = Lanes{1} << i;
        if (!remote(away)) remotes_.push_back(away);
        return;
    }
    const std::uint32_t address = own.base + to.offset;
    const std::uint32_t name = clusterAddress(to.rank, to.offset);
    Object& o = object(r.at.sm, address, name, r.at, r.lanes, r.op, line, r.source);
    if (isMbarWait(r.op)) return wait(r, i, r.at.sm, address, line);
    if (bytesOf({r.op, r.data[i], false}) > 0) o.expectLine = line;
    perform(o, {r.op, r.data[i], r.noComplete},
            {r.at, Lanes{1} << i, line, r.source, r.at.sm, r.at.cta, false, r.remote});
}

/// False: the target does not exist yet.
bool MbarPreflight::remote(const Remote& remote)
{
    const auto route = routes_.find(remote.cluster << 4 | remote.to.rank);
    if (route == routes_.end() || route->second.sm >= objects_.size()) return true;
    const std::uint8_t sm = route->second.sm;
    const Slot& owner = slot(sm, route->second.cta);
    if (!owner.used || owner.launch.ctas < 2 ||
        clusterOf(sm, owner.launch.cluster) != remote.cluster ||
        owner.launch.rank != remote.to.rank)
        return false;
    if (mbarOffsetErrs(remote.to.offset, owner.launch.size) != 0) return true;
    const SyncRequest& r = remote.request;
    const auto i = unsigned(std::countr_zero(r.lanes));
    const std::uint32_t address = owner.launch.base + remote.to.offset;
    Object& o = object(sm, address, clusterAddress(remote.to.rank, remote.to.offset), r.at, r.lanes,
                       r.op, remote.line, r.source);
    const MbarAccess access{isMbarData(r.op) ? Op::EvAsyncCompleteTx : r.op, r.data[i], false};
    if (bytesOf(access) > 0) o.expectLine = remote.line;
    perform(o, access,
            {r.at, r.lanes, remote.line, r.source, sm, route->second.cta, isMbarData(r.op), true});
    return true;
}

void MbarPreflight::tell(const Object& o, const MbarAccess& access, std::uint64_t before, bool flip,
                         const By& by)
{
    const Commit c{.cycle = by.line,
                   .unit = Unit::Mbarrier,
                   .op = access.op,
                   .at = {by.sm, by.cta, by.doer.warp},
                   .lanes = by.lanes,
                   .object = clusterOffset(o.name),
                   .oldWord = before,
                   .newWord = o.word,
                   .flip = flip,
                   .src = by.copy ? Src::AsyncCopy : Src::Local};
    const WarpId who{PortHistory::numberOf(by.doer.sm, by.doer.cta), by.doer.warp};
    port_.mbar(c, {who, by.source, by.remote});
}

void MbarPreflight::perform(Object& o, const MbarAccess& access, const By& by)
{
    const std::uint64_t before = o.word;
    if (access.op != Op::MbarInit && !o.live) return;
    if (access.op == Op::MbarInval) {
        o.live = false;
        return tell(o, access, before, false, by);
    }
    const MbarDone done = mbarApply(o.word, access, policy_);
    o.word = done.word;
    if (done.refused) return;
    tell(o, access, before, done.flip, by);
    if (access.op == Op::MbarInit) {
        o.initialised = o.live = true;
        o.expected = o.completed = 0;
        return;
    }
    const std::int64_t bytes = bytesOf(access);
    (bytes > 0 ? o.expected : o.completed) += static_cast<std::uint64_t>(std::abs(bytes));
    o.flips += done.flip;
}

/// Applies one arrival in each CTA of the mask.
void MbarPreflight::agent(const AsyncUpdate& u, std::uint32_t line)
{
    const Launch& own = slot(u.sm, u.cta).launch;
    if (u.amount >> own.ctas != 0) return;
    SyncRequest r;
    r.op = Op::EvAgentArrive;
    r.at = {u.sm, u.cta, u.warp};
    r.lanes = 1;
    r.data[0] = 1;
    MbarRoute to;
    to.offset = clusterOffset(u.addr);
    for (to.rank = 0; to.rank < own.ctas; ++to.rank) {
        if ((u.amount >> to.rank & 1) == 0) continue;
        to.away = own.ctas > 1 && to.rank != own.rank;
        if (to.away) {
            Remote away{r, to, clusterOf(own.sm, own.cluster), line};
            if (!remote(away)) remotes_.push_back(away);
            continue;
        }
        perform(object(u.sm, own.base + to.offset, clusterAddress(to.rank, to.offset), r.at, 0,
                       r.op, line, 0),
                {r.op, 1, false}, {r.at, 1, line, 0, u.sm, u.cta});
    }
}

void MbarPreflight::async(const AsyncUpdate& u, std::uint32_t line)
{
    const Slot& owner = slot(u.sm, u.cta);
    const std::uint32_t offset = clusterOffset(u.addr);
    if (!owner.used || mbarOffsetErrs(offset, owner.launch.size) != 0) return;
    if (u.kind == AsyncKind::AgentArrive) return agent(u, line);
    const bool arrives = u.kind == AsyncKind::ArriveOn;
    const Op op = arrives ? Op::EvAsyncArrive : Op::EvAsyncCompleteTx;
    const WarpRef at{u.sm, u.cta, u.warp};
    const std::uint32_t name =
        clusterAddress(owner.launch.ctas > 1 ? owner.launch.rank : 0, offset);
    Object& o = object(u.sm, owner.launch.base + offset, name, at, 0, op, line, 0);
    const By by{at, 0, line, 0, u.sm, u.cta, !arrives};
    if (!arrives) return perform(o, {op, u.amount, false}, by);
    if (u.amount > kMostArrivals) o.live = false;  // no real program does this
    for (std::uint32_t n = 0; o.live && n < u.amount; ++n) perform(o, {op, 1, false}, by);
}

/// Applies a response of try_cancel: a lane's response completes 16 bytes in its CTA, a multicast in every CTA of the cluster.
void MbarPreflight::cancelled(const CancelRecord& c, std::uint32_t line)
{
    const auto found = cancels_.find(unsigned{c.sm} << 16 | c.tag);
    if (found == cancels_.end() || !slot(c.sm, c.cta).used) return;
    SyncRequest r = found->second;
    const Launch& own = slot(c.sm, c.cta).launch;
    MbarRoute to = mbarRoute(r, c.lane, own, policy_);
    if (to.errs != 0) return;
    r.data[c.lane] = kCancelBytes;
    perform(object(c.sm, own.base + to.offset, clusterAddress(to.rank, to.offset), r.at, r.lanes,
                   r.op, line, r.source),
            {r.op, kCancelBytes, false}, {r.at, r.lanes, line, r.source, c.sm, c.cta, true});
    const std::uint8_t self = to.rank;
    for (std::uint8_t rank = 0; r.remote && rank < own.ctas; ++rank) {
        if (rank == self) continue;
        to.rank = rank;
        Remote away{r, to, clusterOf(own.sm, own.cluster), line};
        away.request.lanes = Lanes{1} << c.lane;
        (void)remote(away);
    }
}

void MbarPreflight::stored(const StoreRecord& s)
{
    for (std::uint32_t word = s.addr & ~7u; word < s.addr + s.bytes; word += 8) {
        const auto found = objects_[s.sm].find(word);
        if (found == objects_[s.sm].end()) continue;
        found->second.live = false;  // its value is unknown: nothing more is reported about it
        found->second.initialised = true;
    }
}

void MbarPreflight::wait(const SyncRequest& r, unsigned lane, std::uint8_t sm,
                         std::uint32_t address, std::uint32_t line)
{
    const Object& o = objects_[sm].at(address);
    if (!o.live) return;
    const bool parity = isMbarParity(r.op);
    const bool phase = parity ? (r.data[lane] & 1) != 0 : r.data[lane] >> 63 != 0;
    waits_[OpenTable::indexOf(r.at)][lane] = {
        r.op, phase, isComplete(o.word, phase), sm, address, line, r.source, o.flips};
}

/// Forgets the wait of a lane that continues.
void MbarPreflight::forget(WarpRef at, Lanes lanes)
{
    const auto found = waits_.find(OpenTable::indexOf(at));
    if (found == waits_.end()) return;
    eachLane(lanes, [&](unsigned i) { found->second[i].op = Op::None; });
}

/// Handles an answer. Records of a completed phase come before the answer that reports it, in whatever order they were performed.
void MbarPreflight::answered(const SyncResponse& r, std::uint32_t line)
{
    const auto found = waits_.find(OpenTable::indexOf(r.at));
    if (found == waits_.end()) return;
    eachLane(r.lanes, [&](unsigned i) {
        Wait& w = found->second[i];
        if (w.op == Op::None) return;
        const bool yes = (r.pred >> i & 1) != 0;
        if (!yes && r.cause != Cause::Refused) return;  // the lane may ask again
        const Wait asked = w;
        w.op = Op::None;
        const auto at = objects_[asked.sm].find(asked.address);
        if (!yes || at == objects_[asked.sm].end()) return;
        Object& o = at->second;
        if (!o.live || asked.seen || o.flips != asked.flips) return;
        MbarState s = unpackMbar(o.word);
        if (s.lock) return;
        const bool first = !o.reported;
        o.reported = true;
        if (first) {
            report(s.tx != 0 ? "MBAR-040" : "MBAR-010",
                   fmt::format("line {} says that the phase of {} is complete, but the records "
                               "before it leave {}",
                               line, nameOfObject(o.name), mbarStateText(o.word)),
                   r.at, r.lanes, asked.op, asked.line, asked.source, o.name);
        }
        s.phase = !s.phase;  // the recording is right
        s.pending = s.expected;
        s.tx = 0;
        o.word = packMbar(s);
        o.expected = o.completed;
        ++o.flips;
    });
}

void MbarPreflight::report(const char* rule, std::string message, WarpRef at, Lanes lanes, Op op,
                           std::uint32_t line, std::uint32_t source, std::uint32_t name)
{
    if (findings_.size() >= kMost) return;
    findings_.push_back({.rule = rule,
                         .message = std::move(message),
                         .at = at,
                         .lanes = lanes,
                         .line = line,
                         .source = source,
                         .op = op,
                         .id = name});
}

/// Reports lanes whose last record asks for a phase that the rest of the trace does not complete.
void MbarPreflight::waiting()
{
    for (std::size_t index = 0; index < objects_.size() * kMaxCtas * kMaxWarps; ++index) {
        const auto found = waits_.find(index);
        if (found == waits_.end()) continue;
        for (unsigned i = 0; i < kLanes; ++i) {
            const Wait w = found->second[i];
            if (w.op == Op::None) continue;
            const auto at = objects_[w.sm].find(w.address);
            if (at == objects_[w.sm].end()) continue;
            Object& o = at->second;
            if (!o.live || isComplete(o.word, w.phase)) continue;
            Lanes lanes = 0;
            for (unsigned k = i; k < kLanes; ++k) {
                Wait& other = found->second[k];
                if (other.op == Op::None || other.line != w.line || other.address != w.address)
                    continue;
                lanes |= Lanes{1} << k;
                other.op = Op::None;
            }
            const MbarState s = unpackMbar(o.word);
            o.reported = true;
            report(s.tx != 0 ? "MBAR-040" : "MBAR-010",
                   fmt::format("{} waits for phase {} of {}, which the trace does not complete: {}",
                               spellingOf(w.op), w.phase ? 1 : 0, nameOfObject(o.name),
                               mbarStateText(o.word)),
                   OpenTable::warpAt(index), lanes, w.op, w.line, w.source, o.name);
        }
    }
}

/// Ends the CTA's objects.
void MbarPreflight::endOf(const Slot& s)
{
    std::vector<std::uint32_t> places;
    for (const auto& [address, o] : objects_[s.launch.sm])
        if (address >= s.launch.base && address - s.launch.base < s.launch.size)
            places.push_back(address);
    std::sort(places.begin(), places.end());
    for (const std::uint32_t address : places) {
        const Object& o = objects_[s.launch.sm].at(address);
        if (!o.initialised) {
            report("MBAR-005",
                   fmt::format("{} is used, but never initialised", nameOfObject(o.name)), o.user,
                   o.lanes, o.op, o.line, o.source, o.name);
        } else if (o.live && !o.reported && unpackMbar(o.word).tx != 0) {
            report("MBAR-040",
                   fmt::format("{} expects {} bytes and gets {}{}", nameOfObject(o.name),
                               o.expected, o.completed,
                               o.expectLine != 0
                                   ? fmt::format(" (last expectation: line {})", o.expectLine)
                                   : std::string()),
                   o.user, o.lanes, o.op, o.line, o.source, o.name);
        }
    }
}

std::vector<TraceFinding> MbarPreflight::finish()
{
    waiting();
    for (Slot& s : slots_) {
        if (std::exchange(s.used, false)) endOf(s);
    }
    return std::move(findings_);
}

}  // namespace gsu::trace
