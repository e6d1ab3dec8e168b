// The waiters of a unit, whether it hangs, and the cause.
#include <fmt/format.h>

#include "capi/unit.hpp"
#include "causes/port_causes.hpp"
#include "golden/chip_layout.hpp"
#include "golden/mbarrier.hpp"
#include "golden/op_traits.hpp"
#include "golden/wait_text.hpp"

namespace {

constexpr gsu::Cycle kSettled = 10'000;  ///< while limits of try_wait run

/// Adds the awaited parity to the state of the mbarrier: " (phase 0, ...)".
std::string withParity(std::string state, bool parity)
{
    state.insert(state.size() - 1, fmt::format("; parity {:d} is awaited", parity));
    return state;
}

}  // namespace

std::uint32_t gsu_unit::clusterOf(std::uint32_t sm, std::uint32_t cta) const
{
    const gsu::Launch& launch = *checker_.launched(sm, cta);
    const std::uint32_t shared = options_.chip().clusterOf(sm, launch.cluster);
    return launch.ctas > 1 ? shared : 0x1'0000u + numberOf(sm, cta);
}

/// Adds lanes whose wait was answered with false more than once, with no other request since.
void gsu_unit::addPolls(std::vector<gsu::WaitingGroup>& groups) const
{
    for (const gsu::PortWait& w : gsu::explainPort(history_).waits) {
        if (!w.polls || w.times < 2) continue;
        const std::uint32_t sm = w.id.first / gsu::kMaxCtas, cta = w.id.first % gsu::kMaxCtas;
        if (checker_.launched(sm, cta) == nullptr) continue;
        gsu::WaitingGroup group{.cta = w.id.first,
                                .warp = w.id.second,
                                .kind = w.kind,
                                .address = w.object,
                                .cluster = clusterOf(sm, cta)};
        if (w.line != 0) group.place = fmt::format("line {}", w.line);
        group.state = withParity(gsu::mbarrierText(mbarrierWord(sm, cta, w.object)), *w.asked != 0);
        groups.push_back(std::move(group));
    }
}

std::vector<gsu::WaitingGroup> gsu_unit::waitingGroups() const
{
    std::vector<gsu::WaitingGroup> groups;
    for (unsigned sm = 0; sm < options_.sms; ++sm) {
        for (const auto& open : checker_.open(sm)) {
            gsu::WaitingGroup group{.cta = numberOf(sm, open.at.cta),
                                    .warp = open.at.warp,
                                    .kind = gsu::waitKindOf(open.op),
                                    .id = open.id,
                                    .address = gsu::clusterOffset(open.addr),
                                    .cluster = clusterOf(sm, open.at.cta)};
            if (group.kind == gsu::WaitKind::Named && open.id < options_.structure.bars)
                group.state = gsu::namedText(barriers_.named(sm, open.at.cta, open.id));
            if (group.kind == gsu::WaitKind::Mbarrier && group.address % 8 == 0 &&
                group.address + 8 <= checker_.launched(sm, open.at.cta)->size)
                group.state = gsu::mbarrierText(mbarrierWord(sm, open.at.cta, group.address));
            for (const gsu::Asked& a : history_.cta(group.cta).warps[open.at.warp].asked) {
                if ((a.open & open.lanes) == 0) continue;
                if (a.line != 0) group.place = fmt::format("line {}", a.line);
                if (gsu::isMbarWait(a.op) && !group.state.empty() && a.object == group.address)
                    group.state = withParity(std::move(group.state), a.phase);
                break;
            }
            groups.push_back(std::move(group));
        }
    }
    addPolls(groups);
    return groups;
}

std::string gsu_unit::explanation() const
{
    std::vector<gsu::PresentWarp> present;
    for (unsigned sm = 0; sm < options_.sms; ++sm) {
        for (unsigned cta = 0; cta < gsu::kMaxCtas; ++cta) {
            if (checker_.launched(sm, cta) == nullptr) continue;
            const std::uint32_t live = checker_.liveWarps(sm, cta);
            for (unsigned w = 0; w < checker_.warps(sm, cta); ++w)
                present.push_back({numberOf(sm, cta), w, clusterOf(sm, cta), (live >> w & 1) == 0});
        }
    }
    std::string text = gsu::explainWaits(waitingGroups(), present, gsu::nameOfCta).explanation;
    for (unsigned sm = 0; sm < options_.sms; ++sm) {
        for (const auto& query : checker_.queries(sm)) {
            if (!text.empty()) text += ' ';
            text += fmt::format("{}: lane {} of try_cancel, tag {}, waits for the program's answer "
                                "(gsu_unit_answer_cancel).",
                                gsu::nameOfCta(numberOf(sm, query.cta)), query.lane, query.tag);
        }
    }
    return text;
}

const char* gsu_unit::explain()
{
    explanation_ = explanation();
    return explanation_.c_str();
}

bool gsu_unit::hang(bool idle, gsu_hang& out)
{
    const gsu::PortHang found = gsu::explainPort(history_);
    out.size = sizeof out;
    out.last_change = found.lastChange;
    out.waiting = static_cast<std::uint32_t>(found.waits.size());
    out.running = static_cast<std::uint32_t>(found.running.size());
    out.kind = "";
    hangTexts_[0].clear();
    if (!found.causes.empty()) {
        const gsu::PortCause& cause = found.causes.front();
        out.kind = gsu::nameOf(cause.kind);
        out.line = cause.line;
        out.cycle = cause.cycle;
        hangTexts_[0] = cause.sentence;
    }
    hangTexts_[1] = hangTexts_[0] + (hangTexts_[0].empty() ? "" : " ") + explanation();
    hangTexts_[2] = gsu::jsonOf(found);
    out.sentence = hangTexts_[0].c_str();
    out.text = hangTexts_[1].c_str();
    out.json = hangTexts_[2].c_str();
    bool queries = false;
    for (unsigned sm = 0; sm < options_.sms; ++sm)
        queries = queries || !checker_.queries(sm).empty();
    const bool still = quietUntil() == GSU_NEVER || now() >= found.lastChange + kSettled;
    return idle && !queries && still && !fault() && !found.waits.empty() && found.running.empty();
}
