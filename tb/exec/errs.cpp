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

/// The mbarrier unit's bits are those of gsu_mbar_pkg; the rule depends on the operation.
ErrorRule mbarrierRule(const Commit& c, unsigned bit)
{
    const auto error = [&](unsigned ub, const char* rule, const char* message) {
        return ErrorRule{Unit::Mbarrier, bit, ub, rule, Severity::Error, message};
    };
    const bool drop = c.op == Op::MbarArriveDrop || c.op == Op::MbarDropExpectTx;
    const bool wait = c.op == Op::MbarTestWait || c.op == Op::MbarTestWaitParity ||
                      c.op == Op::MbarTryWait || c.op == Op::MbarTryWaitParity;
    const bool data = c.op == Op::StAsync || c.op == Op::RedAsync;
    switch (bit) {
        case 0: return error(56, "MBAR-004", "the mbarrier address is not a multiple of 8");
        case 1: return error(56, "MBAR-004", "the mbarrier is outside the CTA's shared memory");
        case 2:
            return error(32,
                         c.op == Op::MbarInit ? "MBAR-021"
                         : drop               ? "MBDROP-006"
                                              : "MBARR-006",
                         "the count is 0 or above 2^20-1");
        case 3: return error(33, "MBAR-003", "more arrivals than are pending");
        case 4: return error(34, "MBAR-041", "the tx-count leaves its range of +-(2^20-1)");
        case 5:
            return error(36, drop ? "MBDROP-017" : "MBARR-017",
                         "a noComplete arrival completes the phase");
        case 6: return error(38, "MBDROP-011", "the expected count reaches 0");
        case 7: return error(38, "MBDROP-011", "the drop is larger than the expected count");
        case 8:
            return error(38, "MBDROP-011",
                         "the object was retired by dropping its expected count to 0");
        case 9: return error(41, "MBW-011", "the phase parity is neither 0 nor 1");
        case 10: return error(33, "MBAR-002", "the object is locked by an earlier error");
        case 11: return error(53, "HS-024", "the target CTA does not exist or has exited");
        case 12:
            return error(31, "MBAR-029",
                         "the object is invalidated or re-initialised while threads wait on it");
        case 13:
            return error(45, "CPA-005", "cp.async.mbarrier.arrive raises pending above 2^20-1");
        case 14:
            if (wait) return error(42, "MBAR-020", "a wait on another CTA's mbarrier");
            return error(
                37, "MBARR-010",
                "an operation that only local mbarriers support, or that asks for a state");
        case 15:
            if (data)
                return error(22, "RASYNC-016", "st.async or red.async aimed at the executing CTA");
            return error(0, "MBAR-045", "transaction operations do not exist on sm_80");
        default: return error(0, "", "an error the model has no name for");
    }
}

}  // namespace

std::optional<ErrorRule> noteRule(MbarNote::Kind kind) noexcept
{
    const auto rule = [](unsigned ub, const char* id, Severity severity, const char* message) {
        return ErrorRule{Unit::Mbarrier, 0, ub, id, severity, message};
    };
    switch (kind) {
        case MbarNote::Kind::Uninitialised:
            return rule(27, "MBAR-005", Severity::Error,
                        "the mbarrier was not initialised, or was invalidated");
        case MbarNote::Kind::InitOnLive:
            return rule(28, "MBAR-006", Severity::Error, "init of a live mbarrier");
        case MbarNote::Kind::InvalDead:
            return rule(31, "MBAR-028", Severity::Error, "inval of no mbarrier");
        case MbarNote::Kind::InvalBusy:
            return rule(31, "MBAR-029", Severity::Warning,
                        "inval of an mbarrier in the middle of a phase");
        case MbarNote::Kind::PlainStore:
            return rule(29, "MBAR-007", Severity::Error, "an ordinary store into a live mbarrier");
        case MbarNote::Kind::Unwaited:
            return rule(43, "MBAR-013", Severity::Error,
                        "arrival in a phase while nobody has seen the preceding one complete");
        case MbarNote::Kind::StaleState:
            return rule(40, "MBW-010", Severity::Error,
                        "the state is not one of the current or the preceding phase");
        case MbarNote::Kind::FreshParity:
        case MbarNote::Kind::ExpectCompletes: return std::nullopt;
        case MbarNote::Kind::EndedBusy:
            return rule(0, "MBAR-029", Severity::Warning,
                        "the CTA ended with bytes outstanding on an mbarrier");
    }
    return std::nullopt;
}

std::vector<ErrorRule> errorRules(const Commit& commit)
{
    std::vector<ErrorRule> found;
    for (unsigned bit = 0; bit < 16; ++bit) {
        if ((commit.errs >> bit & 1) == 0) continue;
        const ErrorRule* rule = nullptr;
        for (const ErrorRule& r : kRules) {
            if (r.unit == commit.unit && r.bit == bit) rule = &r;
        }
        if (commit.unit == Unit::Mbarrier) {
            found.push_back(mbarrierRule(commit, bit));
        } else if (commit.unit == Unit::Null) {
            found.push_back({Unit::Null, bit, 0, "", Severity::Error,
                             "the operation has no hardware unit in this model"});
        } else if (rule != nullptr) {
            found.push_back(*rule);
        } else {
            found.push_back(
                {commit.unit, bit, 0, "", Severity::Error, "an error the model has no name for"});
        }
    }
    return found;
}

}  // namespace gsu
