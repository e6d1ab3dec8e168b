#include <regex>
#include <sstream>

#include "ptx/check.hpp"
#include "support.hpp"

using namespace gsu::ptx;

namespace {

std::vector<std::string> fields(const std::string& line)
{
    std::vector<std::string> list;
    std::stringstream stream(line);
    for (std::string field; std::getline(stream, field, '\t');) list.push_back(field);
    list.resize(10);
    return list;
}

std::string unescape(const std::string& text)
{
    return std::regex_replace(text, std::regex(R"(\\n)"), "\n");
}

/// The module the probes were assembled in: declarations appear only where the snippet needs them.
std::string module(const std::string& snippet, const std::string& target,
                   const std::string& version)
{
    const int major = std::stoi(version);
    const int minor = std::stoi(version.substr(version.find('.') + 1));
    std::string text = ".version " + version + "\n.target " + target + '\n';
    if (major * 10 + minor >= 23) text += ".address_size 64\n";
    if (snippet.rfind("@@MODULE", 0) == 0) return text + snippet.substr(8) + '\n';
    for (const char* name : {"gbl", "gsrc"}) {
        if (snippet.find(name) != std::string::npos)
            text += std::string(".global .align 128 .b8 ") + name + "[256];\n";
    }
    text += ".entry k()\n{\n.reg .pred %p<8>;\n.reg .b32 %r<24>;\n.reg .f32 %f<16>;\n.reg .b16 "
            "%h<20>;\n"
            ".reg .f64 %fd<8>;\n.reg .b64 %rd<16>;\n";
    if (snippet.find("%q") != std::string::npos) text += ".reg .b128 %q<4>;\n";
    if (snippet.find("smem") != std::string::npos) text += ".shared .align 128 .b8 smem[1024];\n";
    static const std::regex words("mbarrier|membar|complete|cluster");
    if (std::regex_replace(snippet, words, "").find("mb") != std::string::npos)
        text += ".shared .align 8 .b64 mb;\n";
    return text + unescape(snippet) + "\nret;\n}\n";
}

}  // namespace

TEST_CASE("the legality probes: both dialects agree with what they follow",
          "[ptx][shared][GEN-006][GEN-007][GEN-012]")
{
    const auto folder = ptxtest::shared("the legality probes");
    if (!folder) return;
    std::istringstream table(ptxtest::readText(*folder / "spec" / "probes" / "cases.tsv"));
    std::string line;
    std::getline(table, line);
    int text = 0;
    int ptxas = 0;
    while (std::getline(table, line)) {
        const auto f = fields(line);
        const Module m = ptxtest::parse(module(f[1], f[2], f[3]));
        CAPTURE(f[0], f[1], f[2], f[3]);
        const std::string want = f[6].substr(0, f[6].find('('));
        if (want == "accept" || want == "reject") {
            const CheckResult r = checkModule(m, Dialect::Text);
            CAPTURE(ptxtest::messages(r.diagnostics));
            CHECK((r.accepted ? "accept" : "reject") == want);
            ++text;
        }
        const CheckResult r = checkModule(m, Dialect::Ptxas);
        CAPTURE(ptxtest::messages(r.diagnostics));
        CHECK((r.accepted ? "accept" : "reject") == f[4]);
        ++ptxas;
    }
    CHECK(text > 1500);
    CHECK(ptxas > 1700);
}
