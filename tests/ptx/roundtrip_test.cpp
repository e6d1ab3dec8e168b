#include "ptx/check.hpp"
#include "ptx/printer.hpp"
#include "support.hpp"

using namespace gsu::ptx;

namespace {

bool same(const Operand& a, const Operand& b)
{
    if (a.kind != b.kind || a.negated != b.negated || a.type != b.type || a.index != b.index ||
        a.integer != b.integer || a.offset != b.offset || a.name != b.name ||
        a.elements.size() != b.elements.size()) {
        return false;
    }
    for (std::size_t i = 0; i < a.elements.size(); ++i) {
        if (!same(a.elements[i], b.elements[i])) return false;
    }
    return true;
}

bool same(const Instruction& a, const Instruction& b)
{
    if (a.opcode != b.opcode || a.modifiers != b.modifiers || a.guard.reg != b.guard.reg ||
        a.guard.negated != b.guard.negated || a.sourceFile != b.sourceFile ||
        a.sourceLine != b.sourceLine || a.operands.size() != b.operands.size()) {
        return false;
    }
    for (std::size_t i = 0; i < a.operands.size(); ++i) {
        if (!same(a.operands[i], b.operands[i])) return false;
    }
    return true;
}

bool same(const Variable& a, const Variable& b)
{
    return a.name == b.name && a.space == b.space && a.type == b.type && a.vector == b.vector &&
           (a.align == b.align || a.pointsTo) && a.bytes == b.bytes && a.external == b.external &&
           a.init == b.init && a.relocations.size() == b.relocations.size() &&
           a.pointsTo == b.pointsTo;
}

bool same(const std::vector<Variable>& a, const std::vector<Variable>& b)
{
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](const Variable& x, const Variable& y) { return same(x, y); });
}

void requireSame(const Function& a, const Function& b)
{
    CAPTURE(a.name);
    REQUIRE(a.name == b.name);
    CHECK(a.entry == b.entry);
    CHECK(a.defined == b.defined);
    CHECK(a.reqntid == b.reqntid);
    CHECK(a.reqnctapercluster == b.reqnctapercluster);
    CHECK(same(a.params, b.params));
    CHECK(same(a.returns, b.returns));
    CHECK(same(a.locals, b.locals));
    REQUIRE(a.registers.size() == b.registers.size());
    for (std::size_t i = 0; i < a.registers.size(); ++i) {
        REQUIRE(a.registers[i].name == b.registers[i].name);
        REQUIRE(a.registers[i].type == b.registers[i].type);
    }
    REQUIRE(a.labels.size() == b.labels.size());
    for (std::size_t i = 0; i < a.labels.size(); ++i) {
        REQUIRE(a.labels[i].name == b.labels[i].name);
        REQUIRE(a.labels[i].target == b.labels[i].target);
    }
    REQUIRE(a.body.size() == b.body.size());
    for (std::size_t i = 0; i < a.body.size(); ++i) {
        INFO(print(a.body[i], a) << " / " << print(b.body[i], b));
        REQUIRE(same(a.body[i], b.body[i]));
    }
}

/// Returns the number of instructions, so that a caller can see that something was compared.
std::size_t roundTrip(const std::filesystem::path& path)
{
    CAPTURE(path.string());
    const Module first = parseFile(path);
    REQUIRE(ptxtest::messages(first.diagnostics) == std::vector<std::string>{});
    const std::string text = print(first);
    const Module second = parseModule(text, "printed");
    REQUIRE(ptxtest::messages(second.diagnostics) == std::vector<std::string>{});
    REQUIRE(print(second) == text);
    REQUIRE(same(first.variables, second.variables));
    std::size_t instructions = 0;
    for (const Function& f : first.functions) {
        const Function* g = second.find(f.name);
        REQUIRE(g != nullptr);
        requireSame(f, *g);
        instructions += f.body.size();
    }
    return instructions;
}

}  // namespace

TEST_CASE("parse, print, parse gives the same module: bundled fixtures of every producer", "[ptx]")
{
    std::size_t files = 0;
    for (const auto& path : ptxtest::fixtures()) {
        CHECK(roundTrip(path) > 0);
        ++files;
    }
    CHECK(files >= 5);
}

TEST_CASE("parse, print, parse gives the same module: all shared kernels", "[ptx][shared]")
{
    const auto folder = ptxtest::shared("round trip of the shared kernels");
    if (!folder) return;
    std::size_t files = 0;
    for (const char* part : {"kernels", "kernels_bad", "corpus"}) {
        for (const auto& path : ptxtest::ptxUnder(*folder / part)) {
            CHECK(roundTrip(path) > 0);
            CHECK(checkModule(parseFile(path)).accepted);
            ++files;
        }
    }
    CHECK(files > 50);
}
