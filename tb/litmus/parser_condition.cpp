// exists, ~exists and forall; names of registers and memory; comparisons.
#include <fmt/format.h>

#include <algorithm>

#include "litmus/parser.hpp"

namespace gsu::litmus {

void Parser::conditions()
{
    if (in_.accept("locations")) {
        in_.expect("[");
        while (!in_.accept("]")) {
            if (in_.accept(";")) continue;
            test_.shown.push_back(term());
        }
    }
    if (in_.peek().text == "filter") in_.fail(in_.peek(), "filter is not supported");
    const std::size_t from = in_.place();
    const Token word = in_.peek();
    if (in_.accept("~")) {
        in_.expect("exists");
        test_.asks = Test::Asks::Never;
    } else if (in_.accept("forall")) {
        test_.asks = Test::Asks::Always;
    } else if (in_.accept("exists")) {
        test_.asks = Test::Asks::Exists;
    } else {
        in_.fail(word, "expected exists, ~exists or forall, found " + Scanner::show(word));
    }
    test_.condition = disjunction();
    test_.conditionText = in_.textSince(from);
    if (!in_.ended())
        in_.fail(in_.peek(),
                 "nothing may follow the condition, found " + Scanner::show(in_.peek()));
    std::stable_sort(test_.shown.begin(), test_.shown.end(),
                     [](const Condition::Term& a, const Condition::Term& b) {
                         return std::tie(a.kind, a.thread, a.index) <
                                std::tie(b.kind, b.thread, b.index);
                     });
    test_.shown.erase(std::unique(test_.shown.begin(), test_.shown.end()), test_.shown.end());
}

Condition Parser::disjunction()
{
    Condition c = conjunction();
    if (in_.peek().text != "\\/") return c;
    Condition all{Condition::Op::Or, {}, {}, {}, {std::move(c)}};
    while (in_.accept("\\/")) all.parts.push_back(conjunction());
    return all;
}

Condition Parser::conjunction()
{
    Condition c = atom();
    if (in_.peek().text != "/\\") return c;
    Condition all{Condition::Op::And, {}, {}, {}, {std::move(c)}};
    while (in_.accept("/\\")) all.parts.push_back(atom());
    return all;
}

Condition Parser::atom()
{
    if (in_.accept("~") || in_.accept("not")) return {Condition::Op::Not, {}, {}, {}, {atom()}};
    if (in_.accept("(")) {
        Condition c = disjunction();
        in_.expect(")");
        return c;
    }
    if (in_.accept("true")) return {};
    Condition c;
    c.op = Condition::Op::Compare;
    c.left = term();
    static const std::map<std::string, Math> kSigns{
        {"=", Math::Eq},  {"==", Math::Eq}, {"!=", Math::Ne}, {"<", Math::Lt},
        {"<=", Math::Le}, {">", Math::Gt},  {">=", Math::Ge}};
    const Token sign = in_.next();
    const auto found = kSigns.find(sign.text);
    if (found == kSigns.end())
        in_.fail(sign, "expected a comparison, found " + Scanner::show(sign));
    c.math = found->second;
    c.right = term();
    return c;
}

Condition::Term Parser::term()
{
    Condition::Term t;
    const Token& first = in_.peek();
    if (kernel_ && first.kind == Token::Kind::Word) return cell();
    if (in_.peek(1).text == ":" && first.kind != Token::Kind::Sign) {
        const Token thread = in_.next();
        in_.next();
        const Token name = in_.word("a register");
        t.kind = Condition::Term::Kind::Register;
        t.thread = threadNamed(thread);
        if (!isRegister(name.text))
            in_.fail(name, "'" + name.text + "' is no register: r and a number");
        t.index = static_cast<unsigned>(reg(t.thread, name.text));
    } else if (first.kind == Token::Kind::Number || first.text == "-") {
        t.kind = Condition::Term::Kind::Number;
        t.number = in_.number("a number");
        return t;
    } else {
        const bool brackets = in_.accept("[");
        const Token name = in_.word("a register of a thread (P0:r1), a location or a number");
        if (brackets) in_.expect("]");
        if (!locations_.contains(name.text))
            in_.fail(name, "there is no location '" + name.text + "'");
        t.kind = Condition::Term::Kind::Memory;
        t.index = locations_.at(name.text);
        if (test_.locations[t.index].kind == Location::Kind::Mbarrier)
            in_.fail(name, "an mbarrier has no value");
    }
    test_.shown.push_back(t);
    return t;
}

/// NAME[i] of a kernel test: each element is a separate location.
Condition::Term Parser::cell()
{
    const Token name = in_.next();
    in_.expect("[");
    const std::int32_t index = in_.number("an index");
    if (index < 0) in_.fail(name, "an index is not negative");
    in_.expect("]");
    Condition::Term t;
    t.kind = Condition::Term::Kind::Memory;
    Token whole = name;
    whole.text += fmt::format("[{}]", index);
    t.index = location(whole);
    if (t.index == cells_.size())
        cells_.push_back({name.text, static_cast<std::uint32_t>(index), name.line, name.column});
    test_.shown.push_back(t);
    return t;
}

KernelTest Parser::parseKernel()
{
    kernel_ = true;
    KernelTest k;
    in_.expect("{");
    in_.expect("launch");
    in_.expect("=");
    if (in_.peek().kind != Token::Kind::Text)
        in_.fail(in_.peek(), "expected the name of a launch file in quotes, found " +
                                 Scanner::show(in_.peek()));
    k.launch = in_.next().text;
    in_.accept(";");
    in_.expect("}");
    conditions();
    if (cells_.empty()) in_.fail(in_.peek(), "the condition looks at nothing");
    k.test = std::move(test_);
    k.cells = std::move(cells_);
    return k;
}

std::string nameOf(const Test& test, const Condition::Term& term)
{
    switch (term.kind) {
        case Condition::Term::Kind::Register:
            return test.threads[term.thread].name + ":" +
                   test.threads[term.thread].registers[term.index];
        case Condition::Term::Kind::Memory: return test.locations[term.index].name;
        case Condition::Term::Kind::Number: break;
    }
    return std::to_string(term.number);
}

const char* nameOf(Proxy proxy) noexcept
{
    constexpr const char* kNames[]{"generic", "surface", "texture", "constant", "async"};
    return kNames[static_cast<unsigned>(proxy)];
}

bool comparesTrue(Math math, std::int32_t a, std::int32_t b) noexcept
{
    switch (math) {
        case Math::Eq: return a == b;
        case Math::Ne: return a != b;
        case Math::Lt: return a < b;
        case Math::Le: return a <= b;
        case Math::Gt: return a > b;
        default: return a >= b;
    }
}

std::int32_t computed(Math math, std::int32_t a, std::int32_t b) noexcept
{
    const auto x = static_cast<std::uint32_t>(a), y = static_cast<std::uint32_t>(b);
    switch (math) {
        case Math::Add: return static_cast<std::int32_t>(x + y);
        case Math::Sub: return static_cast<std::int32_t>(x - y);
        case Math::Mul: return static_cast<std::int32_t>(x * y);
        case Math::Div: return b == 0 ? -1 : b == -1 ? static_cast<std::int32_t>(0 - x) : a / b;
        case Math::And: return a & b;
        case Math::Or: return a | b;
        case Math::Xor: return a ^ b;
        default: return b;
    }
}

}  // namespace gsu::litmus
