// Forms of the video instructions, one family at a time.
#include "ptx/video.hpp"

#include <algorithm>
#include <array>

namespace gsu::ptx {
namespace {

enum class Family : std::uint8_t { None, Arith, Shift, Set, Mad, SimdArith, SimdSet };

Family familyOf(std::string_view opcode) noexcept
{
    constexpr std::array<std::string_view, 6> kArith{"vadd", "vsub", "vabsdiff",
                                                     "vmin", "vmax", "vavrg"};
    const bool simd = !opcode.empty() && (opcode.back() == '2' || opcode.back() == '4');
    const std::string_view stem = simd ? opcode.substr(0, opcode.size() - 1) : opcode;
    if (stem == "vset") return simd ? Family::SimdSet : Family::Set;
    if (std::find(kArith.begin(), kArith.end(), stem) != kArith.end()) {
        if (simd) return Family::SimdArith;
        return stem == "vavrg" ? Family::None : Family::Arith;
    }
    if (opcode == "vshl" || opcode == "vshr") return Family::Shift;
    return opcode == "vmad" ? Family::Mad : Family::None;
}

bool isOneOf(std::string_view list, std::string_view word) noexcept
{
    // Words of a list are separated by blanks.
    for (std::size_t at = list.find(word); at != std::string_view::npos;
         at = list.find(word, at + 1)) {
        const std::size_t end = at + word.size();
        if ((at == 0 || list[at - 1] == ' ') && (end == list.size() || list[end] == ' '))
            return true;
    }
    return false;
}

struct Judge {
    const Function& function;
    const Instruction& in;
    Dialect dialect{};
    Family family{familyOf(in.opcode)};
    unsigned lanes{videoLanes(in.opcode)};
    std::optional<VideoProblem> problem{};
    bool simd{family == Family::SimdArith || family == Family::SimdSet};
    bool sat{}, second{}, plusOne{};

    bool fail(Position at, std::string reason)
    {
        problem = VideoProblem{at, std::move(reason)};
        return false;
    }
    bool fail(std::string reason) { return fail(in.at, "'" + in.opcode + "' " + reason); }

    [[nodiscard]] std::string_view groupOf(std::string_view word) const noexcept;
    bool modifiers();
    bool types(const std::vector<std::string_view>& found);
    bool operandKind(const Operand& o, bool immediates);
    bool destination(const Operand& d);
    bool source(const Operand& o);
    bool third(const Operand& c);
    bool negations();
    bool operands();
};

/// The group of alternatives to which a modifier belongs; empty if the family has no such modifier.
std::string_view Judge::groupOf(std::string_view word) const noexcept
{
    const bool set = family == Family::Set || family == Family::SimdSet;
    if (word == "sat" && !set) return "sat";
    if (family == Family::Mad)
        return word == "po" ? "po" : isOneOf("shr7 shr15", word) ? "scale" : "";
    if (word == "add" || (!simd && isOneOf("min max", word))) return "second";
    if (set && isOneOf("eq ne lt le gt ge", word)) return "comparison";
    if (family == Family::Shift && isOneOf("clamp wrap", word)) return "mode";
    return {};
}

bool Judge::types(const std::vector<std::string_view>& found)
{
    const bool set = family == Family::Set || family == Family::SimdSet;
    if (found.size() != (set ? 2 : 3))
        return fail(set ? "needs two types, .u32 or .s32" : "needs three types, .u32 or .s32");
    if (family == Family::Shift && found[2] != "u32")
        return fail("shifts by a .u32: the third type");
    return true;
}

bool Judge::modifiers()
{
    std::vector<std::string_view> found;
    std::vector<std::pair<std::string_view, std::string_view>> seen;
    for (const std::string& word : in.modifiers) {
        if (word == "u32" || word == "s32") {
            found.push_back(word);
            continue;
        }
        const std::string_view group = groupOf(word);
        if (group.empty()) return fail("has no modifier '." + word.substr(0, 60) + "'");
        for (const auto& [had, text] : seen)
            if (had == group && group != "sat")  // only .sat may appear twice
                return fail("has both '." + std::string(text) + "' and '." + word + "'");
        seen.emplace_back(group, word);
        sat |= group == "sat";
        second |= group == "second";
        plusOne |= group == "po";
    }
    const auto has = [&](std::string_view group) {
        return std::any_of(seen.begin(), seen.end(),
                           [&](const auto& entry) { return entry.first == group; });
    };
    if (!types(found)) return false;
    if (simd && sat && second) return fail("has both '.sat' and '.add'");
    if ((family == Family::Set || family == Family::SimdSet) && !has("comparison"))
        return fail("needs a comparison: .eq, .ne, .lt, .le, .gt or .ge");
    if (family == Family::Shift && !has("mode")) return fail("needs .clamp or .wrap");
    return true;
}

bool Judge::operandKind(const Operand& o, bool immediates)
{
    if (o.kind == Operand::Kind::Register) {
        const Type type = function.registers[o.index].type;
        return (sizeOf(type) == 4 && type != Type::F32) ||
               fail(o.at, "'" + in.opcode + "' takes 32-bit integer registers");
    }
    const bool constant = o.kind == Operand::Kind::Integer || o.kind == Operand::Kind::Symbol;
    if (constant && immediates) return true;
    return fail(o.at, "'" + in.opcode + "' takes " +
                          (immediates ? "registers and integer constants" : "registers") + " here");
}

bool Judge::destination(const Operand& d)
{
    if (!operandKind(d, false)) return false;
    if (d.negated) return fail(d.at, "a destination cannot be negated");
    const std::string_view s = d.name;
    if (s.empty()) return true;
    // The reference assembler takes these three and ignores them.
    if (!simd && dialect == Dialect::Ptxas && isOneOf("b01 b12 b23", s)) return true;
    if (family == Family::Mad) return fail(d.at, "the destination of 'vmad' has no selector");
    if (simd) {
        const bool down = std::adjacent_find(s.begin() + 1, s.end(),
                                             [](char a, char b) { return a <= b; }) == s.end();
        if (s[0] == (lanes == 2 ? 'h' : 'b') && down && s[1] < static_cast<char>('0' + lanes))
            return true;
        return fail(d.at,
                    "'." + d.name + "' is no mask of '" + in.opcode + "': " +
                        (lanes == 2 ? ".h0, .h1 or .h10" : ".b3210 or some of it in this order"));
    }
    if (!isOneOf("b0 b1 b2 b3 h0 h1", s))
        return fail(d.at, "'." + d.name + "' is no selector of '" + in.opcode +
                              "': .b0 to .b3, .h0 or .h1");
    if (second)
        return fail(d.at, "a destination selector and a second operation exclude one another");
    return in.operands.size() == 4 ||
           fail(d.at, "a destination selector needs the operand to merge into");
}

bool Judge::source(const Operand& o)
{
    if (!operandKind(o, !simd)) return false;
    if (o.negated && family != Family::Mad)
        return fail(o.at, "'" + in.opcode + "' does not negate operands");
    const std::string_view s = o.name;
    if (o.kind != Operand::Kind::Register || s.empty()) return true;
    if (!simd) {
        return isOneOf("b0 b1 b2 b3 h0 h1", s) ||
               fail(o.at, "'." + o.name + "' is no selector of '" + in.opcode +
                              "': .b0 to .b3, .h0 or .h1");
    }
    const bool inRange = std::all_of(
        s.begin() + 1, s.end(), [&](char c) { return c < static_cast<char>('0' + 2 * lanes); });
    if (s[0] == (lanes == 2 ? 'h' : 'b') && s.size() == lanes + 1 && inRange) return true;
    return fail(o.at, "'." + o.name + "' is no selector of '" + in.opcode + "': " +
                          (lanes == 2 ? ".h and two digits from 0 to 3"
                                      : ".b and four digits from 0 to 7"));
}

bool Judge::third(const Operand& c)
{
    if (!operandKind(c, !simd)) return false;
    if (c.negated && family != Family::Mad)
        return fail(c.at, "'" + in.opcode + "' does not negate operands");
    const bool selected = c.kind == Operand::Kind::Register && !c.name.empty();
    return !selected || fail(c.at, "the third source has no selector");
}

bool Judge::negations()
{
    const bool product = in.operands[1].negated != in.operands[2].negated;
    const bool addend = in.operands[3].negated;
    if (plusOne && (product || addend)) return fail("has both '.po' and a negated operand");
    return !(product && addend) || fail("negates the product or the third source, not both");
}

bool Judge::operands()
{
    const std::size_t count = in.operands.size();
    const bool all = simd || family == Family::Mad || second;
    if (count > 4 || count < (all ? 4 : 3))
        return fail(all ? "needs a destination and three sources"
                        : "needs a destination and two or three sources");
    if (!destination(in.operands[0]) || !source(in.operands[1]) || !source(in.operands[2]))
        return false;
    if (count == 4 && !third(in.operands[3])) return false;
    return family != Family::Mad || negations();
}

}  // namespace

bool isVideo(std::string_view opcode) noexcept
{
    return !opcode.empty() && opcode[0] == 'v' && familyOf(opcode) != Family::None;
}

unsigned videoLanes(std::string_view opcode) noexcept
{
    const Family family = familyOf(opcode);
    if (family != Family::SimdArith && family != Family::SimdSet) return 1;
    return static_cast<unsigned>(opcode.back() - '0');
}

bool isVideoSelector(std::string_view text) noexcept
{
    return text.size() >= 2 && text.size() <= 5 && (text[0] == 'b' || text[0] == 'h') &&
           std::all_of(text.begin() + 1, text.end(), [](char c) { return c >= '0' && c <= '7'; });
}

std::optional<VideoProblem> videoProblem(const Function& function, const Instruction& instruction,
                                         Dialect dialect)
{
    Judge judge{function, instruction, dialect};
    if (judge.modifiers()) judge.operands();
    return judge.problem;
}

}  // namespace gsu::ptx
