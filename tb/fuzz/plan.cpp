#include "fuzz/plan.hpp"

#include "fuzz/pattern.hpp"
#include "fuzz/random.hpp"

namespace gsu::fuzz {
namespace {

Shape drawShape(Random& random, FeatureSet features, bool sm80)
{
    constexpr unsigned kWarps[] = {1, 2, 2, 3, 4, 4, 5, 8};
    constexpr unsigned kSizes[] = {1, 2, 2, 2, 3, 4, 4, 8};
    Shape shape;
    shape.threads = 32 * random.pick(kWarps);
    if (random.chance(30)) shape.threads -= random.below(32);
    if (features.has(Feature::Cluster) && !sm80) shape.clusterSize = random.pick(kSizes);
    const unsigned most = shape.clusterSize >= 4 ? 2 : 4;
    shape.clusters = random.between(1, most);
    return shape;
}

bool fits(const Pattern& p, const ProgramPlan& plan, bool alone)
{
    if (!plan.features.covers(p.needs) || (plan.sm80 && !p.sm80)) return false;
    if (p.whole && !alone) return false;
    return p.minWarps <= plan.shape.warps() && p.minRanks <= plan.shape.clusterSize;
}

RoundPlan drawRound(Random& random, const ProgramPlan& plan, bool alone)
{
    unsigned total = 0;
    for (const Pattern& p : patterns()) total += fits(p, plan, alone) ? p.weight : 0;
    if (total == 0) return {};
    unsigned at = random.below(total);
    for (const Pattern& p : patterns()) {
        if (!fits(p, plan, alone)) continue;
        if (at < p.weight) return {p.name, random.next()};
        at -= p.weight;
    }
    return {};
}

SegmentPlan drawSegment(Random& random, const ProgramPlan& plan)
{
    SegmentPlan segment;
    segment.seed = random.next();
    const unsigned warps = plan.shape.warps();
    const bool several = plan.features.has(Feature::Strands) && warps > 1 && random.chance(45);
    const unsigned strands = several ? random.between(2, warps > 3 ? 3 : 2) : 1;
    for (unsigned i = 0; i < strands; ++i) {
        StrandPlan strand;
        const unsigned rounds = random.between(1, strands == 1 ? 3 : 2);
        for (unsigned k = 0; k < rounds; ++k) {
            RoundPlan round = drawRound(random, plan, strands == 1);
            if (!round.pattern.empty()) strand.rounds.push_back(std::move(round));
        }
        segment.strands.push_back(std::move(strand));
    }
    segment.exits = plan.features.has(Feature::Exits) && random.chance(12);
    return segment;
}

}  // namespace

std::size_t ProgramPlan::rounds() const noexcept
{
    std::size_t n = 0;
    for (const SegmentPlan& segment : segments) {
        for (const StrandPlan& strand : segment.strands) n += strand.rounds.size();
    }
    return n;
}

ProgramPlan drawProgram(std::uint64_t seed, FeatureSet features)
{
    Random random(seed);
    ProgramPlan plan;
    plan.seed = seed;
    plan.features = features;
    plan.sm80 = features.has(Feature::Sm80) && random.chance(10);
    plan.shape = drawShape(random, features, plan.sm80);
    const unsigned segments = random.between(1, 4);
    for (unsigned i = 0; i < segments; ++i) plan.segments.push_back(drawSegment(random, plan));
    return plan;
}

}  // namespace gsu::fuzz
