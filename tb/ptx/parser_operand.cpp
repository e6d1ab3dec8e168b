// Instructions and their operands.
#include <algorithm>
#include <bit>

#include "ptx/parser_impl.hpp"
#include "ptx/special_registers.hpp"
#include "ptx/video.hpp"

namespace gsu::ptx::detail {
namespace {

/// The first register with a selector. Vectors are excluded: the reference assembler takes selectors there and gives them no meaning.
const Operand* selectedRegister(const Operand& o) noexcept
{
    if (o.kind == Operand::Kind::Register) return o.name.empty() ? nullptr : &o;
    if (o.kind == Operand::Kind::Vector) return nullptr;
    for (const Operand& element : o.elements)
        if (const Operand* found = selectedRegister(element)) return found;
    return nullptr;
}

bool takesNoOperand(std::string_view opcode) noexcept
{
    return opcode == "ret" || opcode == "exit" || opcode == "trap" || opcode == "brkpt";
}

}  // namespace

Guard Parser::guard()
{
    expect("@");
    Guard g;
    g.negated = accept("!");
    const Position at = token_.at;
    const std::string_view name = expectIdentifier("a predicate register");
    const Binding binding = scopes_->find(name);
    if (binding.kind == Binding::Kind::None) {
        if (undeclared_.emplace(name).second) {
            error(at, "register '" + std::string(name.substr(0, 80)) + "' is not declared");
        }
        return g;
    }
    if (binding.kind != Binding::Kind::Register ||
        function_->registers[binding.index].type != Type::Pred) {
        fail(at, "guard '" + std::string(name) + "' is not a predicate register");
    }
    g.reg = binding.index;
    return g;
}

/// Reads operands up to ';'. Where one is missing, endStatement() says so, unless a ',' may be meant.
void Parser::operandList(std::string_view opcode)
{
    if (token_.is(";") || token_.is("}") || token_.kind == Token::Kind::End ||
        (takesNoOperand(opcode) && token_.at.line != end_.line))
        return;
    do {
        if (token_.is("(") && opcode == "call") {
            operands_.push_back(group(")", Operand::Kind::List, 0));
        } else {
            operands_.push_back(operand(0));
        }
    } while (accept(","));
    if (!token_.is(";") && token_.at.line == end_.line) failHere("',' or ';'");
}

void Parser::instruction(Instruction&& start, std::string_view opcode)
{
    Instruction i = std::move(start);
    i.opcode = opcode;
    i.sourceFile = sourceFile_;
    i.sourceLine = sourceLine_;
    modifiers_.clear();
    operands_.clear();
    while (token_.kind == Token::Kind::Dotted) {
        modifiers_.emplace_back(token_.text);
        advance();
    }
    const std::size_t firstPending = pending_.size();
    try {
        operandList(opcode);
        endStatement();
    } catch (const SyntaxError&) {
        pending_.resize(firstPending);
        throw;
    }
    // Lists get exactly the length that they need: a module has very many of them.
    i.modifiers.assign(std::make_move_iterator(modifiers_.begin()),
                       std::make_move_iterator(modifiers_.end()));
    i.operands.assign(std::make_move_iterator(operands_.begin()),
                      std::make_move_iterator(operands_.end()));
    for (const Operand& o : i.operands) {
        const Operand* found = selectedRegister(o);
        if (found != nullptr && !isVideo(opcode)) {
            error(found->at, "selector '." + found->name + "' of an instruction that has none");
            break;
        }
    }
    function_->body.push_back(std::move(i));
}

Operand Parser::operand(unsigned depth)
{
    if (depth > Limits::kNesting) fail(token_.at, "operands are nested too deeply");
    Operand first = simpleOperand(depth + 1);
    if (!token_.is("|")) return first;
    advance();
    Operand pair;
    pair.kind = Operand::Kind::Pair;
    pair.at = first.at;
    pair.elements.push_back(std::move(first));
    pair.elements.push_back(simpleOperand(depth + 1));
    return pair;
}

Operand Parser::simpleOperand(unsigned depth)
{
    if (depth > Limits::kNesting) fail(token_.at, "operands are nested too deeply");
    if (token_.is("{")) return group("}", Operand::Kind::Vector, depth);
    if (token_.is("[")) return address(depth);
    if (token_.kind == Token::Kind::Identifier && token_.text != "WARP_SZ") return named();
    if (!token_.is("!") && !token_.is("-")) return constantOperand();
    const Token sign = token_;
    advance();
    const bool registerFollows = token_.kind == Token::Kind::Identifier && token_.text != "WARP_SZ";
    if (registerFollows) {
        Operand o = named();
        if (o.kind != Operand::Kind::Register) fail(sign.at, "only a register can be complemented");
        o.at = sign.at;
        o.negated = true;
        return o;
    }
    lexer_.rewind(sign, sign.text.size());
    token_ = sign;
    return constantOperand();
}

Operand Parser::constantOperand()
{
    const ConstValue v = expression();
    Operand o;
    o.at = v.at;
    o.integer = v.integer;
    switch (v.kind) {
        case ConstValue::Kind::Integer: o.kind = Operand::Kind::Integer; break;
        case ConstValue::Kind::Float:
            o.kind = Operand::Kind::Float;
            o.type = v.single ? Type::F32 : Type::F64;
            break;
        case ConstValue::Kind::Address:
            fail(v.at, "an address cannot be part of an expression here");
    }
    return o;
}

/// Reads elements up to the closing bracket; the opening one has just been read.
Operand Parser::group(std::string_view close, Operand::Kind kind, unsigned depth)
{
    Operand o;
    o.kind = kind;
    o.at = token_.at;
    advance();
    if (kind == Operand::Kind::Vector) ++groupDepth_;
    if (!token_.is(close)) {
        do {
            o.elements.push_back(operand(depth + 1));
        } while (accept(","));
    }
    if (kind == Operand::Kind::Vector && token_.is(close)) --groupDepth_;
    expect(close);
    return o;
}

void Parser::vectorComponent(Operand& o, const Binding& binding)
{
    if (token_.kind == Token::Kind::Dotted && token_.text.size() == 1) {
        const std::size_t xyzw = std::string_view("xyzw").find(token_.text[0]);
        const std::size_t rgba = std::string_view("rgba").find(token_.text[0]);
        const std::size_t which = std::min(xyzw, rgba);
        if (which >= binding.count) failHere("a component of the vector");
        advance();
        o.kind = Operand::Kind::Register;
        o.index = binding.index + static_cast<std::uint32_t>(which);
        return;
    }
    o.kind = Operand::Kind::Vector;
    for (unsigned i = 0; i < binding.count; ++i) {
        Operand element;
        element.kind = Operand::Kind::Register;
        element.at = o.at;
        element.index = binding.index + i;
        o.elements.push_back(std::move(element));
    }
}

Operand Parser::special(Position at, std::string_view name)
{
    Operand o;
    o.kind = Operand::Kind::Special;
    o.at = at;
    o.name = name;
    if (token_.kind == Token::Kind::Dotted && hasComponents(name)) {
        o.name += '.';
        o.name += token_.text;
        advance();
    }
    if (!isSpecialRegister(o.name)) {
        o.index = kUnresolved;
        if (undeclared_.insert(o.name).second)
            error(at, "register '" + o.name.substr(0, 80) + "' is not declared");
    }
    o.type = specialType(o.name);
    return o;
}

/// Reads what follows a register and a dot; the caller handles anything that is not like a selector.
void Parser::selector(Operand& o)
{
    const std::string_view text = token_.text;
    const bool like = (text[0] == 'b' || text[0] == 'h') && text.size() > 1 &&
                      text.find_first_not_of("0123456789", 1) == std::string_view::npos;
    if (!like) return;
    if (!isVideoSelector(text))
        failHere("a selector of bytes (.b0 to .b7777) or halves (.h0 to .h33)");
    if (sizeOf(function_->registers[o.index].type) != 4)
        fail(token_.at, "only a 32-bit register has a selector");
    o.name = text;
    advance();
}

/// Reads a name: sink, register, special register, variable, function or label; variables may have an offset.
Operand Parser::named()
{
    Operand o;
    o.at = token_.at;
    const std::string_view name = token_.text;
    advance();
    if (name == "_") return o;
    Binding binding = scopes_->find(name);
    switch (binding.kind) {
        case Binding::Kind::Register:
            o.kind = Operand::Kind::Register;
            o.index = binding.index;
            if (token_.kind == Token::Kind::Dotted) selector(o);
            return o;
        case Binding::Kind::Vector: vectorComponent(o, binding); return o;
        case Binding::Kind::Variable:
            o.kind = Operand::Kind::Symbol;
            o.name = std::move(binding.name);
            break;
        case Binding::Kind::Label:
        case Binding::Kind::None:
            if (name[0] == '%') return special(o.at, name);
            o.kind = Operand::Kind::Symbol;
            o.name = name;
            o.index = kUnresolved;
            pending_.push_back({static_cast<std::uint32_t>(function_->body.size()),
                                scopes_->current(), kNone, o.at, o.name});
            break;
    }
    if (token_.is("+") || token_.is("-")) o.offset = offset();
    return o;
}

/// The sum of everything that follows with + or -.
std::int64_t Parser::offset()
{
    std::uint64_t sum = 0;
    while (token_.is("+") || token_.is("-")) {
        const bool minus = token_.is("-");
        advance();
        const ConstValue v = binaryExpression(10, 0);
        if (v.kind != ConstValue::Kind::Integer)
            fail(v.at, "an address offset must be an integer constant");
        sum += minus ? 0 - static_cast<std::uint64_t>(v.integer)
                     : static_cast<std::uint64_t>(v.integer);
    }
    return static_cast<std::int64_t>(sum);
}

Operand Parser::address(unsigned depth)
{
    Operand o;
    o.kind = Operand::Kind::Address;
    o.at = token_.at;
    expect("[");
    if (token_.kind == Token::Kind::Identifier && token_.text != "WARP_SZ") {
        Operand base = named();
        if (base.kind != Operand::Kind::Register && base.kind != Operand::Kind::Symbol) {
            fail(base.at, "an address needs a register, a variable or a constant");
        }
        if (base.kind == Operand::Kind::Register && !base.name.empty())
            fail(base.at, "an address has no selector");
        o.offset = base.offset;
        base.offset = 0;
        if (base.kind == Operand::Kind::Register) o.offset = offset();
        o.elements.push_back(std::move(base));
    } else {
        Operand base = constantOperand();
        if (base.kind != Operand::Kind::Integer)
            fail(base.at, "an address cannot be a floating-point number");
        o.elements.push_back(std::move(base));
    }
    while (accept(",")) o.elements.push_back(operand(depth + 1));
    expect("]");
    return o;
}

}  // namespace gsu::ptx::detail
