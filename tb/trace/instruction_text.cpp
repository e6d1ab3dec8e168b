#include "trace/instruction_text.hpp"

#include <fmt/format.h>

#include <array>
#include <iterator>

#include "trace/lane_list.hpp"

namespace gsu::trace {

namespace {

/// How the operands of an operation are written.
enum class Shape : std::uint8_t {
    Barrier,    ///< id[, count]
    Reduction,  ///< %d, id[, count], p=mask
    Mask,       ///< member mask
    Cluster,    ///< none; the semantics are always spelled
    PerLane,    ///< [address][, data[, limit]]
    Plain       ///< none
};

struct Form {
    Op op;
    const char* spelling;
    const char* type;  ///< last component, "" for none
    Shape shape;
};

constexpr std::array kForms{
    Form{Op::BarSync, "barrier.cta.sync", "", Shape::Barrier},
    Form{Op::BarArrive, "barrier.cta.arrive", "", Shape::Barrier},
    Form{Op::BarRedPopc, "barrier.cta.red.popc", "u32", Shape::Reduction},
    Form{Op::BarRedAnd, "barrier.cta.red.and", "pred", Shape::Reduction},
    Form{Op::BarRedOr, "barrier.cta.red.or", "pred", Shape::Reduction},
    Form{Op::WarpSync, "bar.warp.sync", "", Shape::Mask},
    Form{Op::ClusterArrive, "barrier.cluster.arrive", "", Shape::Cluster},
    Form{Op::ClusterWait, "barrier.cluster.wait", "", Shape::Cluster},
    Form{Op::Fence, "fence", "", Shape::Plain},
    Form{Op::FenceMbarrierInit, "fence.mbarrier_init", "", Shape::Plain},
    Form{Op::FenceProxy, "fence.proxy", "", Shape::Plain},
    Form{Op::Membar, "membar", "", Shape::Plain},
    Form{Op::Atom, "atom", "", Shape::PerLane},
    Form{Op::Red, "red", "", Shape::PerLane},
    Form{Op::RedAsync, "red.async", "", Shape::PerLane},
    Form{Op::StAsync, "st.async", "", Shape::PerLane},
    Form{Op::Vote, "vote", "", Shape::Plain},
    Form{Op::VoteSync, "vote.sync", "", Shape::Mask},
    Form{Op::MatchAny, "match.any.sync", "", Shape::Mask},
    Form{Op::MatchAll, "match.all.sync", "", Shape::Mask},
    Form{Op::ActiveMask, "activemask", "b32", Shape::Plain},
    Form{Op::Redux, "redux.sync", "", Shape::Mask},
    Form{Op::Elect, "elect.sync", "", Shape::Mask},
    Form{Op::GdcLaunchDependents, "griddepcontrol.launch_dependents", "", Shape::Plain},
    Form{Op::GdcWait, "griddepcontrol.wait", "", Shape::Plain},
    Form{Op::MbarInit, "mbarrier.init", "b64", Shape::PerLane},
    Form{Op::MbarInval, "mbarrier.inval", "b64", Shape::PerLane},
    Form{Op::MbarExpectTx, "mbarrier.expect_tx", "b64", Shape::PerLane},
    Form{Op::MbarCompleteTx, "mbarrier.complete_tx", "b64", Shape::PerLane},
    Form{Op::MbarArrive, "mbarrier.arrive", "b64", Shape::PerLane},
    Form{Op::MbarArriveExpectTx, "mbarrier.arrive.expect_tx", "b64", Shape::PerLane},
    Form{Op::MbarArriveDrop, "mbarrier.arrive_drop", "b64", Shape::PerLane},
    Form{Op::MbarDropExpectTx, "mbarrier.arrive_drop.expect_tx", "b64", Shape::PerLane},
    Form{Op::MbarTestWait, "mbarrier.test_wait", "b64", Shape::PerLane},
    Form{Op::MbarTestWaitParity, "mbarrier.test_wait.parity", "b64", Shape::PerLane},
    Form{Op::MbarTryWait, "mbarrier.try_wait", "b64", Shape::PerLane},
    Form{Op::MbarTryWaitParity, "mbarrier.try_wait.parity", "b64", Shape::PerLane},
    Form{Op::MbarPendingCount, "mbarrier.pending_count", "b64", Shape::PerLane},
    Form{Op::CpAsyncArrive, "cp.async.mbarrier.arrive", "b64", Shape::PerLane},
    Form{Op::CpAsyncArriveNoinc, "cp.async.mbarrier.arrive.noinc", "b64", Shape::PerLane},
    Form{Op::TensormapCpFence, "tensormap.cp_fenceproxy", "", Shape::PerLane},
    Form{Op::ClcTryCancel, "clusterlaunchcontrol.try_cancel", "", Shape::PerLane},
    Form{Op::ClcQueryCancel, "clusterlaunchcontrol.query_cancel", "", Shape::PerLane},
};

constexpr std::array kSems{"relaxed", "acquire", "release", "acq_rel"};
constexpr std::array kScopes{"none", "cta", "cluster", "gpu", "sys"};

/// Semantics and scope that the text leaves out: what the manual says of the form, relaxed without scope otherwise.
Sem impliedSem(Shape shape) noexcept
{
    return shape == Shape::Barrier || shape == Shape::Reduction ? Sem::AcqRel : Sem::Relaxed;
}
Scope impliedScope(Shape shape) noexcept
{
    if (shape == Shape::Cluster) return Scope::Cluster;
    return shape == Shape::Barrier || shape == Shape::Reduction ? Scope::Cta : Scope::None;
}

const Form* formOf(Op op) noexcept
{
    for (const Form& f : kForms) {
        if (f.op == op) return &f;
    }
    return nullptr;
}

/// The longest spelling that ends at a dot or at the end of `name`.
const Form* formOf(std::string_view name) noexcept
{
    const Form* best = nullptr;
    for (const Form& f : kForms) {
        const std::string_view spelling = f.spelling;
        if (name.substr(0, spelling.size()) != spelling) continue;
        if (name.size() > spelling.size() && name[spelling.size()] != '.') continue;
        if (best == nullptr || spelling.size() > std::string_view(best->spelling).size()) best = &f;
    }
    return best;
}

void appendModifiers(std::string& out, const Form& form, const SyncRequest& r)
{
    if (r.noComplete) out += ".noComplete";
    if (form.shape == Shape::Cluster || r.sem != impliedSem(form.shape))
        (out += '.') += kSems[std::size_t(r.sem)];
    if (r.scope != impliedScope(form.shape)) (out += '.') += kScopes[std::size_t(r.scope)];
    if (form.shape == Shape::PerLane) out += r.remote ? ".shared::cluster" : ".shared::cta";
    if (r.aligned) out += ".aligned";
    if (*form.type != '\0') (out += '.') += form.type;
}

/// Components after the spelling; each at most once, the type last.
void parseModifiers(Cursor& cursor, const Form& form, std::string_view text, SyncRequest& r)
{
    const auto fail = [&](std::string_view part) {
        cursor.fail("unknown modifier '." + std::string(part) + "' of " + form.spelling);
    };
    r.sem = impliedSem(form.shape);
    r.scope = impliedScope(form.shape);
    bool semSeen = false, scopeSeen = false, typeSeen = *form.type == '\0',
         spaceSeen = form.shape != Shape::PerLane;
    while (!text.empty()) {
        text.remove_prefix(1);
        const auto part = text.substr(0, text.find('.'));
        text.remove_prefix(part.size());
        bool known = true;
        if (part == form.type && text.empty() && !typeSeen)
            typeSeen = true;
        else if (part == "noComplete" && !r.noComplete)
            r.noComplete = true;
        else if (part == "aligned" && !r.aligned)
            r.aligned = true;
        else if (!spaceSeen && (part == "shared::cta" || part == "shared::cluster")) {
            spaceSeen = true;
            r.remote = part == "shared::cluster";
        } else {
            known = false;
            for (std::size_t i = 0; i < kSems.size() && !semSeen && !known; ++i) {
                if (part != kSems[i]) continue;
                r.sem = Sem(i);
                known = semSeen = true;
            }
            for (std::size_t i = 0; i < kScopes.size() && !scopeSeen && !known; ++i) {
                if (part != kScopes[i]) continue;
                r.scope = Scope(i);
                known = scopeSeen = true;
            }
        }
        if (!known) fail(part);
    }
    if (!typeSeen) cursor.fail(std::string("'.") + form.type + "' missing after " + form.spelling);
    if (!spaceSeen) cursor.fail(std::string("state space missing after ") + form.spelling);
    if (!semSeen && form.shape == Shape::Cluster) {
        cursor.fail(std::string("memory semantics missing after ") + form.spelling);
    }
}

void appendBarrier(std::string& out, const SyncRequest& r)
{
    fmt::format_to(std::back_inserter(out), " {}", r.arg0);
    if (r.arg1 != 0) fmt::format_to(std::back_inserter(out), ", {}", r.arg1);
}

void appendOperands(std::string& out, const Form& form, const SyncRequest& r)
{
    switch (form.shape) {
        case Shape::Barrier: appendBarrier(out, r); break;
        case Shape::Reduction:
            out += r.wantValue ? " %d," : " _,";
            appendBarrier(out, r);
            fmt::format_to(std::back_inserter(out), ", p={:#010x}", r.pred);
            break;
        case Shape::Mask: fmt::format_to(std::back_inserter(out), " {:#010x}", r.arg0); break;
        case Shape::PerLane:
            out += " [";
            appendAddresses(out, r);
            out += ']';
            if (anyData(r) || anyLimit(r)) {
                out += ", ";
                appendData(out, r);
            }
            if (anyLimit(r)) {
                out += ", ";
                appendLimits(out, r);
            }
            break;
        case Shape::Cluster:
        case Shape::Plain: break;
    }
}

void parseBarrier(Cursor& cursor, SyncRequest& r)
{
    cursor.expect(" ");
    r.arg0 = cursor.mask("barrier id");
    if (r.op != Op::BarSync && r.op != Op::BarArrive) {
        if (cursor.rest().substr(0, 4) == ", p=") return;
    }
    if (cursor.accept(", ")) {
        r.arg1 = cursor.mask("barrier count");
        if (r.arg1 == 0) cursor.fail("a count of 0 is written by leaving it out");
    }
}

void parseOperands(Cursor& cursor, const Form& form, SyncRequest& r)
{
    switch (form.shape) {
        case Shape::Barrier: parseBarrier(cursor, r); break;
        case Shape::Reduction:
            r.wantValue = cursor.accept(" %d,");
            if (!r.wantValue) cursor.expect(" _,");
            parseBarrier(cursor, r);
            cursor.expect(", p=");
            r.pred = cursor.mask("predicates");
            break;
        case Shape::Mask:
            cursor.expect(" ");
            r.arg0 = cursor.mask("member mask");
            break;
        case Shape::PerLane:
            cursor.expect(" [");
            parseAddresses(cursor, r);
            cursor.expect("]");
            if (cursor.accept(", ")) parseData(cursor, r);
            if (cursor.accept(", ")) parseLimits(cursor, r);
            break;
        case Shape::Cluster:
        case Shape::Plain: break;
    }
    cursor.expect(";");
}

bool hasId(Shape s) noexcept
{
    return s == Shape::Barrier || s == Shape::Reduction || s == Shape::Mask;
}
bool hasCount(Shape s) noexcept { return s == Shape::Barrier || s == Shape::Reduction; }

/// What the spelling and the operands did not say.
void appendAttributes(std::string& out, const Form& form, const SyncRequest& r)
{
    const auto to = std::back_inserter(out);
    if (!hasId(form.shape) && r.arg0 != 0) fmt::format_to(to, " arg0={:#x}", r.arg0);
    if (!hasCount(form.shape) && r.arg1 != 0) fmt::format_to(to, " arg1={:#x}", r.arg1);
    if (form.shape != Shape::Reduction && r.pred != 0) fmt::format_to(to, " p={:#010x}", r.pred);
    if (form.shape != Shape::Reduction && r.wantValue) out += " value";
    if (r.kind != 0) fmt::format_to(to, " kind={}", r.kind);
    if (r.diverged) out += " diverged";
    if (form.shape == Shape::PerLane) return;
    if (r.remote) out += " remote";
    if (anyAddress(r)) appendAddresses(out += " addr=", r);
    if (anyData(r)) appendData(out += " data=", r);
    if (anyLimit(r)) appendLimits(out += " limit=", r);
}

void parseAttributes(Cursor& cursor, SyncRequest& r)
{
    while (cursor.accept(" ")) {
        if (cursor.accept("arg0="))
            r.arg0 = cursor.mask("arg0");
        else if (cursor.accept("arg1="))
            r.arg1 = cursor.mask("arg1");
        else if (cursor.accept("p="))
            r.pred = cursor.mask("predicates");
        else if (cursor.accept("value"))
            r.wantValue = true;
        else if (cursor.accept("kind="))
            r.kind = cursor.field<std::uint8_t>("kind", 255);
        else if (cursor.accept("diverged"))
            r.diverged = true;
        else if (cursor.accept("remote"))
            r.remote = true;
        else if (cursor.accept("addr="))
            parseAddresses(cursor, r);
        else if (cursor.accept("data="))
            parseData(cursor, r);
        else if (cursor.accept("limit="))
            parseLimits(cursor, r);
        else
            cursor.fail("unknown attribute '" + std::string(cursor.rest().substr(0, 24)) + "'");
    }
}

}  // namespace

void appendInstruction(std::string& out, const SyncRequest& request)
{
    const Form* form = formOf(request.op);
    if (form == nullptr) return;  // events of taps are never requested
    out += form->spelling;
    appendModifiers(out, *form, request);
    appendOperands(out, *form, request);
    out += ';';
    appendAttributes(out, *form, request);
}

void parseInstruction(Cursor& cursor, SyncRequest& request)
{
    const Cursor start = cursor;
    const auto name = cursor.word("an instruction");
    const Form* form = formOf(name);
    if (form == nullptr)
        start.fail("unknown instruction '" + std::string(name.substr(0, 40)) + "'");
    request.op = form->op;
    parseModifiers(cursor, *form, name.substr(std::string_view(form->spelling).size()), request);
    parseOperands(cursor, *form, request);
    parseAttributes(cursor, request);
    cursor.expectEnd();
}

const char* spellingOf(Op op) noexcept
{
    const Form* form = formOf(op);
    return form == nullptr ? nameOf(op) : form->spelling;
}

}  // namespace gsu::trace
