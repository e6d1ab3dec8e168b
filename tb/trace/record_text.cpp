#include "trace/record_text.hpp"

#include <fmt/format.h>

#include <iterator>

#include "trace/cancel_text.hpp"
#include "trace/grid_text.hpp"
#include "trace/instruction_text.hpp"

namespace gsu::trace {

namespace {

constexpr Cycle kMaxCycle = (Cycle{1} << kTimeW) - 1;
constexpr const char* kCauses[] = {"done",     "already_true", "flip",   "timeout",
                                   "cam_full", "diverged",     "killed", "refused"};

template <typename... Args>
void put(std::string& out, fmt::format_string<Args...> format, Args&&... args)
{
    fmt::format_to(std::back_inserter(out), format, std::forward<Args>(args)...);
}

std::string name(WarpRef at) { return fmt::format("{}/{}/{}", at.sm, at.cta, at.warp); }

struct Writer {
    std::string& out;
    Cycle& previous;

    /// Outcomes never go back in time; the difference keeps two recordings comparable with diff.
    Cycle since(Cycle cycle) const
    {
        const Cycle delta = cycle - previous;
        previous = cycle;
        return delta;
    }
    void operator()(const RouteRecord& r) const
    {
        put(out, "route +{} after={} cluster={}:{} of {} at {}/{}", r.dt, r.frees, r.route.cluster,
            r.route.rank, r.route.ctas, r.route.sm, r.route.cta);
    }
    void operator()(const GridRecord& r) const { appendGrid(out, r); }
    void operator()(const LaunchRecord& r) const
    {
        const Launch& l = r.launch;
        put(out,
            "launch +{} after={} {}/{} threads={} wbase={} base={} size={} cluster={}:{} of {}",
            r.dt, r.frees, l.sm, l.cta, l.threads, l.wbase, l.base, l.size, l.cluster, l.rank,
            l.ctas);
        if (l.era != 0) put(out, " era={}", l.era);
        if (l.grid != 0) put(out, " grid={}", l.grid);
    }
    void operator()(const ExitRecord& r) const
    {
        put(out, "exit +{} {} {:#010x}{}", r.dt, name(r.exit.at), r.exit.lanes,
            r.exit.trap ? " trap" : "");
    }
    void operator()(const RequestRecord& r) const
    {
        const SyncRequest& q = r.request;
        put(out, "do +{} {} {:#010x} #{} L{} ", r.dt, name(q.at), q.lanes, q.tag, q.source);
        appendInstruction(out, q);
    }
    void operator()(const IssueRecord& r) const
    {
        put(out, "issue +{} {} &{}", r.dt, name(r.at), r.id);
    }
    void operator()(const AsyncRecord& r) const
    {
        const AsyncUpdate& u = r.update;
        put(out, "async +{} &{} {} {} [{}], {} #{}", r.dt, r.id,
            u.kind == AsyncKind::CompleteTx ? "complete_tx" : "arrive_on",
            name({u.sm, u.cta, u.warp}), addressText(u.addr), u.amount, u.tag);
        if (u.era != 0) put(out, " era={}", u.era);
    }
    void operator()(const StoreRecord& r) const
    {
        put(out, "store +{} sm={} addr={} bytes={}", r.dt, r.sm, r.addr, r.bytes);
    }
    void operator()(const AccessRecord& r) const
    {
        const Accesses& a = r.accesses;
        put(out, "{} +{} {} {} epoch={} count={}", r.performed ? "performed" : "announce", r.dt,
            name(a.at), a.reach == Reach::Cta ? "cta" : "everyone", a.epoch, a.count);
    }
    void operator()(const CancelRecord& r) const { appendCanceled(out, r); }
    void operator()(const CancelQuery& r) const { appendCancel(out, r, since(r.cycle)); }
    void operator()(const SyncResponse& r) const
    {
        put(out, "answer +{} {} {:#010x} #{} {}", since(r.cycle), name(r.at), r.lanes, r.tag,
            kCauses[std::size_t(r.cause)]);
        if (r.last) out += " last";
        if (r.pred != 0) put(out, " p={:#010x}", r.pred);
        if (r.value != 0) put(out, " value={:#x}", r.value);
        if (r.stride != 0) put(out, " stride={:#x}", r.stride);
    }
    void operator()(const Release& r) const
    {
        put(out, "release +{} {}/{} {} warps={:#010x}", since(r.cycle), r.sm, r.cta,
            r.cluster ? "cluster" : fmt::format("named {}", r.id), r.warps);
        if (r.lanes != ~Lanes{0}) put(out, " lanes={:#010x}", r.lanes);
        if (r.popc != 0) put(out, " popc={}", r.popc);
        if (r.all) out += " all";
        if (r.any) out += " any";
    }
    void operator()(const CtaFree& r) const
    {
        put(out, "free +{} {}/{}", since(r.cycle), r.sm, r.cta);
    }
    void operator()(const GridEvent& r) const
    {
        put(out, "gridevent +{} {} {}", since(r.cycle), r.grid,
            r.complete ? "complete" : "signalled");
    }
    void operator()(const StopRecord& r) const { put(out, "stop +{}", since(r.cycle)); }
    void operator()(const Delivered& r) const
    {
        put(out, "delivered +{} {}/{} #{}", since(r.cycle), r.sm, r.cta, r.tag);
        if (const Lanes lanes = writtenLanes(r); lanes != 0) put(out, " lanes={:#010x}", lanes);
        if (r.refused) out += " refused";
    }
};

Lanes someLanes(Cursor& c)
{
    const Lanes lanes = c.mask("lanes");
    if (lanes == 0) c.fail("no lane is active");
    return lanes;
}

void parseCluster(Cursor& c, std::uint8_t& cluster, std::uint8_t& rank, std::uint8_t& ctas)
{
    c.expect(" cluster=");
    cluster = c.field<std::uint8_t>("cluster", kMaxClusters - 1);
    c.expect(":");
    rank = c.field<std::uint8_t>("rank", kMaxRanks - 1);
    c.expect(" of ");
    ctas = c.field<std::uint8_t>("CTAs of the cluster", kMaxRanks);
    if (rank >= ctas) c.fail("rank outside the cluster");
}

RouteRecord parseRoute(Cursor& c, Cycle dt)
{
    RouteRecord r{.dt = dt, .frees = 0, .route = {}};
    c.expect("after=");
    r.frees = c.mask("frees");
    parseCluster(c, r.route.cluster, r.route.rank, r.route.ctas);
    c.expect(" at ");
    c.slot(r.route.sm, r.route.cta);
    return r;
}

LaunchRecord parseLaunch(Cursor& c, Cycle dt)
{
    LaunchRecord r{.dt = dt, .frees = 0, .launch = {}};
    Launch& l = r.launch;
    c.expect("after=");
    r.frees = c.mask("frees");
    c.expect(" ");
    c.slot(l.sm, l.cta);
    c.expect(" threads=");
    l.threads = c.field<std::uint16_t>("threads", kMaxWarps * kLanes);
    if (l.threads == 0) c.fail("a CTA has at least one thread");
    c.expect(" wbase=");
    l.wbase = c.field<std::uint8_t>("warp slot", kMaxWarpSlots - 1);
    if (l.wbase + (l.threads + kLanes - 1) / kLanes > kMaxWarpSlots)
        c.fail("warp slots beyond those of the SM");
    c.expect(" base=");
    l.base = c.mask("base");
    c.expect(" size=");
    l.size = c.mask("size");
    parseCluster(c, l.cluster, l.rank, l.ctas);
    if (c.accept(" era=")) l.era = c.field<std::uint8_t>("era", 0xff);
    if (c.accept(" grid=")) l.grid = c.field<std::uint8_t>("grid slot", kMaxGrids - 1);
    return r;
}

ExitRecord parseExit(Cursor& c, Cycle dt)
{
    ExitRecord r{.dt = dt, .exit = {.at = c.warp(), .lanes = 0, .trap = false}};
    c.expect(" ");
    r.exit.lanes = someLanes(c);
    r.exit.trap = c.accept(" trap");
    return r;
}

void parseRequest(Cursor& c, Cycle dt, RequestRecord& r)
{
    r.dt = dt;
    SyncRequest& q = r.request;
    q.at = c.warp();
    c.expect(" ");
    q.lanes = someLanes(c);
    c.expect(" #");
    q.tag = c.field<std::uint16_t>("tag", 4095);
    c.expect(" L");
    q.source = c.mask("source line");
    c.expect(" ");
    parseInstruction(c, q);
}

AsyncRecord parseAsync(Cursor& c, Cycle dt)
{
    AsyncRecord r{.dt = dt, .id = 0, .update = {}};
    c.expect("&");
    r.id = c.mask("issue");
    c.expect(" ");
    if (c.accept("arrive_on "))
        r.update.kind = AsyncKind::ArriveOn;
    else
        c.expect("complete_tx ");
    const WarpRef at = c.warp();
    r.update.sm = at.sm, r.update.cta = at.cta, r.update.warp = at.warp;
    c.expect(" [");
    r.update.addr = parseAddress(c);
    c.expect("], ");
    r.update.amount = c.mask("amount");
    c.expect(" #");
    r.update.tag = c.field<std::uint16_t>("tag", 0xffff);
    if (c.accept(" era=")) r.update.era = c.field<std::uint8_t>("era", 0xff);
    return r;
}

StoreRecord parseStore(Cursor& c, Cycle dt)
{
    StoreRecord r{.dt = dt, .sm = 0, .addr = 0, .bytes = 0};
    c.expect("sm=");
    r.sm = c.field<std::uint8_t>("SM", kMaxSms - 1);
    c.expect(" addr=");
    r.addr = c.mask("address");
    c.expect(" bytes=");
    r.bytes = c.mask("bytes");
    return r;
}

AccessRecord parseAccess(Cursor& c, Cycle dt, bool performed)
{
    AccessRecord r{.dt = dt, .accesses = {}, .performed = performed};
    Accesses& a = r.accesses;
    a.at = c.warp();
    a.reach = c.accept(" everyone") ? Reach::Everyone : Reach::Cta;
    if (a.reach == Reach::Cta) c.expect(" cta");
    c.expect(" epoch=");
    a.epoch = c.field<std::uint8_t>("epoch", 1);
    c.expect(" count=");
    a.count = c.field<std::uint16_t>("accesses", 0xffff);
    if (a.count == 0) c.fail("no access");
    return r;
}

SyncResponse parseAnswer(Cursor& c, Cycle cycle)
{
    SyncResponse r;
    r.cycle = cycle;
    r.at = c.warp();
    c.expect(" ");
    r.lanes = someLanes(c);
    c.expect(" #");
    r.tag = c.field<std::uint16_t>("tag", 4095);
    c.expect(" ");
    const auto cause = c.word("a cause");
    std::size_t i = 0;
    while (i < std::size(kCauses) && cause != kCauses[i]) ++i;
    if (i == std::size(kCauses)) c.fail("unknown cause '" + std::string(cause.substr(0, 24)) + "'");
    r.cause = Cause(i);
    r.last = c.accept(" last");
    if (c.accept(" p=")) r.pred = c.mask("predicates");
    if (c.accept(" value=")) r.value = c.number("value", ~std::uint64_t{0});
    if (c.accept(" stride=")) r.stride = c.mask("stride");
    return r;
}

Release parseRelease(Cursor& c, Cycle cycle)
{
    Release r;
    r.cycle = cycle;
    c.slot(r.sm, r.cta);
    r.cluster = c.accept(" cluster");
    if (!r.cluster) {
        c.expect(" named ");
        r.id = c.field<std::uint8_t>("barrier id", kBarsPerCta - 1);
    }
    c.expect(" warps=");
    r.warps = c.mask("warps");
    if (c.accept(" lanes=")) r.lanes = someLanes(c);
    if (c.accept(" popc=")) r.popc = c.field<std::uint16_t>("popc", kMaxWarps * kLanes);
    r.all = c.accept(" all");
    r.any = c.accept(" any");
    return r;
}

IssueRecord parseIssue(Cursor& cursor, Cycle dt)
{
    IssueRecord r{.dt = dt, .at = cursor.warp(), .id = 0};
    cursor.expect(" &");
    r.id = cursor.mask("issue");
    if (r.id == 0) cursor.fail("issues count from 1");
    return r;
}

CtaFree parseFree(Cursor& cursor, Cycle cycle)
{
    CtaFree r{};
    r.cycle = cycle;
    cursor.slot(r.sm, r.cta);
    return r;
}

Delivered parseDelivered(Cursor& cursor, Cycle cycle)
{
    Delivered r{};
    r.cycle = cycle;
    cursor.slot(r.sm, r.cta);
    cursor.expect(" #");
    r.tag = cursor.field<std::uint16_t>("tag", 0xffff);
    if (cursor.accept(" lanes=")) r.lanes = cursor.mask("lanes");
    r.refused = cursor.accept(" refused");
    return r;
}

}  // namespace

void appendRecord(std::string& out, const Record& record, Cycle& previousOutcome)
{
    std::visit(Writer{out, previousOutcome}, record);
}

// long: one branch for each kind of record
void parseRecord(Cursor& cursor, Record& record, Cycle& previousOutcome)
{
    const Cursor start = cursor;
    const auto kind = cursor.word("a record");
    cursor.expect(" +");
    const Cycle dt = cursor.number("clocks", kMaxCycle);
    if (kind != "stop") cursor.expect(" ");
    const auto outcome = [&] {
        previousOutcome += dt;
        if (previousOutcome > kMaxCycle) start.fail("time beyond 48 bits");
        return previousOutcome;
    };
    if (kind == "do") {
        parseRequest(cursor, dt, record.emplace<RequestRecord>());
    } else if (kind == "answer") {
        record = parseAnswer(cursor, outcome());
    } else if (kind == "release") {
        record = parseRelease(cursor, outcome());
    } else if (kind == "exit") {
        record = parseExit(cursor, dt);
    } else if (kind == "launch") {
        record = parseLaunch(cursor, dt);
    } else if (kind == "route") {
        record = parseRoute(cursor, dt);
    } else if (kind == "grid") {
        record = parseGrid(cursor, dt);
    } else if (kind == "gridevent") {
        record = parseGridEvent(cursor, outcome());
    } else if (kind == "issue") {
        record = parseIssue(cursor, dt);
    } else if (kind == "async") {
        record = parseAsync(cursor, dt);
    } else if (kind == "store") {
        record = parseStore(cursor, dt);
    } else if (kind == "announce" || kind == "performed") {
        record = parseAccess(cursor, dt, kind == "performed");
    } else if (kind == "canceled") {
        record = parseCanceled(cursor, dt);
    } else if (kind == "cancel") {
        record = parseCancel(cursor, outcome());
    } else if (kind == "free") {
        record = parseFree(cursor, outcome());
    } else if (kind == "stop") {
        record = StopRecord{outcome()};
    } else if (kind == "delivered") {
        record = parseDelivered(cursor, outcome());
    } else {
        start.fail("unknown record '" + std::string(kind.substr(0, 24)) + "'");
    }
    cursor.expectEnd();
}

}  // namespace gsu::trace
