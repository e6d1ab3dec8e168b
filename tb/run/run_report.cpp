#include "run/run_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "base/counted.hpp"
#include "golden/mbarrier.hpp"
#include "observers/mbar_word.hpp"
#include "rules/catalogue.hpp"
#include "run/findings_json.hpp"
#include "run/hang_json.hpp"
#include "run/terminal.hpp"
#include "run/time_report.hpp"

namespace gsu::run {

namespace {

using Json = nlohmann::ordered_json;

/// A number, if JSON can hold it exactly; otherwise a text.
Json numberOf(const std::string& text)
{
    const Json value = Json::parse(text, nullptr, false);
    return value.is_number() ? value : Json(text);
}

const char* nameOf(Severity severity) noexcept
{
    return severity == Severity::Error ? "error" : "warning";
}

const char* expectation(const RunResult& x)
{
    if (x.verdict == Verdict::Partial) return " (a part of the chip: nothing is judged)";
    return x.asExpected ? " (as expected)" : " (NOT as expected)";
}

std::string verdictLine(const RunReport& r, bool colour)
{
    const RunResult& x = r.result;
    const char* paint = !colour ? "" : x.asExpected ? "\x1b[1;32m" : "\x1b[1;31m";
    return fmt::format("{}{}{}{}  {}: {}, {}, {}, {}, unit {}{}\n", paint, gsu::nameOf(x.verdict),
                       colour ? "\x1b[0m" : "", expectation(x), r.entry, counted(x.cycles, "cycle"),
                       counted(x.instructions, "instruction"),
                       counted(x.syncRequests, "sync request"), counted(r.sms, "SM"),
                       r.options.unitText(), tensorRemark(r.options));
}

/// How to fix the finding; empty if the rule's text was printed before.
std::string fix(const Finding& f, std::set<std::string>& told)
{
    const rules::Rule* rule = rules::find(f.rule);
    if (rule == nullptr || rule->fix.empty() || !told.insert(f.rule).second) return {};
    return fmt::format("    fix: {} (gsu help {})\n", rule->fix, f.rule);
}

void findings(std::string& out, const RunReport& r, const std::vector<std::string>& source)
{
    constexpr std::size_t kShown = 20;
    std::size_t shown = 0, repeated = 0, more = 0;
    std::set<std::string> fixed;
    for (const Finding& f : r.result.findings) {
        if (f.severity == Severity::Warning && r.shown != nullptr && !r.shown->first(r.entry, f)) {
            ++repeated;
            continue;
        }
        if (shown == kShown) {
            ++more;
            continue;
        }
        ++shown;
        const auto [file, line] = r.module.placeOf(f.line);
        // What the end of a CTA shows is of no warp.
        const std::string warp =
            f.lanes == 0 ? "" : fmt::format(" warp {} lanes {:#010x}", f.warp, f.lanes);
        out += fmt::format("{}:{}: {} {}: {} (CTA {}{}, cycle {}{})\n", file, line,
                           nameOf(f.severity), f.rule, f.message, f.cta, warp, f.cycle,
                           f.count > 1 ? fmt::format(", {} times", f.count) : "");
        if (f.line != 0 && f.line <= source.size()) out += "    " + source[f.line - 1] + '\n';
        out += fix(f, fixed);
    }
    if (r.result.warningsNotListed != 0)
        out += fmt::format("... and {}, not kept\n",
                           counted(r.result.warningsNotListed, "more warning"));
    if (more != 0) out += fmt::format("... and {}\n", counted(more, "more finding"));
    if (repeated != 0)
        out += fmt::format("... and {} as in launches of {} before\n", counted(repeated, "warning"),
                           r.entry);
}

/// One line for each mbarrier on which a wait is pending.
void barrierWords(std::string& out, const HangReport& hang)
{
    std::set<std::pair<std::uint32_t, std::uint32_t>> told;
    for (const auto& w : hang.waiting) {
        if (w.kind != HangReport::Kind::Mbarrier || !told.insert({w.cta, w.address}).second)
            continue;
        const MbarState s = unpackMbar(w.word);
        out += fmt::format(
            "  CTA {} mbarrier at +{:#x}: phase {}, {} of {} arrivals pending, {} bytes of tx "
            "outstanding ({}, word {:#018x})\n",
            w.cta, w.address, s.phase ? 1 : 0, s.pending, s.expected, s.tx,
            gsu::nameOf(stateOf(w.word)), w.word);
    }
}

void hang(std::string& out, const HangReport& hang, const ptx::Module& module,
          const std::vector<std::string>& source)
{
    constexpr std::size_t kShown = 16;
    if (hang.cause) out += "cause: " + hang.cause->kind + '\n';
    out += hang.explanation + '\n';
    for (std::size_t i = 0; i < std::min(hang.waiting.size(), kShown); ++i) {
        const auto& w = hang.waiting[i];
        out += fmt::format("  CTA {} warp {} lanes {:#010x} waits for {} in {}", w.cta, w.warp,
                           w.lanes, waitsOn(w), module.lineText(w.line));
        out += w.line != 0 && w.line <= source.size() ? ": " + source[w.line - 1] + '\n' : "\n";
    }
    if (hang.waiting.size() > kShown)
        out += fmt::format("  ... and {} more\n", hang.waiting.size() - kShown);
    barrierWords(out, hang);
    for (std::size_t i = 0; hang.cause && i < hang.cause->others.size(); ++i)
        out += fmt::format("  also {}: {}\n", hang.cause->others[i].kind,
                           hang.cause->others[i].sentence);
    for (std::size_t i = 0; i < std::min(hang.missing.size(), kShown); ++i) {
        out += fmt::format("  missing: CTA {} warp {}: {}\n", hang.missing[i].cta,
                           hang.missing[i].warp, hang.missing[i].why);
    }
}

/// The lines of all texts, numbered as in the module.
std::vector<std::string> linesOf(const ptx::Module& module)
{
    std::vector<std::string> lines;
    for (const ptx::Source& source : module.sources) {
        lines.resize(source.before);
        if (!source.text) continue;
        const auto more = sourceLines(*source.text);
        lines.insert(lines.end(), more.begin(), more.end());
    }
    return lines;
}

}  // namespace

std::string tensorRemark(const CommonOptions& options)
{
    switch (options.tensor()) {
        case TensorMode::Compute: return "";
        case TensorMode::Truncate: return "; --tensor truncate: matrix sums are cut off";
        case TensorMode::Skip: break;
    }
    return "; --tensor skip: matrix sums are zero, memory is not compared";
}

void addStructure(Json& out, const CommonOptions& options)
{
    if (const std::string with = textOf(options.choice.structure()); !with.empty())
        out["with"] = with;
}

void addTensor(Json& out, const CommonOptions& options)
{
    if (options.tensor() == TensorMode::Compute) return;
    out["tensor"] = options.tensorName;
    out["memory_compared"] = options.tensor() != TensorMode::Skip;
}

Json printedJson(const std::vector<PrintedMemory>& memory)
{
    Json list = Json::array();
    for (const PrintedMemory& m : memory) {
        Json values = Json::array();
        for (const std::string& v : m.values) values.push_back(numberOf(v));
        list.push_back(
            {{"name", m.name}, {"type", m.type}, {"count", m.count}, {"values", values}});
    }
    return list;
}

std::string printedText(const std::vector<PrintedMemory>& memory)
{
    std::string out;
    for (const PrintedMemory& m : memory) {
        out += fmt::format("{} ({} {}):", m.name, m.count, m.type);
        for (const std::string& v : m.values) out += ' ' + v;
        out += m.values.size() < m.count ? " ...\n" : "\n";
    }
    return out;
}

Json mismatchesJson(const std::vector<Mismatch>& mismatches)
{
    Json list = Json::array();
    for (const Mismatch& m : mismatches) {
        Json item;
        if (m.param)
            item["param"] = *m.param;
        else
            item["global"] = m.global;
        item["index"] = m.index;
        item["expected"] = numberOf(m.expected);
        item["actual"] = numberOf(m.actual);
        list.push_back(item);
    }
    return list;
}

std::string mismatchesText(const std::vector<Mismatch>& mismatches)
{
    constexpr std::size_t kShown = 8;
    std::string out;
    for (std::size_t i = 0; i < std::min(mismatches.size(), kShown); ++i) {
        const Mismatch& m = mismatches[i];
        out += fmt::format("{}[{}] is {}, expected {}\n",
                           m.param ? fmt::format("parameter {}", *m.param) : m.global, m.index,
                           m.actual, m.expected);
    }
    if (mismatches.size() > kShown)
        out += fmt::format("... and {} more\n", mismatches.size() - kShown);
    return out;
}

Json jsonObject(const RunReport& r)
{
    const RunResult& x = r.result;
    Json out{{"verdict", gsu::nameOf(x.verdict)},
             {"as_expected", x.asExpected},
             {"cycles", x.cycles},
             {"instructions", x.instructions},
             {"thread_instructions", x.threadInstructions},
             {"sync_requests", x.syncRequests},
             {"unit", r.options.unitName},
             {"sms", r.sms},
             {"seed", r.options.seed},
             {"findings", findingsJson(x, r.module)},
             {"mismatches", mismatchesJson(x.mismatches)}};
    addStructure(out, r.options);
    addTensor(out, r.options);
    if (x.warningsNotListed != 0) out["warnings_not_listed"] = x.warningsNotListed;
    if (r.module.sources.size() > 1) {
        out["sources"] = Json::array();
        for (const ptx::Source& s : r.module.sources)
            out["sources"].push_back({{"file", s.path}, {"first_line", s.before + 1}});
    }
    if (x.hang) out["hang"] = hangJson(*x.hang, r.module);
    if (!x.asExpected && !x.unmet.empty()) out["not_met"] = x.unmet;
    if (!x.trap.empty()) out["trap"] = x.trap;
    if (!x.limit.empty()) out["limit"] = x.limit;
    if (!x.stopped.empty()) out["stopped"] = x.stopped;
    if (x.fault) out["fault"] = {{"cycle", x.fault->cycle}, {"message", x.fault->message}};
    if (!x.output.empty()) out["output"] = x.output;
    if (x.timing) out["time"] = timeJson(*x.timing);
    r.observers.addTo(out);
    if (!r.memory.empty()) out["memory"] = printedJson(r.memory);
    return out;
}

std::string textOf(const RunReport& r)
{
    const RunResult& x = r.result;
    const bool colour = colourful();
    std::vector<std::string> source = linesOf(r.module);
    std::string out = x.output;
    if (!out.empty() && out.back() != '\n') out += '\n';
    out += verdictLine(r, colour);
    // That a launch passes need not be said: nearly every one should.
    if (!x.asExpected && !x.unmet.empty() && x.unmet != "verdict pass")
        out += "expected and not met: " + x.unmet + '\n';
    findings(out, r, source);
    if (!x.trap.empty()) out += "ended at " + x.trap + '\n';
    if (!x.limit.empty()) out += "limit: " + x.limit + '\n';
    if (!x.stopped.empty()) out += "stopped: " + x.stopped + '\n';
    if (x.hang) hang(out, *x.hang, r.module, source);
    out += mismatchesText(x.mismatches);
    out += printedText(r.memory);
    if (x.fault) out += fmt::format("cycle {}: {}\n", x.fault->cycle, x.fault->message);
    if (x.timing) out += timeText(*x.timing);
    out += r.observers.text({colour, std::move(source), &r.module});
    return r.written.empty() ? out : out + "written: " + r.written + '\n';
}

}  // namespace gsu::run
