#include "trace/record_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "golden/chip_layout.hpp"
#include "trace/instruction_text.hpp"

namespace gsu::trace {
namespace {

constexpr Cycle kMaxCycle = (Cycle{1} << kTimeW) - 1;
constexpr std::array kCauses{"done",     "already_true", "flip",   "timeout",
                             "cam_full", "diverged",     "killed", "refused"};
/// Names of completions, in the order of AsyncKind; each ends with a blank.
constexpr std::array kCompletions{"complete_tx ", "arrive_on ", "agent_arrive "};
/// Names of records, in the order of Record, and the second name of an AccessRecord.
constexpr std::array kKinds{"route",    "launch",    "exit",     "do",       "issue",
                            "async",    "store",     "announce", "answer",   "release",
                            "free",     "delivered", "stop",     "grid",     "gridevent",
                            "canceled", "cancel",    "memory",   "performed"};
constexpr std::size_t kPerformed = std::size(kKinds) - 1, kAccesses = 7;
static_assert(std::is_same_v<std::variant_alternative_t<kAccesses, Record>, AccessRecord> &&
              std::variant_size_v<Record> == kPerformed);

// Below, one description of each line serves both directions: Put appends the fields of a record, Take reads the same text into it.

struct Put {
    template <class T> using Of = const T;
    static constexpr bool kReads = false;
    std::string& out;

    void text(std::string_view literal) { out += literal; }
    template <class T> void number(const char*, const T& value, std::uint64_t = 0)
    {
        const fmt::format_int digits(value);
        out.append(digits.data(), digits.size());
    }
    /// `width`: with 0x, filled up with zeros.
    template <class T> void hex(const char*, const T& value, std::uint64_t, int width = 0)
    {
        fmt::format_to(std::back_inserter(out), "{:#0{}x}", value, width);
    }
    void lanes(const Lanes& lanes) { hex("", lanes, 0, 10); }
    void flag(std::string_view literal, const bool& value)
    {
        if (value) out += literal;
    }
    /// Whether `literal` follows, with the text after it.
    bool option(std::string_view literal, bool present)
    {
        if (present) out += literal;
        return present;
    }
    template <class T> void either(const T& value, T one, const char* text, T, const char* other)
    {
        out += value == one ? text : other;
    }
    template <class T, std::size_t N>
    void oneOf(const T& value, const std::array<const char*, N>& names)
    {
        out += names[std::size_t(value)];
    }
    void require(bool, const char*) {}
    void cause(const Cause& cause) { out += kCauses[std::size_t(cause)]; }
    void slot(const std::uint8_t& sm, const std::uint8_t& cta)
    {
        number("", sm);
        out += '/';
        number("", cta);
    }
    void warp(const WarpRef& at)
    {
        slot(at.sm, at.cta);
        out += '/';
        number("", at.warp);
    }
    void address(const std::uint32_t& address) { out += addressText(address); }
    void instruction(const SyncRequest& request) { appendInstruction(out, request); }
    void rest(const std::string& text) { out += text; }
};

struct Take {
    template <class T> using Of = T;
    static constexpr bool kReads = true;
    Cursor& in;

    void text(std::string_view literal) { in.expect(literal); }
    template <class T>
    void number(const char* what, T& value, std::uint64_t max = ~std::uint32_t{0})
    {
        value = in.field<T>(what, max);
    }
    template <class T> void hex(const char* what, T& value, std::uint64_t max, int = 0)
    {
        number(what, value, max);
    }
    void lanes(Lanes& lanes)
    {
        number("lanes", lanes);
        require(lanes != 0, "no lane is active");
    }
    void flag(std::string_view literal, bool& value) { value = in.accept(literal); }
    bool option(std::string_view literal, bool) { return in.accept(literal); }
    template <class T>
    void either(T& value, T one, const char* text, T other, const char* otherText)
    {
        value = in.accept(text) ? one : other;
        if (value == other) in.expect(otherText);
    }
    template <class T, std::size_t N> void oneOf(T& value, const std::array<const char*, N>& names)
    {
        for (std::size_t i = N; i-- > 1;)
            if (in.accept(names[i])) return void(value = T(i));
        value = T(0);
        in.expect(names[0]);
    }
    void require(bool holds, const char* reason)
    {
        if (!holds) in.fail(reason);
    }
    void cause(Cause& cause)
    {
        const auto name = in.word("a cause");
        const auto found = std::find(kCauses.begin(), kCauses.end(), name);
        if (found == kCauses.end())
            in.fail("unknown cause '" + std::string(name.substr(0, 24)) + "'");
        cause = Cause(found - kCauses.begin());
    }
    void slot(std::uint8_t& sm, std::uint8_t& cta) { in.slot(sm, cta); }
    void warp(WarpRef& at) { at = in.warp(); }
    void address(std::uint32_t& address) { address = parseAddress(in); }
    void instruction(SyncRequest& request) { parseInstruction(in, request); }
    void rest(std::string& text) { in.expect(text = in.rest()); }
};

template <class Io, class T> using In = typename Io::template Of<T>;

template <class Io>
void cluster(Io& io, In<Io, std::uint8_t>& cluster, In<Io, std::uint8_t>& rank,
             In<Io, std::uint8_t>& ctas)
{
    io.text(" cluster=");
    io.number("cluster", cluster, kMaxClusters - 1);
    io.text(":");
    io.number("rank", rank, kMaxRanks - 1);
    io.text(" of ");
    io.number("CTAs of the cluster", ctas, kMaxRanks);
    io.require(rank < ctas, "rank outside the cluster");
}
template <class Io> void era(Io& io, In<Io, std::uint8_t>& era)
{
    if (io.option(" era=", era != 0)) io.number("era", era, 0xff);
}

template <class Io> void fields(Io& io, In<Io, RouteRecord>& r)
{
    io.text("after=");
    io.number("frees", r.frees);
    cluster(io, r.route.cluster, r.route.rank, r.route.ctas);
    io.text(" at ");
    io.slot(r.route.sm, r.route.cta);
}
template <class Io> void fields(Io& io, In<Io, LaunchRecord>& r)
{
    auto& l = r.launch;
    io.text("after=");
    io.number("frees", r.frees);
    io.text(" ");
    io.slot(l.sm, l.cta);
    io.text(" threads=");
    io.number("threads", l.threads, kMaxWarps * kLanes);
    io.require(l.threads != 0, "a CTA has at least one thread");
    io.text(" wbase=");
    io.number("warp slot", l.wbase, kMaxWarpSlots - 1);
    io.require(l.wbase + (l.threads + kLanes - 1) / kLanes <= kMaxWarpSlots,
               "warp slots beyond those of the SM");
    io.text(" base=");
    io.number("base", l.base);
    io.text(" size=");
    io.number("size", l.size);
    cluster(io, l.cluster, l.rank, l.ctas);
    era(io, l.era);
    if (io.option(" grid=", l.grid != 0)) io.number("grid slot", l.grid, kMaxGrids - 1);
}
template <class Io> void fields(Io& io, In<Io, ExitRecord>& r)
{
    io.warp(r.exit.at);
    io.text(" ");
    io.lanes(r.exit.lanes);
    io.flag(" trap", r.exit.trap);
}
template <class Io> void fields(Io& io, In<Io, RequestRecord>& r)
{
    auto& q = r.request;
    io.warp(q.at);
    io.text(" ");
    io.lanes(q.lanes);
    io.text(" #");
    io.number("tag", q.tag, 4095);
    io.text(" L");
    io.number("source line", q.source);
    io.text(" ");
    io.instruction(q);
}
template <class Io> void fields(Io& io, In<Io, IssueRecord>& r)
{
    io.warp(r.at);
    io.text(" &");
    io.number("issue", r.id);
    io.require(r.id != 0, "issues count from 1");
}
template <class Io> void fields(Io& io, In<Io, AsyncRecord>& r)
{
    auto& u = r.update;
    io.text("&");
    io.number("issue", r.id);
    io.text(" ");
    io.oneOf(u.kind, kCompletions);
    io.slot(u.sm, u.cta);
    io.text("/");
    io.number("warp", u.warp, kMaxWarps - 1);
    io.text(" [");
    io.address(u.addr);
    io.text("], ");
    io.number("amount", u.amount);
    io.text(" #");
    io.number("tag", u.tag, 0xffff);
    era(io, u.era);
}
template <class Io> void fields(Io& io, In<Io, StoreRecord>& r)
{
    io.text("sm=");
    io.number("SM", r.sm, kMaxChipSms - 1);
    io.text(" addr=");
    io.number("address", r.addr);
    io.text(" bytes=");
    io.number("bytes", r.bytes);
}
template <class Io> void fields(Io& io, In<Io, AccessRecord>& r)
{
    auto& a = r.accesses;
    io.warp(a.at);
    io.either(a.reach, Reach::Everyone, " everyone", Reach::Cta, " cta");
    io.text(" epoch=");
    io.number("epoch", a.epoch, 1);
    io.text(" count=");
    io.number("accesses", a.count, 0xffff);
    io.require(a.count != 0, "no access");
}
template <class Io> void fields(Io& io, In<Io, SyncResponse>& r)
{
    io.warp(r.at);
    io.text(" ");
    io.lanes(r.lanes);
    io.text(" #");
    io.number("tag", r.tag, 4095);
    io.text(" ");
    io.cause(r.cause);
    io.flag(" last", r.last);
    if (io.option(" p=", r.pred != 0)) io.hex("predicates", r.pred, ~Lanes{0}, 10);
    if (io.option(" value=", r.value != 0)) io.hex("value", r.value, ~std::uint64_t{0});
    if (io.option(" stride=", r.stride != 0)) io.hex("stride", r.stride, ~std::uint32_t{0});
}
template <class Io> void fields(Io& io, In<Io, Release>& r)
{
    io.slot(r.sm, r.cta);
    io.either(r.cluster, true, " cluster", false, " named ");
    if (!r.cluster) io.number("barrier id", r.id, kBarsPerCta - 1);
    io.text(" warps=");
    io.hex("warps", r.warps, ~Lanes{0}, 10);
    if (io.option(" lanes=", r.lanes != ~Lanes{0})) io.lanes(r.lanes);
    if (io.option(" popc=", r.popc != 0)) io.number("popc", r.popc, kMaxWarps * kLanes);
    io.flag(" all", r.all);
    io.flag(" any", r.any);
}
template <class Io> void fields(Io& io, In<Io, CtaFree>& r) { io.slot(r.sm, r.cta); }
template <class Io> void fields(Io& io, In<Io, Delivered>& r)
{
    io.slot(r.sm, r.cta);
    io.text(" #");
    io.number("tag", r.tag, 0xffff);
    if (io.option(" lanes=", writtenLanes(r) != 0)) io.hex("lanes", r.lanes, ~Lanes{0}, 10);
    io.flag(" refused", r.refused);
}
template <class Io> void fields(Io&, In<Io, StopRecord>&) {}
template <class Io> void fields(Io& io, In<Io, MemoryRecord>& r) { io.rest(r.text); }
template <class Io> void fields(Io& io, In<Io, GridRecord>& r)
{
    auto& g = r.start;
    io.text("after=");
    io.number("frees", r.frees);
    io.text(" slot=");
    io.number("grid slot", g.grid, kMaxGrids - 1);
    io.require(g.grid != 0, "grid slots count from 1");
    io.flag(" ended", g.ended);
    if (g.ended) return;
    io.either(g.fewer, true, " fewer=", false, " ctas=");
    io.number("CTAs", g.ctas);
    io.require(!g.fewer || g.ctas != 0, "fewer by none");
    if (g.fewer) return;
    io.text(" prereqs=");
    io.hex("prerequisites", g.prereqs, 0xffff, 6);
    io.require((g.prereqs >> g.grid & 1) == 0, "the grid is its own prerequisite");
}
template <class Io> void fields(Io& io, In<Io, GridEvent>& r)
{
    io.number("grid slot", r.grid, kMaxGrids - 1);
    io.either(r.complete, true, " complete", false, " signalled");
}
/// Fields that a query and its answer share.
template <class Io, class R> void queried(Io& io, R& r)
{
    io.slot(r.sm, r.cta);
    io.text(" #");
    io.number("tag", r.tag, 4095);
    io.text(" lane=");
    io.number("lane", r.lane, kLanes - 1);
}
template <class Io> void fields(Io& io, In<Io, CancelRecord>& r)
{
    queried(io, r);
    io.text(" ");
    io.either(r.canceled, false, "none", true, "first=");
    for (unsigned i = 0; r.canceled && i < 3; ++i) {
        if (i != 0) io.text(",");
        io.number("coordinate", r.first[i]);
    }
}
template <class Io> void fields(Io& io, In<Io, CancelQuery>& r)
{
    queried(io, r);
    io.text(" slot=");
    io.number("slot", r.slot, 31);
    io.flag(" multicast", r.multicast);
}

template <std::size_t... I>
void emplaceAt(Record& record, std::size_t kind, std::index_sequence<I...>)
{
    static_cast<void>(((I == kind && (record.emplace<I>(), true)) || ...));
}

}  // namespace

void appendRecord(std::string& out, const Record& record, Cycle& previousOutcome)
{
    const auto* accesses = std::get_if<AccessRecord>(&record);
    const bool performed = accesses != nullptr && accesses->performed;
    Put put{out};
    put.text(kKinds[performed ? kPerformed : record.index()]);
    put.text(" +");
    std::visit(
        [&](const auto& r) {
            if constexpr (requires { r.dt; }) {
                put.number("", r.dt);
            } else {
                // Cycles of outcomes never decrease; writing differences keeps two recordings comparable with diff.
                put.number("", r.cycle - std::exchange(previousOutcome, r.cycle));
            }
            if constexpr (!std::is_same_v<decltype(r), const StopRecord&>) put.text(" ");
            fields(put, r);
        },
        record);
}

void parseRecord(Cursor& cursor, Record& record, Cycle& previousOutcome)
{
    const Cursor start = cursor;
    const auto kind = cursor.word("a record");
    cursor.expect(" +");
    const Cycle dt = cursor.number("clocks", kMaxCycle);
    if (kind != "stop") cursor.expect(" ");
    const auto found =
        static_cast<std::size_t>(std::find(kKinds.begin(), kKinds.end(), kind) - kKinds.begin());
    if (found == std::size(kKinds))
        start.fail("unknown record '" + std::string(kind.substr(0, 24)) + "'");
    emplaceAt(record, found == kPerformed ? kAccesses : found,
              std::make_index_sequence<std::variant_size_v<Record>>());
    if (auto* accesses = std::get_if<AccessRecord>(&record))
        accesses->performed = found == kPerformed;
    Take take{cursor};
    std::visit(
        [&](auto& r) {
            if constexpr (requires { r.dt; }) {
                r.dt = dt;
            } else {
                r.cycle = previousOutcome += dt;
                if (previousOutcome > kMaxCycle) start.fail("time beyond 48 bits");
            }
            fields(take, r);
        },
        record);
    cursor.expectEnd();
}

}  // namespace gsu::trace
