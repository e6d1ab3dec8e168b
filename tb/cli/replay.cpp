#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/counted.hpp"
#include "base/input_error.hpp"
#include "base/interrupt.hpp"
#include "causes/port_watch.hpp"
#include "cli/commands.hpp"
#include "cli/replay_cause.hpp"
#include "cli/replay_findings.hpp"
#include "cli/replay_races.hpp"
#include "golden/word_memory.hpp"
#include "observers/mbar_word.hpp"
#include "observers/statistics.hpp"
#include "observers/tap_port.hpp"
#include "run/run_observers.hpp"
#include "run/run_report.hpp"
#include "run/unit_stack.hpp"
#include "trace/instruction_text.hpp"
#include "trace/replayer.hpp"

namespace gsu::cli {

using namespace run;

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kListed = 16;

struct Outcome {
    std::string verdict;
    bool asExpected{};
    std::string explanation;
};

Outcome judge(const trace::ReplayResult& r, const trace::Program& program, bool compare)
{
    if (r.fault) return {"divergence", false, r.fault->message};
    if (r.interrupted) return {"interrupted", false, "a signal ended the replay"};
    if (r.limit) return {"limit", false, "the cycle limit was reached"};
    if (r.refusesAsync) return {"differs", false, "the unit takes no asynchronous completions"};
    if (r.differs) return {"differs", false, r.difference};
    if (compare) return {"agree", true, {}};
    if (!r.blocked.empty() || r.left != 0) {
        return {"hang", program.recordedHang,
                program.recordedHang ? "the recording hangs, too" : "the recording does not hang"};
    }
    return {"retimed", true,
            !program.header.answers
                ? "the trace holds no answers to compare with"
                : "parameters or unit differ from the recording: answers were not compared"};
}

/// Why the replay stands still, if it does: the replay hangs, the recording did, or every live lane waits when the trace is over.
std::optional<ReplayCause> standing(const Outcome& outcome, const trace::ReplayResult& r,
                                    const trace::Program& program, const PortHistory& history)
{
    const bool whole = r.left == 0 && !r.fault && !r.interrupted && !r.limit && !r.differs;
    const PortHang hang = explainPort(history);
    const bool stands =
        whole && program.underWay == 0 && hang.running.empty() && !hang.waits.empty();
    if (outcome.verdict != "hang" && r.blocked.empty() && !stands &&
        !(program.recordedHang && !r.waits.empty()))
        return std::nullopt;
    return causeOf(r, hang);
}

/// Lanes whose last record waits for an mbarrier, with the state of that mbarrier at the end.
std::string waitsText(const trace::ReplayResult& r)
{
    std::string out;
    for (std::size_t i = 0; i < std::min(r.waits.size(), kListed); ++i) {
        const auto& w = r.waits[i];
        out += fmt::format(
            "  SM {} CTA {} warp {} lanes {:#010x}: {} of trace line {} (PTX line {}) "
            "never came true (asks for parity {}); mbarrier {}:{}: {}\n",
            w.at.sm, w.at.cta, w.at.warp, w.lanes, trace::spellingOf(w.op), w.line, w.source,
            w.word >> 63, clusterRank(w.object), clusterOffset(w.object), mbarStateText(w.word));
    }
    if (r.waits.size() > kListed)
        out += fmt::format("  ... and {} more\n", r.waits.size() - kListed);
    return out;
}

Json waitsJson(const trace::ReplayResult& r)
{
    Json all = Json::array();
    for (const auto& w : r.waits) {
        all.push_back({{"sm", w.at.sm},
                       {"cta", w.at.cta},
                       {"warp", w.at.warp},
                       {"lanes", fmt::format("{:#010x}", w.lanes)},
                       {"operation", trace::spellingOf(w.op)},
                       {"trace_line", w.line},
                       {"line", w.source},
                       {"rank", clusterRank(w.object)},
                       {"address", clusterOffset(w.object)},
                       {"asked", w.word >> 63},  // otherwise the wait would have ended
                       {"word", fmt::format("{:#018x}", w.word)},
                       {"state", mbarStateText(w.word)}});
    }
    return all;
}

Json preflightJson(const trace::Program& program)
{
    Json found = Json::array();
    for (const auto& f : program.findings) {
        found.push_back({{"rule", f.rule},
                         {"message", f.message},
                         {"sm", f.at.sm},
                         {"cta", f.at.cta},
                         {"warp", f.at.warp},
                         {"lanes", fmt::format("{:#010x}", f.lanes)},
                         {"trace_line", f.line},
                         {"line", f.source}});
    }
    return found;
}

/// Why the trace will hang, known before any cycle of it runs; empty: nothing points to a hang.
std::string preflightText(const trace::Program& program)
{
    if (program.causes.empty()) return {};
    const PortCause& first = program.causes.front();
    return fmt::format("predicted before the run: {}\n{}\n", nameOf(first.kind), first.sentence);
}

Json preflightCause(const trace::Program& program)
{
    const std::vector<PortCause> others(program.causes.begin() + 1, program.causes.end());
    return Json::parse(jsonOf(program.causes.front(), others, "trace_line"));
}

/// What the report of a replay contains besides its verdict.
struct Told {
    const ReplayFindings& findings;
    const ReplayRaces* races;  ///< nullptr: not wanted
    const std::optional<ReplayCause>& cause;
};

Json jsonOf(const CommonOptions& options, const Outcome& outcome, const trace::ReplayResult& r,
            const trace::Program& program, const RunObservers& watch, const Told& told)
{
    Json out{{"verdict", outcome.verdict}, {"as_expected", outcome.asExpected},
             {"cycles", r.cycles},         {"sync_requests", r.requests},
             {"records", program.records}, {"compared", r.compared},
             {"unit", options.unitName}};
    addStructure(out, options);
    if (!outcome.explanation.empty()) out["explanation"] = outcome.explanation;
    out["preflight"] = preflightJson(program);
    if (!program.causes.empty()) out["preflight_cause"] = preflightCause(program);
    out["remarks"] = told.findings.json();
    out["findings"] = told.findings.findingsJson();
    if (told.races != nullptr) out["races"] = told.races->json();
    if (!r.waits.empty()) out["waiting"] = waitsJson(r);
    if (!r.blocked.empty()) {
        Json waiting = Json::array();
        for (const auto& b : r.blocked) {
            Json on{{"kind", gsu::nameOf(barrierKindOf(b.op))}};
            if (barrierKindOf(b.op) == BarrierKind::Named) on["id"] = b.id;
            waiting.push_back({{"sm", b.at.sm},
                               {"cta", b.at.cta},
                               {"warp", b.at.warp},
                               {"lanes", fmt::format("{:#010x}", b.lanes)},
                               {"line", b.source},
                               {"since", b.since},
                               {"on", on}});
        }
        out["hang"] = {{"waiting", waiting}, {"records_left", r.left}};
    }
    if (told.cause) {
        out["hang"]["explanation"] = told.cause->sentence;
        out["hang"]["cause"] = told.cause->json;
        out["hang"]["debts"] = told.cause->debts;
    }
    watch.addTo(out);
    return out;
}

std::string textOf(const CommonOptions& options, const Outcome& outcome,
                   const trace::ReplayResult& r, const trace::Program& program,
                   const RunObservers& watch, const Told& told, const std::string& written)
{
    const bool colour = colourful();
    const char* paint = !colour ? "" : outcome.asExpected ? "\x1b[1;32m" : "\x1b[1;31m";
    std::string out = fmt::format("{}{}{}  {}: {}, {}, {} as recorded, unit {}\n", paint,
                                  outcome.verdict, colour ? "\x1b[0m" : "", program.header.entry,
                                  counted(r.cycles, "cycle"), counted(r.requests, "sync request"),
                                  counted(r.compared, "answer"), options.unitText());
    if (!outcome.explanation.empty()) out += outcome.explanation + '\n';
    if (told.cause) {
        out += "cause: " + told.cause->kind + '\n' + told.cause->sentence + '\n';
        for (const std::string& other : told.cause->others) out += "  also " + other + '\n';
    }
    out += told.findings.text();
    if (told.races != nullptr) out += told.races->text();
    for (std::size_t i = 0; i < std::min(program.findings.size(), kListed); ++i) {
        const auto& f = program.findings[i];
        out += fmt::format("{}:{}: {}: SM {} CTA {} warp {} lanes {:#010x}: {}\n", program.path,
                           f.line, f.rule, f.at.sm, f.at.cta, f.at.warp, f.lanes, f.message);
    }
    for (std::size_t i = 0; i < std::min(r.blocked.size(), kListed); ++i) {
        const auto& b = r.blocked[i];
        out += fmt::format(
            "  SM {} CTA {} warp {} lanes {:#010x} blocked since cycle {} in {} (PTX line {})\n",
            b.at.sm, b.at.cta, b.at.warp, b.lanes, b.since, trace::spellingOf(b.op), b.source);
    }
    if (r.blocked.size() > kListed)
        out += fmt::format("  ... and {} more\n", r.blocked.size() - kListed);
    out += waitsText(r);
    out += watch.text({.colour = colour});
    return written.empty() ? out : out + "written: " + written + '\n';
}

/// A trace replays on the structure on which it was recorded, whether or not the call names that structure.
CommonOptions onItsStructure(const CommonOptions& given, const trace::Header& header)
{
    CommonOptions options = given;
    const bool named = !given.choice.with.empty() || !given.choice.model.empty();
    const std::string recorded = textOf(header.structure);
    if (!named) {
        options.choice.with = recorded;
    } else if (!(given.choice.structure() == header.structure)) {
        throw InputError(given.choice.with.empty() ? "--model" : "--with",
                         "the trace was recorded on " +
                             (recorded.empty() ? "the default structure" : recorded) +
                             ": it replays on that alone");
    }
    return options;
}

/// The header of a recording of the replay: that of the trace, changed by the parameters of the call. It has answers, and no accesses.
trace::Header wanted(const CommonOptions& options, trace::Header header)
{
    if (const auto preset = options.preset()) {
        header.preset = *preset;
        header.config = configOf(*preset, header.structure);
    }
    ExecParams unused;
    options.applySettings(header.config, unused);
    header.unit = options.unitName;
    header.answers = true;
    header.version = trace::Header{}.version;
    return header;
}

/// Whether every answer must be the recorded one, in its recorded cycle.
bool compares(const CommonOptions& options, const trace::Header& now, const trace::Header& recorded)
{
    const bool golden = options.unit() == UnitKind::Golden;
    return golden == (recorded.unit == "golden") && (golden || now.config == recorded.config) &&
           recorded.answers;
}

/// Finishes the output files of the replay.
Outputs filesOf(RunObservers& watch, UnitStack& stack, Cycle now,
                const std::optional<ReplayCause>& cause)
{
    RunEnd end{.now = now, .endWaves = [&] { stack.finishWaves(); }};
    if (cause) end.marks = cause->marks;
    Outputs outputs;
    watch.finish(end, outputs);
    return outputs;
}

}  // namespace

int replay(const CommonOptions& given)
{
    catchInterrupts();
    given.check();
    const trace::Program program = trace::Program::load(given.input, &interruptFlag());
    const CommonOptions options = onItsStructure(given, program.header);
    const trace::Header header = wanted(options, program.header);
    const bool compare = compares(options, header, program.header);
    std::optional<ReplayRaces> races;
    if (options.checksRaces()) races.emplace(program, compare);

    WordMemory memory(header.sms);
    ReplayFindings findings(header.sms);
    UnitStack stack(options, header.chip(), header.config, memory,
                    [&findings](const MbarNote& note) { findings.take(note); });
    RunObservers watch(options, header);
    TapPort tap(stack.port());
    PortWatch port(header.chip());
    tap.add({&findings, &port});
    tap.add(watch.ports());
    if (!options.json) print(preflightText(program));
    if (races) tap.add(races->observer());
    trace::Replayer replayer(program, tap, compare, races ? &races->feed() : nullptr);
    replayer.setMemory(memory);
    const trace::ReplayResult result =
        replayer.run(options.maxCycles.value_or(kNever), &interruptFlag());
    const Outcome outcome = judge(result, program, compare);
    const auto cause = standing(outcome, result, program, port.history());
    const Outputs outputs = filesOf(watch, stack, tap.now(), cause);

    if (races) races->finish(!result.fault && !result.differs);
    const Told told{findings, races ? &*races : nullptr, cause};
    print(options.json ? jsonOf(options, outcome, result, program, watch, told)
                                 .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) +
                             '\n'
                       : textOf(options, outcome, result, program, watch, told, outputs.text()));
    outputs.check();
    if (result.fault) return kOwnError;
    if (told.races != nullptr && told.races->any()) return kNotAsExpected;
    return outcome.asExpected ? kAsExpected : kNotAsExpected;
}

}  // namespace gsu::cli
