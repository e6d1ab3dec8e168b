// Instructions of a litmus test: the PTX mnemonics without types and brackets, as the published suites write them.
#include <algorithm>
#include <optional>

#include "litmus/parser.hpp"

namespace gsu::litmus {
namespace {

std::vector<std::string> split(const std::string& word)
{
    std::vector<std::string> parts{""};
    for (const char c : word) {
        if (c == '.')
            parts.emplace_back();
        else
            parts.back() += c;
    }
    return parts;
}

std::optional<Math> mathOf(const std::string& name)
{
    static const std::map<std::string, Math> kNames{
        {"add", Math::Add}, {"sub", Math::Sub},   {"mul", Math::Mul},
        {"div", Math::Div}, {"and", Math::And},   {"or", Math::Or},
        {"xor", Math::Xor}, {"exch", Math::Exch}, {"cas", Math::Cas}};
    const auto found = kNames.find(name);
    return found == kNames.end() ? std::nullopt : std::optional(found->second);
}

std::optional<Math> branchOf(const std::string& name)
{
    static const std::map<std::string, Math> kNames{{"beq", Math::Eq}, {"bne", Math::Ne},
                                                    {"blt", Math::Lt}, {"ble", Math::Le},
                                                    {"bgt", Math::Gt}, {"bge", Math::Ge}};
    const auto found = kNames.find(name);
    return found == kNames.end() ? std::nullopt : std::optional(found->second);
}

bool take(std::vector<std::string>& parts, const char* what)
{
    const auto found = std::find(parts.begin(), parts.end(), what);
    if (found == parts.end()) return false;
    parts.erase(found);
    return true;
}

}  // namespace

Value Parser::value(unsigned thread)
{
    Value v;
    if (in_.peek().kind == Token::Kind::Word && isRegister(in_.peek().text))
        v.reg = reg(thread, in_.next().text);
    else
        v.number = in_.number("a number or a register");
    return v;
}

unsigned Parser::place()
{
    const bool brackets = in_.accept("[");
    const Token name = in_.word("a location");
    if (isRegister(name.text)) in_.fail(name, "addresses in registers are not supported");
    if (brackets) in_.expect("]");
    return location(name);
}

int Parser::target(unsigned thread)
{
    const Token name = in_.word("a register");
    if (!isRegister(name.text))
        in_.fail(name, "'" + name.text + "' is no register: r and a number");
    return reg(thread, name.text);
}

/// Takes semantics and scope out of the parts of a mnemonic.
void Parser::order(Instruction& i, const Token& word, std::vector<std::string>& parts)
{
    i.weak = take(parts, "weak");
    i.sem = Order::Relaxed;
    const std::pair<const char*, Order> kSems[]{{"relaxed", Order::Relaxed},
                                                {"acquire", Order::Acquire},
                                                {"release", Order::Release},
                                                {"acq_rel", Order::AcqRel},
                                                {"sc", Order::Sc}};
    bool strong = false;
    for (const auto& [name, sem] : kSems) {
        if (!take(parts, name)) continue;
        if (strong || i.weak) in_.fail(word, "'" + word.text + "' has two orders");
        strong = true;
        i.sem = sem;
    }
    bool scoped = false;
    const std::pair<const char*, Scope> kScopes[]{
        {"cta", Scope::Cta}, {"cluster", Scope::Cluster}, {"gpu", Scope::Gpu}, {"sys", Scope::Sys}};
    for (const auto& [name, scope] : kScopes) {
        if (!take(parts, name)) continue;
        if (scoped) in_.fail(word, "'" + word.text + "' has two scopes");
        scoped = true;
        i.scope = scope;
    }
    if (strong && !scoped &&
        (i.kind == Kind::Load || i.kind == Kind::Store || i.kind == Kind::Atom ||
         i.kind == Kind::Red || i.kind == Kind::Fence))
        in_.fail(word, "'" + word.text + "' needs a scope: cta, cluster, gpu or sys");
    for (const char* type : {"u32", "s32", "b32"}) take(parts, type);
}

void Parser::instruction(unsigned thread)
{
    const std::size_t from = in_.place();
    const Token word = in_.word("an instruction");
    Thread& t = test_.threads[thread];
    if (in_.accept(":")) {
        if (!labels_[thread].emplace(word.text, static_cast<unsigned>(t.code.size())).second)
            in_.fail(word, "label '" + word.text + "' is there twice");
        return;
    }
    Instruction i;
    i.line = word.line;
    i.column = word.column;
    parseWord(i, word, thread);
    i.text = in_.textSince(from);
    test_.threads[thread].code.push_back(std::move(i));
}

void Parser::parseWord(Instruction& i, const Token& word, unsigned thread)
{
    std::vector<std::string> parts = split(word.text);
    const std::string opcode = parts.front();
    if (memoryWord(i, word, parts, thread) || fenceWord(i, word, parts) ||
        barrierWord(i, parts, thread) || mbarrierWord(i, parts, thread)) {
        if (!parts.empty())
            in_.fail(word, "'" + parts.front() + "' of '" + word.text +
                               "' is not supported in litmus tests");
        return;
    }
    if (plainWord(i, split(word.text), thread)) return;
    if (const auto math = branchOf(word.text)) {
        i.kind = Kind::Branch;
        i.math = *math;
        i.a = value(thread);
        in_.expect(",");
        i.b = value(thread);
        in_.expect(",");
    } else if (word.text == "goto") {
        i.kind = Kind::Goto;
    } else {
        in_.fail(word,
                 "'" + word.text + "' is no instruction of litmus tests (see gsu litmus --help)");
    }
    jumps_.push_back(
        {thread, static_cast<unsigned>(test_.threads[thread].code.size()), in_.word("a label")});
}

/// The orders that an access can have, and the operation of an atomic.
void Parser::operation(Instruction& i, const Token& word, std::vector<std::string>& parts)
{
    if ((i.kind == Kind::Load && (i.sem == Order::Release || i.sem == Order::AcqRel)) ||
        (i.kind == Kind::Store && (i.sem == Order::Acquire || i.sem == Order::AcqRel)) ||
        (i.kind == Kind::Red && i.sem == Order::Acquire))
        in_.fail(word, "'" + word.text + "': this access cannot have this order");
    if (i.kind == Kind::Atom || i.kind == Kind::Red) {
        const auto math = parts.empty() ? std::nullopt : mathOf(parts.front());
        if (!math)
            in_.fail(word, "'" + word.text +
                               "' names no operation: add, sub, mul, div, and, or, xor, exch, cas");
        i.math = *math;
        parts.erase(parts.begin());
    }
}

bool Parser::memoryWord(Instruction& i, const Token& word, std::vector<std::string>& parts,
                        unsigned thread)
{
    static const std::map<std::string, std::pair<Kind, Proxy>> kWords{
        {"ld", {Kind::Load, Proxy::Generic}},   {"suld", {Kind::Load, Proxy::Surface}},
        {"tld", {Kind::Load, Proxy::Texture}},  {"cold", {Kind::Load, Proxy::Constant}},
        {"st", {Kind::Store, Proxy::Generic}},  {"sust", {Kind::Store, Proxy::Surface}},
        {"atom", {Kind::Atom, Proxy::Generic}}, {"suatom", {Kind::Atom, Proxy::Surface}},
        {"red", {Kind::Red, Proxy::Generic}},   {"sured", {Kind::Red, Proxy::Surface}}};
    const auto found = kWords.find(parts.front());
    if (found == kWords.end() || (parts.front() == "st" && parts.size() > 1 && parts[1] == "async"))
        return false;
    parts.erase(parts.begin());
    i.kind = found->second.first;
    i.proxy = found->second.second;
    order(i, word, parts);
    operation(i, word, parts);
    const bool reads = i.kind == Kind::Load || i.kind == Kind::Atom;
    if (reads) {
        i.to = target(thread);
        in_.expect(",");
    }
    const Token& next = in_.peek();
    if (i.kind == Kind::Load &&
        (next.kind == Token::Kind::Number || next.text == "-" || isRegister(next.text))) {
        i.kind = Kind::Move;
        i.a = value(thread);
        return true;
    }
    i.location = place();
    if (i.kind == Kind::Load) return true;
    in_.expect(",");
    i.a = value(thread);
    if (i.math != Math::Cas) return true;
    in_.expect(",");
    i.b = value(thread);
    return true;
}

bool Parser::fenceWord(Instruction& i, const Token& word, std::vector<std::string>& parts)
{
    if (parts.front() == "membar") {
        i.kind = Kind::Fence;
        i.sem = Order::Sc;
        i.scope = take(parts, "cta") ? Scope::Cta : take(parts, "gl") ? Scope::Gpu : Scope::Sys;
        take(parts, "sys");
        parts.erase(parts.begin());
        return true;
    }
    if (parts.front() != "fence") return false;
    parts.erase(parts.begin());
    if (take(parts, "mbarrier_init")) {
        i.kind = Kind::MbarrierInitFence;
        take(parts, "release");
        take(parts, "cluster");
        return true;
    }
    if (take(parts, "proxy")) {
        i.kind = Kind::ProxyFence;
        const std::pair<const char*, Proxy> kProxies[]{{"alias", Proxy::Generic},
                                                       {"surface", Proxy::Surface},
                                                       {"texture", Proxy::Texture},
                                                       {"constant", Proxy::Constant},
                                                       {"async", Proxy::Async}};
        for (const auto& [name, proxy] : kProxies) {
            if (!take(parts, name)) continue;
            i.proxy = proxy;
            return true;
        }
        in_.fail(word,
                 "'" + word.text + "' names none of alias, surface, texture, constant, async");
    }
    i.kind = Kind::Fence;
    const std::size_t before = parts.size();
    order(i, word, parts);
    if (i.sem == Order::Relaxed || before < 2)
        in_.fail(word, "a fence is acquire, release, acq_rel or sc, and has a scope");
    return true;
}

bool Parser::barrierWord(Instruction& i, std::vector<std::string>& parts, unsigned thread)
{
    if (parts.front() == "barrier" && parts.size() >= 3 && parts[1] == "cluster") {
        if (parts[2] != "arrive" && parts[2] != "wait") return false;
        i.kind = parts[2] == "arrive" ? Kind::ClusterArrive : Kind::ClusterWait;
        i.scope = Scope::Cluster;
        i.sem = i.kind == Kind::ClusterArrive ? Order::Release : Order::Acquire;
        parts.erase(parts.begin(), parts.begin() + 3);
        if (i.kind == Kind::ClusterArrive && take(parts, "relaxed")) i.sem = Order::Relaxed;
        if (i.kind == Kind::ClusterArrive) take(parts, "release");
        if (i.kind == Kind::ClusterWait) take(parts, "acquire");
        take(parts, "aligned");
        test_.clusters = true;
        return true;
    }
    if ((parts.front() != "bar" && parts.front() != "barrier") || parts.size() < 2) return false;
    parts.erase(parts.begin());
    // instance, id, participants: the notation of the suites
    const bool suite = take(parts, "cta");
    i.kind = take(parts, "arrive") ? Kind::BarArrive : Kind::BarSync;
    if (i.kind == Kind::BarSync && !take(parts, "sync")) return false;
    i.barrier = value(thread);
    if (suite && in_.accept(",")) i.barrier = value(thread);
    if (i.barrier.reg < 0 && (i.barrier.number < 0 || i.barrier.number > 15))
        in_.fail(in_.peek(), "a barrier is 0..15");
    i.id = i.barrier.reg < 0 ? static_cast<unsigned>(i.barrier.number) : 0;
    if (!in_.accept(",")) return true;
    const Token at = in_.peek();
    const std::int32_t count = in_.number("the number of participants");
    if (count < 1 || count > 32) in_.fail(at, "a barrier has 1..32 participants here");
    i.count = static_cast<unsigned>(count);
    return true;
}

bool Parser::mbarrierWord(Instruction& i, std::vector<std::string>& parts, unsigned thread)
{
    const auto amount = [&] {
        in_.expect(",");
        return value(thread);
    };
    if (parts.front() == "st" || parts.front() == "cp") {
        const bool copy = parts.front() == "cp";
        if (copy ? parts != std::vector<std::string>{"cp", "async", "bulk"}
                 : parts != std::vector<std::string>{"st", "async"})
            return false;
        parts.clear();
        i.kind = copy ? Kind::BulkCopy : Kind::StAsync;
        i.location = place();
        in_.expect(",");
        if (copy)
            i.from = place();
        else
            i.a = value(thread);
        in_.expect(",");
        i.mbarrier = place();
        test_.clusters = true;
        return true;
    }
    if (parts.front() != "mbarrier" || parts.size() < 2) return false;
    parts.erase(parts.begin());
    const bool expects = take(parts, "expect_tx");
    const bool waits = take(parts, "wait"), arrives = !waits && take(parts, "arrive");
    if (!waits && !arrives && !expects) return false;
    i.kind = waits ? Kind::MbarWait : arrives ? Kind::MbarArrive : Kind::MbarExpectTx;
    const bool relaxed = std::find(parts.begin(), parts.end(), "relaxed") != parts.end();
    order(i, in_.peek(), parts);
    if (!relaxed) i.sem = waits ? Order::Acquire : arrives ? Order::Release : Order::Relaxed;
    i.mbarrier = place();
    if (waits || i.kind == Kind::MbarExpectTx) i.a = amount();
    if (arrives && expects) i.b = amount();
    return true;
}

bool Parser::plainWord(Instruction& i, const std::vector<std::string>& parts, unsigned thread)
{
    const auto math = mathOf(parts.front());
    const bool move = parts.front() == "mov";
    if (parts.size() > 2 || (!move && (!math || *math == Math::Exch || *math == Math::Cas)))
        return false;
    i.kind = move ? Kind::Move : Kind::Arithmetic;
    i.to = target(thread);
    in_.expect(",");
    i.a = value(thread);
    if (move) return true;
    i.math = *math;
    in_.expect(",");
    i.b = value(thread);
    return true;
}

}  // namespace gsu::litmus
