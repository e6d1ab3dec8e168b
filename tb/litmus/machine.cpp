// The steps that are possible in a state.
#include "litmus/machine.hpp"

#include <algorithm>

namespace gsu::litmus {

WaitsFor waitsFor(const Instruction& i) noexcept
{
    const bool wider = i.scope != Scope::Cta;
    const bool releases = i.sem == Order::Release || i.sem == Order::AcqRel || i.sem == Order::Sc;
    switch (i.kind) {
        case Kind::BarSync:
        case Kind::BarArrive: return {true, false};
        case Kind::ProxyFence: return {true, true};
        case Kind::Fence:
        case Kind::Store:
        case Kind::Atom:
        case Kind::Red:
        case Kind::MbarArrive:
        case Kind::ClusterArrive: return {releases, releases && wider};
        default: return {};
    }
}

Machine::Machine(const Test& test, MemoryForm form) : test_(test), form_(form)
{
    history_.resize(test.locations.size());
    for (const Location& l : test.locations)
        history_[l.root] = history_[l.root] || test.locations[l.root].name != l.name;
    for (const Thread& t : test.threads)
        for (const Instruction& i : t.code) {
            const bool memory = i.kind == Kind::Load || i.kind == Kind::Store ||
                                i.kind == Kind::Atom || i.kind == Kind::Red;
            if (memory && i.proxy != Proxy::Generic)
                history_[test.locations[i.location].root] = true;
            if (i.kind == Kind::BulkCopy)
                history_[test.locations[i.from].root] = history_[test.locations[i.location].root] =
                    true;
        }
    std::vector<std::pair<unsigned, unsigned>> seen;
    for (const Cta& c : test.ctas) {
        const std::pair<unsigned, unsigned> name{c.gpu, c.cluster};
        const auto found = std::find(seen.begin(), seen.end(), name);
        clusterOf_.push_back(static_cast<unsigned>(found - seen.begin()));
        if (found == seen.end()) {
            seen.push_back(name);
            inCluster_.push_back(0);
        }
        for (const unsigned t : c.threads) inCluster_[clusterOf_.back()] |= 1u << t;
    }
}

State Machine::initial() const
{
    State s;
    s.memory.resize(test_.locations.size());
    for (unsigned l = 0; l < test_.locations.size(); ++l) {
        const Location& where = test_.locations[l];
        if (where.root == l && where.kind != Location::Kind::Mbarrier)
            s.memory[l].push_back({where.init, static_cast<std::uint8_t>(l), 0, 0xff});
        MbarState m;
        if (where.kind == Location::Kind::Mbarrier)
            m = mbarNext({}, {MbarOp::Init, static_cast<std::uint32_t>(where.init), false}).state;
        s.mbarriers.push_back(m);
    }
    s.floors.resize(test_.ctas.size() * 5 * test_.locations.size());
    s.named.resize(test_.ctas.size());
    s.clusters.resize(inCluster_.size());
    for (const Thread& t : test_.threads) s.threads.push_back({ThreadState::At::Runs, 0, t.init});
    for (unsigned t = 0; t < test_.threads.size(); ++t) advance(s, t);
    return s;
}

bool Machine::twoSteps(unsigned location) const
{
    return test_.locations[location].kind == Location::Kind::Global;
}

bool Machine::delayed(unsigned thread, const Instruction& i) const
{
    if (form_ == MemoryForm::Immediate) return false;
    if (i.proxy != Proxy::Generic || form_ == MemoryForm::Weak) return true;
    const Location& l = test_.locations[i.location];
    return l.kind == Location::Kind::Shared && l.cta != test_.threads[thread].cta;
}

/// Whether this store may leave next. Per location and proxy, stores leave a buffer in order; a store that leaves in one step comes after
/// those that its CTA has seen there.
bool Machine::first(const State& s, std::size_t pending) const
{
    const Pending& p = s.pending[pending];
    for (std::size_t i = 0; i < s.pending.size(); ++i) {
        const Pending& o = s.pending[i];
        const bool same =
            i != pending && o.proxy == p.proxy &&
            test_.locations[o.location].address == test_.locations[p.location].address;
        if (!same) continue;
        const bool buffer = o.inCta == p.inCta && (p.inCta ? o.cta == p.cta : o.thread == p.thread);
        if (buffer && i < pending) return false;
        if (!p.inCta && p.oneStep && o.inCta && o.cta == p.cta) return false;
    }
    return true;
}

const Pending* Machine::forwarded(const State& s, unsigned thread, Proxy proxy,
                                  unsigned location) const
{
    const Pending* seen = nullptr;
    for (const bool inCta : {true, false})
        for (const Pending& p : s.pending) {
            const bool same =
                test_.locations[p.location].address == test_.locations[location].address &&
                p.proxy == proxy;
            if (same && p.inCta == inCta &&
                (inCta ? p.cta == test_.threads[thread].cta : p.thread == thread))
                seen = &p;
        }
    return seen;
}

/// The newest version that this path cannot miss.
unsigned Machine::floorOf(const State& s, unsigned cta, Proxy proxy, unsigned location) const
{
    const std::vector<Version>& all = s.memory[test_.locations[location].root];
    unsigned floor = s.floors[path(cta, proxy, location)];
    for (unsigned i = floor; i < all.size(); ++i) {
        const Version& v = all[i];
        const bool reached = v.address == test_.locations[location].address &&
                             v.proxy == static_cast<unsigned>(proxy) &&
                             (proxy == Proxy::Generic || v.cta == cta);
        if (reached || v.proxy == static_cast<unsigned>(Proxy::Async))
            floor = i;  // all threads see the data of a copy (RASYNC-012)
    }
    return floor;
}

std::vector<std::uint8_t> Machine::readable(const State& s, unsigned cta, Proxy proxy,
                                            unsigned location) const
{
    const auto last = static_cast<unsigned>(s.memory[test_.locations[location].root].size() - 1);
    const unsigned from = form_ == MemoryForm::Immediate ? last : floorOf(s, cta, proxy, location);
    std::vector<std::uint8_t> versions;
    for (unsigned i = from; i <= last; ++i) versions.push_back(static_cast<std::uint8_t>(i));
    return versions;
}

/// Whether the thread has as many stores and packets in flight as allowed. The limit keeps the number of states finite even with loops.
bool Machine::full(const State& s, unsigned thread, const Instruction& i) const
{
    constexpr std::size_t kPending = 8, kFlights = 32;
    if (i.kind == Kind::Store || i.kind == Kind::Red)
        return static_cast<std::size_t>(
                   std::count_if(s.pending.begin(), s.pending.end(),
                                 [&](const Pending& p) { return p.thread == thread; })) >= kPending;
    const bool flies = i.kind == Kind::MbarArrive || i.kind == Kind::MbarExpectTx ||
                       i.kind == Kind::BulkCopy || i.kind == Kind::StAsync;
    return flies && s.flights.size() >= kFlights;
}

void Machine::threadSteps(const State& s, unsigned thread, std::vector<Step>& to) const
{
    const ThreadState& t = s.threads[thread];
    const auto index = static_cast<std::uint8_t>(thread);
    if (t.at == ThreadState::At::Waits) {
        const ThreadSet bit = 1u << thread;
        for (const Pending& p : s.pending)
            if (((p.own | p.wide) & bit) != 0) return;
        for (const InFlight& f : s.flights)
            if ((f.wide & bit) != 0) return;
    } else if (t.at != ThreadState::At::Runs) {
        return;
    }
    const Instruction& i = next(s, thread);
    if (full(s, thread, i)) return;
    if (i.kind == Kind::MbarWait &&
        !mbarTestParity(s.mbarriers[i.mbarrier],
                        static_cast<std::uint32_t>(valueOf(s, thread, i.a)) & 1))
        return;
    if (i.kind == Kind::Load && forwarded(s, thread, i.proxy, i.location) == nullptr) {
        for (const std::uint8_t v : readable(s, test_.threads[thread].cta, i.proxy, i.location))
            to.push_back({Step::What::Execute, index, v});
        return;
    }
    to.push_back({Step::What::Execute, index, 0});
}

std::vector<Step> Machine::steps(const State& s) const
{
    std::vector<Step> to;
    for (unsigned t = 0; t < s.threads.size(); ++t) threadSteps(s, t, to);
    for (std::size_t i = 0; i < s.pending.size(); ++i) {
        const Pending& p = s.pending[i];
        if (first(s, i))
            to.push_back({p.inCta || p.oneStep ? Step::What::ToEveryone : Step::What::ToCta,
                          static_cast<std::uint8_t>(i), 0});
    }
    for (std::size_t i = 0; i < s.flights.size(); ++i) {
        const InFlight& f = s.flights[i];
        const auto index = static_cast<std::uint8_t>(i);
        if (f.what == InFlight::What::Copy) {
            for (const std::uint8_t v : readable(s, f.cta, Proxy::Async, f.from))
                to.push_back({Step::What::Copy, index, v});
            continue;
        }
        const bool overtakes = std::any_of(
            s.flights.begin(), s.flights.begin() + static_cast<std::ptrdiff_t>(i),
            [&](const InFlight& o) {
                return o.what != InFlight::What::Copy && o.cta == f.cta &&
                       test_.locations[o.mbarrier].cta == test_.locations[f.mbarrier].cta;
            });
        if (!overtakes) to.push_back({Step::What::Packet, index, 0});
    }
    return to;
}

bool Machine::ended(const State& s) const
{
    return s.pending.empty() && s.flights.empty() &&
           std::all_of(s.threads.begin(), s.threads.end(),
                       [](const ThreadState& t) { return t.at == ThreadState::At::Ended; });
}

namespace {

std::int32_t lookUp(const Test& test, const State& s, const Condition::Term& t)
{
    switch (t.kind) {
        case Condition::Term::Kind::Register: return s.threads[t.thread].registers[t.index];
        case Condition::Term::Kind::Memory:
            return s.memory[test.locations[t.index].root].back().value;
        case Condition::Term::Kind::Number: break;
    }
    return t.number;
}

}  // namespace

Outcome Machine::outcome(const State& s) const
{
    Outcome values;
    for (const Condition::Term& t : test_.shown) values.push_back(lookUp(test_, s, t));
    return values;
}

bool Machine::holds(const State& s) const
{
    return litmus::holds(test_.condition,
                         [&](const Condition::Term& t) { return lookUp(test_, s, t); });
}

}  // namespace gsu::litmus
