#include "races/access_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <span>

#include "golden/port_observer.hpp"

namespace gsu::races {
namespace {

using trace::Cursor;

constexpr std::array kTouches{"none", "reads", "writes", "updates"};
constexpr std::array kSems{"relaxed", "acquire", "release", "acq_rel"};
constexpr std::array kScopes{"none", "cta", "cluster", "gpu", "sys"};
constexpr std::array kOperations{"cp_async", "bulk", "remote", "matrix", "tensor", "late"};
constexpr std::size_t kOfLine = 100;                       ///< ranges, or numbers
constexpr std::size_t kMostRanges = std::size_t{1} << 20;  ///< of one operation

template <class T, std::size_t N>
T oneOf(Cursor& in, const char* what, const std::array<const char*, N>& names)
{
    const Cursor start = in;
    const std::string_view name = in.word(what);
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) start.fail(fmt::format("{} expected", what));
    return static_cast<T>(found - names.begin());
}

auto to(std::string& out) { return std::back_inserter(out); }

void appendWarp(std::string& out, const WarpRef& at, Lanes lanes, std::uint32_t line)
{
    fmt::format_to(to(out), "{}/{}/{} {:#010x} L{} ", at.sm, at.cta, at.warp, lanes, line);
}

template <class T> void readWarp(Cursor& in, T& what)
{
    what.at = in.warp();
    in.expect(" ");
    what.lanes = in.mask("lanes");
    if (what.lanes == 0) in.fail("no lane is active");
    in.expect(" L");
    what.line = in.field<std::uint32_t>("line", ~std::uint32_t{0});
    in.expect(" ");
}

/// How many of these ranges follow each other at equal steps; `step`: the distance.
std::size_t rowOf(std::span<const MemoryRange> ranges, std::uint64_t& step)
{
    step = 0;
    if (ranges.size() < 2 || ranges[1].at < ranges[0].at) return 1;
    step = ranges[1].at - ranges[0].at;
    std::size_t n = 1;
    while (n < ranges.size() && ranges[n].sameMemory(ranges[0]) &&
           ranges[n].bytes == ranges[0].bytes && ranges[n].at - ranges[n - 1].at == step)
        ++n;
    return n;
}

void appendRanges(std::string& out, std::span<const MemoryRange> ranges)
{
    const char* comma = "";
    while (!ranges.empty()) {
        out += comma;
        comma = ",";
        const MemoryRange& first = ranges.front();
        std::size_t n = 1;
        if (first.bytes == 0) {
            while (n < ranges.size() && ranges[n].bytes == 0) ++n;
            fmt::format_to(to(out), "-*{}", n);
        } else {
            std::uint64_t step = 0;
            n = rowOf(ranges, step);
            if (first.global())
                out += 'g';
            else
                fmt::format_to(to(out), "{}/{}", first.sm, first.slot);
            fmt::format_to(to(out), "@{}", first.at);
            if (n > 1) fmt::format_to(to(out), "+{}*{}", step, n);
            fmt::format_to(to(out), ":{}", first.bytes);
        }
        ranges = ranges.subspan(n);
    }
}

/// Calls `add` for each range of a list.
template <class Add> void readRanges(Cursor& in, Add&& add)
{
    do {
        MemoryRange r;
        if (in.accept("-*")) {
            for (auto n = in.number("ranges", 32); n > 0; --n) add(r);
            continue;
        }
        if (!in.accept("g")) in.slot(r.sm, r.slot);
        in.expect("@");
        r.at = in.number("address", ~std::uint64_t{0});
        std::uint64_t step = 0, n = 1;
        if (in.accept("+")) {
            step = in.number("step", ~std::uint64_t{0});
            in.expect("*");
            n = in.number("ranges", kMostRanges);
        }
        in.expect(":");
        r.bytes = in.field<std::uint32_t>("bytes", 1u << 30);
        for (; n > 0; --n, r.at += step) add(r);
    } while (in.accept(","));
}

void addParts(std::vector<std::string>& to, const char* what, std::span<const MemoryRange> ranges)
{
    while (!ranges.empty()) {
        const std::size_t n = std::min(ranges.size(), kOfLine);
        to.push_back(fmt::format("part {} ", what));
        appendRanges(to.back(), ranges.first(n));
        ranges = ranges.subspan(n);
    }
}

void addLines(std::vector<std::string>& to, const char* what,
              const std::unordered_set<std::uint32_t>& lines)
{
    std::vector<std::uint32_t> sorted(lines.begin(), lines.end());
    std::sort(sorted.begin(), sorted.end());
    for (std::size_t i = 0; i < sorted.size(); ++i) {
        if (i % kOfLine == 0)
            to.push_back(fmt::format("{} {}", what, sorted[i]));
        else
            to.back() += fmt::format(",{}", sorted[i]);
    }
}

void appendValues(std::string& out, const Access& a)
{
    std::vector<std::uint32_t> values;
    eachLane(a.lanes, [&](unsigned l) { values.push_back(a.value[l]); });
    if (std::all_of(values.begin(), values.end(), [](std::uint32_t v) { return v == 0; })) return;
    out += " values=";
    for (std::size_t i = 0; i < values.size();) {
        std::size_t n = 1;
        while (i + n < values.size() && values[i + n] == values[i]) ++n;
        fmt::format_to(to(out), "{}{:#x}", i == 0 ? "" : ",", values[i]);
        if (n > 1) fmt::format_to(to(out), "*{}", n);
        i += n;
    }
}

void readValues(Cursor& in, Access& a)
{
    std::vector<std::uint32_t> values;
    do {
        const auto v = in.field<std::uint32_t>("value", ~std::uint32_t{0});
        values.resize(values.size() + (in.accept("*") ? in.number("lanes", 32) : 1), v);
    } while (in.accept(",") && values.size() <= 32);
    if (values.size() != static_cast<std::size_t>(__builtin_popcount(a.lanes)))
        in.fail("as many values as lanes expected");
    auto next = values.begin();
    eachLane(a.lanes, [&](unsigned l) { a.value[l] = *next++; });
}

}  // namespace

std::vector<std::string> textsOf(const ModuleLines& lines)
{
    std::vector<std::string> all;
    addLines(all, "unscoped", lines.unscoped);
    if (!lines.reductions) return all;
    all.emplace_back("reductions");
    addLines(all, "reductions", *lines.reductions);
    return all;
}

void append(std::string& out, const Access& a)
{
    out += "access ";
    appendWarp(out, a.at, a.lanes, a.line);
    out += kTouches[static_cast<std::size_t>(a.touch)];
    if (a.order.strong)
        fmt::format_to(to(out), " {}.{} ", kSems[static_cast<std::size_t>(a.order.sem)],
                       kScopes[static_cast<std::size_t>(a.order.scope)]);
    else
        out += " weak ";
    std::array<MemoryRange, 32> ranges;
    std::size_t n = 0;
    eachLane(a.whole ? ~Lanes{0} : a.lanes, [&](unsigned l) { ranges[n++] = a.range[l]; });
    appendRanges(out, std::span(ranges).first(n));
    if (a.whole) out += " whole";
    if (a.consecutive) out += " row";
    appendValues(out, a);
}

std::vector<std::string> textsOf(const AsyncOp& op)
{
    std::vector<std::string> all;
    addParts(all, "reads", op.reads);
    addParts(all, "writes", op.writes);
    std::string text = "begins ";
    appendWarp(text, op.at, op.lanes, op.line);
    text += kOperations[static_cast<std::size_t>(op.kind)];
    if (op.until == AsyncOp::Until::Mbarrier)
        fmt::format_to(to(text), " until mbarrier {}/{}@{} #{}", op.sm, op.slot, op.mbarrier,
                       op.name);
    else
        text += op.until == AsyncOp::Until::Group ? " until group" : " until end";
    if (op.updates) text += " updates";
    all.push_back(std::move(text));
    return all;
}

void append(std::string& out, const GroupStep& s)
{
    out += "group ";
    appendWarp(out, s.at, s.lanes, s.line);
    out += kOperations[static_cast<std::size_t>(s.kind)];
    if (!s.waits) return static_cast<void>(out += " closes");
    fmt::format_to(to(out), " waits stay={}{}{}", s.mayStay, s.reads ? " reads" : "",
                   s.all ? " all" : "");
}

std::string completionText(std::uint64_t name) { return fmt::format("completes #{}", name); }

std::string placeText(const Launch& launch, std::uint32_t linear)
{
    return fmt::format("place {}/{} {}", launch.sm, launch.cta, linear);
}

void AccessReader::read(Cursor in, Cycle cycle)
{
    const Cursor start = in;
    const std::string_view what = in.word("what was done to memory");
    if (what == "reductions" && in.atEnd()) {
        lines_.reductions.emplace();
        return onLines(lines_);
    }
    in.expect(" ");
    if (what == "access")
        access(in, cycle);
    else if (what == "part")
        part(in);
    else if (what == "begins")
        begins(in, cycle);
    else if (what == "group")
        group(in);
    else if (what == "completes") {
        in.expect("#");
        to_.completes(in.number("name", ~std::uint64_t{0}));
    } else if (what == "place")
        place(in);
    else if (what == "unscoped")
        lines(in, lines_.unscoped);
    else if (what == "reductions" && lines_.reductions)
        lines(in, *lines_.reductions);
    else
        start.fail("unknown record of memory '" + std::string(what.substr(0, 24)) + "'");
    in.expectEnd();
}

void AccessReader::lines(Cursor& in, std::unordered_set<std::uint32_t>& to)
{
    do to.insert(in.field<std::uint32_t>("line", ~std::uint32_t{0}));
    while (in.accept(","));
    onLines(lines_);
}

void AccessReader::access(Cursor& in, Cycle cycle)
{
    Access a;
    readWarp(in, a);
    a.cycle = cycle;
    a.touch = oneOf<Touch>(in, "none, reads, writes or updates", kTouches);
    in.expect(" ");
    if (!in.accept("weak")) {
        a.order.strong = true;
        const Cursor start = in;
        const std::string_view word = in.word("the strength of an access");
        const std::size_t dot = std::min(word.find('.'), word.size());
        const auto sem = std::find(kSems.begin(), kSems.end(), word.substr(0, dot));
        const auto scope =
            std::find(kScopes.begin(), kScopes.end(), word.substr(std::min(dot + 1, word.size())));
        if (sem == kSems.end() || scope == kScopes.end())
            start.fail("weak, or SEMANTICS.SCOPE expected");
        a.order.sem = static_cast<Sem>(sem - kSems.begin());
        a.order.scope = static_cast<Scope>(scope - kScopes.begin());
    }
    in.expect(" ");
    std::vector<MemoryRange> ranges;
    readRanges(in, [&](const MemoryRange& r) {
        if (ranges.size() == 32) in.fail("more ranges than lanes");
        ranges.push_back(r);
    });
    a.whole = in.accept(" whole");
    a.consecutive = in.accept(" row");
    const Lanes of = a.whole ? ~Lanes{0} : a.lanes;
    if (ranges.size() != static_cast<std::size_t>(__builtin_popcount(of)))
        in.fail("as many ranges as lanes expected");
    auto next = ranges.begin();
    eachLane(of, [&](unsigned l) { a.range[l] = *next++; });
    if (in.accept(" values=")) readValues(in, a);
    to_.onAccess(a);
}

void AccessReader::part(Cursor& in)
{
    const bool writes = in.accept("writes ");
    if (!writes) in.expect("reads ");
    std::vector<MemoryRange>& list = writes ? next_.writes : next_.reads;
    readRanges(in, [&](const MemoryRange& r) {
        if (list.size() == kMostRanges) in.fail("an operation of too many ranges");
        list.push_back(r);
    });
}

void AccessReader::begins(Cursor& in, Cycle cycle)
{
    AsyncOp op = std::exchange(next_, {});
    readWarp(in, op);
    op.cycle = cycle;
    op.kind = oneOf<AsyncOp::Kind>(in, "the kind of an operation", kOperations);
    in.expect(" until ");
    if (in.accept("mbarrier ")) {
        op.until = AsyncOp::Until::Mbarrier;
        in.slot(op.sm, op.slot);
        in.expect("@");
        op.mbarrier = in.field<std::uint32_t>("offset", ~std::uint32_t{0});
        in.expect(" #");
        op.name = in.number("name", ~std::uint64_t{0});
    } else if (in.accept("end")) {
        op.until = AsyncOp::Until::End;
    } else {
        in.expect("group");
    }
    op.updates = in.accept(" updates");
    to_.onAsync(op);
}

void AccessReader::group(Cursor& in)
{
    GroupStep s;
    readWarp(in, s);
    s.kind = oneOf<AsyncOp::Kind>(in, "the kind of an operation", kOperations);
    s.waits = in.accept(" waits stay=");
    if (s.waits) {
        s.mayStay = in.field<std::uint32_t>("groups", ~std::uint32_t{0});
        s.reads = in.accept(" reads");
        s.all = in.accept(" all");
    } else {
        in.expect(" closes");
    }
    to_.onGroup(s);
}

void AccessReader::place(Cursor& in)
{
    Launch launch;
    in.slot(launch.sm, launch.cta);
    in.expect(" ");
    places_.onPlace(launch, in.field<std::uint32_t>("CTA", ~std::uint32_t{0}));
}

}  // namespace gsu::races
