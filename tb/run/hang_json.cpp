#include "run/hang_json.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "golden/mbarrier.hpp"

namespace gsu::run {
namespace {

using Json = nlohmann::ordered_json;

/// "4 arrivals by warp 1 of CTA 0": the contribution of one warp to a phase.
Json partOf(const Contribution& c, const ptx::Module& module)
{
    return {{"what", nameOf(c.share)},    {"cta", c.doer.warp.first},
            {"warp", c.doer.warp.second}, {"line", module.placeOf(c.doer.line).second},
            {"amount", c.amount},         {"times", c.times},
            {"first", c.first},           {"last", c.last}};
}

Json phasesOf(const HangReport::Object& o, const ptx::Module& module)
{
    Json phases = Json::array();
    for (const MbarPhase& p : o.phases) {
        Json parts = Json::array();
        for (const Contribution& c : p.parts) parts.push_back(partOf(c, module));
        Json phase{{"phase", p.number}, {"begin", p.begin}};
        if (p.end != kNever) phase["end"] = p.end;
        phase["parts"] = std::move(parts);
        phases.push_back(std::move(phase));
    }
    return {{"cta", o.cta}, {"address", o.address}, {"name", o.name}, {"phases", phases}};
}

Json onOf(const HangReport::Waiting& w)
{
    Json on{{"kind", gsu::nameOf(w.kind)}};
    if (w.kind == HangReport::Kind::Named) on["id"] = w.id;
    if (w.endless) on["endless"] = true;
    if (w.kind == HangReport::Kind::Mbarrier) {
        const MbarState s = unpackMbar(w.word);
        on["address"] = w.address;
        on["word"] = fmt::format("{:#018x}", w.word);
        on["phase"] = s.phase ? 1 : 0;
        on["pending"] = s.pending;
        on["expected"] = s.expected;
        on["tx"] = s.tx;
        if (w.asked) on["asked"] = *w.asked;
    }
    return on;
}

Json objectOf(const HangCause& c)
{
    Json object{{"kind", gsu::nameOf(c.on)}, {"cta", c.cta}};
    if (c.on == WaitKind::Named) object["id"] = c.id;
    if (c.on == WaitKind::Mbarrier) object["address"] = c.address;
    if (c.on == WaitKind::Spin && !c.word) object.erase("cta");
    if (c.on == WaitKind::Spin && c.word) {
        object["space"] = c.shared ? "shared" : "global";
        object["address"] = c.address;
        if (!c.shared) object.erase("cta");
    }
    return object;
}

Json causeOf(const HangCause& c, const ptx::Module& module)
{
    Json culprits = Json::array(), others = Json::array();
    for (const auto& [cta, warp] : c.culprits) culprits.push_back({{"cta", cta}, {"warp", warp}});
    for (const HangCause& o : c.others) others.push_back(causeOf(o, module));
    const auto [file, line] = module.placeOf(c.line);
    Json cause{{"kind", c.kind},        {"line", line},           {"culprits", culprits},
               {"object", objectOf(c)}, {"sentence", c.sentence}, {"cycle", c.cycle},
               {"others", others}};
    if (module.sources.size() > 1) cause["file"] = file;
    return cause;
}

std::string quoted(const std::string& text)
{
    std::string out;
    for (const char ch : text)
        out += ch == '"' || ch == '\\' ? std::string{'\\', ch} : std::string{ch};
    return '"' + out + '"';
}

}  // namespace

std::string waitsOn(const HangReport::Waiting& w)
{
    switch (w.kind) {
        case HangReport::Kind::Named: return fmt::format("barrier {}", w.id);
        case HangReport::Kind::Mbarrier:
            return fmt::format("mbarrier at +{:#x}{}", w.address,
                               w.asked ? fmt::format(", asks for parity {}", *w.asked) : "");
        case HangReport::Kind::Cluster: return "the cluster barrier";
        case HangReport::Kind::Warp: return "other lanes of its warp";
        case HangReport::Kind::Spin:
            return w.endless ? "nothing: its loop has no end"
                             : "memory that nothing changes any more";
        case HangReport::Kind::Fence: return "older accesses to be performed";
        case HangReport::Kind::Grid: return "the end of the launches before it";
        case HangReport::Kind::Columns: return "columns of tensor memory";
    }
    return "?";
}

Json hangJson(const HangReport& hang, const ptx::Module& module)
{
    Json waiting = Json::array(), missing = Json::array();
    for (const auto& w : hang.waiting) {
        const auto [file, line] = module.placeOf(w.line);
        waiting.push_back({{"cta", w.cta},
                           {"warp", w.warp},
                           {"lanes", fmt::format("{:#010x}", w.lanes)},
                           {"line", line},
                           {"on", onOf(w)}});
        if (module.sources.size() > 1) waiting.back()["file"] = file;
    }
    for (const auto& m : hang.missing)
        missing.push_back({{"cta", m.cta}, {"warp", m.warp}, {"why", m.why}});
    Json out{{"waiting", waiting}, {"missing", missing}, {"explanation", hang.explanation}};
    if (hang.cause) out["cause"] = causeOf(*hang.cause, module);
    Json debts = Json::array(), objects = Json::array();
    for (const auto& d : hang.debts)
        debts.push_back({{"from", d.from}, {"to", d.to}, {"line", module.placeOf(d.line).second}});
    for (const auto& o : hang.objects) objects.push_back(phasesOf(o, module));
    out["debts"] = debts;
    out["objects"] = objects;
    out["last_change"] = hang.lastChange;
    return out;
}

std::string hangDot(const HangReport& hang, const ptx::Module& module)
{
    std::string out =
        "digraph waits {\n  rankdir=LR;\n  node [shape=box, fontname=\"sans-serif\"];\n";
    if (hang.cause)
        out += "  label=" + quoted(hang.cause->kind + ": " + hang.cause->sentence) + ";\n";
    const auto guilty = [&](const HangReport::Waiting& w) {
        return hang.cause && std::find(hang.cause->culprits.begin(), hang.cause->culprits.end(),
                                       std::pair{w.cta, w.warp}) != hang.cause->culprits.end();
    };
    for (std::size_t i = 0; i < hang.waiting.size(); ++i) {
        const auto& w = hang.waiting[i];
        out += fmt::format("  w{} [label={}{}];\n", i,
                           quoted(fmt::format("CTA {} warp {}\n{}\n{}", w.cta, w.warp,
                                              module.lineText(w.line), waitsOn(w))),
                           guilty(w) ? ", style=bold, color=red" : "");
    }
    for (const auto& d : hang.debts)
        out += fmt::format("  w{} -> w{} [label={}];\n", d.from, d.to,
                           quoted(module.lineText(d.line)));
    for (std::size_t i = 0; i < hang.missing.size(); ++i) {
        const auto& m = hang.missing[i];
        const bool waits =
            std::any_of(hang.waiting.begin(), hang.waiting.end(),
                        [&](const auto& w) { return w.cta == m.cta && w.warp == m.warp; });
        if (!waits)
            out += fmt::format("  m{} [style=dashed, label={}];\n", i,
                               quoted(fmt::format("CTA {} warp {}\n{}", m.cta, m.warp, m.why)));
    }
    return out + "}\n";
}

}  // namespace gsu::run
