// Worked examples and rules as data: each file of tests/scenarios/examples holds cases. A case begins with
//   case TAG ...: what it shows        tags are rules and numbers of examples (EX-...); scripts/check reads them here
// then come, in this order, lines of conditions and expectations,
//   threads N | ctas N (of a cluster) | clusters N | target T | version V | words N (of the buffer out)
//   out W ...                          first words of `out`, zeros behind them; N*W repeats a word
//   misuse RULE ... | warns RULE ...   findings, each once, ascending; the verdict misuse, or still a pass
//   trap WORDS | hang WORDS            how it ends, and words of the message; a hang behind misuse has the verdict misuse
//   refused RULE                       no run: the legality check says so, or (`refused syntax`) the parser
// and PTX, whose registers and addresses are those of scenario.hpp (of refused ones: those of ptxtest::around).
#include <algorithm>
#include <sstream>

#include "catch.hpp"
#include "ptx/check.hpp"
#include "ptx/support.hpp"
#include "scenarios/scenario.hpp"

using namespace scenario;

namespace {

struct Case {
    std::string title, refused;
    Scenario scenario;
};

std::vector<std::string> wordsOf(std::istringstream& line)
{
    std::vector<std::string> all;
    for (std::string w; line >> w;) all.push_back(w);
    return all;
}

void addWords(const std::string& text, std::vector<std::uint32_t>& out)
{
    const std::size_t star = text.find('*');
    const std::size_t times = star == std::string::npos ? 1 : std::stoul(text);
    const std::string word = star == std::string::npos ? text : text.substr(star + 1);
    out.insert(out.end(), times, static_cast<std::uint32_t>(std::stoul(word, nullptr, 0)));
}

/// What is expected, as the line of that key says it; false if there is no such key.
bool expectation(const std::string& key, std::istringstream& line, Case& c)
{
    Expected& e = c.scenario.expected;
    if (key == "refused") {
        line >> c.refused;
    } else if (key == "trap") {
        std::getline(line >> std::ws, e.trap);
    } else if (key == "hang") {
        if (e.findings.empty()) e.verdict = gsu::Verdict::Hang;
        std::getline(line >> std::ws, e.hang);
    } else if (key == "out") {
        for (const std::string& w : wordsOf(line)) addWords(w, e.out);
    } else if (key == "misuse" || key == "warns") {
        e.findings = wordsOf(line);
        if (key == "misuse") e.verdict = gsu::Verdict::Misuse;
    } else {
        return false;
    }
    return true;
}

/// A line of conditions or expectations; false if it is PTX.
bool condition(const std::string& text, Case& c)
{
    std::istringstream line(text);
    std::string key;
    line >> key;
    Scenario& s = c.scenario;
    if (key == "threads")
        line >> s.threads;
    else if (key == "ctas")
        line >> s.ctas;
    else if (key == "clusters")
        line >> s.clusters;
    else if (key == "words")
        line >> s.outWords;
    else if (key == "target")
        line >> s.target;
    else if (key == "version")
        line >> s.version;
    else
        return expectation(key, line, c);
    return true;
}

std::vector<Case> casesOf(const std::filesystem::path& file)
{
    std::istringstream in(ptxtest::readText(file));
    std::vector<Case> all;
    bool head = false;
    for (std::string line; std::getline(in, line);) {
        if (line.rfind("case ", 0) == 0) {
            all.emplace_back().title = line.substr(5);
            head = true;
        } else if (!line.empty() && line[0] != '#') {
            REQUIRE(!all.empty());
            head = head && condition(line, all.back());
            if (!head) all.back().scenario.body += line + '\n';
        }
    }
    return all;
}

void refuse(const Case& c)
{
    const gsu::ptx::CheckResult r = gsu::ptx::checkModule(
        ptxtest::parse(ptxtest::around(c.scenario.body, c.scenario.target, c.scenario.version)));
    CAPTURE(ptxtest::messages(r.diagnostics));
    CHECK_FALSE(r.accepted);
    CHECK(
        std::any_of(r.diagnostics.begin(), r.diagnostics.end(), [&](const gsu::ptx::Diagnostic& d) {
            return d.rule == (c.refused == "syntax" ? "" : c.refused);
        }));
}

}  // namespace

TEST_CASE("the worked examples of the chapter", "[examples]")
{
    const auto folder = std::filesystem::path(testfiles::testsFolder()) / "scenarios" / "examples";
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder))
        files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    REQUIRE(!files.empty());
    const auto file = GENERATE_COPY(from_range(files));
    for (const Case& c : casesOf(file)) {
        DYNAMIC_SECTION(file.stem().string() << ": " << c.title)
        {
            if (c.refused.empty())
                check(c.scenario);
            else
                refuse(c);
        }
    }
}
