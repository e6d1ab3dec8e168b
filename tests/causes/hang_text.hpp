/// All that a report says of a hang, as text, and the texts that tests/causes/reports.txt keeps: one section for each case.
#pragma once
#include <fmt/format.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>

#include "catch.hpp"
#include "exec/result/result.hpp"
#include "files.hpp"

namespace gsu::test {

inline std::string causeText(const HangCause& c)
{
    std::string text = fmt::format("{} line {} cycle {} on {} of CTA {} SM {} id {} at {:#x}{}{},",
                                   c.kind, c.line, c.cycle, nameOf(c.on), c.cta, c.sm, c.id,
                                   c.address, c.shared ? " shared" : "", c.word ? "" : " no word");
    for (const auto& [cta, warp] : c.culprits) text += fmt::format(" {}/{}", cta, warp);
    return text + '\n' + c.sentence + '\n';
}

inline std::string phaseText(const MbarPhase& p)
{
    std::string text = fmt::format("  phase {} from {} to {}:", p.number, p.begin,
                                   p.end == kNever ? "-" : std::to_string(p.end));
    for (const Contribution& c : p.parts)
        text += fmt::format(" {} {} of {}/{} line {}{} {}x {}..{};", c.amount, nameOf(c.share),
                            c.doer.warp.first, c.doer.warp.second, c.doer.line,
                            c.doer.remote ? " remote" : "", c.times, c.first, c.last);
    return text + '\n';
}

inline std::string waitText(const HangReport::Waiting& w)
{
    return fmt::format("waits {}/{} lanes {:#x} line {} {} id {} at {:#x} word {:#x} asked {} "
                       "since {}{}{}\n",
                       w.cta, w.warp, w.lanes, w.line, nameOf(w.kind), w.id, w.address, w.word,
                       w.asked ? std::to_string(*w.asked) : "-", w.since,
                       w.endless ? " endless" : "", w.state);
}

inline std::string hangText(const HangReport& h)
{
    std::string text;
    if (h.cause) {
        text += causeText(*h.cause);
        for (const HangCause& o : h.cause->others) text += "other " + causeText(o);
    }
    const std::size_t told = h.cause ? h.cause->sentence.size() : 0;
    if (h.explanation.size() > told) text += "further:" + h.explanation.substr(told) + '\n';
    for (const auto& m : h.missing) text += fmt::format("missing {}/{} {}\n", m.cta, m.warp, m.why);
    for (const auto& w : h.waiting) text += waitText(w);
    for (const auto& d : h.debts)
        text += fmt::format("debt {} to {} line {}\n", d.from, d.to, d.line);
    for (const auto& o : h.objects) {
        text += fmt::format("object {} at {:#x}: {}\n", o.cta, o.address, o.name);
        for (const MbarPhase& p : o.phases) text += phaseText(p);
    }
    return text + fmt::format("last change {}\n", h.lastChange);
}

/// The recorded reports by the name of their case.
inline const std::map<std::string, std::string>& recordedHangs()
{
    static const std::map<std::string, std::string> all = [] {
        std::map<std::string, std::string> texts;
        std::istringstream in(testfiles::slurp(testfiles::testsFolder() + "/causes/reports.txt"));
        std::string* text = nullptr;
        for (std::string line; std::getline(in, line);) {
            if (line.starts_with("== "))
                text = &texts[line.substr(3)];
            else if (text != nullptr)
                *text += line + '\n';
        }
        return texts;
    }();
    return all;
}

/// Compares a report with the recorded one. GSU_WRITE_HANGS names a file to which the reports are written anew.
inline void checkRecorded(const std::string& name, const HangReport& h)
{
    const std::string text = hangText(h);
    if (const char* to = std::getenv("GSU_WRITE_HANGS"))
        std::ofstream(to, std::ios::app) << "== " << name << '\n' << text;
    const auto found = recordedHangs().find(name);
    INFO("case " << name);
    CHECK((found == recordedHangs().end() ? "no recorded report" : found->second) == text);
}

}  // namespace gsu::test
