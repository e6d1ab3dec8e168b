#include "causes/phase_bytes.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace gsu {

PhaseBytes bytesOf(const MbarPhase& phase,
                   const std::function<std::string(const Contribution&)>& nameOf)
{
    PhaseBytes b;
    for (const Contribution& p : phase.parts) {
        b.last = std::max(b.last, p.last);
        if (p.share == Share::Announced) {
            b.announced += p.amount;
            b.announcers.push_back(p.doer.warp);
            b.line = p.doer.line;
        } else if (p.share == Share::Completed) {
            b.completed += p.amount;
            b.copiers.push_back(p.doer.warp);
            b.copies +=
                fmt::format("{}{} by {}", b.copies.empty() ? "" : ", ", p.amount, nameOf(p));
        }
    }
    return b;
}

std::vector<const Contribution*> announcedTwice(const MbarPhase& phase, std::uint64_t open)
{
    std::vector<const Contribution*> found;
    for (const Contribution& p : phase.parts) {
        if (p.share != Share::Announced || p.amount % p.times != 0) continue;
        const std::uint64_t one = p.amount / p.times;
        std::uint64_t others = p.amount - one;
        for (const Contribution& q : phase.parts) {
            const bool other = q.doer.line != p.doer.line;
            if (q.share == Share::Announced && other && q.doer.warp == p.doer.warp)
                others += q.amount;
        }
        if (one == open && others == open) found.push_back(&p);
    }
    return found;
}

}  // namespace gsu
