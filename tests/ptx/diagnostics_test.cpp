#include "support.hpp"

using ptxtest::around;
using ptxtest::messages;
using ptxtest::parse;

namespace {

std::string first(const std::string& text)
{
    const gsu::ptx::Module m = parse(text);
    const gsu::ptx::Diagnostic* d = gsu::ptx::firstError(m);
    if (d == nullptr) return "none";
    return std::to_string(d->at.line) + ':' + std::to_string(d->at.column) + ' ' + d->message;
}

}  // namespace

TEST_CASE("errors name line, column and reason", "[ptx]")
{
    const std::string head = ".version 8.0\n.target sm_90\n.address_size 64\n";
    CHECK(first("") == "1:1 a PTX module must start with .version");
    CHECK(first("hello") == "1:1 a PTX module must start with .version");
    CHECK(first(".version 8.0\n.entry k() { }") ==
          "2:1 a PTX module must name its .target before anything else");
    CHECK(first(".version x") == "1:10 expected a version such as 8.0, found 'x'");
    CHECK(first(head + ".address_size 16\n") == "4:15 .address_size must be 32 or 64");
    CHECK(first(head + ".foo bar;") == "4:1 directive '.foo' is not known at module scope");
    CHECK(first(head + ".global .b32 x\n.global") ==
          "4:15 expected ';' at the end of the statement");
    CHECK(first(head + ".global .b8 x[1<<41];") ==
          "4:15 an array bound is out of range (0 to 1099511627776)");
    CHECK(first(head + ".global .b8 x[1<<30][1<<30];") ==
          "4:13 variable 'x' is larger than 2^40 bytes");
    CHECK(first(head + ".global .align 3 .b8 x;") == "4:9 an alignment must be a power of two");
    CHECK(first(head + ".global .b8 x[2] = {1,2,3};") == "4:25 too many initialisers for 'x'");
    CHECK(first(head + ".global .b8 x; .global .b8 x;") == "4:28 'x' is already declared");
    CHECK(first(head + ".global .b8 x[];") == "4:13 only .extern arrays may have no size");
    CHECK(first(head + ".global .u64 p = later + 8;") ==
          "4:14 'later' in the initialiser of 'p' is not declared");
    CHECK(first(head + ".entry k() { ret; } .entry k() { ret; }") ==
          "4:28 function 'k' is already defined at line 4");
    CHECK(first(head + ".entry k() {\n ret;\n") ==
          "6:1 the file ends inside function 'k', whose body opens at line 4");
    CHECK(first(head + ".global .b32 x = 1/0;") ==
          "4:20 division by zero in a constant expression");
    CHECK(first(around("mov.u32 %r99, 1;")) == "9:9 register '%r99' is not declared");
    CHECK(first(around("mov.u32 %r1, nowhere;")) == "9:14 'nowhere' is not declared");
    CHECK(first(around("  @%r1 ret;")) == "9:4 guard '%r1' is not a predicate register");
    CHECK(first(around("L: ret; L: ret;")) ==
          "9:9 label 'L' is already defined in this scope, at line 9");
    CHECK(first(around(".reg .b32 %z<4>;\n\n.reg .b32 %z<4>;")) ==
          "11:11 register '%z' is already declared in this scope, at line 9");
    CHECK(first(around(".reg .b32 z;\n.reg .f32 z;")) ==
          "10:11 register 'z' is already declared in this scope, at line 9");
    CHECK(first(around(".shared .b32 z;\n.shared .b8 z;")) ==
          "10:13 'z' is already declared in this scope, at line 9");
    CHECK(first(around(".reg .b32 %z<4>;\nmov.u32 %z1, 3;\n.reg .b32 %z1;")) ==
          "11:11 register '%z1' is already declared in this scope, at line 9");
    CHECK(first(around("add.s32 %r1, %r2 %r3;")) == "9:18 expected ',' or ';', found '%r3'");
    CHECK(first(around("mov.u32 %r1, 1\nadd.u32 %r1, %r1, 1;")) ==
          "9:15 expected ';' at the end of the statement");
    CHECK(first(around("bar.sync 0 // no end\n\nret;")) ==
          "9:11 expected ';' at the end of the statement");
    CHECK(first(around("ret\n")) == "9:4 expected ';' at the end of the statement");
    CHECK(first(around("ret }")) == "9:5 expected ';', found '}'");
    CHECK(first(around("ret\nmov.u32 %r1, 1;")) == "9:4 expected ';' at the end of the statement");
    CHECK(first(around("bar.sync\n 0;")) == "none");
    CHECK(first(around("ld.global.u32 %r1, [%rd1;")) == "9:25 expected ']', found ';'");
    CHECK(first(around("mov.u32 %r1, 0f12;")) ==
          "9:14 0f must be followed by 8 hexadecimal digits");
    CHECK(first(around(std::string("mov\0", 4))) == "9:4 NUL byte: this is not PTX text");
}

TEST_CASE("one bad statement does not hide the next, and each undeclared name is told once",
          "[ptx]")
{
    const auto m =
        parse(around("mov.u32 %r1 %r2;\nmov.u32 %zz, 1;\nmov.u32 %zz, {%r1;\nmov.u32 %yy, 1;"));
    const auto list = messages(m.diagnostics);
    REQUIRE(list.size() == 4);
    CHECK(list[0].substr(0, 5) == "9:13 ");
    CHECK(list[1].substr(0, 5) == "10:9 ");
    CHECK(list[2].substr(0, 6) == "11:18 ");
    CHECK(list[3].substr(0, 5) == "12:9 ");
}

TEST_CASE("reading stops after twenty errors", "[ptx]")
{
    std::string body;
    for (int i = 0; i < 50; ++i) body += "mov.u32 %x" + std::to_string(i) + ", 1;\n";
    const auto m = parse(around(body));
    CHECK(m.diagnostics.size() == 21);
    CHECK(m.diagnostics.back().severity == gsu::ptx::Diagnostic::Severity::Note);
}
