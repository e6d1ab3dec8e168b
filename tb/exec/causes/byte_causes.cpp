// Announced bytes and complete bytes.
#include <fmt/format.h>

#include <algorithm>

#include "causes/phase_bytes.hpp"
#include "exec/causes/root_cause.hpp"

namespace gsu::exec {
namespace {

bool ofBytes(const RootCause& c)
{
    return c.ofMbar() && c.state().pending == 0 && c.state().tx != 0;
}

PhaseBytes sumsOf(const RootCause& c)
{
    return bytesOf(c.past().running(), [&](const Contribution& p) {
        return p.doer.line == 0 ? std::string("a copy") : c.snapshot.line(p.doer.line);
    });
}

/// Whether the bytes of these announcements all came in an earlier phase of the ring.
bool paidBefore(const RootCause& c, std::uint64_t announced)
{
    const auto& ring = c.who.ring();
    return std::any_of(ring.begin(), ring.end(), [&](const WordAt& object) {
        return c.snapshot.past(object).paid(announced);
    });
}

/// A copy of one of these warps that was passed with its guard false.
const MicroOp* passedCopy(const RootCause& c, const std::vector<WarpId>& by)
{
    for (const Site& s : c.snapshot.sites([](const MicroOp& op) { return op.copies; })) {
        for (const WarpId& id : by) {
            const Warp* w = c.snapshot.warpOf(id);
            const OpNote* n = w == nullptr ? nullptr : c.snapshot.noteOf(*w, *s.op);
            if (n != nullptr && n->passed != 0 && n->passedAt > n->at) return s.op;
        }
    }
    return nullptr;
}

}  // namespace

Found doubleExpect(const RootCause& c)
{
    if (!ofBytes(c) || c.state().tx < 0) return {};
    const auto open = static_cast<std::uint64_t>(c.state().tx);
    const PhaseBytes sums = sumsOf(c);
    if (sums.completed != open || paidBefore(c, sums.announced)) return {};
    for (const Contribution* p : announcedTwice(c.past().running(), open)) {
        const Doer& doer = p->doer;
        if (passedCopy(c, {doer.warp}) != nullptr) continue;
        HangCause cause = causeOf(c, CauseKind::DoubleExpect, doer.line, {doer.warp}, p->last);
        cause.sentence =
            fmt::format("{}: {} announced the same {} bytes twice, the second time at {} ({} "
                        "announced, {} completed: {}), so {}",
                        lacks(c), c.snapshot.warp(doer.warp), open, c.snapshot.line(doer.line),
                        sums.announced, sums.completed, sums.copies, forEver(c));
        return cause;
    }
    return {};
}

Found surplusBytes(const RootCause& c)
{
    if (!ofBytes(c) || c.state().tx > 0) return {};
    PhaseBytes sums = sumsOf(c);
    for (const Contribution& p : c.past().running().parts) {
        if (sums.line != 0 || p.share != Share::Completed) continue;
        sums.line = p.doer.line;
        sums.announcers = {p.doer.warp};
    }
    HangCause cause = causeOf(c, CauseKind::SurplusBytes, sums.line, sums.announcers, sums.last);
    cause.sentence = fmt::format("{}: {} bytes were announced at {}, {} came ({}), so {}", lacks(c),
                                 sums.announced, c.snapshot.line(sums.line), sums.completed,
                                 sums.copies.empty() ? "by nobody" : sums.copies, forEver(c));
    return cause;
}

Found missingBytes(const RootCause& c)
{
    if (!ofBytes(c) || c.state().tx < 0) return {};
    const PhaseBytes sums = sumsOf(c);
    std::uint32_t line = sums.line;
    std::string how = sums.completed == 0
                          ? "no copy brought any"
                          : fmt::format("{} came ({})", sums.completed, sums.copies);
    if (const MicroOp* passed = passedCopy(c, sums.announcers); passed != nullptr) {
        line = passed->line;
        how +=
            fmt::format(", the copy at {} was passed with its guard false", c.snapshot.line(line));
    }
    HangCause cause = causeOf(c, CauseKind::MissingBytes, line, sums.announcers, sums.last);
    cause.sentence =
        fmt::format("{}: {} announced {} bytes at {}, {}, and no copy is in flight, so {}",
                    lacks(c), c.snapshot.warps(cause.culprits), sums.announced,
                    c.snapshot.line(sums.line), how, forEver(c));
    return cause;
}

}  // namespace gsu::exec
