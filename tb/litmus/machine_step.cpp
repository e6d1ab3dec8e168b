// The effects of a step.
#include <algorithm>

#include "litmus/machine.hpp"

namespace gsu::litmus {

void Machine::take(State& s, const Step& step) const
{
    switch (step.what) {
        case Step::What::Execute: execute(s, step.index, step.version); break;
        case Step::What::ToCta: perform(s, step.index, false); break;
        case Step::What::ToEveryone: perform(s, step.index, true); break;
        case Step::What::Packet:
        case Step::What::Copy: finishFlight(s, step.index, step.version); break;
    }
    trim(s);
}

/// Forgets versions that no thread can read any more, so that equal states compare equal.
void Machine::trim(State& s) const
{
    constexpr unsigned kVersions = 64;  // a loop may run forever
    for (unsigned root = 0; root < s.memory.size(); ++root) {
        std::vector<Version>& all = s.memory[root];
        if (all.size() < 2) continue;
        unsigned oldest = static_cast<unsigned>(all.size() - 1);
        for (unsigned l = 0; history_[root] && l < test_.locations.size(); ++l) {
            if (test_.locations[l].root != root) continue;
            for (unsigned c = 0; c < test_.ctas.size(); ++c)
                for (unsigned p = 0; p < 5; ++p)
                    oldest = std::min(oldest, floorOf(s, c, static_cast<Proxy>(p), l));
        }
        if (all.size() - oldest > kVersions) {
            oldest = static_cast<unsigned>(all.size()) - kVersions;
            // no thread reads old versions there
            s.forgets = s.forgets || form_ != MemoryForm::Immediate;
        }
        if (oldest == 0) continue;
        all.erase(all.begin(), all.begin() + oldest);
        for (unsigned l = 0; l < test_.locations.size(); ++l) {
            if (test_.locations[l].root != root || test_.locations[l].address != l) continue;
            for (unsigned c = 0; c < test_.ctas.size(); ++c)
                for (unsigned p = 0; p < 5; ++p) {
                    std::uint8_t& floor = s.floors[path(c, static_cast<Proxy>(p), l)];
                    floor = static_cast<std::uint8_t>(
                        std::max<int>(floor - static_cast<int>(oldest), 0));
                }
        }
    }
}

/// The thread is at an instruction, which has to wait for operations that are outstanding now.
void Machine::accept(State& s, unsigned thread) const
{
    ThreadState& t = s.threads[thread];
    if (t.pc >= test_.threads[thread].code.size()) {
        t.at = ThreadState::At::Ended;
        return clusterFlip(s, clusterOf_[test_.threads[thread].cta]);
    }
    t.at = ThreadState::At::Runs;
    const WaitsFor w = waitsFor(next(s, thread));
    const ThreadSet bit = 1u << thread;
    const unsigned cta = test_.threads[thread].cta;
    for (Pending& p : s.pending) {
        if (p.cta != cta || p.proxy != Proxy::Generic)
            continue;  // other proxies have their own fences
        if (w.own && !p.inCta && p.thread == thread) p.own |= bit;
        if (w.wide) p.wide |= bit;
    }
    for (InFlight& f : s.flights) {
        const bool posted = f.what == InFlight::What::Arrive || f.what == InFlight::What::ExpectTx;
        if (w.wide && posted && f.cta == cta) f.wide |= bit;
    }
    if (w.own || w.wide) t.at = ThreadState::At::Waits;
}

/// Executes instructions that no other thread can notice immediately; a loop of such instructions takes steps.
void Machine::runLocal(State& s, unsigned thread) const
{
    constexpr unsigned kAtOnce = 32;
    ThreadState& t = s.threads[thread];
    const std::vector<Instruction>& code = test_.threads[thread].code;
    for (unsigned n = 0; n < kAtOnce && t.pc < code.size(); ++n) {
        const Instruction& i = code[t.pc];
        if (i.kind == Kind::Move) {
            t.registers[static_cast<std::size_t>(i.to)] = valueOf(s, thread, i.a);
        } else if (i.kind == Kind::Arithmetic) {
            t.registers[static_cast<std::size_t>(i.to)] =
                computed(i.math, valueOf(s, thread, i.a), valueOf(s, thread, i.b));
        } else if (i.kind != Kind::Goto && i.kind != Kind::Branch) {
            return;
        }
        if (trace_ != nullptr && i.kind != Kind::Goto && i.kind != Kind::Branch)
            trace_->push_back({thread, t.pc});
        const bool jumps = i.kind == Kind::Goto ||
                           (i.kind == Kind::Branch &&
                            comparesTrue(i.math, valueOf(s, thread, i.a), valueOf(s, thread, i.b)));
        t.pc = static_cast<std::uint16_t>(jumps ? i.target : t.pc + 1u);
    }
}

void Machine::advance(State& s, unsigned thread) const
{
    runLocal(s, thread);
    accept(s, thread);
}

void Machine::load(State& s, unsigned thread, const Instruction& i, unsigned version) const
{
    const std::vector<Version>& all = s.memory[test_.locations[i.location].root];
    const Pending* own = forwarded(s, thread, i.proxy, i.location);
    if (own != nullptr && own->reduces) {
        settle(s, thread, i.proxy, i.location);
        own = nullptr;
        version = static_cast<unsigned>(all.size() - 1);
    }
    if (own == nullptr)
        s.floors[path(test_.threads[thread].cta, i.proxy, i.location)] =
            static_cast<std::uint8_t>(version);
    s.threads[thread].registers[static_cast<std::size_t>(i.to)] =
        own != nullptr ? own->value : all[version].value;
}

/// Starts a copy or remote store.
void Machine::launch(State& s, unsigned thread, const Instruction& i) const
{
    InFlight f;
    f.what = i.kind == Kind::BulkCopy ? InFlight::What::Copy : InFlight::What::Data;
    f.cta = static_cast<std::uint8_t>(test_.threads[thread].cta);
    f.mbarrier = static_cast<std::uint8_t>(i.mbarrier);
    f.location = static_cast<std::uint8_t>(i.location);
    f.from = static_cast<std::uint8_t>(i.from);
    f.value = valueOf(s, thread, i.a);
    s.flights.push_back(f);
}

void Machine::execute(State& s, unsigned thread, unsigned version) const
{
    const Instruction& i = next(s, thread);
    const unsigned cta = test_.threads[thread].cta;
    if (trace_ != nullptr) trace_->push_back({thread, s.threads[thread].pc});
    const bool waits = i.kind == Kind::BarSync;
    switch (i.kind) {
        case Kind::Load: load(s, thread, i, version); break;
        case Kind::Store: store(s, thread, i, valueOf(s, thread, i.a)); break;
        case Kind::Atom:
        case Kind::Red: atomic(s, thread, i); break;
        case Kind::ProxyFence: proxyFence(s, thread, i.proxy); break;
        case Kind::BarSync:
        case Kind::BarArrive:
            ++s.threads[thread].pc;
            s.threads[thread].at = waits ? ThreadState::At::Named : ThreadState::At::Runs;
            named(s, thread, i);
            if (!waits) advance(s, thread);
            return;
        case Kind::ClusterArrive:
            s.clusters[clusterOf_[cta]] |= 1u << thread;
            clusterFlip(s, clusterOf_[cta]);
            break;
        case Kind::ClusterWait:
            if ((s.clusters[clusterOf_[cta]] >> thread & 1) == 0) break;
            s.threads[thread].at = ThreadState::At::Cluster;  // the thread waits for its generation
            return;
        case Kind::MbarArrive:
        case Kind::MbarExpectTx: mbarrier(s, thread, i); break;
        case Kind::BulkCopy:
        case Kind::StAsync: launch(s, thread, i); break;
        default: break;  // fences and waits: what they waited for has happened
    }
    ++s.threads[thread].pc;
    advance(s, thread);
}

void Machine::write(State& s, unsigned location, Proxy proxy, unsigned cta,
                    std::int32_t value) const
{
    s.memory[test_.locations[location].root].push_back(
        {value, static_cast<std::uint8_t>(test_.locations[location].address),
         static_cast<std::uint8_t>(proxy), static_cast<std::uint8_t>(cta)});
}

void Machine::store(State& s, unsigned thread, const Instruction& i, std::int32_t value) const
{
    const unsigned cta = test_.threads[thread].cta;
    if (!delayed(thread, i)) return write(s, i.location, i.proxy, cta, value);
    Pending p;
    p.thread = static_cast<std::uint8_t>(thread);
    p.cta = static_cast<std::uint8_t>(cta);
    p.location = static_cast<std::uint8_t>(i.location);
    p.proxy = i.proxy;
    p.inCta = i.proxy != Proxy::Generic;  // the store takes the CTA's path through that proxy
    p.oneStep = p.inCta || !twoSteps(i.location) || i.kind == Kind::Red;
    p.reduces = i.kind == Kind::Red;
    p.math = i.math;
    p.value = value;
    s.pending.push_back(p);
}

void Machine::atomic(State& s, unsigned thread, const Instruction& i) const
{
    if (i.kind == Kind::Red && delayed(thread, i) && i.proxy == Proxy::Generic)
        return store(s, thread, i, valueOf(s, thread, i.a));
    settle(s, thread, i.proxy, i.location);
    const std::int32_t old = s.memory[test_.locations[i.location].root].back().value;
    const std::int32_t a = valueOf(s, thread, i.a);
    if (i.math != Math::Cas)
        write(s, i.location, i.proxy, test_.threads[thread].cta, computed(i.math, old, a));
    else if (old == a)
        write(s, i.location, i.proxy, test_.threads[thread].cta, valueOf(s, thread, i.b));
    if (i.kind == Kind::Atom) s.threads[thread].registers[static_cast<std::size_t>(i.to)] = old;
}

/// Performs the pending stores that the thread sees there: an atomic acts after them.
void Machine::settle(State& s, unsigned thread, Proxy proxy, unsigned location) const
{
    for (const bool inCta : {true, false})
        for (std::size_t i = 0; i < s.pending.size();) {
            const Pending& p = s.pending[i];
            const bool same =
                test_.locations[p.location].address == test_.locations[location].address &&
                p.proxy == proxy;
            if (same && p.inCta == inCta &&
                (inCta ? p.cta == test_.threads[thread].cta : p.thread == thread))
                perform(s, i, true);
            else
                ++i;
        }
}

void Machine::perform(State& s, std::size_t pending, bool wholly) const
{
    Pending p = s.pending[pending];
    s.pending.erase(s.pending.begin() + static_cast<std::ptrdiff_t>(pending));
    if (!wholly) {
        p.inCta = true;
        p.own = 0;
        s.pending.push_back(p);  // after the stores that the CTA has seen
        return;
    }
    const std::int32_t old = s.memory[test_.locations[p.location].root].back().value;
    write(s, p.location, p.proxy, p.cta, p.reduces ? computed(p.math, old, p.value) : p.value);
}

void Machine::finishFlight(State& s, std::size_t flight, unsigned version) const
{
    const InFlight f = s.flights[flight];
    s.flights.erase(s.flights.begin() + static_cast<std::ptrdiff_t>(flight));
    switch (f.what) {
        case InFlight::What::Arrive:
            if (f.value != 0)
                signal(s, f.mbarrier, MbarOp::ArriveExpectTx, static_cast<std::uint32_t>(f.value));
            else
                signal(s, f.mbarrier, MbarOp::Arrive, 1);
            break;
        case InFlight::What::ExpectTx:
            signal(s, f.mbarrier, MbarOp::ExpectTx, static_cast<std::uint32_t>(f.value));
            break;
        case InFlight::What::Copy:
            s.floors[path(f.cta, Proxy::Async, f.from)] = static_cast<std::uint8_t>(version);
            write(s, f.location, Proxy::Async, f.cta,
                  s.memory[test_.locations[f.from].root][version].value);
            signal(s, f.mbarrier, MbarOp::CompleteTx, kWord);
            break;
        case InFlight::What::Data:
            write(s, f.location, Proxy::Async, f.cta, f.value);
            signal(s, f.mbarrier, MbarOp::CompleteTx, kWord);
            break;
    }
}

void Machine::signal(State& s, unsigned mbarrier, MbarOp op, std::uint32_t amount) const
{
    s.mbarriers[mbarrier] = mbarNext(s.mbarriers[mbarrier], {op, amount, false}).state;
}

/// Orders generic accesses and those of the proxy. This CTA's accesses through the proxy see what generic accesses see, and generic
/// accesses everywhere see what this CTA has written through the proxy. For the async proxy, copies of other CTAs also see what this CTA
/// has stored.
void Machine::proxyFence(State& s, unsigned thread, Proxy proxy) const
{
    const unsigned cta = test_.threads[thread].cta;
    for (std::size_t i = 0; i < s.pending.size();) {
        if (proxy != Proxy::Generic && s.pending[i].proxy == proxy && s.pending[i].cta == cta)
            perform(s, i, true);
        else
            ++i;
    }
    const auto raise = [&](unsigned c, Proxy p, unsigned l, unsigned to) {
        std::uint8_t& floor = s.floors[path(c, p, l)];
        floor = static_cast<std::uint8_t>(std::max<unsigned>(floor, to));
    };
    for (unsigned l = 0; l < test_.locations.size(); ++l) {
        const Location& where = test_.locations[l];
        if (where.address != l || where.kind == Location::Kind::Mbarrier) continue;
        const std::vector<Version>& all = s.memory[where.root];
        // alias: an access by this name sees what generic accesses by any name see
        if (proxy == Proxy::Generic) {
            unsigned newest = 0;
            for (unsigned o = 0; o < test_.locations.size(); ++o)
                if (test_.locations[o].root == where.root)
                    newest = std::max(newest, floorOf(s, cta, Proxy::Generic, o));
            for (unsigned c = 0; c < test_.ctas.size(); ++c) raise(c, Proxy::Generic, l, newest);
            continue;
        }
        raise(cta, proxy, l, floorOf(s, cta, Proxy::Generic, l));
        for (unsigned v = 0; v < all.size(); ++v) {
            const bool through = all[v].proxy == static_cast<unsigned>(proxy) &&
                                 all[v].cta == cta && all[v].address == l;
            const bool generic = proxy == Proxy::Async && all[v].proxy == 0 && all[v].cta == cta &&
                                 all[v].address == l;
            for (unsigned c = 0; c < test_.ctas.size() && (through || generic); ++c)
                raise(c, generic ? Proxy::Async : Proxy::Generic, l, v);
        }
    }
}

void Machine::named(State& s, unsigned thread, const Instruction& i) const
{
    const unsigned cta = test_.threads[thread].cta;
    const std::int32_t id = i.barrier.reg < 0 ? i.barrier.number : valueOf(s, thread, i.barrier);
    if (id < 0 || id > 15) return;  // the unit refuses it: no thread is released
    JoinGroup group;
    group.family = Family::Bar;
    group.at.warp = static_cast<std::uint8_t>(thread);
    group.arg0 = static_cast<std::uint32_t>(id);
    group.arg1 = group.count = i.count * 32;
    group.lanes = ~Lanes{0};
    group.waitLanes = i.kind == Kind::BarSync ? ~Lanes{0} : 0;
    Lanes live = 0;
    for (const unsigned t : test_.ctas[cta].threads)
        live |= s.threads[t].at != ThreadState::At::Ended ? 1u << t : 0;
    NamedBarrier& barrier = s.named[cta][static_cast<std::size_t>(id)];
    const NamedNext next = nbarNext(barrier, group, live, false);
    barrier = next.state;
    if (!next.flip) return;
    for (unsigned t = 0; t < s.threads.size(); ++t)
        if ((next.done.waiting >> t & 1) != 0 && s.threads[t].at == ThreadState::At::Named)
            advance(s, t);
}

void Machine::mbarrier(State& s, unsigned thread, const Instruction& i) const
{
    const bool arrives = i.kind == Kind::MbarArrive;
    const std::int32_t bytes = valueOf(s, thread, arrives ? i.b : i.a);
    const unsigned cta = test_.threads[thread].cta;
    InFlight f;
    f.what = arrives ? InFlight::What::Arrive : InFlight::What::ExpectTx;
    f.cta = static_cast<std::uint8_t>(cta);
    f.mbarrier = static_cast<std::uint8_t>(i.mbarrier);
    f.value = bytes;
    s.flights.push_back(f);
    if (test_.locations[i.mbarrier].cta == cta)
        finishFlight(s, s.flights.size() - 1, 0);  // the operation is committed before its answer
}

/// Ends the generation of the cluster barrier: all threads of the cluster that have not ended have arrived.
void Machine::clusterFlip(State& s, unsigned cluster) const
{
    ThreadSet& arrived = s.clusters[cluster];
    ThreadSet there = arrived;
    for (unsigned t = 0; t < s.threads.size(); ++t)
        there |= s.threads[t].at == ThreadState::At::Ended ? 1u << t : 0;
    if (arrived == 0 || (there & inCluster_[cluster]) != inCluster_[cluster]) return;
    arrived = 0;
    for (unsigned t = 0; t < s.threads.size(); ++t) {
        if ((inCluster_[cluster] >> t & 1) == 0 || s.threads[t].at != ThreadState::At::Cluster)
            continue;
        ++s.threads[t].pc;
        advance(s, t);
    }
}

}  // namespace gsu::litmus
