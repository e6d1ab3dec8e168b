#include "exec/memory/late_memory.hpp"

#include "exec/alu/atomic.hpp"
#include "exec/memory/access.hpp"
#include "exec/state/window_watcher.hpp"
#include "golden/order_book.hpp"

namespace gsu::exec {
namespace {

constexpr std::uint32_t kProxyBound = 4096;  ///< clocks until a copy sees a store without a fence
constexpr visibility::Delays kDelays{512, 2048};

visibility::Thread threadOf(const Ctx& ctx, unsigned lane)
{
    return {ctx.cta->serial, ctx.warp->index, static_cast<std::uint8_t>(lane)};
}

/// Whether accesses are in the same count: towards everyone that of the CTA, else that of the warp.
bool sameCount(const Accesses& a, const WarpRef& at, Reach reach, std::uint8_t epoch)
{
    const bool same =
        reach == Reach::Everyone ? a.at.sm == at.sm && a.at.cta == at.cta : a.at == at;
    return same && a.reach == reach && a.epoch == epoch;
}

}  // namespace

LateMemory::LateMemory(RunState& state, DeviceMemory& device, SharedBytes& shared)
    : s_(state),
      device_(device),
      shared_(shared),
      form_(static_cast<visibility::Form>(state.ep.memory)),
      queue_(kDelays, state.options.seed ^ 0x6c69'746d'7573'2121ull,
             form_ == visibility::Form::Weak ? visibility::StoreQueue::kAllSms
                                             : state.shape.smsOfPart()),
      log_(kProxyBound, state.options.seed ^ 0x7072'6f78'7921'2121ull),
      maps_(form_ == visibility::Form::Immediate ? 0 : kProxyBound,
            state.options.seed ^ 0x6d61'7073'2121'2121ull)
{
}

visibility::Where LateMemory::whereOf(const Place& place, std::uint64_t address) noexcept
{
    return place.owner != nullptr ? whereShared(place.owner->launch, place.offset) : address;
}

bool LateMemory::delays(const Cta& cta, const Place& place) const noexcept
{
    if (form_ == visibility::Form::Immediate || place.standIn) return false;
    if (place.owner != nullptr) return form_ == visibility::Form::Weak || place.owner != &cta;
    return form_ == visibility::Form::Weak && place.where == Place::Where::Global;
}

void LateMemory::push(const visibility::Store& store, std::uint32_t line)
{
    const auto& times = s_.options.storeTimes;
    if (const auto found = times.empty() ? times.end() : times.find(line); found == times.end()) {
        queue_.push(store, s_.now());
    } else {
        const auto& [cta, everyone] = found->second;
        queue_.push(store, s_.now(), std::max(cta, s_.now() + 1),
                    std::max({cta, everyone, s_.now() + 1}));
    }
    s_.pendingStores = queue_.size();
}

void LateMemory::store(const Ctx& ctx, unsigned lane, const Place& place, std::uint64_t address,
                       const std::uint8_t* bytes, unsigned total, unsigned element)
{
    visibility::Store s;
    s.by = threadOf(ctx, lane);
    s.at = refOf(*ctx.warp);
    s.twoSteps = place.owner == nullptr;
    s.bytes = static_cast<std::uint8_t>(element);
    s.owner = place.owner != nullptr ? place.owner->linear : 0;
    const std::uint32_t line = s_.program.codes[ctx.group->code].ops[ctx.group->pc].line;
    s.line = line;
    if (queue_.holds()) settle(ctx, lane, place, address, total);
    for (unsigned at = 0; at < total; at += element) {
        s.where = whereOf(place, address) + at;
        std::memcpy(s.data.data(), bytes + at, element);
        push(s, line);
    }
}

visibility::Store LateMemory::reduction(const Ctx& ctx, unsigned lane, const Place& place,
                                        std::uint64_t address, std::uint64_t value,
                                        const MicroOp& op)
{
    visibility::Store s;
    s.by = threadOf(ctx, lane);
    s.at = refOf(*ctx.warp);
    s.where = whereOf(place, address);
    s.bytes = op.bytes;
    s.owner = place.owner != nullptr ? place.owner->linear : 0;
    s.reduce = static_cast<std::uint8_t>(static_cast<unsigned>(op.atom.kind) + 1);
    s.type = static_cast<std::uint8_t>(op.atom.type);
    s.line = op.line;
    std::memcpy(s.data.data(), &value, op.bytes);
    return s;
}

void LateMemory::reduce(const Ctx& ctx, unsigned lane, const Place& place, std::uint64_t address,
                        std::uint64_t value, const MicroOp& op)
{
    push(reduction(ctx, lane, place, address, value, op), op.line);
}

std::uint64_t LateMemory::hold(const Ctx& ctx, unsigned lane, const Place& place,
                               std::uint64_t address, std::uint64_t value, const MicroOp& op)
{
    const std::uint64_t name = queue_.hold(reduction(ctx, lane, place, address, value, op));
    count();
    return name;
}

void LateMemory::performHeld(std::uint64_t name)
{
    queue_.performHeld(name, s_.now(), *this);
    count();
}

void LateMemory::read(const Ctx& ctx, unsigned lane, const Place& place, std::uint64_t address,
                      std::uint8_t* bytes, unsigned total)
{
    if (place.owner == nullptr && place.where != Place::Where::Global) return;
    const visibility::Where where = whereOf(place, address);
    if (!queue_.near(where, total)) return;
    const visibility::Thread by = threadOf(ctx, lane);
    if (queue_.reduces(by, where, total)) {
        queue_.settle(by, where, total, s_.now(), *this);
        count();
        std::memcpy(bytes, place.bytes, total);
    }
    queue_.overlay(by, where, total, bytes);
}

void LateMemory::settle(const Ctx& ctx, unsigned lane, const Place& place, std::uint64_t address,
                        unsigned total)
{
    if (!pending() || (place.owner == nullptr && place.where != Place::Where::Global)) return;
    const visibility::Where where = whereOf(place, address);
    if (!queue_.near(where, total)) return;
    queue_.settle(threadOf(ctx, lane), where, total, s_.now(), *this);
    count();
}

void LateMemory::settleWarp(const Warp& warp)
{
    if (!pending()) return;
    queue_.performOwn(warp.cta->serial, warp.index, s_.now(), *this);
    count();
}

void LateMemory::settleAll()
{
    if (!pending()) return;
    queue_.performAll(s_.now(), *this);
    count();
}

void LateMemory::perform()
{
    if (queue_.next() > s_.now()) return;
    queue_.perform(s_.now(), *this);
    count();
}

void LateMemory::exited(const Cta& cta)
{
    if (!pending()) return;
    queue_.performWide(cta.serial, s_.now(), *this);
    queue_.performInto(whereShared(cta.launch, 0), whereShared(cta.launch, cta.launch.size),
                       s_.now(), *this);
    count();
}

std::uint8_t* LateMemory::bytesAt(const visibility::Store& store) noexcept
{
    if (visibility::isGlobal(store.where)) return device_.global.find(store.where, store.bytes);
    return shared_.at(static_cast<unsigned>(store.where >> 20),
                      static_cast<std::uint32_t>(store.where & 0xf'ffff));
}

void LateMemory::toEveryone(const visibility::Store& store, const visibility::Announced& announced)
{
    std::uint8_t* to = bytesAt(store);
    if (to != nullptr) {  // a block that was freed takes no bytes any more
        std::uint64_t value[2];
        std::memcpy(value, store.data.data(), sizeof value);
        const bool global = visibility::isGlobal(store.where);
        if (store.reduce != 0) {
            std::uint64_t old = 0;
            std::memcpy(&old, to, store.bytes);
            value[0] = atomValue(static_cast<AtomOp>(store.reduce - 1),
                                 static_cast<ptx::Type>(store.type), old, value[0], 0, global);
        }
        if (global ? logsGlobal_ : logsShared_)
            log_.wrote(store.by.cta, store.where, store.bytes, to, s_.now());
        if (global && logsMaps_) maps_.wrote(store.where, store.bytes, to, s_.now());
        if (std::memcmp(to, value, store.bytes) != 0) {
            std::memcpy(to, value, store.bytes);
            s_.progress.changed();
        }
        if (!global) {
            const auto sm = static_cast<std::uint8_t>(store.where >> 20);
            const auto address = static_cast<std::uint32_t>(store.where & 0xf'ffff);
            if (tellsMatrix_) s_.windows->performed(sm, store.by.cta, address, store.bytes);
            s_.port.stored(sm, address, store.bytes);
            s_.findings.takeNotes(store.owner, store.by.warp, Lanes{1} << store.by.lane, store.line,
                                  s_.now());
        }
    }
    tell(store, Reach::Cta, announced.own);
    tell(store, Reach::Everyone, announced.wide);
}

void LateMemory::toCta(const visibility::Store& store, const visibility::Announced& announced)
{
    tell(store, Reach::Cta, announced.own);
    s_.progress.changed();
}

void LateMemory::tell(const visibility::Store& store, Reach reach, std::uint8_t epoch)
{
    if (epoch == visibility::Announced::kNot) return;
    for (auto a = told_.rbegin(); a != told_.rend(); ++a) {
        if (!sameCount(*a, store.at, reach, epoch) || a->count == 0xffff) continue;
        ++a->count;
        return;
    }
    told_.push_back({store.at, reach, epoch, 1});
}

/// The port takes one record a clock: accesses that are performed together are reported together.
void LateMemory::count()
{
    s_.pendingStores = queue_.size();
    for (const Accesses& a : told_) s_.port.performed(a);
    told_.clear();
}

void LateMemory::announce(const SyncRequest& request, const Cta& cta)
{
    if (!pending()) return;
    const OrderNeeds needs = orderNeeds(request);
    for (const Reach reach : {Reach::Cta, Reach::Everyone}) {
        if (!(reach == Reach::Cta ? needs.own : needs.wide)) continue;
        const std::uint8_t epoch = s_.port.epoch(request.at, reach);
        std::uint32_t count = queue_.announce({cta.serial, request.at.warp, 0}, reach, epoch);
        while (count != 0) {
            const auto part = static_cast<std::uint16_t>(std::min(count, 0xffffu));
            const Accesses some{request.at, reach, epoch, part};
            s_.port.announce(some);
            count -= part;
        }
    }
}

void LateMemory::tellMatrix(const Cta& by, const Place& place, unsigned bytes) const
{
    if (place.owner == &by) s_.windows->stored(by, place.offset, bytes);
}

void LateMemory::watchProxy(bool shared, bool global) noexcept
{
    if (form_ == visibility::Form::Immediate) return;
    logsShared_ = logsShared_ || shared;
    logsGlobal_ = logsGlobal_ || global;
}

void LateMemory::log(std::uint64_t by, const Place& place, std::uint64_t address, unsigned bytes)
{
    const bool isShared = place.owner != nullptr;
    if (!isShared && (place.where != Place::Where::Global || place.standIn)) return;
    if (isShared ? logsShared_ : logsGlobal_)
        log_.wrote(by, whereOf(place, address), bytes, place.bytes, s_.now());
    if (!isShared && logsMaps_) maps_.wrote(address, bytes, place.bytes, s_.now());
}

visibility::MapLog::Missing LateMemory::asMapSees(const Cta& cta, std::uint64_t address,
                                                  std::uint8_t* bytes, std::size_t count) const
{
    if (maps_.empty()) return visibility::MapLog::Missing::Nothing;
    if (s_.part != nullptr) s_.part->giveUp("a tensor map that the kernel writes");
    maps_.view(address, count, bytes, s_.now());
    return maps_.missing(cta.serial, address, count);
}

void LateMemory::asCopySees(const CtaKey& issuer, visibility::Where where, std::uint8_t* bytes,
                            std::size_t count)
{
    if (log_.empty()) return;
    if (s_.part == nullptr) return log_.view(issuer.serial, where, count, bytes, s_.now());
    const std::vector<std::uint8_t> before(bytes, bytes + count);
    log_.view(issuer.serial, where, count, bytes, s_.now());
    if (std::memcmp(before.data(), bytes, count) != 0)
        s_.part->giveUp(
            "a copy that does not see what was stored");  // when it does is drawn for all
}

void LateMemory::copyWrote(visibility::Where where, std::size_t count)
{
    if (!log_.empty()) log_.overwritten(where, count, s_.now());
    if (!maps_.empty() && visibility::isGlobal(where)) maps_.forget(where, count);
}

}  // namespace gsu::exec
