// Bytes and inits: announced bytes, complete bytes, and bytes at the wrong object.
#include <fmt/format.h>

#include <algorithm>

#include "base/counted.hpp"
#include "causes/phase_bytes.hpp"
#include "causes/port_root_cause.hpp"

namespace gsu {
namespace {

bool ofBytes(const PortRootCause& c)
{
    return c.ofMbar() && c.state().pending == 0 && c.state().tx != 0;
}

PhaseBytes sumsOf(const MbarPhase& phase)
{
    return bytesOf(phase, [](const Contribution& p) {
        return p.doer.line == 0 ? counted(p.times, "copy", "copies") : nameOfLine(p.doer.line);
    });
}

/// Objects of the CTA to which the same lines announce bytes: the stages of a ring.
std::vector<const PortMbar*> ringOf(const PortRootCause& c)
{
    std::vector<const PortMbar*> ring;
    for (const auto& [offset, other] : c.snapshot.cta(c.wait).mbars) {
        const bool shares = std::any_of(
            other.past.totals().begin(), other.past.totals().end(), [&](const auto& total) {
                return std::get<2>(total.first) != 0 && c.past().totals().contains(total.first);
            });
        if (shares || offset == c.wait.object) ring.push_back(&other);
    }
    return ring;
}

/// Whether the bytes of these announcements all came in an earlier phase of the ring.
bool paidBefore(const PortRootCause& c, std::uint64_t announced)
{
    const std::vector<const PortMbar*> ring = ringOf(c);
    return std::any_of(ring.begin(), ring.end(),
                       [&](const PortMbar* object) { return object->past.paid(announced); });
}

/// Bytes that came to another object, which were not announced there.
const Contribution* strayBytes(const PortMbar& other, std::int32_t open)
{
    if (unpackMbar(other.word).tx >= 0 && !other.past.setups().empty()) return nullptr;
    for (const Contribution& p : other.past.running().parts) {
        if (p.share == Share::Completed &&
            (open <= 0 || p.amount <= static_cast<std::uint64_t>(open)))
            return &p;
    }
    return nullptr;
}

PortFound strayCause(const PortRootCause& c, CauseKind kind, const Contribution& p,
                     const std::string& where)
{
    PortCause cause = causeOf(c, kind, p.doer.line, {p.doer.warp}, p.last);
    cause.sentence = fmt::format("{}: {} bytes{} reached {} instead, so {}", lacks(c), p.amount,
                                 p.doer.line != 0 ? " of " + c.snapshot.warp(p.doer.warp, &c.wait) +
                                                        " at " + nameOfLine(p.doer.line)
                                                  : " of a copy",
                                 where, forEver(c));
    return cause;
}

}  // namespace

PortFound portReinitialised(const PortRootCause& c)
{
    if (!c.ofMbar() || c.past().setups().size() < 2) return {};
    const auto& setups = c.past().setups();
    const auto look = c.past().looks().find(c.wait.id);
    const bool saw = look != c.past().looks().end();
    for (std::size_t i = setups.size() - 1; i != 0; --i) {
        const MbarSetup& s = setups[i];
        if (saw && look->second.at > s.at) break;
        if (!s.lost && s.phases <= (saw ? look->second.phases : 0)) continue;
        PortCause cause = causeOf(c, CauseKind::Reinitialised, s.doer.line, {s.doer.warp}, s.at);
        cause.sentence = fmt::format(
            "{} was {} at {} by {} at {} (it was begun at {}) before {} had seen phase {}{}: it is "
            "lost, so {}",
            c.snapshot.name(c.wait), s.inval ? "invalidated" : "initialised again",
            nameOfLine(s.doer.line), c.snapshot.warp(s.doer.warp, &c.wait), c.snapshot.time(s.at),
            c.snapshot.time(setups[i - 1].at), c.snapshot.warp(c.wait.id, &c.wait),
            s.lost ? s.phases : s.phases - 1,
            s.lostArrivals != 0 ? fmt::format(", of which {} arrivals had come", s.lostArrivals)
                                : "",
            forEver(c));
        return cause;
    }
    return {};
}

PortFound portDoubleExpect(const PortRootCause& c)
{
    if (!ofBytes(c) || c.state().tx < 0) return {};
    const auto open = static_cast<std::uint64_t>(c.state().tx);
    const PhaseBytes sums = sumsOf(c.past().running());
    if (sums.completed != open || paidBefore(c, sums.announced)) return {};
    for (const Contribution* p : announcedTwice(c.past().running(), open)) {
        const Doer& doer = p->doer;
        PortCause cause = causeOf(c, CauseKind::DoubleExpect, doer.line, {doer.warp}, p->last);
        cause.sentence =
            fmt::format("{}: {} announced the same {} bytes twice, the second time at {} ({} "
                        "announced, {} completed: {}), so {}",
                        lacks(c), c.snapshot.warp(doer.warp, &c.wait), open, nameOfLine(doer.line),
                        sums.announced, sums.completed, sums.copies, forEver(c));
        return cause;
    }
    return {};
}

namespace {

bool awaited(const PortSnapshot& snapshot, const PortCta& cta, std::uint32_t offset)
{
    return std::any_of(snapshot.waits().begin(), snapshot.waits().end(), [&](const PortWait& w) {
        return w.kind == WaitKind::Mbarrier && w.id.first == cta.number && w.object == offset;
    });
}

/// Nobody has ever come to the awaited object, and remote arrivals came to the same place in another CTA where nobody waits.
PortFound strayArrival(const PortRootCause& c)
{
    if (!c.ofMbar() || c.root.circle || c.state().pending == 0 || !c.past().totals().empty())
        return {};
    for (const PortCta* cta : c.snapshot.cluster(c.snapshot.cta(c.wait))) {
        const auto found = cta->mbars.find(c.wait.object);
        if (cta->number == c.wait.id.first || found == cta->mbars.end()) continue;
        const MbarHistory& past = found->second.past;
        if (!past.looks().empty() || awaited(c.snapshot, *cta, c.wait.object)) continue;
        for (const MbarPhase& phase : past.last()) {
            for (const Contribution& p : phase.parts) {
                if (!isArriving(p.share) || !p.doer.remote) continue;
                PortCause cause =
                    causeOf(c, CauseKind::OtherCta, p.doer.line, {p.doer.warp}, p.last);
                cause.sentence = fmt::format(
                    "{}: {} arrivals of {} at {} reached the same place in {} instead, so {}",
                    lacks(c), p.amount, c.snapshot.warp(p.doer.warp, &c.wait),
                    nameOfLine(p.doer.line), nameOfCta(cta->number), forEver(c));
                return cause;
            }
        }
    }
    return {};
}

}  // namespace

PortFound portOtherCta(const PortRootCause& c)
{
    if (!ofBytes(c) || c.state().tx < 0) return strayArrival(c);
    for (const PortCta* cta : c.snapshot.cluster(c.snapshot.cta(c.wait))) {
        const auto found = cta->mbars.find(c.wait.object);
        if (cta->number == c.wait.id.first || found == cta->mbars.end()) continue;
        const Contribution* stray = strayBytes(found->second, c.state().tx);
        if (stray == nullptr) continue;
        return strayCause(c, CauseKind::OtherCta, *stray,
                          "the same place in " + nameOfCta(cta->number));
    }
    return {};
}

namespace {

/// An exited warp has come to another named barrier of the CTA, which is not complete.
PortFound otherNamed(const PortRootCause& c)
{
    if (c.root.circle || c.wait.ofWarp || c.wait.count == 0) return {};
    for (const auto& [id, other] : c.snapshot.cta(c.wait).named) {
        if (id == c.wait.object || other.running.empty()) continue;
        const Doer& doer = other.running.front();
        if (!c.snapshot.ended(doer.warp)) continue;
        PortCause cause = causeOf(c, CauseKind::OtherBarrier, doer.line, {doer.warp}, 0);
        cause.sentence =
            fmt::format("{}: {} came to barrier {} at {} instead, so {}", lacks(c),
                        c.snapshot.warp(doer.warp, &c.wait), id, nameOfLine(doer.line), forEver(c));
        return cause;
    }
    return {};
}

/// Another CTA got such bytes at the same place: a mask, which no port shows, may have left this one out.
bool multicast(const PortRootCause& c)
{
    for (const PortCta* cta : c.snapshot.cluster(c.snapshot.cta(c.wait))) {
        const auto found = cta->mbars.find(c.wait.object);
        if (cta->number == c.wait.id.first || found == cta->mbars.end()) continue;
        for (const MbarPhase& phase : found->second.past.last()) {
            if (phase.number == c.past().phases() && phase.sum(Share::Completed) != 0) return true;
        }
    }
    return false;
}

}  // namespace

PortFound portOtherBarrier(const PortRootCause& c)
{
    if (c.wait.kind == WaitKind::Named) return otherNamed(c);
    if (!ofBytes(c)) return {};
    for (const auto& [offset, other] : c.snapshot.cta(c.wait).mbars) {
        if (offset == c.wait.object) continue;
        if (c.state().tx < 0) {  // bytes that are too many here are missing there
            const MbarState s = unpackMbar(other.word);
            const bool lacking = s.pending == 0 && s.tx > 0;
            const Contribution* mine = lacking ? strayBytes(c.snapshot.mbar(c.wait), 0) : nullptr;
            if (mine != nullptr)
                return strayCause(c, CauseKind::OtherBarrier, *mine, c.snapshot.name(c.wait));
            continue;
        }
        if (const Contribution* stray = strayBytes(other, c.state().tx); stray != nullptr) {
            PortWait there = c.wait;
            there.object = offset;
            return strayCause(c, CauseKind::OtherBarrier, *stray, c.snapshot.name(there));
        }
    }
    return {};
}

PortFound portSurplusBytes(const PortRootCause& c)
{
    if (!ofBytes(c) || c.state().tx > 0) return {};
    const PhaseBytes sums = sumsOf(c.past().running());
    const std::vector<WarpId>& culprits = sums.announcers.empty() ? sums.copiers : sums.announcers;
    PortCause cause = causeOf(c, CauseKind::SurplusBytes, sums.line, culprits, sums.last);
    cause.sentence =
        fmt::format("{}: {} bytes were announced{}, {} came ({}), so {}", lacks(c), sums.announced,
                    sums.line != 0 ? " at " + nameOfLine(sums.line) : "", sums.completed,
                    sums.copies.empty() ? "by nobody" : sums.copies, forEver(c));
    return cause;
}

PortFound portMissingBytes(const PortRootCause& c)
{
    if (!ofBytes(c) || c.state().tx < 0 || multicast(c)) return {};
    const PhaseBytes sums = sumsOf(c.past().running());
    PortCause cause = causeOf(c, CauseKind::MissingBytes, sums.line, sums.announcers, sums.last);
    const std::string who =
        sums.announcers.empty() ? "a thread" : c.snapshot.warps(sums.announcers, &c.wait);
    cause.sentence =
        fmt::format("{}: {} announced {} bytes at {}, {}, and no copy is in flight, so {}",
                    lacks(c), who, sums.announced, nameOfLine(sums.line),
                    sums.completed == 0 ? "no copy brought any"
                                        : fmt::format("{} came ({})", sums.completed, sums.copies),
                    forEver(c));
    return cause;
}

}  // namespace gsu
