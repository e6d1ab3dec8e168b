#include "litmus/explore.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <unordered_set>

#include "base/random.hpp"
#include "litmus/state_digest.hpp"

namespace gsu::litmus {
namespace {

struct Results {
    std::map<Outcome, Seen> seen;
    std::uint64_t hung{};
    std::vector<Step> firstHang;
    std::uint64_t steps{};  ///< of all paths in `seen`
};

bool wanted(const Machine& m, const State& s)
{
    return m.holds(s) != (m.test().asks == Test::Asks::Always);
}

void note(Results& results, const Machine& m, const State& s, const std::vector<Step>& path)
{
    if (!m.ended(s)) {
        if (results.hung++ == 0) results.firstHang = path;
        return;
    }
    Seen& seen = results.seen[m.outcome(s)];
    if (seen.count++ == 0) {
        seen.values = m.outcome(s);
        seen.named = wanted(m, s);
        seen.steps = path;
        results.steps += path.size();
    }
}

/// Visits all states, depth first. A path can be as long as the number of states. So only its last frames, and every 64th frame below them,
/// keep their state; the search recomputes the others from the nearest of these when it returns to them.
class Search {
public:
    Search(const Machine& m, const ExploreOptions& options, Results& results)
        : m_(m), options_(options), results_(results), digest_(options.seed)
    {
        const State s = m.initial();
        kept_ = sizeof(State) + s.threads.size() * sizeof(ThreadState) + s.floors.size() +
                s.named.size() * sizeof(s.named[0]) + s.mbarriers.size() * sizeof(MbarState) +
                s.memory.size() * (sizeof(s.memory[0]) + 2 * sizeof(Version));
    }

    /// Runs the search. Returns the limit that ended it; None: all states were visited.
    Limit run()
    {
        enter(m_.initial());
        while (!stack_.empty()) {
            const Open& top = reopened();
            Frame& f = stack_.back();
            if (f.next == top.steps.size()) {
                stack_.pop_back();
                if (!path_.empty()) path_.pop_back();
                continue;
            }
            if (visited_.size() > options_.states) return Limit::States;
            if (bytes() > options_.bytes) return Limit::Memory;
            const Step step = top.steps[f.next++];
            State s = top.state;
            m_.take(s, step);
            path_.push_back(step);
            if (!enter(std::move(s))) path_.pop_back();
        }
        return forgets_ ? Limit::Versions : Limit::None;
    }
    [[nodiscard]] std::uint64_t states() const noexcept { return visited_.size(); }

private:
    static constexpr std::size_t kKept = 64;

    struct Open {
        State state;
        std::vector<Step> steps;
    };
    struct Frame {
        std::unique_ptr<Open> open;  ///< null: to be recomputed
        std::uint32_t next{};
    };
    struct DigestHash {
        std::size_t operator()(const Digest& d) const noexcept
        {
            return static_cast<std::size_t>(d);
        }
    };

    bool enter(State s)
    {
        forgets_ = forgets_ || s.forgets;
        if (!visited_.insert(digest_.of(m_.key(s))).second) return false;
        std::vector<Step> steps = m_.steps(s);
        if (steps.empty()) {
            note(results_, m_, s, path_);
            return false;
        }
        stack_.push_back({std::make_unique<Open>(Open{std::move(s), std::move(steps)}), 0});
        if (stack_.size() > kKept) {
            const std::size_t below = stack_.size() - 1 - kKept;
            if (below % kKept != 0) stack_[below].open.reset();
        }
        return true;
    }

    /// The last frame, with its state.
    const Open& reopened()
    {
        std::size_t from = stack_.size() - 1;
        while (!stack_[from].open) --from;
        for (std::size_t i = from + 1; i < stack_.size(); ++i) {
            Open open{stack_[i - 1].open->state, {}};
            m_.take(open.state, path_[i - 1]);
            open.steps = m_.steps(open.state);
            stack_[i].open = std::make_unique<Open>(std::move(open));
        }
        return *stack_.back().open;
    }

    /// Approximate bytes that grow with the number of states: per state an entry of the table with its node, a frame with its step and its
    /// share of a kept state, and the noted paths.
    [[nodiscard]] std::uint64_t bytes() const noexcept
    {
        constexpr std::uint64_t kEntry = 56, kFrame = sizeof(Frame) + sizeof(Step);
        return visited_.size() * kEntry + stack_.size() * (kFrame + kept_ / kKept) +
               results_.steps * sizeof(Step);
    }

    const Machine& m_;
    const ExploreOptions& options_;
    Results& results_;
    StateDigest digest_;
    std::unordered_set<Digest, DigestHash> visited_;
    std::vector<Frame> stack_;
    std::vector<Step> path_;  ///< steps up to the last frame
    std::uint64_t kept_{};    ///< bytes of a state
    bool forgets_{};
};

void runOnce(const Machine& m, std::uint64_t& rng, Results& results)
{
    constexpr unsigned kSteps = 10'000;  // enough for loops that wait for other threads
    State s = m.initial();
    std::vector<Step> path;
    for (unsigned n = 0; n < kSteps; ++n) {
        const std::vector<Step> steps = m.steps(s);
        if (steps.empty()) return note(results, m, s, path);
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
    Results results;
    e.limit = Limit::States;
    if (options.states != 0) {
        Search search(machine, options, results);
        e.limit = search.run();
        e.states = search.states();
    }
    e.complete = e.limit == Limit::None;
    if (!e.complete) {
        std::uint64_t rng = options.seed;
        for (; e.runs < options.runs; ++e.runs) runOnce(machine, rng, results);
    }
    e.hung = results.hung;
    e.firstHang = std::move(results.firstHang);
    for (auto& [values, seen] : results.seen) e.seen.push_back(std::move(seen));
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

std::string contradiction(const Test& test, const Exploration& e, const Outcome& shown)
{
    const auto same = [&](const Seen& s) { return s.values == shown; };
    if (!e.complete || std::any_of(e.seen.begin(), e.seen.end(), same)) return {};
    std::string text;
    for (std::size_t i = 0; i < shown.size(); ++i)
        text += fmt::format("{}{}={}", i == 0 ? "" : "; ", nameOf(test, test.shown[i]), shown[i]);
    return fmt::format("{}: the unit shows {}, which is none of the {} outcomes of all {} states",
                       test.file, text, e.seen.size(), e.states);
}

const char* nameOf(Limit limit) noexcept
{
    constexpr const char* kNames[]{"", "more states than --states", "more memory than --max-memory",
                                   "more than 64 versions of a location"};
    return kNames[static_cast<unsigned>(limit)];
}

const char* nameOf(Verdict verdict) noexcept
{
    constexpr const char* kNames[]{"seen", "not seen", "holds", "forbidden outcome seen",
                                   "incomplete"};
    return kNames[static_cast<unsigned>(verdict)];
}

}  // namespace gsu::litmus
