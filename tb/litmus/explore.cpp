#include "litmus/explore.hpp"

#include <functional>
#include <unordered_set>

#include "base/random.hpp"

namespace gsu::litmus {
namespace {

struct Found {
    std::map<Outcome, Seen> seen;
    std::uint64_t hung{};
    std::vector<Step> hangs;
};

/// 128 bits of a state's bytes: two states of a million share them with a probability below 2^-85.
struct Digest {
    std::uint64_t a, b;
    bool operator==(const Digest&) const = default;
};
struct DigestHash {
    std::size_t operator()(const Digest& d) const noexcept { return d.a; }
};

Digest digestOf(const std::string& bytes)
{
    Digest d{0x9e37'79b9'7f4a'7c15ull, bytes.size()};
    for (const char c : bytes) {
        d.a = (d.a ^ static_cast<unsigned char>(c)) * 0x0000'0100'0000'01b3ull;
        d.b = (d.b + static_cast<unsigned char>(c)) * 0xff51'afd7'ed55'8ccdull;
        d.b ^= d.b >> 32;
    }
    return {splitmix64(d.a), d.b};
}

bool wanted(const Machine& m, const State& s)
{
    return m.holds(s) != (m.test().asks == Test::Asks::Always);
}

void note(Found& found, const Machine& m, const State& s, const std::vector<Step>& path)
{
    if (!m.ended(s)) {
        if (found.hung++ == 0) found.hangs = path;
        return;
    }
    Seen& seen = found.seen[m.outcome(s)];
    if (seen.count++ == 0) {
        seen.values = m.outcome(s);
        seen.named = wanted(m, s);
        seen.steps = path;
    }
}

struct Frame {
    State state;
    std::vector<Step> steps;
    std::size_t next{};
};

/// Depth first over all states; false when there are more than the bound.
bool visitAll(const Machine& m, std::uint64_t bound, Found& found, std::uint64_t& states)
{
    std::unordered_set<Digest, DigestHash> visited;
    std::vector<Frame> stack;
    std::vector<Step> path;
    const auto enter = [&](State s) {
        if (!visited.insert(digestOf(m.key(s))).second) return false;
        std::vector<Step> steps = m.steps(s);
        if (steps.empty()) {
            note(found, m, s, path);
            return false;
        }
        stack.push_back({std::move(s), std::move(steps), 0});
        return true;
    };
    static_cast<void>(enter(m.initial()));
    while (!stack.empty()) {
        Frame& f = stack.back();
        if (f.next == f.steps.size()) {
            stack.pop_back();
            if (!path.empty()) path.pop_back();
            continue;
        }
        if (visited.size() > bound) break;
        const Step step = f.steps[f.next++];
        State s = f.state;
        m.take(s, step);
        path.push_back(step);
        if (!enter(std::move(s))) path.pop_back();
    }
    states = visited.size();
    return stack.empty();
}

void runOnce(const Machine& m, std::uint64_t& rng, Found& found)
{
    constexpr unsigned kSteps = 10'000;  // a loop that waits for others gets its turn
    State s = m.initial();
    std::vector<Step> path;
    for (unsigned n = 0; n < kSteps; ++n) {
        const std::vector<Step> steps = m.steps(s);
        if (steps.empty()) return note(found, m, s, path);
        path.push_back(steps[splitmix64(rng) % steps.size()]);
        m.take(s, path.back());
    }
}

}  // namespace

Verdict verdictOf(const Test& test, const Exploration& e)
{
    bool named = false;
    for (const Seen& s : e.seen) named = named || s.named;
    if (test.asks == Test::Asks::Exists)
        return named ? Verdict::Seen : e.complete ? Verdict::NotSeen : Verdict::Incomplete;
    return named ? Verdict::Forbidden : e.complete ? Verdict::Holds : Verdict::Incomplete;
}

Exploration explore(const Machine& machine, const ExploreOptions& options)
{
    Exploration e;
    Found found;
    e.complete = options.states != 0 && visitAll(machine, options.states, found, e.states);
    if (!e.complete) {
        std::uint64_t rng = options.seed;
        for (; e.runs < options.runs; ++e.runs) runOnce(machine, rng, found);
    }
    e.hung = found.hung;
    e.hangs = std::move(found.hangs);
    for (auto& [values, seen] : found.seen) e.seen.push_back(std::move(seen));
    e.verdict = verdictOf(machine.test(), e);
    return e;
}

std::vector<std::string> witness(const Machine& machine, const std::vector<Step>& steps)
{
    std::vector<std::string> lines;
    State s = machine.initial();
    for (const Step& step : steps) {
        lines.push_back(machine.describe(s, step));
        machine.take(s, step);
    }
    return lines;
}

const char* nameOf(Verdict verdict) noexcept
{
    constexpr const char* kNames[]{"seen", "not seen", "holds", "forbidden outcome seen",
                                   "incomplete"};
    return kNames[static_cast<unsigned>(verdict)];
}

}  // namespace gsu::litmus
