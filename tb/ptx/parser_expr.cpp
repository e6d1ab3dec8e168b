// Constant expressions: C operators over 64-bit integers, doubles and addresses.
#include <fmt/format.h>

#include <bit>
#include <limits>

#include "ptx/parser_impl.hpp"

namespace gsu::ptx::detail {
namespace {

struct Level {
    std::string_view op;
    int level;
};
constexpr Level kLevels[] = {{"||", 1}, {"&&", 2}, {"|", 3},  {"^", 4},  {"&", 5},  {"==", 6},
                             {"!=", 6}, {"<", 7},  {"<=", 7}, {">", 7},  {">=", 7}, {"<<", 8},
                             {">>", 8}, {"+", 9},  {"-", 9},  {"*", 10}, {"/", 10}, {"%", 10}};

double asReal(const ConstValue& v) noexcept
{
    if (v.kind == ConstValue::Kind::Float) return v.real;
    return v.isUnsigned ? static_cast<double>(static_cast<std::uint64_t>(v.integer))
                        : static_cast<double>(v.integer);
}

bool truth(const ConstValue& v) noexcept
{
    return v.kind == ConstValue::Kind::Float ? v.real != 0.0 : v.integer != 0;
}

ConstValue integerValue(std::uint64_t bits, bool isUnsigned, Position at)
{
    ConstValue v;
    v.integer = static_cast<std::int64_t>(bits);
    v.isUnsigned = isUnsigned;
    v.at = at;
    return v;
}

/// Applies a comparison operator to any ordered type; false when `op` is no comparison.
template <typename T> bool compare(std::string_view op, T a, T b, bool& result) noexcept
{
    if (op == "==")
        result = a == b;
    else if (op == "!=")
        result = a != b;
    else if (op == "<")
        result = a < b;
    else if (op == "<=")
        result = a <= b;
    else if (op == ">")
        result = a > b;
    else if (op == ">=")
        result = a >= b;
    else
        return false;
    return true;
}

/// Applies wrapping arithmetic; the caller has excluded a zero divisor.
std::uint64_t arithmetic(std::string_view op, std::uint64_t a, std::uint64_t b,
                         bool isUnsigned) noexcept
{
    const auto sa = static_cast<std::int64_t>(a);
    const auto sb = static_cast<std::int64_t>(b);
    if (op == "+") return a + b;
    if (op == "-") return a - b;
    if (op == "*") return a * b;
    if (op == "&") return a & b;
    if (op == "|") return a | b;
    if (op == "^") return a ^ b;
    if (op == "<<") return b > 63 ? 0 : a << b;
    if (op == ">>") {
        if (isUnsigned) return b > 63 ? 0 : a >> b;
        return static_cast<std::uint64_t>(sa >> (b > 63 ? 63 : b));
    }
    if (isUnsigned) return op == "/" ? a / b : a % b;
    if (sb == -1) return op == "/" ? 0 - a : 0;  // the only quotient that overflows
    return static_cast<std::uint64_t>(op == "/" ? sa / sb : sa % sb);
}

}  // namespace

int Parser::operatorLevel()
{
    // "7%3": the lexer reads "%3" as a name; where an operator is expected, '%' is the operator.
    if (token_.kind == Token::Kind::Identifier && token_.text.size() > 1 && token_.text[0] == '%') {
        lexer_.rewind(token_, 1);
        token_.kind = Token::Kind::Punct;
        token_.text = token_.text.substr(0, 1);
    }
    if (token_.kind != Token::Kind::Punct) return 0;
    for (const Level& row : kLevels) {
        if (row.op == token_.text) return row.level;
    }
    return 0;
}

/// Applies an operator of which one side is a floating-point number.
ConstValue Parser::applyReal(std::string_view op, ConstValue left, const ConstValue& right)
{
    const double a = asReal(left);
    const double b = asReal(right);
    bool result = false;
    if (compare(op, a, b, result)) return integerValue(result, false, left.at);
    left.kind = ConstValue::Kind::Float;
    left.single = false;
    if (op == "+")
        left.real = a + b;
    else if (op == "-")
        left.real = a - b;
    else if (op == "*")
        left.real = a * b;
    else if (op == "/")
        left.real = a / b;
    else
        fail(left.at, "operator '" + std::string(op) + "' does not take floating-point operands");
    left.integer = static_cast<std::int64_t>(std::bit_cast<std::uint64_t>(left.real));
    return left;
}

ConstValue Parser::apply(std::string_view op, ConstValue left, ConstValue right)
{
    using Kind = ConstValue::Kind;
    bool result = false;
    if (op == "&&" || op == "||") {
        result = op == "&&" ? truth(left) && truth(right) : truth(left) || truth(right);
        return integerValue(result, false, left.at);
    }
    if (left.kind == Kind::Address || right.kind == Kind::Address) {
        if (op == "+" && right.kind == Kind::Address) std::swap(left, right);
        const bool addend = left.kind == Kind::Address && right.kind == Kind::Integer;
        if (!addend || (op != "+" && op != "-")) {
            fail(left.at, "an address can only be combined with + or - and an integer");
        }
        left.integer =
            static_cast<std::int64_t>(arithmetic(op, static_cast<std::uint64_t>(left.integer),
                                                 static_cast<std::uint64_t>(right.integer), true));
        return left;
    }
    if (left.kind == Kind::Float || right.kind == Kind::Float) return applyReal(op, left, right);
    const auto a = static_cast<std::uint64_t>(left.integer);
    const auto b = static_cast<std::uint64_t>(right.integer);
    const bool shift = op == "<<" || op == ">>";
    const bool isUnsigned = left.isUnsigned || (!shift && right.isUnsigned);
    const bool compared =
        isUnsigned ? compare(op, a, b, result) : compare(op, left.integer, right.integer, result);
    if (compared) return integerValue(result, false, left.at);
    if ((op == "/" || op == "%") && b == 0)
        fail(right.at, "division by zero in a constant expression");
    return integerValue(arithmetic(op, a, b, isUnsigned), isUnsigned, left.at);
}

ConstValue Parser::expression(unsigned depth)
{
    if (depth > Limits::kNesting) fail(token_.at, "expression is nested too deeply");
    ConstValue condition = binaryExpression(1, depth + 1);
    if (!accept("?")) return condition;
    ConstValue yes = expression(depth + 1);
    expect(":");
    ConstValue no = expression(depth + 1);
    return truth(condition) ? yes : no;
}

ConstValue Parser::binaryExpression(int minimum, unsigned depth)
{
    if (depth > Limits::kNesting) fail(token_.at, "expression is nested too deeply");
    ConstValue left = unaryExpression(depth + 1);
    for (;;) {
        const int level = operatorLevel();
        if (level < minimum || level == 0) return left;
        const std::string_view op = token_.text;
        advance();
        ConstValue right = binaryExpression(level + 1, depth + 1);
        left = apply(op, std::move(left), std::move(right));
    }
}

ConstValue Parser::unaryExpression(unsigned depth)
{
    if (depth > Limits::kNesting) fail(token_.at, "expression is nested too deeply");
    if (token_.kind != Token::Kind::Punct ||
        std::string_view("+-!~").find(token_.text) == std::string_view::npos) {
        return primaryExpression(depth + 1);
    }
    const char op = token_.text[0];
    const Position at = token_.at;
    advance();
    ConstValue v = unaryExpression(depth + 1);
    v.at = at;
    if (op == '+') return v;
    if (v.kind == ConstValue::Kind::Address) fail(at, "an address cannot be negated");
    if (op == '!') return integerValue(truth(v) ? 0 : 1, false, at);
    if (v.kind == ConstValue::Kind::Float) {
        if (op == '~') fail(at, "operator '~' does not take a floating-point operand");
        v.real = -v.real;
        v.integer ^= v.single ? std::int64_t{0x80000000} : std::numeric_limits<std::int64_t>::min();
        return v;
    }
    const auto bits = static_cast<std::uint64_t>(v.integer);
    return integerValue(op == '-' ? 0 - bits : ~bits, v.isUnsigned, at);
}

ConstValue Parser::primaryExpression(unsigned depth)
{
    ConstValue v;
    v.at = token_.at;
    if (token_.kind == Token::Kind::Integer) {
        v.integer = static_cast<std::int64_t>(token_.integer);
        v.isUnsigned = token_.isUnsigned;
        advance();
        // 0xff00(sym): a masked piece of an address.
        if (token_.is("(")) {
            advance();
            ConstValue address = expression(depth + 1);
            expect(")");
            if (address.kind != ConstValue::Kind::Address)
                fail(v.at, "only an address can be masked");
            address.mask = static_cast<std::uint64_t>(v.integer);
            return address;
        }
        return v;
    }
    if (token_.kind == Token::Kind::Float) {
        v.kind = ConstValue::Kind::Float;
        v.single = token_.type == Type::F32;
        v.real = v.single ? static_cast<double>(
                                std::bit_cast<float>(static_cast<std::uint32_t>(token_.integer)))
                          : std::bit_cast<double>(token_.integer);
        v.integer = static_cast<std::int64_t>(token_.integer);
        advance();
        return v;
    }
    if (token_.is("(")) return parenthesised(depth + 1);
    if (token_.kind == Token::Kind::Identifier) return symbolExpression(depth + 1);
    failHere("a constant");
}

ConstValue Parser::parenthesised(unsigned depth)
{
    expect("(");
    const bool toSigned = token_.dotted("s64");
    if (toSigned || token_.dotted("u64")) {
        advance();
        expect(")");
        ConstValue v = unaryExpression(depth + 1);
        if (v.kind != ConstValue::Kind::Integer) fail(v.at, "only integers can be cast");
        v.isUnsigned = !toSigned;
        return v;
    }
    ConstValue v = expression(depth + 1);
    expect(")");
    return v;
}

ConstValue Parser::symbolExpression(unsigned depth)
{
    const Token name = token_;
    advance();
    if (name.text == "WARP_SZ") return integerValue(32, false, name.at);
    ConstValue v;
    if (name.text == "generic" && accept("(")) {
        v = expression(depth + 1);
        expect(")");
        if (v.kind != ConstValue::Kind::Address) fail(name.at, "generic() takes a variable");
        v.generic = true;
        return v;
    }
    v.kind = ConstValue::Kind::Address;
    v.symbol = name.text;
    if (scopes_ != nullptr) {
        const Binding binding = scopes_->find(name.text);
        if (binding.kind == Binding::Kind::Variable) v.symbol = binding.name;
    }
    v.at = name.at;
    return v;
}

std::uint64_t Parser::rangeCount(std::string_view what, std::uint64_t limit)
{
    expect("<");
    // Additive level: the '>' that closes the range is not a comparison.
    const std::uint64_t count = checkedUnsigned(binaryExpression(9, 0), what, limit);
    expect(">");
    return count;
}

std::uint64_t Parser::unsignedConstant(std::string_view what, std::uint64_t limit)
{
    return checkedUnsigned(expression(), what, limit);
}

std::uint64_t Parser::checkedUnsigned(const ConstValue& v, std::string_view what,
                                      std::uint64_t limit)
{
    if (v.kind != ConstValue::Kind::Integer) fail(v.at, std::string(what) + " must be an integer");
    if ((!v.isUnsigned && v.integer < 0) || static_cast<std::uint64_t>(v.integer) > limit) {
        fail(v.at, fmt::format("{} is out of range (0 to {})", what, limit));
    }
    return static_cast<std::uint64_t>(v.integer);
}

}  // namespace gsu::ptx::detail
