// Instructions outside the synchronization chapter: what the table takes, against stored verdicts of the reference assembler and
// in single cases with their messages.
#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <set>
#include <sstream>

#include "ptx/check.hpp"
#include "support.hpp"

using namespace gsu::ptx;

namespace {

CheckResult judge(const std::string& body, Dialect dialect = Dialect::Text,
                  const std::string& target = "sm_90")
{
    return checkModule(ptxtest::parse(ptxtest::around(body, target)), dialect);
}

struct Sample {
    std::string prelude, end;
    std::vector<std::array<std::string, 4>> forms;  ///< target, version, verdict, instruction
};

/// '#' comments, '|' the module around the instructions, "}|" its end.
Sample readSample(const std::string& file)
{
    Sample sample;
    std::istringstream text(
        ptxtest::readText(std::filesystem::path(testfiles::testsFolder()) / "ptx/data" / file));
    for (std::string line; std::getline(text, line);) {
        if (line.empty() || line[0] == '#') continue;
        if (line[0] == '|') {
            sample.prelude += line.substr(1) + '\n';
            continue;
        }
        std::istringstream fields(line);
        std::array<std::string, 4> form;
        for (std::string& field : form) std::getline(fields, field, '\t');
        sample.forms.push_back(form);
    }
    return sample;
}

bool hasWord(const std::string& text, const std::string& word)
{
    const auto inName = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; };
    for (std::size_t at = 0; (at = text.find(word, at)) != std::string::npos; at += word.size())
        if (!inName(text[at + word.size()])) return true;
    return false;
}

}  // namespace

TEST_CASE("The table agrees with the reference assembler on stored instructions")
{
    const Sample sample = readSample(GENERATE("isa_sweep.tsv", "chapter_sweep.tsv"));
    REQUIRE(sample.forms.size() > 1000);
    std::set<std::array<std::string, 2>> groups;
    for (const auto& f : sample.forms) groups.insert({f[0], f[1]});
    std::size_t wrong = 0, legal = 0;
    for (const auto& [target, version] : groups) {
        std::string text = ".version " + version + "\n.target " + target + '\n' + sample.prelude;
        const auto first = static_cast<std::uint32_t>(std::count(text.begin(), text.end(), '\n'));
        std::vector<std::pair<std::string, bool>> expected;
        for (const auto& f : sample.forms) {
            if (f[0] != target || f[1] != version) continue;
            text += f[3] + '\n';
            expected.emplace_back(f[3], f[2] == "accept");
        }
        const CheckResult result =
            checkModule(ptxtest::parse(text + "L1: ret; }\n"), Dialect::Ptxas);
        std::vector<bool> accepted(expected.size(), true);
        for (const Diagnostic& d : result.diagnostics) {
            const std::size_t at = d.at.line - first - 1;
            if (d.severity != Diagnostic::Severity::Error || at >= accepted.size()) continue;
            accepted[at] = false;
            if (!d.message.ends_with("' is not declared")) continue;
            // Reported once: other instructions with this name are wrong, too.
            const std::size_t from = d.message.find('\'') + 1;
            const std::string name = d.message.substr(from, d.message.rfind('\'') - from);
            for (std::size_t i = at; i < accepted.size(); ++i)
                if (hasWord(expected[i].first, name)) accepted[i] = false;
        }
        for (std::size_t i = 0; i < expected.size(); ++i) {
            legal += expected[i].second;
            if (accepted[i] == expected[i].second) continue;
            ++wrong;
            UNSCOPED_INFO(target << ' ' << expected[i].first
                                 << (accepted[i] ? " taken" : " refused"));
        }
    }
    CHECK(legal > sample.forms.size() / 12);  // both verdicts are there
    CHECK(wrong * 200 <= sample.forms.size());
}

TEST_CASE("What no instruction is gets a message with the nearest form")
{
    struct Row {
        const char *text, *says;
    };
    const Row rows[] = {
        {"add.frobnicate.u32 %r1, %r2, %r3;", "9:1 'add.frobnicate.u32': '.frobnicate' does not "
                                              "belong here; nearest form: add.type d, a, b;"},
        {"mul.u32.lo %r1, %r2, %r3;",
         "9:1 'mul.u32.lo': '.lo' does not belong here; nearest form: mul.lo.type d, a, b;"},
        {"add.cc.u32 _, %r2, %r3;",
         "9:12 operand d must be a register of type .u32: add.cc.type d, a, b;"},
        {"prmt.b32 _, %r1, %r2, %r3;",
         "9:10 operand d must be a register of type .b32: prmt.b32{.mode} d, a, b, c;"},
        {"add.u32 %r1, %r2, %rd3;",
         "9:19 operand b must be a register or literal of type .u32: add.type d, a, b;"},
        {"lop3.b32 %r1, %r2, %r3, %r4, 256;", "9:30 operand immLut must be an integer literal from "
                                              "0 to 255: lop3.b32 d, a, b, c, immLut;"},
        {"ld.global.u32 %r1, [smem];",
         "9:20 operand [a] must be an address of the right space in brackets: "
         "ld{.weak}{.space}{.cop}{.ev1}{.L2::cache_hint}"
         "{.pre}.type d, [a]{, policy};"},
        {"max.xorsign.f32 %f1, %f2, %f3;", "9:1 '.xorsign' without '.abs' does not go; nearest "
                                           "form: max{.ftz}{.NaN}{.xorsign}{.abs}.f32 d, a, b;"}};
    for (const Row& row : rows) {
        INFO(row.text);
        for (const Dialect dialect : {Dialect::Text, Dialect::Ptxas}) {
            const CheckResult result = judge(row.text, dialect);
            CHECK_FALSE(result.accepted);
            CHECK(ptxtest::messages(result.diagnostics) == std::vector<std::string>{row.says});
        }
    }
}

TEST_CASE("A name that is not declared is one error")
{
    const auto says = [](const std::string& body) {
        return ptxtest::messages(judge(body).diagnostics);
    };
    using Lines = std::vector<std::string>;
    CHECK(says("bra NOWHERE;") == Lines{"9:5 'NOWHERE' is not declared"});
    CHECK(says("bar.sync %n9;") == Lines{"9:10 register '%n9' is not declared"});
    CHECK(says("add.u32 %n1, %n1, 3;\nadd.u32 %r1, %n1, 3;") ==
          Lines{"9:9 register '%n1' is not declared"});
    CHECK(says("ld.global.u32 %r1, [nope];") == Lines{"9:21 'nope' is not declared"});
    CHECK(says("add.u32 %n1, %r1, 3;\nadd.u32 %r1, %p1, 3;").size() == 2);
    CHECK(says("bra smem;") == Lines{"9:5 operand target must be a label: bra{.uni} target;"});
}

TEST_CASE("A form that only another target has is not its own nearest form")
{
    CHECK(ptxtest::messages(judge("wgmma.fence.sync.aligned;").diagnostics) ==
          std::vector<std::string>{"9:1 'wgmma.fence.sync.aligned' needs .target sm_90a"});
}

TEST_CASE("Orders that the reference assembler and public headers have are taken")
{
    for (const char* text :
         {"setp.u32.lt %p1, %r1, %r2;", "add.f32.rn %f1, %f2, %f3;", "ld.u32.global %r1, [%rd1];",
          "ld.ca.global.u32 %r1, [%rd1];", "setp.and.lt.f32 %p1|%p2, %f1, %f2, !%p3;",
          "ld.global.b32 {%r1}, [%rd1];", "mov.b64 {%r1, _}, %rd1;",
          "and.b32 %r1, %r2, 0f3f800000;"}) {
        INFO(text);
        CHECK(judge(text).accepted);
        CHECK(judge(text, Dialect::Ptxas).accepted);
    }
}

// Verdicts of the reference assembler of CUDA 13.0, the same in both dialects.
TEST_CASE("Vectors of tcgen05.ld and st: literals among registers, one family of types")
{
    const auto accepted = [](const std::string& vector, Dialect dialect) {
        const bool x4 = std::count(vector.begin(), vector.end(), ',') == 3;
        return judge(std::string(
                         ".reg .u32 %ru<4>; .reg .f16x2 %hx<4>;\ntcgen05.st.sync.aligned.32x32b.") +
                         (x4                                      ? "x4"
                          : vector.find(',') != std::string::npos ? "x2"
                                                                  : "x1") +
                         ".b32 [%r1], {" + vector + "};",
                     dialect, "sm_100a")
            .accepted;
    };
    const Dialect dialect = GENERATE(Dialect::Text, Dialect::Ptxas);
    for (const char* vector :
         {"0x40000000, %r2", "%r2, -1", "%ru2, 5", "1, 2, 3, %r2", "%f1, %r2", "%r2, %hx2",
          "%f1, %r2, %f1, %f2", "0f40000000", "0f40000000, 0f40000000", "%r2, 0f40000000",
          "%f2, 0f40000000", "%r2"}) {
        INFO(vector);
        CHECK(accepted(vector, dialect));
    }
    for (const char* vector :
         {"3", "3, 5", "%f1, 5", "%hx2, 5", "%f1, %ru2", "%f1, %hx2", "%hx2, 0f40000000",
          "3, 0f40000000", "1, 2, %f1, %r2", "%f1, %ru2, 3, %f2", "%r2, 1.0", "%r2, _"}) {
        INFO(vector);
        CHECK_FALSE(accepted(vector, dialect));
    }
    const std::string load = "tcgen05.ld.sync.aligned.32x32b.x2.b32 ";
    CHECK(judge(load + "{%f1, %r2}, [%r1];", dialect, "sm_100a").accepted);
    CHECK_FALSE(judge(load + "{%r2, _}, [%r1];", dialect, "sm_100a").accepted);
    CHECK_FALSE(judge(load + "{%r2, 5}, [%r1];", dialect, "sm_100a").accepted);
}

TEST_CASE("Words of testp are ignored by the reference assembler only")
{
    CHECK(judge("brkpt.finite;", Dialect::Ptxas).accepted);
    CHECK_FALSE(judge("brkpt.finite;").accepted);
}

TEST_CASE("Gates of forms: version, target, family")
{
    const std::string wide = "add.rn.f32x2 %rd1, %rd2, %rd3;";
    CHECK_FALSE(judge(wide, Dialect::Text, "sm_90").accepted);
    CHECK(judge(wide, Dialect::Text, "sm_100").accepted);
    const std::string registers = "setmaxnreg.inc.sync.aligned.u32 24;";
    CHECK(judge(registers, Dialect::Text, "sm_90a").accepted);
    CHECK_FALSE(judge(registers, Dialect::Text, "sm_90").accepted);
    CHECK(judge(registers, Dialect::Text, "sm_100a").accepted);
}
