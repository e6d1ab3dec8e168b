// Bytes that were announced and those that came.
#include <fmt/format.h>

#include <algorithm>

#include "exec/causes/case.hpp"

namespace gsu::exec {
namespace {

bool ofBytes(const Case& c) { return c.ofMbar() && c.state().pending == 0 && c.state().tx != 0; }

struct Sums {
    std::uint64_t announced{}, completed{};
    std::vector<WarpId> announcers;
    std::uint32_t line{};  ///< of the last announcement
    Cycle last{};
    std::string copies;  ///< "512 by line 40"
};

Sums sumsOf(const Case& c)
{
    Sums s;
    for (const Contribution& p : c.past().running().parts) {
        s.last = std::max(s.last, p.last);
        if (p.share == Share::Announced) {
            s.announced += p.amount;
            s.announcers.push_back(p.doer.warp);
            s.line = p.doer.line;
        } else if (p.share == Share::Completed) {
            s.completed += p.amount;
            s.copies += fmt::format("{}{} by {}", s.copies.empty() ? "" : ", ", p.amount,
                                    p.doer.line == 0 ? "a copy" : c.scene.line(p.doer.line));
        }
    }
    return s;
}

/// In an earlier phase of the ring these announcements were all paid for.
bool paidBefore(const Case& c, std::uint64_t announced)
{
    for (const WordAt& object : c.who.ring()) {
        for (const MbarPhase& phase : c.scene.past(object).last()) {
            if (phase.end != kNever && phase.sum(Share::Announced) == announced) return true;
        }
    }
    return false;
}

/// A copy of one of these warps that was passed with its guard false.
const MicroOp* passedCopy(const Case& c, const std::vector<WarpId>& by)
{
    for (const Site& s : c.scene.sites([](const MicroOp& op) { return op.copies; })) {
        for (const WarpId& id : by) {
            const Warp* w = c.scene.warpOf(id);
            const OpNote* n = w == nullptr ? nullptr : c.scene.noteOf(*w, *s.op);
            if (n != nullptr && n->passed != 0 && n->passedAt > n->at) return s.op;
        }
    }
    return nullptr;
}

}  // namespace

Found doubleExpect(const Case& c)
{
    if (!ofBytes(c) || c.state().tx < 0) return {};
    const auto open = static_cast<std::uint64_t>(c.state().tx);
    const Sums sums = sumsOf(c);
    for (const Contribution& p : c.past().running().parts) {
        if (p.share != Share::Announced || p.amount % p.times != 0) continue;
        const std::uint64_t one = p.amount / p.times;
        std::uint64_t others = p.amount - one;
        for (const Contribution& q : c.past().running().parts) {
            const bool other = q.doer.line != p.doer.line;
            if (q.share == Share::Announced && other && q.doer.warp == p.doer.warp)
                others += q.amount;
        }
        if (one != open || others != open || sums.completed != open) continue;
        if (paidBefore(c, sums.announced) || passedCopy(c, {p.doer.warp}) != nullptr) continue;
        HangCause cause = causeOf(c, CauseKind::DoubleExpect, p.doer.line, {p.doer.warp}, p.last);
        cause.sentence =
            fmt::format("{}: {} announced the same {} bytes twice, the second time at {} ({} "
                        "announced, {} completed: {}), so {}",
                        lacks(c), c.scene.warp(p.doer.warp), one, c.scene.line(p.doer.line),
                        sums.announced, sums.completed, sums.copies, forEver(c));
        return cause;
    }
    return {};
}

Found surplusBytes(const Case& c)
{
    if (!ofBytes(c) || c.state().tx > 0) return {};
    Sums sums = sumsOf(c);
    for (const Contribution& p : c.past().running().parts) {
        if (sums.line != 0 || p.share != Share::Completed) continue;
        sums.line = p.doer.line;
        sums.announcers = {p.doer.warp};
    }
    HangCause cause = causeOf(c, CauseKind::SurplusBytes, sums.line, sums.announcers, sums.last);
    cause.sentence = fmt::format("{}: {} bytes were announced at {}, {} came ({}), so {}", lacks(c),
                                 sums.announced, c.scene.line(sums.line), sums.completed,
                                 sums.copies.empty() ? "by nobody" : sums.copies, forEver(c));
    return cause;
}

Found missingBytes(const Case& c)
{
    if (!ofBytes(c) || c.state().tx < 0) return {};
    const Sums sums = sumsOf(c);
    std::uint32_t line = sums.line;
    std::string how = sums.completed == 0
                          ? "no copy brought any"
                          : fmt::format("{} came ({})", sums.completed, sums.copies);
    if (const MicroOp* passed = passedCopy(c, sums.announcers); passed != nullptr) {
        line = passed->line;
        how += fmt::format(", the copy at {} was passed with its guard false", c.scene.line(line));
    }
    HangCause cause = causeOf(c, CauseKind::MissingBytes, line, sums.announcers, sums.last);
    cause.sentence = fmt::format(
        "{}: {} announced {} bytes at {}, {}, and no copy is under way, so {}", lacks(c),
        c.scene.warps(cause.culprits), sums.announced, c.scene.line(sums.line), how, forEver(c));
    return cause;
}

}  // namespace gsu::exec
