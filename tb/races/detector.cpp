#include "races/detector.hpp"

#include "ptx/check.hpp"

namespace gsu::races {

ModuleLines Detector::linesOf(const ptx::Module& module)
{
    ModuleLines lines;
    if (!ptx::detail::targetAtLeast(module.target, 70)) lines.reductions.emplace();
    for (const ptx::Function& f : module.functions) {
        for (const ptx::Instruction& in : f.body) {
            if (in.opcode == "red" && lines.reductions) lines.reductions->insert(in.at.line);
            if (in.opcode != "mbarrier") continue;
            const bool scoped =
                std::any_of(in.modifiers.begin(), in.modifiers.end(),
                            [](const auto& m) { return m == "cta" || m == "cluster"; });
            if (!scoped) lines.unscoped.insert(in.at.line);
        }
    }
    return lines;
}

void Detector::learn(ModuleLines lines)
{
    order_.setUnscoped(std::move(lines.unscoped));
    if (lines.reductions) checks_.setOldTarget(std::move(*lines.reductions));
}

void Detector::onAccess(const Access& a)
{
    findings_.now = a.cycle;
    checks_.access(a);
    if (!a.order.strong || a.whole) return;
    eachLane(a.lanes, [&](unsigned l) {
        if (a.range[l].bytes != 0) order_.synchronize(a, l, a.range[l]);
    });
}

void Detector::onAsync(const AsyncOp& op)
{
    findings_.now = op.cycle;
    const CtaState* cta = state_.at(op.at);
    if (state_.threads(op.at) == nullptr) return;
    const bool ends = op.until != AsyncOp::Until::Group;
    checks_.async(op, ends ? order_.ending(op, cta->number) : 0);
}

void Detector::onGroup(const GroupStep& step)
{
    Threads* threads = state_.threads(step.at);
    if (threads == nullptr) return;
    const bool matrix = step.kind == AsyncOp::Kind::Matrix;
    const Line line = matrix                                ? Line::Matrix
                      : step.kind == AsyncOp::Kind::CpAsync ? Line::CpAsync
                                                            : Line::Bulk;
    const Lanes lanes = matrix ? 1 : step.lanes;  // a group of the warp
    if (step.waits)
        threads->waitGroups(line, lanes, step.mayStay, step.all, step.reads);
    else
        threads->closeGroup(line, lanes);
}

}  // namespace gsu::races
