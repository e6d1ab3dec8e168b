#include "fuzz/shrink.hpp"

#include <chrono>
#include <utility>

namespace gsu::fuzz {
namespace {

class Shrinker {
public:
    Shrinker(Shrunk start, const Runner& run, unsigned budget, double seconds)
        : best_(std::move(start)),
          run_(run),
          budget_(budget),
          end_(Clock::now() +
               std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds)))
    {
    }

    Shrunk go()
    {
        for (bool better = true; better && !spent();) {
            better = false;
            better |= dropRounds();
            better |= smallerShape();
            better |= plainConditions();
            better |= fewerFeatures();
        }
        return best_;
    }

private:
    using Clock = std::chrono::steady_clock;

    [[nodiscard]] bool spent() const { return best_.runs >= budget_ || Clock::now() > end_; }

    /// Keeps the changed case if it still fails in the same way.
    template <typename F> bool attempt(F change)
    {
        if (spent()) return false;
        Case smaller = best_.what;
        change(smaller);
        ++best_.runs;
        Outcome outcome = run_(smaller, build(smaller.plan));
        if (outcome.kind != best_.outcome.kind) return false;
        best_.what = std::move(smaller);
        best_.outcome = std::move(outcome);
        return true;
    }

    bool dropRounds()
    {
        bool better = false;
        for (std::size_t i = best_.what.plan.segments.size(); i-- > 0;) {
            if (attempt([i](Case& c) {
                    c.plan.segments.erase(c.plan.segments.begin() + static_cast<long>(i));
                })) {
                better = true;
                continue;
            }
            if (best_.what.plan.segments[i].exits)
                better |= attempt([i](Case& c) { c.plan.segments[i].exits = false; });
            for (std::size_t k = best_.what.plan.segments[i].strands.size(); k-- > 0;) {
                for (std::size_t m = best_.what.plan.segments[i].strands[k].rounds.size(); m-- > 0;)
                    better |= attempt([=](Case& c) {
                        auto& rounds = c.plan.segments[i].strands[k].rounds;
                        rounds.erase(rounds.begin() + static_cast<long>(m));
                    });
                if (best_.what.plan.segments[i].strands.size() > 1)
                    better |= attempt([=](Case& c) {
                        auto& strands = c.plan.segments[i].strands;
                        strands.erase(strands.begin() + static_cast<long>(k));
                    });
            }
        }
        return better;
    }

    bool smallerShape()
    {
        bool better = false;
        const auto numbers = {&Shape::clusters, &Shape::clusterSize};
        for (unsigned Shape::*number : numbers) {
            for (const unsigned n :
                 {1u, 2u, best_.what.plan.shape.*number / 2, best_.what.plan.shape.*number - 1}) {
                if (n == 0 || n >= best_.what.plan.shape.*number) continue;
                better |= attempt([=](Case& c) { c.plan.shape.*number = n; });
            }
        }
        const unsigned threads = best_.what.plan.shape.threads;
        for (const unsigned n : {1u, 32u, 64u, threads / 64 * 32, (threads - 1) / 32 * 32}) {
            if (n == 0 || n >= best_.what.plan.shape.threads) continue;
            better |= attempt([=](Case& c) { c.plan.shape.threads = n; });
        }
        return better;
    }

    bool plainConditions()
    {
        bool better = false;
        const Conditions plain;
        Conditions& now = best_.what.conditions;
        if (now.sets.size() > 2) better |= attempt([](Case& c) { c.conditions.sets.clear(); });
        for (std::size_t i = best_.what.conditions.sets.size(); i-- > 0;)
            better |= attempt([i](Case& c) {
                c.conditions.sets.erase(c.conditions.sets.begin() + static_cast<long>(i));
            });
        if (!now.timing.empty() && now.sets.empty())
            better |= attempt([](Case& c) { c.conditions.timing.clear(); });
        if (now.preset != plain.preset)
            better |= attempt([&](Case& c) { c.conditions.preset = plain.preset; });
        if (now.seed != plain.seed)
            better |= attempt([&](Case& c) { c.conditions.seed = plain.seed; });
        if (now.threads != plain.threads)
            better |= attempt([&](Case& c) { c.conditions.threads = plain.threads; });
        if (now.replay) better |= attempt([](Case& c) { c.conditions.replay = false; });
        return better;
    }

    /// Draws a round anew without delays, loops and so on: a smaller kernel, if it fails in the same way.
    bool fewerFeatures()
    {
        bool better = false;
        for (const Feature f :
             {Feature::Delays, Feature::Fences, Feature::Divergence, Feature::Loops}) {
            if (!best_.what.plan.features.has(f)) continue;
            better |= attempt([f](Case& c) { c.plan.features.remove(f); });
        }
        return better;
    }

    Shrunk best_;
    const Runner& run_;
    unsigned budget_;
    Clock::time_point end_;
};

}  // namespace

Shrunk shrink(Case failing, Outcome outcome, const Runner& run, unsigned budget, double seconds)
{
    return Shrinker({std::move(failing), std::move(outcome), 0}, run, budget, seconds).go();
}

}  // namespace gsu::fuzz
