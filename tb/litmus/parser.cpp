#include "litmus/parser.hpp"

#include <fmt/format.h>

#include "litmus/header.hpp"

#include <algorithm>

#include "base/input_error.hpp"

namespace gsu::litmus {
namespace {

constexpr std::size_t kMaxThreads = 16, kMaxInstructions = 256, kMaxLocations = 256;

}  // namespace

bool isRegister(const std::string& word) noexcept
{
    const std::size_t from = !word.empty() && word[0] == '%' ? 1 : 0;
    return word.size() > from + 1 && word[from] == 'r' &&
           std::all_of(word.begin() + static_cast<std::ptrdiff_t>(from) + 1, word.end(),
                       [](char c) { return c >= '0' && c <= '9'; });
}

Parser::Parser(std::string_view text, std::string file) : in_(text, file)
{
    test_.file = std::move(file);
}

Test Parser::parse()
{
    initial();
    threadRow();
    instructionRows();
    finish();
    conditions();
    return std::move(test_);
}

unsigned Parser::location(const Token& name)
{
    if (locations_.size() >= kMaxLocations && !locations_.contains(name.text))
        in_.fail(name, fmt::format("more than {} locations", kMaxLocations));
    const auto [found, added] =
        locations_.try_emplace(name.text, static_cast<unsigned>(test_.locations.size()));
    if (added) {
        Location l;
        l.name = name.text;
        l.root = l.address = found->second;
        l.line = name.line;
        test_.locations.push_back(l);
    }
    return found->second;
}

void Parser::initial()
{
    in_.expect("{");
    while (!in_.accept("}")) {
        if (in_.accept(";")) continue;
        const bool isThread = in_.peek(1).text == ":" || in_.peek().kind == Token::Kind::Number;
        if (isThread) {
            initialRegister();
        } else {
            const Token name = in_.word("a location");
            if (isRegister(name.text))
                in_.fail(name, "'" + name.text + "' is a register: of which thread?");
            if (locations_.contains(name.text))
                in_.fail(name, "'" + name.text + "' is there twice");
            declare(name);
        }
        if (in_.peek().text != "}") in_.expect(";");
    }
    in_.accept(";");
}

void Parser::initialRegister()
{
    PendingRegister p;
    p.thread = in_.next();
    in_.expect(":");
    p.name = in_.word("a register");
    if (!isRegister(p.name.text))
        in_.fail(p.name, "'" + p.name.text + "' is no register: r and a number");
    in_.expect("=");
    if (in_.peek().kind == Token::Kind::Word || in_.peek().text == "&")
        in_.fail(in_.peek(), "addresses in registers are not supported");
    p.value = in_.number("a number");
    registers_.push_back(std::move(p));
}

void Parser::declare(const Token& name)
{
    const unsigned index = location(name);
    test_.locations[index].stated = true;
    if (in_.accept("@")) {
        const Token how = in_.word("a proxy, shared or mbarrier");
        if (how.text == "shared" || how.text == "mbarrier") {
            test_.locations[index].kind =
                how.text == "shared" ? Location::Kind::Shared : Location::Kind::Mbarrier;
            homes_.push_back({index, in_.word("a thread of the CTA that owns it")});
        } else {
            const bool generic = how.text == "generic";
            if (!generic && how.text != "surface" && how.text != "texture" &&
                how.text != "constant")
                in_.fail(how,
                         "'" + how.text +
                             "' is none of generic, surface, texture, constant, shared, mbarrier");
            in_.expect("aliases");
            const Token of = in_.word("a location");
            const unsigned other = location(of);
            Location& l = test_.locations[index];
            l.root = test_.locations[other].root;
            if (!generic) l.address = test_.locations[other].address;
            return;
        }
    }
    if (in_.accept("=")) {
        if (in_.peek().kind == Token::Kind::Word || in_.peek().text == "&")
            in_.fail(in_.peek(), "addresses in memory are not supported");
        test_.locations[index].init = in_.number("a number");
    } else if (test_.locations[index].kind == Location::Kind::Mbarrier) {
        in_.fail(in_.peek(), "an mbarrier needs its count of arrivals: @ mbarrier P0 = 1");
    }
}

void Parser::threadRow()
{
    unsigned column = 0;
    do {
        threadHead(column++);
    } while (in_.accept("|"));
    in_.expect(";");
    labels_.resize(test_.threads.size());
}

void Parser::threadHead(unsigned column)
{
    const Token name = in_.word("a thread: P0@cta 0,gpu 0");
    if (column >= kMaxThreads) in_.fail(name, fmt::format("more than {} threads", kMaxThreads));
    if (!threads_.emplace(name.text, column).second)
        in_.fail(name, "thread '" + name.text + "' is there twice");
    Thread t;
    t.name = name.text;
    Cta cta;
    bool cluster = false;
    in_.expect("@");
    in_.expect("cta");
    cta.number = static_cast<unsigned>(in_.number("the number of the CTA"));
    while (in_.accept(",")) {
        const Token what = in_.word("cluster or gpu");
        if (what.text != "cluster" && what.text != "gpu")
            in_.fail(what, "expected cluster or gpu, found '" + what.text + "'");
        (what.text == "cluster" ? cta.cluster : cta.gpu) =
            static_cast<unsigned>(in_.number("its number"));
        cluster = cluster || what.text == "cluster";
    }
    test_.clusters = test_.clusters || cluster;
    const auto same = std::find_if(test_.ctas.begin(), test_.ctas.end(), [&](const Cta& c) {
        return c.number == cta.number && c.gpu == cta.gpu;
    });
    if (same != test_.ctas.end() && same->cluster != cta.cluster)
        in_.fail(name, fmt::format("CTA {} is in two clusters", cta.number));
    t.cta = static_cast<unsigned>(same - test_.ctas.begin());
    if (same == test_.ctas.end()) test_.ctas.push_back(cta);
    test_.ctas[t.cta].threads.push_back(column);
    test_.threads.push_back(std::move(t));
}

void Parser::instructionRows()
{
    const auto ends = [&] {
        const std::string& word = in_.peek().text;
        return in_.ended() || word == "exists" || word == "forall" || word == "~" ||
               word == "locations" || word == "filter";
    };
    while (!ends()) {
        for (unsigned column = 0;; ++column) {
            if (column >= test_.threads.size())
                in_.fail(in_.peek(), "the row has more columns than there are threads");
            while (in_.peek().text != "|" && in_.peek().text != ";") {
                if (ends()) in_.fail(in_.peek(), "the row of instructions does not end with ';'");
                instruction(column);
            }
            if (!in_.accept("|")) break;
        }
        in_.expect(";");
    }
}

unsigned Parser::threadNamed(const Token& name) const
{
    auto found = threads_.find(name.text);
    if (found == threads_.end() && name.kind == Token::Kind::Number)
        found = threads_.find("P" + name.text);
    if (found == threads_.end()) in_.fail(name, "there is no thread '" + name.text + "'");
    return found->second;
}

int Parser::reg(unsigned thread, const std::string& name)
{
    Thread& t = test_.threads[thread];
    const auto found = std::find(t.registers.begin(), t.registers.end(), name);
    if (found != t.registers.end()) return static_cast<int>(found - t.registers.begin());
    t.registers.push_back(name);
    t.init.push_back(0);
    return static_cast<int>(t.registers.size() - 1);
}

void Parser::finish()
{
    for (const PendingRegister& p : registers_) {
        const unsigned thread = threadNamed(p.thread);
        const int index = reg(thread, p.name.text);
        test_.threads[thread].init[static_cast<std::size_t>(index)] = p.value;
    }
    for (const PendingHome& h : homes_)
        test_.locations[h.location].cta = test_.threads[threadNamed(h.thread)].cta;
    for (Location& l : test_.locations) {
        l.kind = test_.locations[l.root].kind;
        l.cta = test_.locations[l.root].cta;
    }
    for (const Jump& j : jumps_) {
        const auto found = labels_[j.thread].find(j.label.text);
        if (found == labels_[j.thread].end())
            in_.fail(j.label,
                     "there is no label '" + j.label.text + "' in " + test_.threads[j.thread].name);
        test_.threads[j.thread].code[j.instruction].target = found->second;
    }
    judge();
}

/// Barriers without a count are for the threads of the CTA that name them.
void Parser::countParticipants(Thread& thread)
{
    const auto meets = [](const Instruction& a, const Instruction& b) {
        const bool bar = b.kind == Kind::BarSync || b.kind == Kind::BarArrive;
        return bar && (a.barrier.reg >= 0 || b.barrier.reg >= 0 || a.id == b.id);
    };
    for (Instruction& i : thread.code) {
        if ((i.kind != Kind::BarSync && i.kind != Kind::BarArrive) || i.count != 0) continue;
        for (const unsigned other : test_.ctas[thread.cta].threads) {
            const auto& code = test_.threads[other].code;
            const bool takesPart = std::any_of(code.begin(), code.end(),
                                               [&](const Instruction& o) { return meets(i, o); });
            i.count += takesPart ? 1 : 0;
        }
    }
}

/// The reason why an instruction is wrong, as far as it depends on the kind of its location; empty: it is right.
std::string Parser::misuse(const Thread& thread, const Instruction& i) const
{
    const auto& all = test_.locations;
    const auto kindOf = [&](unsigned l) { return all[l].kind; };
    const bool asynchronous = i.kind == Kind::BulkCopy || i.kind == Kind::StAsync;
    const bool data = i.kind == Kind::Load || i.kind == Kind::Store || i.kind == Kind::Atom ||
                      i.kind == Kind::Red || asynchronous;
    const auto isMbarrier = [&](unsigned l) { return kindOf(l) == Location::Kind::Mbarrier; };
    if (data && (isMbarrier(i.location) || (i.kind == Kind::BulkCopy && isMbarrier(i.from))))
        return "an mbarrier is no data";
    const bool barrier = i.kind == Kind::MbarArrive || i.kind == Kind::MbarExpectTx ||
                         i.kind == Kind::MbarWait || asynchronous;
    if (barrier && kindOf(i.mbarrier) != Location::Kind::Mbarrier)
        return "'" + all[i.mbarrier].name + "' is no mbarrier: declare it with @ mbarrier";
    if (i.kind == Kind::MbarWait && all[i.mbarrier].cta != thread.cta)
        return "only threads of its CTA can wait on an mbarrier (MBAR-020)";
    if (asynchronous && (kindOf(i.location) != Location::Kind::Shared ||
                         all[i.location].cta != all[i.mbarrier].cta))
        return "destination and mbarrier must be in the shared memory of one CTA (RASYNC-015)";
    return {};
}

void Parser::judge()
{
    for (Thread& t : test_.threads) {
        if (t.code.size() > kMaxInstructions)
            throw InputError(test_.file, t.code.back().line, t.code.back().column,
                             fmt::format("more than {} instructions", kMaxInstructions));
        countParticipants(t);
        for (const Instruction& i : t.code) {
            const std::string why = misuse(t, i);
            if (!why.empty()) throw InputError(test_.file, i.line, i.column, i.text + ": " + why);
        }
    }
}

bool isKernelTest(const std::string& text)
{
    const std::size_t at = text.find_first_not_of(" \t\r\n");
    return at != std::string::npos && text.compare(at, 6, "KERNEL") == 0;
}

KernelTest parseKernelTest(const std::string& text, const std::string& file)
{
    Header header = headerOf(text, file, "KERNEL");
    Parser parser(header.rest, file);
    KernelTest kernel = parser.parseKernel();
    kernel.test.name = std::move(header.name);
    kernel.test.remarks = std::move(header.remarks);
    return kernel;
}

Test parseTest(const std::string& text, const std::string& file)
{
    Header header = headerOf(text, file, "PTX");
    Parser parser(header.rest, file);
    Test test = parser.parse();
    test.name = std::move(header.name);
    test.remarks = std::move(header.remarks);
    return test;
}

}  // namespace gsu::litmus
