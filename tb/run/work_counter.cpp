#include "run/work_counter.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <set>

#include "exec/ctas/placement.hpp"
#include "exec/launch/shape.hpp"
#include "run/survey.hpp"

namespace gsu::run {
namespace {

constexpr std::uint64_t kTakingBudget = 1 << 18;  ///< instructions of a warp, on average

class CounterObserver final : public SurveyWatch {
public:
    CounterObserver(std::set<std::uint32_t> takes, const std::atomic<bool>* stopped)
        : SurveyWatch(stopped), takes_(std::move(takes))
    {
    }
    void onPlaced(const CtaPlace& place) override
    {
        cta_[{place.launch.sm, place.launch.cta}] = place.linear;
    }
    void onAccess(const Access& a) override
    {
        look();
        if (a.touch != Touch::Updates || !std::has_single_bit(a.lanes) || !takes_.contains(a.line))
            return;
        const MemoryRange& word = a.range[static_cast<unsigned>(std::countr_zero(a.lanes))];
        if (!word.global()) return;
        if (taken_.emplace(word.at, cta_[{a.at.sm, a.at.cta}]).second) return;
        found = {word.at, a.line};
        stop = true;
    }
    void onAsync(const AsyncOp&) override {}
    WorkCounterPlace found;

private:
    std::set<std::uint32_t> takes_;
    std::map<std::pair<unsigned, unsigned>, std::uint32_t> cta_;  ///< by SM and slot
    std::set<std::pair<std::uint64_t, std::uint32_t>> taken_;     ///< words and the CTAs that took
};

/// Lines of atomics of a launch that return a number and make it larger.
std::set<std::uint32_t> takersIn(const exec::LaunchPlan& plan)
{
    std::set<std::uint32_t> lines;
    for (const ptx::Function* f : plan.functions) {
        for (const ptx::Instruction& i : f->body) {
            const auto is = [&](const char* m) { return std::ranges::count(i.modifiers, m) != 0; };
            if (i.opcode == "atom" && (is("add") || is("inc"))) lines.insert(i.at.line);
        }
    }
    return lines;
}

}  // namespace

WorkCounterPlace workCounterOf(const RunSetup& setup, const LaunchSpec& spec)
{
    const ExecParams& params = setup.limits.params;
    if (params.timing == Timing::Simple || params.of == 0) return {};
    const exec::LaunchPlan plan = exec::planOf(spec, setup.module, setup.limits.structure);
    const exec::Shape& shape = plan.shape;
    std::set<std::uint32_t> takes = takersIn(plan);
    if (params.of <= shape.sms || takes.empty()) return {};
    CounterObserver observer(std::move(takes), setup.limits.stop);
    const std::uint64_t warps = exec::Placement::heldBy(shape, shape.sms) * shape.warps;
    Executor executor(spec, setup.module,
                      surveyOptions(setup, kTakingBudget * warps, observer.stop));
    runSurvey(setup, executor, observer);
    return observer.found;
}

}  // namespace gsu::run
