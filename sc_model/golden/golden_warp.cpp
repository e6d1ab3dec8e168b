// The golden port: joined lanes of one warp, and answers to them.
#include "golden/golden_port.hpp"
#include "golden/warp_ops.hpp"

namespace gsu {

/// Lanes that never existed are left out without a report (D-19).
void GoldenPort::markExited(const JoinGroup& group, Commit& commit) const
{
    const Lanes exited = unit_.cta(group.at).launched(group.at.warp) & ~unit_.live(group.at);
    if (!commit.refused && (group.arg0 & exited) != 0) commit.errs |= 1u << kWsErrExited;
}

/// Exited lanes of the mask are left out without a report; only elect has no rule for them (A-03, VSYNC-006).
void GoldenPort::commitWarpOp(const JoinGroup& group, Commit& commit)
{
    if (commit.op == Op::Elect) markExited(group, commit);
    emit(commit);
    if (commit.refused) return respond(group, group.lanes, commit.cause);
    const WarpAnswers answers =
        evaluate(commit.op, group.kind(), group.lanes, group.pred, unit_.join(group.at).data());
    for (unsigned i = 0; i < answers.count; ++i) {
        SyncResponse response{};
        response.lanes = answers.at[i].lanes;
        response.pred = answers.at[i].pred;
        response.value = answers.at[i].value;
        response.cause = commit.cause;
        response.last = i + 1 == answers.count && !group.more;
        respond(group, response);
    }
}

void GoldenPort::respond(const JoinGroup& group, Lanes lanes, Cause cause)
{
    if (lanes == 0) return;
    SyncResponse response{};
    response.lanes = lanes;
    response.last = !group.more;
    response.cause = cause;
    respond(group, response);
}

void GoldenPort::respond(const JoinGroup& group, SyncResponse response)
{
    if (sink_ == nullptr) return;
    response.tag = group.tag;
    response.at = group.at;
    response.cycle = now_;
    sink_->onResponse(response);
}

}  // namespace gsu
