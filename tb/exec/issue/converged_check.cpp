#include "exec/issue/converged_check.hpp"

#include "ptx/check.hpp"

namespace gsu::exec {

void checkConverged(RunState& s, const Warp& warp, Op op, Lanes mask, Lanes lanes,
                    std::uint32_t line)
{
    const char* rule = op == Op::WarpSync   ? "BWS-007"
                       : op == Op::VoteSync ? "VSYNC-010"
                                            : "BAR-033";
    if (lanes == warp.live && (mask & warp.live) == lanes) return;
    if (ptx::detail::targetAtLeast(s.module.target, 70)) return;
    s.findings.add(
        {rule, Severity::Error,
         "on this target all lanes of the warp have to execute the instruction together; "
         "some are elsewhere",
         warp.cta->linear, warp.index, lanes, line, s.now()});
}

}  // namespace gsu::exec
