#include "exec/state/report.hpp"

#include <fmt/format.h>

#include <bit>

#include "base/counted.hpp"
#include "exec/state/run_parts.hpp"

namespace gsu::exec {

void report(const Ctx& ctx, const MicroOp& op, const char* rule, Severity severity,
            std::string message, Lanes lanes)
{
    RunState& state = ctx.parts->state;
    state.findings.add({rule, severity, std::move(message), ctx.cta->linear, ctx.warp->index, lanes,
                        op.line, state.now()});
}

void checkWhole(const Ctx& ctx, const MicroOp& op, Lanes lanes, const char* what)
{
    if (lanes == ~Lanes{0}) return;
    report(ctx, op, "TEN-001", Severity::Error,
           fmt::format("{} must be executed by all 32 threads of the warp together: only {}", what,
                       counted(std::popcount(lanes), "does", "do")),
           lanes);
}

}  // namespace gsu::exec
