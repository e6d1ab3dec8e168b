#include "cuda/report/reporter.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "base/counted.hpp"
#include "cuda/device/heap.hpp"
#include "cuda/device/message.hpp"
#include "run/findings_json.hpp"
#include "run/hang_json.hpp"
#include "run/launch_run.hpp"
#include "run/time_report.hpp"

namespace gsu::cuda {
namespace {

using Json = nlohmann::ordered_json;

std::string shapeText(const Dim& d)
{
    if (d[2] != 1) return fmt::format("({},{},{})", d[0], d[1], d[2]);
    if (d[1] != 1) return fmt::format("({},{})", d[0], d[1]);
    return fmt::format("{}", d[0]);
}

std::string callText(const LaunchCall& call)
{
    std::string text = fmt::format("{} <<<{}, {}", plainName(call.kernel->readable),
                                   shapeText(call.grid), shapeText(call.block));
    if (call.dynamicSmem != 0) text += fmt::format(", {} bytes", call.dynamicSmem);
    text += ">>>";
    if (call.cluster) text += " clusters of " + shapeText(*call.cluster);
    return text;
}

std::string timeOf(const RunResult& r)
{
    return r.timing ? ", " + run::timeFigures(*r.timing) : "";
}

std::string dump(const Json& json)
{
    return json.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace

Reporter::Reporter(const run::ExecSettings& settings)
    : settings_(settings), choice_(settings.choice()), folder_([] {
          const char* folder = std::getenv(run::kExecFolder);
          return std::string(folder == nullptr ? "" : folder);
      }())
{
}

Reporter::Turn Reporter::begin(const LaunchCall& call)
{
    Turn turn{launches_++, false, settings_.common, false};
    const std::string& mangled = call.kernel->function->name;
    const std::uint64_t n = byName_[mangled]++;
    if (choice_) {
        const std::string plain = plainName(call.kernel->readable);
        const bool named = choice_->name == mangled || choice_->name == plain ||
                           choice_->name == call.kernel->readable;
        turn.chosen = named && (!choice_->n || *choice_->n == n);
    }
    run::CommonOptions& o = turn.options;
    if (turn.chosen) {
        // Several launches are observed: each has its own files.
        if (!choice_->n) {
            for (std::string* name : {&o.fst, &o.record, &o.timeline})
                *name = run::numbered(*name, turn.number);
        }
        return turn;
    }
    for (std::string* name : {&o.fst, &o.record, &o.timeline, &o.dumpSmem}) name->clear();
    o.coverage = false;
    if (!choice_) return turn;
    turn.functional = settings_.others == run::ExecSettings::kFunctional;
    o.unitName = settings_.others.empty() || turn.functional ? "golden" : settings_.others;
    return turn;
}

void Reporter::record(const std::string& line) const
{
    if (folder_.empty()) return;
    const std::string path = folder_ + '/' + run::kExecRecords;
    const int file = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
    if (file < 0) return;  // gsu exec has ended, so nobody reads this
    for (std::size_t done = 0; done < line.size();) {
        const ssize_t n = ::write(file, line.data() + done, line.size() - done);
        if (n <= 0) break;
        done += static_cast<std::size_t>(n);
    }
    ::close(file);
}

std::optional<std::uint64_t> Patience::due(Clock::time_point now) noexcept
{
    const auto past = std::chrono::duration_cast<std::chrono::seconds>(now - start_);
    if (past < next_) return std::nullopt;
    while (next_ <= past) next_ *= 2;
    return static_cast<std::uint64_t>(past.count());
}

void Reporter::running(const Turn& turn, const LaunchCall& call, const RunProgress& progress,
                       std::uint64_t seconds) const
{
    if (settings_.quiet) return;
    say(fmt::format("launch {}: {} after {} s: {} of {} CTAs have ended, cycle {}, {}", turn.number,
                    callText(call), seconds, progress.ctasEnded, progress.ctas, progress.cycle,
                    counted(progress.instructions, "instruction")));
}

namespace {

/// "KIND: " and the message of the run.
std::string hangText(const HangReport& hang)
{
    return (hang.cause ? hang.cause->kind + ": " : "") + hang.explanation;
}

}  // namespace

void Reporter::end(const Turn& turn, const LaunchCall& call, const run::LaunchOutcome& outcome,
                   const ptx::Module& module, Status status)
{
    const RunResult& r = outcome.result;
    const StatusText* error = find(static_cast<int>(status));
    if (!settings_.quiet || r.verdict != Verdict::Pass) {
        std::string line = fmt::format(
            "launch {}: {} {}: {}, {}, {}, unit {}{}", turn.number, callText(call),
            nameOf(r.verdict), counted(r.cycles, "cycle"), counted(r.instructions, "instruction"),
            counted(r.syncRequests, "sync request"), turn.unitName(), timeOf(r));
        if (status != Status::Success) line += fmt::format(" ({})", error->runtime);
        if (!r.trap.empty()) line += "\ngsu:   ended at " + r.trap;
        if (!r.limit.empty()) line += "\ngsu:   limit: " + r.limit;
        if (r.hang) line += "\ngsu:   hang: " + hangText(*r.hang);
        if (r.fault) line += fmt::format("\ngsu:   cycle {}: {}", r.fault->cycle, r.fault->message);
        if (r.verdict != Verdict::Pass) line += "\ngsu:   launched at " + call.site;
        say(line);
    }
    Json json{{"launch", turn.number},
              {"kernel", call.kernel->function->name},
              {"name", plainName(call.kernel->readable)},
              {"grid", call.grid},
              {"block", call.block},
              {"stream", call.stream},
              {"site", call.site},
              {"error", error->runtime}};
    if (outcome.json.is_object()) {
        json.update(outcome.json);
    } else {
        json["verdict"] = nameOf(r.verdict);
        json["cycles"] = r.cycles;
        json["instructions"] = r.instructions;
        json["sync_requests"] = r.syncRequests;
        json["unit"] = turn.unitName();
        json["findings"] = run::findingsJson(r, module);
        if (r.timing) json["time"] = run::timeJson(*r.timing);
        if (!r.trap.empty()) json["trap"] = r.trap;
        if (!r.limit.empty()) json["limit"] = r.limit;
        if (r.hang) json["hang"] = run::hangJson(*r.hang, module);
        if (r.fault) json["fault"] = {{"cycle", r.fault->cycle}, {"message", r.fault->message}};
    }
    if (!r.ignored.empty()) json["ignored_counts"] = r.ignored;
    record(dump(json));
}

void Reporter::refused(const Turn& turn, const LaunchCall& call, const std::string& why)
{
    say(fmt::format("launch {}: {} not executed: {}", turn.number, callText(call), why));
    record(dump({{"launch", turn.number},
                 {"kernel", call.kernel->function->name},
                 {"name", plainName(call.kernel->readable)},
                 {"verdict", "refused"},
                 {"refused", why},
                 {"site", call.site}}));
}

void Reporter::leaks(const Heap& heap)
{
    if (!settings_.leaks) return;
    std::map<std::string, std::pair<std::uint64_t, std::uint64_t>> bySite;  // count, bytes
    for (const auto& [address, a] : heap.all()) {
        if (a.kind == Allocation::Kind::Variable || a.site.starts_with("managed variable"))
            continue;
        auto& [count, bytes] = bySite[a.site];
        ++count;
        bytes += a.bytes;
    }
    for (const auto& [site, sum] : bySite) {
        say(fmt::format("not freed: {}, {}, {}", counted(sum.first, "allocation"),
                        counted(sum.second, "byte"), site));
        record(dump({{"leak", site}, {"allocations", sum.first}, {"bytes", sum.second}}));
    }
}

}  // namespace gsu::cuda
