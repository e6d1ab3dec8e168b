#include "exec/errs.hpp"

namespace gsu {
namespace {

constexpr ErrorRule kRules[] = {
    {Unit::Named, kNbErrId, 1, "BAR-002", Severity::Error, "the barrier id is above 15"},
    {Unit::Named, kNbErrCount, 2, "BAR-006", Severity::Error,
     "the barrier count is not a multiple of 32"},
    {Unit::Named, kNbErrArriveZero, 3, "BAR-007", Severity::Error, "arrive with a count of 0"},
    {Unit::Named, kNbErrCountsDiffer, 4, "BAR-025", Severity::Error,
     "participants of one barrier generation name different counts"},
    {Unit::Named, kNbErrMixed, 5, "BAR-026", Severity::Error,
     "red mixed with sync or arrive on the same active barrier"},
    {Unit::Named, kNbErrRearrive, 6, "BAR-027", Severity::Error,
     "a warp that has arrived executes the barrier again before it resets"},
    {Unit::Named, kNbErrDiverged, 7, "BAR-031", Severity::Error,
     "an aligned barrier is executed by a part of the warp's live lanes"},
    {Unit::Named, kNbErrRedOps, 58, "BAR-026", Severity::Error,
     "two different reduction operators in one barrier generation"},
    {Unit::WarpSync, kWsErrOutside, 10, "BWS-003", Severity::Error,
     "a lane executes bar.warp.sync but is not in its own mask"},
    {Unit::WarpSync, kWsErrExited, 12, "BWS-010", Severity::Warning,
     "the mask names a lane that has exited"},
    {Unit::Cluster, kCbErrDouble, 13, "CLU-012", Severity::Error,
     "a second cluster arrive before the barrier completed"},
    {Unit::Cluster, kCbErrNoArrive, 14, "CLU-013", Severity::Error,
     "cluster wait without a preceding arrive"},
    {Unit::Cluster, kCbErrUnwaited, 15, "CLU-014", Severity::Warning,
     "a cluster arrive was never waited for"},
    {Unit::Cluster, kCbErrDiverged, 16, "CLU-015", Severity::Error,
     "an aligned cluster barrier is executed by a part of the warp's live lanes"},
};

}  // namespace

std::vector<ErrorRule> errorRules(const Commit& commit)
{
    std::vector<ErrorRule> found;
    for (unsigned bit = 0; bit < 16; ++bit) {
        if ((commit.errs >> bit & 1) == 0) continue;
        const ErrorRule* rule = nullptr;
        for (const ErrorRule& r : kRules) {
            if (r.unit == commit.unit && r.bit == bit) rule = &r;
        }
        if (commit.unit == Unit::Null) {
            found.push_back({Unit::Null, bit, 0, "", Severity::Error,
                             "the operation has no hardware unit in this model"});
        } else if (rule != nullptr) {
            found.push_back(*rule);
        } else {
            found.push_back({commit.unit, bit, 0, "", Severity::Error, "an error the model has no name for"});
        }
    }
    return found;
}

}  // namespace gsu
