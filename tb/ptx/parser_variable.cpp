// Variable and parameter declarations with their initialisers.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "ptx/parser_impl.hpp"

namespace gsu::ptx::detail {
namespace {

struct SpaceRow {
    std::string_view name;
    Space space;
};
constexpr SpaceRow kSpaces[] = {
    {"global", Space::Global},    {"const", Space::Const},
    {"shared", Space::SharedCta}, {"shared::cta", Space::SharedCta},
    {"local", Space::Local},      {"param", Space::Param},
    {"reg", Space::Reg},          {"shared::cluster", Space::SharedCluster}};

bool isFloatType(Type type) noexcept { return type == Type::F32 || type == Type::F64; }

}  // namespace

bool Parser::isSpace(const Token& token) noexcept
{
    if (token.kind != Token::Kind::Dotted) return false;
    return std::any_of(std::begin(kSpaces), std::end(kSpaces),
                       [&](const SpaceRow& row) { return row.name == token.text; });
}

Space Parser::takeSpace()
{
    for (const SpaceRow& row : kSpaces) {
        if (acceptDotted(row.name)) return row.space;
    }
    failHere("a state space");
}

/// Reads `.ptr .global .align 16` after the type of a kernel parameter.
void Parser::pointerAttribute(Variable& variable)
{
    variable.pointsTo = isSpace(token_) ? takeSpace() : Space::Generic;
    variable.pointsToAlign = acceptDotted("align") ? unsignedConstant("an alignment", 1u << 30) : 4;
}

/// Reads `.attribute(.managed, .unified(1, 2))`: allowed on variables, without meaning here.
void Parser::variableAttribute(Variable& variable)
{
    expect("(");
    for (unsigned depth = 1; depth != 0; advance()) {
        if (token_.kind == Token::Kind::End || token_.kind == Token::Kind::Invalid) failHere("')'");
        if (token_.is("(")) ++depth;
        if (token_.is(")")) --depth;
    }
    warn(variable.at, "the .attribute of this variable is not modelled");
}

/// Reads everything before the name: space, alignment, vector, type, in any order that occurs.
Variable Parser::variablePrefix()
{
    Variable v;
    v.at = token_.at;
    v.space = takeSpace();
    bool aligned = false;
    bool typed = false;
    while (token_.kind == Token::Kind::Dotted) {
        const Token word = token_;
        advance();
        if (word.text == "align") {
            v.align = unsignedConstant("an alignment", 1u << 30);
            if (!std::has_single_bit(v.align)) fail(word.at, "an alignment must be a power of two");
            aligned = true;
        } else if (word.text == "attribute") {
            variableAttribute(v);
        } else if (word.text == "v2" || word.text == "v4" || word.text == "v8") {
            v.vector = static_cast<unsigned>(word.text[1] - '0');
        } else if (word.text == "ptr" && typed) {
            pointerAttribute(v);
        } else if (const auto type = typeOf(word.text); type && !typed) {
            v.type = *type;
            typed = true;
        } else if (word.text == "texref" || word.text == "samplerref" || word.text == "surfref") {
            v.type = Type::B64;
            v.opaque = true;
            typed = true;
        } else {
            fail(word.at,
                 "'." + std::string(word.text) + "' does not belong in a variable declaration");
        }
    }
    if (!typed) failHere("a type");
    if (v.type == Type::Pred && v.space != Space::Reg)
        fail(v.at, ".pred variables must be registers");
    if (!aligned) v.align = std::max(1u, sizeOf(v.type) * v.vector);
    return v;
}

void Parser::arrayBounds(Variable& variable, std::vector<std::uint64_t>& bounds)
{
    while (token_.is("[")) {
        const Position at = token_.at;
        advance();
        if (bounds.size() >= 64) fail(at, "an array has at most 64 dimensions");
        if (accept("]")) {
            if (!bounds.empty()) fail(at, "only the first dimension of an array may be left open");
            bounds.push_back(0);
            continue;
        }
        bounds.push_back(unsignedConstant("an array bound", Limits::kVariableBytes));
        expect("]");
    }
    sizeVariable(variable, bounds, token_.is("="));
}

void Parser::sizeVariable(Variable& variable, std::vector<std::uint64_t>& bounds, bool initialised)
{
    std::uint64_t bytes = std::uint64_t{sizeOf(variable.type)} * variable.vector;
    for (std::size_t i = 0; i < bounds.size(); ++i) {
        if (i == 0 && bounds[0] == 0 && initialised) continue;
        if (bounds[i] != 0 && bytes > Limits::kVariableBytes / bounds[i]) {
            fail(variable.at, "variable '" + variable.name + "' is larger than 2^40 bytes");
        }
        bytes *= bounds[i];
    }
    variable.bytes = bytes;
}

void Parser::initialiser(Variable& variable, std::vector<std::uint64_t>& bounds)
{
    if (variable.space != Space::Global && variable.space != Space::Const) {
        fail(token_.at, "only .global and .const variables can be initialised");
    }
    // The initialiser determines the size of an open first dimension.
    const bool open = !bounds.empty() && bounds[0] == 0;
    const std::uint64_t row = variable.bytes;
    if (open) variable.bytes = row == 0 ? 0 : Limits::kVariableBytes / row * row;
    std::vector<std::uint64_t> levels = bounds;
    if (open) levels[0] = row == 0 ? 0 : variable.bytes / row;
    if (variable.vector > 1) levels.push_back(variable.vector);
    if (levels.empty() && !token_.is("{")) {
        initialiserScalar(variable, 0, variable.bytes);
    } else {
        if (!token_.is("{")) failHere("'{'");
        initialiserLevel(variable, levels, 0, 0, variable.bytes, 0);
    }
    if (open) {
        std::uint64_t end = variable.init.size();
        for (const Relocation& r : variable.relocations) end = std::max(end, r.offset + r.size);
        bounds[0] = row == 0 ? 0 : (end + row - 1) / row;
        variable.bytes = bounds[0] * row;
    }
}

void Parser::initialiserLevel(Variable& variable, const std::vector<std::uint64_t>& bounds,
                              std::size_t level, std::uint64_t offset, std::uint64_t bytes,
                              unsigned depth)
{
    if (depth > Limits::kNesting) fail(token_.at, "initialiser is nested too deeply");
    expect("{");
    const std::uint64_t end = offset + bytes;
    const std::uint64_t count = level < bounds.size() ? bounds[level] : 1;
    const std::uint64_t step = count == 0 ? 0 : bytes / count;
    const std::uint64_t element = sizeOf(variable.type);
    while (!token_.is("}")) {
        if (token_.is("{")) {
            // A nested brace begins the next sub-array, as in C.
            if (level >= bounds.size() || step == 0)
                fail(token_.at, "braces are nested deeper than the array");
            const std::uint64_t index = (offset - (end - bytes) + step - 1) / step;
            const std::uint64_t start = end - bytes + index * step;
            if (start + step > end)
                fail(token_.at, "too many initialisers for '" + variable.name + "'");
            initialiserLevel(variable, bounds, level + 1, start, step, depth + 1);
            offset = start + step;
        } else {
            if (offset + element > end)
                fail(token_.at, "too many initialisers for '" + variable.name + "'");
            initialiserScalar(variable, offset, end);
            offset += element;
        }
        if (!accept(",")) break;
    }
    expect("}");
}

void Parser::initialiserScalar(Variable& variable, std::uint64_t offset, std::uint64_t end)
{
    const ConstValue v = expression();
    const unsigned size = sizeOf(variable.type);
    if (offset + size > end) fail(v.at, "too many initialisers for '" + variable.name + "'");
    if (v.kind == ConstValue::Kind::Address) {
        variable.relocations.push_back({offset, size, v.symbol, v.integer, v.generic, v.mask});
        return;
    }
    std::uint64_t bits = static_cast<std::uint64_t>(v.integer);
    if (variable.type == Type::F32 && !(v.kind == ConstValue::Kind::Float && v.single)) {
        const double real =
            v.kind == ConstValue::Kind::Float ? v.real : static_cast<double>(v.integer);
        bits = std::bit_cast<std::uint32_t>(static_cast<float>(real));
    } else if (variable.type == Type::F64 && (v.kind != ConstValue::Kind::Float || v.single)) {
        const double real =
            v.kind == ConstValue::Kind::Float ? v.real : static_cast<double>(v.integer);
        bits = std::bit_cast<std::uint64_t>(real);
    } else if (v.kind == ConstValue::Kind::Float && !isFloatType(variable.type)) {
        fail(v.at,
             "a floating-point value cannot initialise ." + std::string(spelling(variable.type)));
    }
    const std::uint64_t needed = offset + size;
    if (variable.init.size() < needed) {
        initialiserBytes_ += needed - variable.init.size();
        if (initialiserBytes_ > Limits::kInitialiserBytes)
            fail(v.at, "initialisers of this module exceed 256 MiB");
        variable.init.resize(needed);
    }
    // Two's complement bytes, least significant first; b128 is extended by its sign.
    for (unsigned i = 0; i < size; ++i) {
        const std::uint64_t high =
            v.kind == ConstValue::Kind::Integer && v.integer < 0 && !v.isUnsigned ? 255 : 0;
        variable.init[offset + i] = static_cast<std::uint8_t>(i < 8 ? bits >> (8 * i) : high);
    }
}

/// ", at line N": where the current scope first has the name of a declaration or label.
std::string Parser::earlierLine(std::string_view name, bool label) const
{
    return fmt::format(", at line {}", lexer_.lineOf(scopes_->earlier(name, label)));
}

/// Adds a variable of the function, under a name that no other scope has.
void Parser::addLocal(Variable v, std::string_view source)
{
    v.name = scopes_->unique(v.name);
    v.function = static_cast<std::uint32_t>(module_.functions.size());
    if (!scopes_->addVariable(source, v.name))
        fail(v.at, "'" + std::string(source) + "' is already declared in this scope" +
                       earlierLine(source));
    function_->locals.push_back(std::move(v));
}

/// Adds one variable, or `copies` variables with numbers after the name.
void Parser::addVariables(Variable v, std::string_view source, std::optional<std::uint64_t> copies)
{
    if (copies && function_ != nullptr)
        fail(v.at, "ranges of variables are only read at module scope");
    for (std::uint64_t i = 0; i < copies.value_or(1); ++i) {
        Variable one = v;
        if (copies) one.name += std::to_string(i);
        if (function_ == nullptr)
            addModuleVariable(std::move(one));
        else
            addLocal(std::move(one), source);
    }
}

void Parser::variableDeclaration(Prefix prefix)
{
    Variable base = variablePrefix();
    base.external = prefix.external;
    base.common = prefix.common;
    base.visible = prefix.visible;
    base.weak = prefix.weak;
    if (base.space == Space::Reg) fail(base.at, "registers can only be declared inside a function");
    do {
        Variable v = base;
        v.at = token_.at;
        const std::string_view source = expectIdentifier("a variable name");
        v.name = source;
        // A parameterised variable name, b<4>, declares b0 to b3.
        std::uint64_t copies = 0;
        const bool parameterised = token_.is("<");
        if (parameterised) {
            copies = rangeCount("a variable range", 4096);
            rangeCopies_ += copies;
            if (rangeCopies_ > 100'000) fail(v.at, "the module has too many variables in ranges");
        }
        std::vector<std::uint64_t> bounds;
        arrayBounds(v, bounds);
        if (token_.is("=")) {
            if (parameterised) failHere("no initialiser after a range of variables");
            advance();
            initialiser(v, bounds);
        }
        const bool open = !bounds.empty() && bounds[0] == 0;
        if (open && !v.external && v.space != Space::Param && v.init.empty() &&
            v.relocations.empty()) {
            fail(v.at, "only .extern arrays may have no size");
        }
        addVariables(std::move(v), source, parameterised ? std::optional(copies) : std::nullopt);
    } while (accept(","));
    endStatement();
}

Variable Parser::parameter(bool prototype)
{
    if (!token_.dotted("param") && !token_.dotted("reg")) failHere("'.param' or '.reg'");
    Variable v = variablePrefix();
    v.at = token_.at;
    if (token_.kind == Token::Kind::Identifier) {
        v.name = expectIdentifier("a parameter name");
    } else if (!prototype) {
        failHere("a parameter name");
    }
    std::vector<std::uint64_t> bounds;
    arrayBounds(v, bounds);
    return v;
}

std::vector<Variable> Parser::parameterList(bool prototype)
{
    std::vector<Variable> list;
    expect("(");
    if (accept(")")) return list;
    do {
        list.push_back(parameter(prototype));
    } while (accept(","));
    expect(")");
    return list;
}

}  // namespace gsu::ptx::detail
