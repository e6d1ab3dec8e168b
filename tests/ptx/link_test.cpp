// Linking: what is shared, what stays private, what is refused with both places.
#include <algorithm>

#include "ptx/link.hpp"
#include "ptx/printer.hpp"
#include "support.hpp"

using namespace gsu::ptx;

namespace {

const char* const kHead = ".version 8.6\n.target sm_90a\n.address_size 64\n";

/// Modules a.ptx, b.ptx, ... with these declarations from line 4 on.
Module linked(const std::vector<std::string>& bodies,
              const std::vector<std::string_view>& provided = {})
{
    std::vector<Module> modules;
    for (const std::string& body : bodies) {
        const std::string name(1, static_cast<char>('a' + modules.size()));
        modules.push_back(parseModule(kHead + body, "dir/" + name + ".ptx"));
        REQUIRE(ptxtest::messages(modules.back().diagnostics) == std::vector<std::string>{});
    }
    return linkModules(std::move(modules), provided);
}

/// The errors as "file:line: message".
std::vector<std::string> errorsOf(const std::vector<std::string>& bodies)
{
    const Module m = linked(bodies);
    std::vector<std::string> list;
    for (const Diagnostic& d : m.diagnostics) {
        const auto [file, line] = m.placeOf(d.at.line);
        list.push_back(file + ':' + std::to_string(line) + ": " + d.message);
    }
    return list;
}

void refused(const std::vector<std::string>& bodies, const std::string& error)
{
    CAPTURE(bodies);
    CHECK(errorsOf(bodies) == std::vector<std::string>{error});
}

const Variable* variable(const Module& m, const std::string& name)
{
    const auto found = std::find_if(m.variables.begin(), m.variables.end(),
                                    [&](const Variable& v) { return v.name == name; });
    return found == m.variables.end() ? nullptr : &*found;
}

std::string uses(const std::string& name)
{
    return ".visible .entry k() {\n.reg .b64 %rd1;\nmov.u64 %rd1, " + name + ";\nret;\n}\n";
}

}  // namespace

TEST_CASE("a declaration finds its definition in another module", "[ptx][link]")
{
    const Module m = linked({".extern .global .u32 g;\n.extern .func f();\n" + uses("g"),
                             ".visible .global .u32 g = 5;\n.visible .func f() { ret; }\n"});
    REQUIRE(m.ok());
    REQUIRE(m.variables.size() == 1);
    CHECK(m.variables[0].init == std::vector<std::uint8_t>{5, 0, 0, 0});
    REQUIRE(m.find("f") != nullptr);
    CHECK(m.find("f")->defined);
    CHECK(std::count_if(m.functions.begin(), m.functions.end(),
                        [](const Function& f) { return f.name == "f"; }) == 1);
}

TEST_CASE("lines count on and lead back to their file", "[ptx][link]")
{
    const Module m = linked({uses("0"), "\n\n.visible .func f() {\nret;\n}"});
    REQUIRE(m.ok());
    CHECK(m.lines == 8 + 8);
    const std::uint32_t line = m.find("f")->body[0].at.line;
    CHECK(m.placeOf(line) == std::pair<std::string, std::uint32_t>{"dir/b.ptx", 7});
    CHECK(m.lineText(line) == "line 7 of b.ptx");
    CHECK(m.placeOf(7).first == "dir/a.ptx");
    const Module alone = parseModule(kHead, "x.ptx");
    CHECK(alone.lineText(3) == "line 3");
    CHECK(alone.lines == 3);
}

TEST_CASE("private names of several modules stay apart", "[ptx][link]")
{
    const std::string module =
        ".global .u32 s = 1;\n.func f() {\n.reg .b64 %rd1;\nmov.u64 %rd1, s;\nret;\n}\n";
    const Module m =
        linked({module + ".global .u64 p = s;\n", module, ".visible .func f() { ret; }\n"});
    REQUIRE(m.ok());
    CHECK(variable(m, "s@a.ptx") != nullptr);
    CHECK(variable(m, "s@b.ptx") != nullptr);
    CHECK(variable(m, "s") == nullptr);
    CHECK(variable(m, "p")->relocations[0].symbol == "s@a.ptx");
    REQUIRE(m.find("f@b.ptx") != nullptr);
    CHECK(m.find("f@b.ptx")->body[0].operands[1].name == "s@b.ptx");
    CHECK(m.find("f@a.ptx")->body[0].operands[1].name == "s@a.ptx");
    CHECK(m.find("f")->body.size() == 1);
    // A name only one module has keeps it, and what a function declares hides what the module has.
    const Module single = linked({".global .u32 s;\n", uses("0")});
    CHECK(variable(single, "s") != nullptr);
    const Module hidden = linked(
        {".visible .entry k() {\n.local .b32 s[4];\n.reg .b64 %rd1;\nmov.u64 %rd1, s;\nret;\n}\n"
         ".global .u32 s;\n",
         ".global .u32 s;\n"});
    CHECK(hidden.find("k")->body[0].operands[1].name == "s");
}

TEST_CASE("strong beats common beats weak, the first weak one counts", "[ptx][link]")
{
    const std::string weak = ".weak .global .u32 g = 2;\n.weak .func f() { trap; ret; }\n";
    const std::string other = ".weak .global .u32 g = 3;\n.weak .func f() { ret; }\n";
    const std::string strong = ".visible .global .u32 g = 4;\n.visible .func f() { exit; }\n";
    const std::string common = ".common .global .u32 g;\n";
    const auto value = [](const Module& m) { return variable(m, "g")->init.at(0); };
    CHECK(value(linked({weak, other})) == 2);
    CHECK(linked({weak, other}).find("f")->body[0].opcode == "trap");
    CHECK(value(linked({weak, strong, other})) == 4);
    CHECK(linked({weak, strong}).find("f")->body[0].opcode == "exit");
    CHECK(variable(linked({weak, common}), "g")->init.empty());
    CHECK(value(linked({common, strong})) == 4);
    const Module m =
        linked({".common .global .align 4 .b8 h[12];\n", ".common .global .align 16 .b8 h[64];\n"});
    REQUIRE(m.ok());
    REQUIRE(m.variables.size() == 1);
    CHECK(m.variables[0].bytes == 64);
    CHECK(m.variables[0].align == 16);
}

TEST_CASE("two strong definitions and unresolved references are refused with both places",
          "[ptx][link]")
{
    refused({".visible .global .u32 g;\n", "\n.visible .global .u32 g;\n"},
            "dir/b.ptx:5: 'g' is defined twice: here and at dir/a.ptx:4");
    refused({".visible .func f() { ret; }\n", ".visible .func f() { ret; }\n"},
            "dir/b.ptx:4: 'f' is defined twice: here and at dir/a.ptx:4");
    refused({".visible .global .u32 f;\n", ".visible .func f() { ret; }\n"},
            "dir/b.ptx:4: 'f' is not what dir/a.ptx:4 defines: a function here, a variable there");
    refused({".extern .global .u32 g;\n" + uses("g"), ".global .u32 g;\n"},
            "dir/a.ptx:7: 'g' is not defined in any module; it is declared at dir/a.ptx:4");
    refused({".extern .func f();\n.global .u64 p = f;\n"},
            "dir/a.ptx:5: 'f' is not defined in any module; it is declared at dir/a.ptx:4");
    refused(
        {".func f();\n.visible .entry k() {\ncall f;\nret;\n}\n", ".visible .func f() { ret; }\n"},
        "dir/a.ptx:6: 'f' has no body in its module and is not .extern; it is declared at "
        "dir/a.ptx:4");
    // Declared and not used, or provided: nothing is missing.
    CHECK(linked({".extern .global .u32 g;\n.extern .func f();\n"}).ok());
    const std::vector<std::string> calls{".extern .func f();\n" + uses("f")};
    CHECK_FALSE(linked(calls).ok());
    CHECK(linked(calls, {"f"}).ok());
}

TEST_CASE("declarations are compared with what they meet", "[ptx][link]")
{
    const auto against = [](const std::string& declared, const std::string& defined,
                            const std::string& why) {
        refused({declared + "\n", defined + "\n"},
                "dir/a.ptx:4: 'x' is not what dir/b.ptx:4 defines: " + why);
    };
    against(".extern .const .u32 x;", ".visible .global .u32 x;",
            "the state space differs: .const here, .global there");
    against(".extern .global .u64 x;", ".visible .global .u32 x;",
            "the type differs: .u64 here, .u32 there");
    against(".extern .global .f32 x;", ".visible .global .u32 x;",
            "the type differs: .f32 here, .u32 there");
    against(".extern .global .u32 x[4];", ".visible .global .u32 x[3];",
            "the size differs: 16 bytes here, 12 bytes there");
    against(".extern .global .align 16 .b8 x[4];", ".visible .global .align 4 .b8 x[4];",
            "the alignment differs: 16 here, 4 there");
    against(".extern .func x(.param .b32 p);", ".visible .func x() { ret; }",
            "the number of parameters differs: 1 here, 0 there");
    against(".extern .func (.param .b32 r) x();", ".visible .func (.param .f64 r) x() { ret; }",
            "the type of result 0 differs: .b32 here, .f64 there");
    against(".extern .func x(.reg .b32 p);", ".visible .func x(.param .b32 p) { ret; }",
            "the space of parameter 0 differs: .reg here, .param there");
    against(".extern .func x(.param .b8 p[8]);", ".visible .func x(.param .b8 p[12]) { ret; }",
            "the size of parameter 0 differs: 8 bytes here, 12 bytes there");
    // The compiler's output for one object declared in two files.
    for (const auto& [declared, defined] :
         {std::pair{".extern .global .s32 x;", ".visible .global .u32 x;"},
          {".extern .global .align 8 .b8 x[16];", ".visible .global .align 8 .u64 x[2];"},
          {".extern .global .u32 x[];", ".visible .global .u32 x[7];"},
          {".extern .global .align 4 .u32 x;", ".visible .global .align 16 .b32 x;"}}) {
        CAPTURE(declared);
        CHECK(errorsOf({std::string(declared) + "\n", std::string(defined) + "\n"}).empty());
    }
}

TEST_CASE("aliases name the body of their own module", "[ptx][link]")
{
    const std::string body = ".visible .func (.param .b32 r) one() { ret; }\n";
    const std::string alias = ".visible .func (.param .b32 r) two();\n.alias two, one;\n";
    const std::string user = ".extern .func (.param .b32 r) two();\n" + uses("two");
    const Module m = linked({user, body + alias});
    REQUIRE(m.ok());
    CHECK(m.aliases == std::vector<std::pair<std::string, std::string>>{{"two", "one"}});
    // A weak body that another one replaces stays for its alias alone.
    const std::string weak = ".weak .func (.param .b32 r) one() { trap; ret; }\n";
    const Module kept = linked({user, body, weak + alias});
    REQUIRE(kept.ok());
    CHECK(kept.aliases == std::vector<std::pair<std::string, std::string>>{{"two", "one@c.ptx"}});
    CHECK(kept.find("one@c.ptx")->body[0].opcode == "trap");
    CHECK(kept.find("one")->body[0].opcode == "ret");
    refused({body + alias, ".visible .func (.param .b32 r) two() { ret; }\n"},
            "dir/b.ptx:4: 'two' is defined twice: here and at dir/a.ptx:5");
    refused({".visible .func one() { ret; }\n" + alias},
            "dir/a.ptx:5: alias 'two' is not what dir/a.ptx:4 defines: the number of results "
            "differs: 1 here, 0 there");
    refused({alias + ".extern .func (.param .b32 r) one();\n"},
            "dir/a.ptx:4: alias 'two': 'one' is not a function that this module defines");
}

TEST_CASE("dynamic shared memory is one, headers must agree, the hash covers all texts",
          "[ptx][link]")
{
    const std::string dynamic = ".extern .shared .align 8 .b8 dyn[];\n";
    const Module m = linked({dynamic + uses("dyn"), ".extern .shared .align 32 .b8 dyn[];\n"});
    REQUIRE(m.ok());
    REQUIRE(m.variables.size() == 1);
    CHECK(m.variables[0].align == 32);
    std::vector<Module> odd;
    odd.push_back(parseModule(kHead, "a.ptx"));
    odd.push_back(parseModule(".version 9.0\n.target sm_90\n.address_size 32\n", "b.ptx"));
    const Module wrong = linkModules(odd);
    REQUIRE_FALSE(wrong.ok());
    CHECK(wrong.diagnostics[0].message == ".address_size 32 does not go with 64 of a.ptx");
    CHECK(wrong.versionMajor == 9);
    const std::uint64_t alone = parseModule(kHead + uses("0"), "a.ptx").hash;
    CHECK(linked({uses("0")}).hash == alone);
    CHECK(linked({uses("0"), "\n"}).hash != alone);
    CHECK(linked({uses("0"), "\n"}).hash != linked({uses("0"), "\n\n"}).hash);
}
