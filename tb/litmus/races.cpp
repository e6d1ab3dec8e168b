#include "litmus/races.hpp"

#include <algorithm>
#include <map>

namespace gsu::litmus {
namespace {

constexpr int kNone = -1;

struct Event {
    Machine::Executed by;
    const Instruction* i{};
    unsigned cta{}, gpu{}, cluster{};
    bool reads{}, writes{}, async{};
    bool proxy{};  ///< through the async proxy, as a bulk copy; st.async is not
    /// a strong access, or an operation on an mbarrier: it may be part of a pattern
    bool synchronizes{};
    unsigned root{};   ///< location of an access, without aliases
    int issue{kNone};  ///< of an asynchronous event: the instruction that started it
    int from{kNone};   ///< of a read: the write that it reads from
    /// of an arrival or completion: its phase; of a wait: the last phase that is complete
    unsigned phase{};
};

bool releases(Order o) { return o == Order::Release || o == Order::AcqRel || o == Order::Sc; }
bool acquires(Order o) { return o == Order::Acquire || o == Order::AcqRel || o == Order::Sc; }

class Execution {
public:
    explicit Execution(const Test& test)
        : test_(test),
          machine_(test, MemoryForm::Immediate),
          last_(test.threads.size(), kNone),
          written_(test.locations.size(), kNone),
          phase_(test.locations.size())
    {
        machine_.traceTo(&executed_);
    }
    void run(const std::vector<Step>& steps);
    [[nodiscard]] std::vector<RacingPair> races();

private:
    void follow(const Step& step, const State& before, const State& after);
    int add(const Machine::Executed& by, int after);
    void access(int event, bool reads, bool writes, unsigned location);
    void executed(const Machine::Executed& by);
    void named(int event);
    void finish(std::size_t flight);
    [[nodiscard]] bool includes(const Event& a, const Event& b) const;
    [[nodiscard]] bool together(const Event& a, const Event& b) const
    {
        return includes(a, b) && includes(b, a);
    }
    [[nodiscard]] std::vector<int> heads(int write) const;
    [[nodiscard]] std::vector<int> tails(int read) const;
    void observe(int read, int write);
    void patterns();
    void clusterBarriers();
    void close();
    [[nodiscard]] bool ordered(int a, int b) const;
    void edge(int a, int b) { edges_.emplace_back(a, b); }

    const Test& test_;
    Machine machine_;
    std::vector<Machine::Executed> executed_;
    std::vector<Event> events_;
    std::vector<std::pair<int, int>> edges_;
    std::vector<int> last_, written_;  ///< by thread; by root location
    std::vector<unsigned> phase_;      ///< by location, from 0
    std::vector<int> flights_;         ///< indexed as State::flights: the event that started each
    std::map<std::pair<unsigned, std::int32_t>, std::vector<int>> named_;
    std::vector<std::pair<int, unsigned>> signals_;  ///< operations on an mbarrier in this step
    std::vector<std::vector<bool>> reach_;
};

int Execution::add(const Machine::Executed& by, int after)
{
    Event e;
    e.by = by;
    e.i = &test_.threads[by.thread].code[by.pc];
    e.cta = test_.threads[by.thread].cta;
    e.gpu = test_.ctas[e.cta].gpu;
    e.cluster = test_.ctas[e.cta].cluster;
    events_.push_back(e);
    const int number = static_cast<int>(events_.size()) - 1;
    if (after != kNone) edge(after, number);
    return number;
}

void Execution::access(int event, bool reads, bool writes, unsigned location)
{
    Event& e = events_[static_cast<std::size_t>(event)];
    e.root = test_.locations[location].root;
    e.reads = reads;
    e.writes = writes;
    if (reads) e.from = written_[e.root];
    if (writes) written_[e.root] = event;
}

/// Orders all arrivals before all waits of a named barrier.
void Execution::named(int event)
{
    const Instruction& i = *events_[static_cast<std::size_t>(event)].i;
    std::vector<int>& here =
        named_[{events_[static_cast<std::size_t>(event)].cta, i.barrier.number}];
    here.push_back(event);
    if (here.size() < i.count) return;
    for (const int a : here) {
        for (const int s : here)
            if (a != s && events_[static_cast<std::size_t>(s)].i->kind == Kind::BarSync) edge(a, s);
    }
    here.clear();
}

void Execution::executed(const Machine::Executed& by)
{
    const int event = add(by, last_[by.thread]);
    last_[by.thread] = event;
    const Instruction& i = *events_.back().i;
    events_.back().synchronizes = !i.weak;
    const bool here = i.kind == Kind::MbarArrive || i.kind == Kind::MbarExpectTx
                          ? test_.locations[i.mbarrier].cta == events_.back().cta
                          : true;
    switch (i.kind) {
        case Kind::Load: access(event, true, false, i.location); break;
        case Kind::Store: access(event, false, true, i.location); break;
        case Kind::Atom:
        case Kind::Red: access(event, true, true, i.location); break;
        case Kind::BarSync:
        case Kind::BarArrive: named(event); break;
        case Kind::MbarArrive:
        case Kind::MbarExpectTx:
            if (!here)
                flights_.push_back(event);
            else if (i.kind == Kind::MbarArrive)
                signals_.emplace_back(event, i.mbarrier);
            break;
        case Kind::MbarWait:
            events_.back().phase = phase_[i.mbarrier];
            events_.back().synchronizes = true;
            break;
        case Kind::BulkCopy:
        case Kind::StAsync: flights_.push_back(event); break;
        default: break;
    }
}

void Execution::finish(std::size_t flight)
{
    const int begun = flights_[flight];
    flights_.erase(flights_.begin() + static_cast<std::ptrdiff_t>(flight));
    const Instruction& i = *events_[static_cast<std::size_t>(begun)].i;
    const Machine::Executed by = events_[static_cast<std::size_t>(begun)].by;
    if (i.kind == Kind::MbarArrive) signals_.emplace_back(begun, i.mbarrier);
    if (i.kind != Kind::BulkCopy && i.kind != Kind::StAsync) return;
    const auto engine = [&](bool reads, unsigned location) {
        const int event = add(by, kNone);
        events_.back().async = true;
        events_.back().proxy = i.kind == Kind::BulkCopy;
        events_.back().issue = begun;
        access(event, reads, !reads, location);
        return event;
    };
    const int read = i.kind == Kind::BulkCopy ? engine(true, i.from) : kNone;
    const int last = engine(false, i.location);
    if (read != kNone) edge(read, last);
    signals_.emplace_back(last, i.mbarrier);
}

void Execution::follow(const Step& step, const State& before, const State& after)
{
    signals_.clear();
    if (step.what == Step::What::Packet || step.what == Step::What::Copy) finish(step.index);
    for (const Machine::Executed& by : executed_) executed(by);
    executed_.clear();
    for (const auto& [event, mbarrier] : signals_) {
        events_[static_cast<std::size_t>(event)].phase = phase_[mbarrier];
        if (before.mbarriers[mbarrier].phase != after.mbarriers[mbarrier].phase) ++phase_[mbarrier];
    }
}

void Execution::run(const std::vector<Step>& steps)
{
    State s = machine_.initial();
    for (const Machine::Executed& by : executed_) executed(by);
    executed_.clear();
    for (const Step& step : steps) {
        const State before = s;
        machine_.take(s, step);
        follow(step, before, s);
    }
}

/// Whether the scope of a includes the thread of b.
bool Execution::includes(const Event& a, const Event& b) const
{
    switch (a.i->scope) {
        case Scope::Cta: return a.cta == b.cta;
        case Scope::Cluster: return a.gpu == b.gpu && a.cluster == b.cluster;
        case Scope::Gpu: return a.gpu == b.gpu;
        default: return true;
    }
}

/// The events at which release patterns begin that end with this write.
std::vector<int> Execution::heads(int write) const
{
    const Event& w = events_[static_cast<std::size_t>(write)];
    std::vector<int> all;
    if (releases(w.i->sem)) all.push_back(write);
    for (int e = 0; e < write; ++e) {
        const Event& f = events_[static_cast<std::size_t>(e)];
        if (f.by.thread != w.by.thread || f.async || !releases(f.i->sem)) continue;
        const bool there = f.writes && w.writes && f.root == w.root && f.synchronizes;
        if (f.i->kind == Kind::Fence || there) all.push_back(e);
    }
    return all;
}

/// The events at which acquire patterns end that begin with this read.
std::vector<int> Execution::tails(int read) const
{
    const Event& r = events_[static_cast<std::size_t>(read)];
    std::vector<int> all;
    if (acquires(r.i->sem)) all.push_back(read);
    for (int e = read + 1; e < static_cast<int>(events_.size()); ++e) {
        const Event& f = events_[static_cast<std::size_t>(e)];
        if (f.by.thread != r.by.thread || f.async || !acquires(f.i->sem)) continue;
        const bool there = f.reads && r.reads && f.root == r.root && f.synchronizes;
        if (f.i->kind == Kind::Fence || there) all.push_back(e);
    }
    return all;
}

void Execution::observe(int read, int write)
{
    for (const int head : heads(write)) {
        for (const int tail : tails(read)) {
            if (together(events_[static_cast<std::size_t>(head)],
                         events_[static_cast<std::size_t>(tail)]))
                edge(head, tail);
        }
    }
}

void Execution::patterns()
{
    const int count = static_cast<int>(events_.size());
    for (int r = 0; r < count; ++r) {
        const Event& read = events_[static_cast<std::size_t>(r)];
        if (read.i->kind == Kind::MbarWait) {
            for (int w = 0; w < count; ++w) {
                const Event& sent = events_[static_cast<std::size_t>(w)];
                const bool arrival = sent.i->kind == Kind::MbarArrive;
                const bool copied = sent.async && sent.writes;
                if ((!arrival && !copied) || sent.i->mbarrier != read.i->mbarrier ||
                    sent.phase >= read.phase)
                    continue;
                if (arrival || sent.i->kind == Kind::StAsync) observe(r, w);
                for (const int tail : tails(r))
                    if (copied) edge(w, tail);
            }
        }
        if (!read.reads || !read.synchronizes || read.async) continue;
        int by = r;
        for (int w = read.from; w != kNone;) {
            const Event &written = events_[static_cast<std::size_t>(w)],
                        &next = events_[static_cast<std::size_t>(by)];
            const bool own = written.by.thread == next.by.thread;
            if (!written.synchronizes || written.async || (!own && !together(written, next))) break;
            if (written.by.thread != read.by.thread) observe(r, w);
            by = w;
            w = written.reads ? written.from : kNone;
        }
    }
    for (int a = 0; a < count; ++a) {  // fence.sc, in the order in which they were executed
        for (int b = a + 1; b < count; ++b) {
            const Event &x = events_[static_cast<std::size_t>(a)],
                        &y = events_[static_cast<std::size_t>(b)];
            const bool both = x.i->kind == Kind::Fence && y.i->kind == Kind::Fence &&
                              x.i->sem == Order::Sc && y.i->sem == Order::Sc;
            if (both && together(x, y)) edge(a, b);
        }
    }
}

/// Orders the n-th arrivals of a cluster's threads before their n-th waits.
void Execution::clusterBarriers()
{
    std::map<unsigned, unsigned> arrived;  // by thread
    std::map<std::tuple<unsigned, unsigned, unsigned>, std::vector<int>> arrivals, waits;
    for (std::size_t e = 0; e < events_.size(); ++e) {
        const Event& x = events_[e];
        if (x.async) continue;
        if (x.i->kind == Kind::ClusterArrive)
            arrivals[{x.gpu, x.cluster, ++arrived[x.by.thread]}].push_back(static_cast<int>(e));
        if (x.i->kind == Kind::ClusterWait)
            waits[{x.gpu, x.cluster, arrived[x.by.thread]}].push_back(static_cast<int>(e));
    }
    for (const auto& [generation, all] : waits) {
        for (const int wait : all) {
            for (const int arrive : arrivals[generation]) {
                const Event& a = events_[static_cast<std::size_t>(arrive)];
                if (a.i->sem != Order::Relaxed) {
                    edge(arrive, wait);
                    continue;
                }
                for (const int head : heads(arrive)) {
                    const Event& h = events_[static_cast<std::size_t>(head)];
                    if (h.i->kind == Kind::Fence && h.i->scope >= Scope::Cluster) edge(head, wait);
                }
            }
        }
    }
}

void Execution::close()
{
    const std::size_t n = events_.size();
    reach_.assign(n, std::vector<bool>(n));
    for (const auto& [a, b] : edges_)
        reach_[static_cast<std::size_t>(a)][static_cast<std::size_t>(b)] = true;
    for (std::size_t k = 0; k < n; ++k)
        for (std::size_t a = 0; a < n; ++a)
            for (std::size_t b = 0; reach_[a][k] && b < n; ++b)
                if (reach_[k][b]) reach_[a][b] = true;
}

/// Whether `first` happens before `second`. From an ordinary write to an asynchronous read this needs a proxy fence between them.
bool Execution::ordered(int first, int second) const
{
    const auto a = static_cast<std::size_t>(first), b = static_cast<std::size_t>(second);
    const int issue = events_[b].issue;
    // An asynchronous operation follows everything before the instruction that started it.
    const auto to = static_cast<std::size_t>(issue == kNone ? second : issue);
    if (!reach_[a][b] && (issue == kNone || !reach_[a][to])) return false;
    if (!events_[b].proxy || !events_[b].reads || events_[a].proxy || !events_[a].writes)
        return true;
    for (std::size_t f = 0; f < events_.size(); ++f) {
        if (events_[f].i->kind == Kind::ProxyFence && events_[f].i->proxy == Proxy::Async &&
            reach_[a][f] && reach_[f][to])
            return true;
    }
    return false;
}

std::vector<RacingPair> Execution::races()
{
    patterns();
    clusterBarriers();
    close();
    std::vector<RacingPair> all;
    const int count = static_cast<int>(events_.size());
    for (int a = 0; a < count; ++a) {
        for (int b = a + 1; b < count; ++b) {
            const Event &x = events_[static_cast<std::size_t>(a)],
                        &y = events_[static_cast<std::size_t>(b)];
            const bool both = (x.reads || x.writes) && (y.reads || y.writes);
            if (!both || x.root != y.root || !(x.writes || y.writes)) continue;
            if (!x.async && !y.async && x.by.thread == y.by.thread) continue;
            const bool strong = x.synchronizes && y.synchronizes && !x.async && !y.async;
            if ((strong && together(x, y)) || ordered(a, b) || ordered(b, a)) continue;
            all.push_back({x.by, y.by});
        }
    }
    return all;
}

}  // namespace

std::vector<RacingPair> racesOf(const Test& test, const std::vector<Step>& steps)
{
    Execution execution(test);
    execution.run(steps);
    return execution.races();
}

}  // namespace gsu::litmus
