#include "cli/replay_cause.hpp"

#include <fmt/format.h>

#include "exec/causes/cause_kinds.hpp"
#include "golden/mbarrier.hpp"
#include "observers/mbar_word.hpp"
#include "observers/statistics.hpp"

namespace gsu::cli {
namespace {

using Json = nlohmann::ordered_json;
using exec::CauseKind;

constexpr const char* kReason =
    "a trace has neither control flow nor memory: who should have come is not known";

ReplayCause made(CauseKind kind, std::uint32_t line, Json object, std::string sentence)
{
    ReplayCause cause{exec::nameOf(kind), std::move(sentence), {}};
    cause.json = {{"kind", cause.kind},         {"line", line},
                  {"culprits", Json::array()},  {"object", std::move(object)},
                  {"sentence", cause.sentence}, {"others", Json::array()}};
    return cause;
}

ReplayCause ofWait(const trace::OpenWait& w)
{
    const MbarState s = unpackMbar(w.word);
    const bool bytes = s.pending == 0 && s.tx != 0;
    const CauseKind kind = !bytes     ? CauseKind::Unknown
                           : s.tx > 0 ? CauseKind::MissingBytes
                                      : CauseKind::SurplusBytes;
    return made(
        kind, w.source,
        {{"kind", "mbarrier"},
         {"sm", w.at.sm},
         {"slot", w.at.cta},
         {"address", clusterOffset(w.object)}},
        fmt::format(
            "mbarrier {}:{} of SM {} CTA {} has {}, so warp {} waits at PTX line {} for ever{}",
            clusterRank(w.object), clusterOffset(w.object), w.at.sm, w.at.cta,
            mbarStateText(w.word), w.at.warp, w.source,
            bytes ? "." : fmt::format("; {}.", kReason)));
}

}  // namespace

ReplayCause causeOf(const trace::ReplayResult& r)
{
    for (const trace::OpenWait& w : r.waits) {
        const MbarState s = unpackMbar(w.word);
        if (s.pending == 0 && s.tx != 0) return ofWait(w);
    }
    if (r.blocked.empty() && !r.waits.empty()) return ofWait(r.waits.front());
    if (r.blocked.empty())
        return made(CauseKind::Unknown, 0, Json::object(),
                    fmt::format("{} records could not be given; {}.", r.left, kReason));
    const auto& b = r.blocked.front();
    Json on{{"kind", gsu::nameOf(barrierKindOf(b.op))}};
    on["sm"] = b.at.sm;
    on["slot"] = b.at.cta;
    if (barrierKindOf(b.op) == BarrierKind::Named) on["id"] = b.id;
    return made(CauseKind::Unknown, b.source, on,
                fmt::format("warp {} of SM {} CTA {} waits at PTX line {} since cycle {}; {}.",
                            b.at.warp, b.at.sm, b.at.cta, b.source, b.since, kReason));
}

}  // namespace gsu::cli
