// What would have ordered two accesses: a link that exists but is too weak, or else the smallest chain that would do (tb/races/README.md, "Kinds").
#include "races/checks.hpp"

namespace gsu::races {

/// The missing links for an access of threads that another thread does not know.
void Checks::missingOfThreads(const Record& old, const Record& r, const By& by, Missing& m) const
{
    const Level needed = state_.between(old.cta, r.cta);
    if (old.cta == r.cta && old.warp == by.threads->warp()) {
        m.links = {"barrier"};
        m.scope = "warp";
    } else if (needed == Level::Cta) {
        m.links = {"barrier"};
    } else if (needed == Level::Cluster) {
        m.links = {"cluster-barrier"};
    } else {
        m.links = {"release", "acquire"};
    }
}

/// If a chain lacks only the strength of its release or acquire: which of the two is too weak.
const char* Checks::halfway(const Record& old, const Record& r, const By& by) const
{
    const Knowledge& k = by.part->knows;
    const auto line = static_cast<Line>(old.on);
    const auto sees = [&](const Clock& clock) {
        if (old.on != Record::kEnds)
            return clock.reached(old.cta, keyOf(line, old.warp),
                                 line == Line::Matrix ? 1 : old.lanesAt(old.bytes & r.bytes),
                                 old.time);
        const Ending& e = state_.endings[old.time];
        return e.phase != Ending::kNot && clock.reached(e.cta, keyOfPhase(e.offset), 1, e.phase);
    };
    return sees(k.unread) ? "acquire" : sees(k.weak) ? "release" : nullptr;
}

Missing Checks::missingFor(const Record& old, const Record& r, const By& by) const
{
    Missing m;
    const Level needed = state_.between(old.cta, r.cta);
    static constexpr const char* kScopes[] = {"cta", "cluster", "gpu"};
    m.scope = kScopes[static_cast<unsigned>(needed)];
    const bool sees = known(old, r, by);
    if (sees) {
        m.links = {"proxy-fence"};
        return m;
    }
    const CtaState& theirs = *state_.ctas[old.cta];
    if (theirs.grid != by.cta->grid) {
        m.links = {"grid-wait"};
        return m;
    }
    if (const char* half = halfway(old, r, by)) {
        m.links = {half};
        if (r.async && !old.async && old.writes && (!r.writes || r.updates))
            m.links.push_back("proxy-fence");
        return m;
    }
    if (old.on == Record::kEnds)
        m.links = {"mbarrier-wait"};
    else if (old.on != static_cast<std::uint8_t>(Line::Threads))
        m.links = {"wait-group"};
    const ByteSet both = old.bytes & r.bytes;
    const Lanes others = old.lanesAt(both), mine = r.lanesAt(both);
    const auto line = static_cast<Line>(old.on);
    if (old.on != static_cast<std::uint8_t>(Line::Threads)) {
        const bool own = old.cta == r.cta && old.on != Record::kEnds &&
                         old.warp == Threads::warpOf(line, by.threads->warp()) &&
                         (line == Line::Matrix || others == mine);
        if (old.on != Record::kEnds && !own && needed == Level::Cta) m.links.push_back("barrier");
        return m;
    }
    missingOfThreads(old, r, by, m);
    if (r.async && !old.async && old.writes && (!r.writes || r.updates))
        m.links.push_back("proxy-fence");
    return m;
}

}  // namespace gsu::races
