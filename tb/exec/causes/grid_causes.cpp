// Grids that do not begin or end, CTAs that are not resident.
#include <fmt/format.h>

#include "base/counted.hpp"
#include "exec/causes/root_cause.hpp"

namespace gsu::exec {

Found gridNotSignalled(const RootCause& c)
{
    const RunState& s = c.snapshot.state();
    const std::uint64_t left = c.snapshot.launcher().left();
    const bool behind = c.node.kind == WaitKind::Spin && c.node.object.owner == 0 &&
                        s.behind != 0 && !s.grids.signalled(left) && !c.root.circle && !c.node.lock;
    if (c.node.kind != WaitKind::Grid && !behind) return {};
    std::uint32_t line = c.node.line;
    std::uint64_t signalled = s.shape.ctas - left;
    const auto signals = c.snapshot.sites([&](const MicroOp& op) {
        const SyncInfo* info = c.snapshot.syncOf(op);
        return info != nullptr && info->op == Op::GdcLaunchDependents;
    });
    if (behind) {
        for (const Site& site : signals) line = site.op->line;
        c.snapshot.residents().each([&](Cta& cta) {
            for (const Site& site : signals) {
                const OpNote* n = c.snapshot.noteOf(cta.warps.front(), *site.op);
                signalled += n != nullptr && n->times != 0 ? 1 : 0;
            }
        });
    }
    HangCause cause = causeOf(c, CauseKind::GridNotSignalled, line, {}, 0);
    cause.sentence =
        behind ? fmt::format("{}, and {} after this one may not begin: {} of its {} CTAs "
                             "have signalled or ended ({}), so {}",
                             lacks(c), counted(s.behind, "grid"), signalled, s.shape.ctas,
                             signals.empty() ? "there is no griddepcontrol.launch_dependents"
                                             : c.snapshot.line(line),
                             forEver(c))
               : fmt::format("the grids before this one do not end: griddepcontrol.wait at {} of "
                             "this grid of {} waits for them, so {}",
                             c.snapshot.line(line), counted(s.shape.ctas, "CTA"), forEver(c));
    return cause;
}

Found notResident(const RootCause& c)
{
    const RunState& s = c.snapshot.state();
    const std::uint64_t waiting = c.snapshot.launcher().unplaced();
    if (waiting == 0 || c.node.kind != WaitKind::Spin || c.node.object.owner != 0 || c.node.lock ||
        c.root.circle)
        return {};
    const std::uint64_t room = residentClusters(s.shape) * s.shape.clusterCtas;
    HangCause cause = causeOf(c, CauseKind::NotResident, c.node.line, {}, 0);
    cause.sentence =
        fmt::format("{}: {} of the grid's {} CTAs were never started ({} are resident, {} fit on "
                    "{}), since those that run wait for them, so {}",
                    lacks(c), waiting, s.shape.ctas, s.shape.ctas - waiting, room,
                    counted(s.shape.sms, "SM"), forEver(c));
    return cause;
}

}  // namespace gsu::exec
