#include "run/hang_marks.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/atomic_file.hpp"

namespace gsu::run {
namespace {

constexpr const char *kCulprit = "culprit", *kGood = "last good phase", *kLost = "first lost wait";

}  // namespace

RunMarks marksOf(const HangReport& hang, const ptx::Module& module)
{
    RunMarks marks;
    if (!hang.cause) return marks;
    const HangCause& c = *hang.cause;
    marks.on = c.on;
    marks.sm = c.sm;
    marks.times.push_back({c.cycle, kCulprit, c.kind + ", " + module.lineText(c.line)});
    for (const HangReport::Object& o : hang.objects) {
        if (c.on != WaitKind::Mbarrier || o.cta != c.cta || o.address != c.address) continue;
        for (auto p = o.phases.rbegin(); p != o.phases.rend(); ++p) {
            if (p->end == kNever) continue;
            marks.times.push_back(
                {p->end, kGood, fmt::format("phase {} of {}", p->number, o.name)});
            break;
        }
    }
    const HangReport::Waiting* first = nullptr;
    for (const auto& w : hang.waiting) {
        const bool here = w.kind == c.on && w.cta == c.cta &&
                          (w.kind != WaitKind::Mbarrier || w.address == c.address) &&
                          (w.kind != WaitKind::Named || w.id == c.id);
        if (here && (first == nullptr || w.since < first->since)) first = &w;
    }
    if (first != nullptr)
        marks.times.push_back({first->since, kLost,
                               fmt::format("CTA {} warp {}, {}", first->cta, first->warp,
                                           module.lineText(first->line))});
    return marks;
}

RunMarks marksOf(const PortHang& hang)
{
    RunMarks marks;
    if (hang.causes.empty()) return marks;
    const PortCause& c = hang.causes.front();
    marks.on = c.on.kind;
    marks.sm = c.on.id.first / kMaxCtas;
    marks.times.push_back({c.cycle, kCulprit, fmt::format("{}, line {}", nameOf(c.kind), c.line)});
    if (c.lastGood != kNever)
        marks.times.push_back(
            {c.lastGood, kGood,
             fmt::format("mbarrier +{} of {}", c.on.object, nameOfCta(c.on.id.first))});
    marks.times.push_back(
        {c.firstLost, kLost,
         fmt::format("{} warp {}, line {}", nameOfCta(c.on.id.first), c.on.id.second, c.on.line)});
    return marks;
}

std::string viewOf(const std::string& fst)
{
    if (fst.empty()) return {};
    const std::size_t dot = fst.rfind(".fst");
    return (dot == std::string::npos || dot + 4 != fst.size() ? fst : fst.substr(0, dot)) +
           ".hang.gtkw";
}

void addView(Outputs& outputs, const std::string& fst, const RunMarks& marks)
{
    if (marks.times.empty()) return;
    outputs.add("markers", viewOf(fst), [&] {
        AtomicFile file(viewOf(fst));
        file.write(waveView(fst, marks));
        file.commit();
    });
}

}  // namespace gsu::run
