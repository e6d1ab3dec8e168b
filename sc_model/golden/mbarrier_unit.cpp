#include "golden/mbarrier_unit.hpp"

#include <bit>

namespace gsu {
namespace {

struct Step {
    Op op;
    MbarOp step;
};
/// The step of the object that an operation performs; waits, inval and noinc perform none.
constexpr Step kSteps[] = {
    {Op::MbarInit, MbarOp::Init},
    {Op::MbarExpectTx, MbarOp::ExpectTx},
    {Op::MbarCompleteTx, MbarOp::CompleteTx},
    {Op::EvAsyncCompleteTx, MbarOp::CompleteTx},
    {Op::MbarArrive, MbarOp::Arrive},
    {Op::MbarArriveExpectTx, MbarOp::ArriveExpectTx},
    {Op::MbarArriveDrop, MbarOp::Drop},
    {Op::MbarDropExpectTx, MbarOp::DropExpectTx},
    {Op::CpAsyncArrive, MbarOp::CpAsyncIncrement},
    {Op::EvAsyncArrive, MbarOp::CpAsyncArrive},
    {Op::EvAgentArrive, MbarOp::Arrive},
    {Op::ClcTryCancel, MbarOp::CompleteTx},  // the bytes of its response
};

bool profileForbids(const SyncRequest& r, unsigned lane) noexcept
{
    const bool counted = isMbarCounted(r.op);
    return isMbarBytes(r.op) || isCancel(r.op) || r.remote ||
           (counted && !r.noComplete && static_cast<std::uint32_t>(r.data[lane]) != 1);
}
bool sameQuestion(const SyncRequest& r, unsigned a, unsigned b) noexcept
{
    if (isMbarTryWait(r.op) && r.kind != 0 && r.limit[a] != r.limit[b]) return false;
    const bool byPhase = isMbarState(r.op);
    return byPhase ? (r.data[a] ^ r.data[b]) >> 63 == 0 : r.data[a] == r.data[b];
}

}  // namespace

const char* nameOf(MbarNote::Kind kind) noexcept
{
    switch (kind) {
        case MbarNote::Kind::Uninitialised: return "use of an object that is not initialised";
        case MbarNote::Kind::InitOnLive: return "init of a live object";
        case MbarNote::Kind::InvalDead: return "inval of memory without an object";
        case MbarNote::Kind::InvalBusy: return "inval of an object with a phase under way";
        case MbarNote::Kind::PlainStore: return "ordinary store to a live object";
        case MbarNote::Kind::Unwaited:
            return "arrival in a phase before anybody saw the preceding one complete";
        case MbarNote::Kind::StaleState:
            return "state operand of another object, life or older phase";
        case MbarNote::Kind::FreshParity: return "parity 1 on an object in its first phase";
        case MbarNote::Kind::ExpectCompletes: return "phase completed by an expect";
        case MbarNote::Kind::EndedBusy: return "CTA ended with bytes outstanding";
        case MbarNote::Kind::EndedSurplus: return "CTA ended with bytes that nobody announced";
    }
    return "?";
}

MbarDone mbarApply(std::uint64_t word, const MbarAccess& a, MbarPolicy policy) noexcept
{
    for (const Step& s : kSteps) {
        if (s.op != a.op) continue;
        const MbarNext next = mbarNext(
            unpackMbar(word), {s.step, static_cast<std::uint32_t>(a.data), a.noComplete}, policy);
        return {packMbar(next.state), next.result, next.errs, next.refused, next.flip, false};
    }
    MbarDone done{};
    done.word = word;
    if (isMbarParity(a.op))
        done.pred = mbarTestParity(unpackMbar(word), static_cast<std::uint32_t>(a.data));
    else if (isMbarWait(a.op))
        done.pred = mbarTest(unpackMbar(word), a.data);
    return done;
}

std::uint16_t mbarOffsetErrs(std::uint32_t offset, std::uint32_t size) noexcept
{
    unsigned errs = 0;
    if (offset % 8 != 0) errs |= kMbErrAlign;
    if (std::uint64_t{offset} + 8 > size) errs |= kMbErrWindow;
    return static_cast<std::uint16_t>(errs);
}

/// Errors of try_cancel: both operands are in its own CTA (CLC-002, CLC-008); the datum is the offset of the response.
static unsigned cancelErrs(const SyncRequest& r, unsigned lane, std::uint8_t self,
                           const Launch& own)
{
    const auto response = static_cast<std::uint32_t>(r.data[lane]);
    unsigned errs = mbarOffsetErrs(clusterOffset(r.addr[lane]), own.size);
    if (response % kCancelBytes != 0) errs |= kMbErrResponse;
    if (std::uint64_t{response} + kCancelBytes > own.size) errs |= kMbErrWindow;
    if (r.remote && clusterRank(r.addr[lane]) != self) errs |= kMbErrRemoteForm;
    return errs;
}

MbarRoute mbarRoute(const SyncRequest& r, unsigned lane, const Launch& own,
                    MbarPolicy policy) noexcept
{
    MbarRoute to{};
    const std::uint8_t self = own.ctas > 1 ? own.rank : 0;
    to.rank = r.remote ? static_cast<std::uint8_t>(clusterRank(r.addr[lane])) : self;
    to.offset = clusterOffset(r.addr[lane]);
    unsigned errs = 0;
    if (policy.sm80 && profileForbids(r, lane)) errs |= kMbErrProfile;
    if (isCancel(r.op)) {
        to.rank = self;
        to.errs = static_cast<std::uint16_t>(errs | cancelErrs(r, lane, self, own));
        return to;
    }
    if (to.rank >= own.ctas) errs |= kMbErrUndeliverable;
    if (isAtomic(
            // an atomic names no object; it reaches its own CTA through the network, as any other
            r.op)) {
        if (own.ctas < 2) errs |= kMbErrUndeliverable;
        to.away = true;
        to.errs = static_cast<std::uint16_t>(errs);
        return to;
    }
    const bool mine = to.rank == self;
    const bool form = isMbarLocalOnly(r.op) || (r.noComplete && !isMbarCounted(r.op)) ||
                      (r.wantValue && isMbarArrive(r.op));
    to.either = r.remote && (form || r.noComplete) && mine;
    if (r.remote && form && !mine) errs |= kMbErrRemoteForm;
    if (r.remote && r.noComplete && isMbarCounted(r.op) && !mine) errs |= kMbErrLocal;
    if (mine && isMbarData(r.op)) errs |= kMbErrSelf;
    if (isMbarParity(r.op) && static_cast<std::uint32_t>(r.data[lane]) > 1) errs |= kMbErrParity;
    if (mine) errs |= mbarOffsetErrs(to.offset, own.size);
    to.away = !mine;
    to.errs = static_cast<std::uint16_t>(errs);
    return to;
}

/// The lowest lanes that follow each other and go to one CTA.
static Lanes atomicGroup(const SyncRequest& r, Lanes todo) noexcept
{
    const auto lead = static_cast<unsigned>(std::countr_zero(todo));
    Lanes group = 0;
    for (unsigned lane = lead; lane < kLanes && (todo >> lane & 1) != 0; ++lane) {
        if (clusterRank(r.addr[lane]) != clusterRank(r.addr[lead])) break;
        group |= Lanes{1} << lane;
    }
    return group;
}

Lanes mbarGroup(const SyncRequest& r, Lanes todo) noexcept
{
    if (isAtomic(r.op)) return atomicGroup(r, todo);
    const auto lead = static_cast<unsigned>(std::countr_zero(todo));
    Lanes group = 0;
    for (; todo != 0; todo &= todo - 1) {
        const auto lane = static_cast<unsigned>(std::countr_zero(todo));
        if (r.addr[lane] != r.addr[lead]) continue;
        if (!sameQuestion(r, lead, lane)) break;
        group |= Lanes{1} << lane;
    }
    return group;
}

void MbarrierUnit::note(MbarNote::Kind kind, unsigned sm, std::uint32_t address, Op op,
                        const Object& o) const
{
    if (onNote) onNote({kind, static_cast<std::uint8_t>(sm), address, op, o.phase});
}

void MbarrierUnit::takeWait(unsigned sm, std::uint32_t address, const MbarAccess& a,
                            const MbarDone& done, Object& o)
{
    if (done.pred) o.waited = true;
    if (isMbarParity(a.op)) {
        if (o.live && o.phase == 0 && done.pred)
            note(MbarNote::Kind::FreshParity, sm, address, a.op, o);
        return;
    }
    const auto found = o.states.find(a.data);
    if (o.live && (found == o.states.end() || found->second + 1 < o.phase))
        note(MbarNote::Kind::StaleState, sm, address, a.op, o);
}

void MbarrierUnit::takeInval(unsigned sm, std::uint32_t address, Object& o)
{
    const MbarState s = unpackMbar(o.word);
    if (!o.live)
        note(MbarNote::Kind::InvalDead, sm, address, Op::MbarInval, o);
    else if (s.tx != 0 || s.pending != s.expected)
        note(MbarNote::Kind::InvalBusy, sm, address, Op::MbarInval, o);
    const std::uint64_t word = o.word;
    o = {};
    o.word = word;
    o.known = true;
}

void MbarrierUnit::take(unsigned sm, std::uint32_t address, const MbarAccess& a,
                        const MbarDone& done, bool keeps)
{
    Object& o = at(sm, address);
    if (a.op == Op::MbarInval) return takeInval(sm, address, o);
    if (a.op == Op::MbarInit) {
        if (done.refused) return;
        if (o.live) note(MbarNote::Kind::InitOnLive, sm, address, a.op, o);
        o = {};
        o.word = done.word;
        o.known = o.live = true;
        return;
    }
    o.word = done.word;
    o.known = true;
    if (!o.live) note(MbarNote::Kind::Uninitialised, sm, address, a.op, o);
    if (isMbarWait(a.op)) return takeWait(sm, address, a, done, o);
    if (done.refused) return;
    const bool arrives =
        isMbarArrive(a.op) || a.op == Op::EvAsyncArrive || a.op == Op::EvAgentArrive;
    if (arrives && !o.waited) {
        note(MbarNote::Kind::Unwaited, sm, address, a.op, o);
        o.waited = true;
    }
    if (keeps) o.states[done.result] = o.phase;
    if (!done.flip) return;
    if (a.op == Op::MbarExpectTx) note(MbarNote::Kind::ExpectCompletes, sm, address, a.op, o);
    ++o.phase;
    o.waited = false;
    std::erase_if(o.states, [&](const auto& state) { return state.second + 1 < o.phase; });
}

void MbarrierUnit::sawCompletion(unsigned sm, std::uint32_t address)
{
    at(sm, address).waited = true;
}

void MbarrierUnit::stored(unsigned sm, std::uint32_t address, std::uint32_t bytes)
{
    if (objects_[sm].empty()) return;
    for (std::uint32_t word = address & ~7u; word < address + bytes; word += 8) {
        const auto found = objects_[sm].find(word);
        if (found == objects_[sm].end()) continue;
        found->second.known = false;
        if (!found->second.live) continue;
        note(MbarNote::Kind::PlainStore, sm, word, Op::None, found->second);
    }
}

void MbarrierUnit::end(unsigned sm, std::uint32_t base, std::uint32_t size)
{
    std::erase_if(objects_[sm], [&](const auto& entry) {
        if (entry.first < base || entry.first - base >= size) return false;
        const auto tx = unpackMbar(entry.second.word).tx;
        if (entry.second.live && tx != 0)
            note(tx < 0 ? MbarNote::Kind::EndedSurplus : MbarNote::Kind::EndedBusy, sm, entry.first,
                 Op::None, entry.second);
        return true;
    });
}

}  // namespace gsu
