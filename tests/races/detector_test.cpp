// The detector without a unit: launches, grids, accesses and exits are given to it one by one.
#include "watched_run.hpp"

using namespace gsu;
using namespace gsu::races;

namespace {

struct Feed {
    Detector detector;
    std::uint32_t placed{};

    void cta(std::uint8_t sm, std::uint8_t slot, std::uint8_t grid = 0, std::uint32_t size = 1024,
             std::uint16_t threads = 32)
    {
        const Launch launch{.sm = sm, .cta = slot, .threads = threads, .size = size, .grid = grid};
        detector.port().onPlace(launch, placed++);
        detector.port().onLaunch(0, launch);
    }
    void grid(std::uint8_t slot, std::uint32_t ctas, bool ended = false, bool fewer = false)
    {
        detector.port().onGridStart(0,
                                    {.grid = slot, .ctas = ctas, .ended = ended, .fewer = fewer});
    }
    /// Lane 0 of a CTA's warp; `bytes` 0: nothing that others see.
    void access(std::uint8_t sm, std::uint8_t slot, std::uint32_t line, Touch touch,
                std::uint64_t at, std::uint32_t bytes = 4, Strength order = {})
    {
        Access a;
        a.at = {sm, slot, 0};
        a.lanes = 1;
        a.line = line;
        a.cycle = line;
        a.touch = touch;
        a.order = order;
        a.range[0] = {at, bytes};
        detector.onAccess(a);
    }
    /// An operation of warp 0 of a CTA, until its group is waited for, with one range in the CTA's window.
    void async(std::uint8_t sm, AsyncOp::Kind kind, std::uint32_t line, Lanes lanes, bool writes,
               std::uint32_t bytes)
    {
        AsyncOp op;
        op.kind = kind;
        op.at = {sm, 0, 0};
        op.line = line;
        op.lanes = lanes;
        op.cycle = line;
        (writes ? op.writes : op.reads).push_back({0, bytes, sm, 0});
        detector.onAsync(op);
    }
    void group(AsyncOp::Kind kind, Lanes lanes, bool waits, bool reads = false)
    {
        detector.onGroup({.kind = kind,
                          .at = {0, 0, 0},
                          .lanes = lanes,
                          .line = 1,
                          .waits = waits,
                          .reads = reads});
    }
    void request(std::uint8_t sm, Op op, std::uint8_t kind = 0)
    {
        SyncRequest r;
        r.op = op;
        r.at = {sm, 0, 0};
        r.lanes = ~Lanes{0};
        r.kind = kind;
        detector.port().onRequest(0, r);
    }
    /// Lanes store a word each.
    void stores(std::uint8_t sm, std::uint32_t line, Lanes lanes)
    {
        Access a;
        a.at = {sm, 0, 0};
        a.lanes = lanes;
        a.line = line;
        a.touch = Touch::Writes;
        eachLane(lanes, [&](unsigned l) { a.range[l] = {4 * l, 4, sm, 0}; });
        detector.onAccess(a);
    }
    void waitsForGrids(std::uint8_t sm, std::uint8_t slot)
    {
        SyncRequest r;
        r.op = Op::GdcWait;
        r.at = {sm, slot, 0};
        r.lanes = 1;
        detector.port().onRequest(0, r);
        SyncResponse answer;
        answer.at = r.at;
        answer.lanes = answer.pred = 1;
        detector.port().onResponse(answer);
    }
    /// What a race lacks; "": none was found.
    std::string missing()
    {
        std::string text;
        for (const Finding& f : detector.takeFindings())
            text += fmt::format("{}{}: {} ({})", text.empty() ? "" : ", ", f.rule,
                                fmt::join(f.race->missing, "+"), f.race->scope);
        return text;
    }
};

constexpr Strength kRelease{true, Sem::Release, Scope::Gpu},
    kAcquire{true, Sem::Acquire, Scope::Gpu};

}  // namespace

TEST_CASE("a grid is known to have ended after griddepcontrol.wait only", "[races]")
{
    for (const bool waits : {false, true}) {
        Feed f;
        f.grid(1, 1);
        f.cta(0, 0, 1);
        f.access(0, 0, 10, Touch::Writes, 4096);
        f.detector.port().onExit(0, {.at = {0, 0, 0}, .lanes = ~Lanes{0}});
        f.grid(2, 1);
        f.cta(1, 0, 2);
        if (waits) f.waitsForGrids(1, 0);
        f.access(1, 0, 20, Touch::Reads, 4096);
        CHECK(f.missing() == (waits ? "" : "race-read-write: grid-wait (gpu)"));
    }
}

TEST_CASE("CTAs of one grid are of one grid, whatever happens to others", "[races]")
{
    Feed f;
    f.grid(1, 3);
    f.cta(0, 0, 1);
    f.grid(1, 1, false, true);  // one of its CTAs will not be launched
    f.grid(1, 0, true);         // an end is no start
    f.grid(1, 0);               // it runs elsewhere
    f.cta(1, 0, 1);
    f.access(0, 0, 10, Touch::Writes, 4096);
    f.waitsForGrids(1, 0);
    f.access(1, 0, 20, Touch::Reads, 4096);
    CHECK(f.missing() == "race-read-write: release+acquire (gpu)");
    f.grid(1, 1);  // the slot's next grid
    f.cta(2, 0, 1);
    f.access(2, 0, 30, Touch::Reads, 4096);
    CHECK(f.missing() == "race-read-write: grid-wait (gpu)");
}

TEST_CASE("a strong access orders at the bytes that others see", "[races]")
{
    for (const std::uint32_t bytes : {0u, 4u}) {
        Feed f;
        f.cta(0, 0);
        f.cta(1, 0);
        f.access(0, 0, 10, Touch::Writes, 4096);
        f.access(0, 0, 11, Touch::Writes, 0, bytes, kRelease);
        f.access(1, 0, 20, Touch::Reads, 0, bytes, kAcquire);
        f.access(1, 0, 21, Touch::Reads, 4096);
        CHECK(f.missing() == (bytes == 0 ? "race-read-write: release+acquire (gpu)" : ""));
    }
}

TEST_CASE("a fence makes a release of the strong store behind it, and of no other", "[races]")
{
    for (const bool strong : {false, true}) {
        Feed f;
        f.cta(0, 0);
        f.cta(1, 0);
        f.access(0, 0, 10, Touch::Writes, 4096);
        SyncRequest fence;
        fence.op = Op::Fence;
        fence.lanes = 1;
        fence.sem = Sem::AcqRel;
        fence.scope = Scope::Gpu;
        f.detector.port().onRequest(0, fence);
        f.access(0, 0, 11, Touch::Writes, 64, 4, {strong, Sem::Relaxed, Scope::Gpu});
        f.access(1, 0, 20, Touch::Reads, 64, 4, kAcquire);
        static_cast<void>(f.missing());  // where the flag is a plain store there is a race of it
        f.access(1, 0, 21, Touch::Reads, 4096);
        CHECK(f.missing() == (strong ? "" : "race-read-write: release+acquire (gpu)"));
    }
}

TEST_CASE("findings carry the cycle of the later access, and are taken once", "[races]")
{
    Feed f;
    f.cta(0, 0);
    f.cta(1, 0);
    f.access(0, 0, 10, Touch::Writes, 4096 + 100);
    f.access(1, 0, 20, Touch::Writes, 4096 + 102);
    f.access(1, 0, 20, Touch::Writes, 4096 + 102);
    const std::vector<Finding> all = f.detector.takeFindings();
    REQUIRE(all.size() == 1);
    CHECK(all[0].cycle == 20);
    CHECK(all[0].count == 2);
    CHECK(all[0].cta == 1);
    CHECK(all[0].race->address == 4096 + 102);
    CHECK(all[0].race->size == 2);
    CHECK(f.detector.takeFindings().empty());
    f.access(1, 0, 20, Touch::Writes, 4096 + 102);
    CHECK(f.missing() == "race-write-write: release+acquire (gpu)");
}

TEST_CASE("what is of no CTA or warp is ignored; a slot's next CTA is another one", "[races]")
{
    Feed f;
    f.group(AsyncOp::Kind::Bulk, 1, true);
    f.async(0, AsyncOp::Kind::Bulk, 9, 1, true, 4);
    f.cta(0, 0);
    f.request(0, Op::MbarArrive);  // at memory that is no mbarrier
    f.access(0, 0, 10, Touch::Writes, 4096);
    f.access(0, 1, 11, Touch::Writes, 4096);
    f.access(3, 0, 12, Touch::Writes, 4096);
    CHECK(f.missing().empty());
    f.detector.port().onExit(0, {.at = {0, 0, 0}, .lanes = ~Lanes{0}});
    f.detector.port().onCtaFree({.sm = 0, .cta = 0});
    f.access(0, 0, 13, Touch::Writes, 4096);
    CHECK(f.missing().empty());
    f.cta(0, 0);
    f.access(0, 0, 14, Touch::Writes, 4096);
    CHECK(f.missing() == "race-write-write: release+acquire (gpu)");
}

TEST_CASE("the lines of a module that the detector needs", "[races]")
{
    const std::string body = ".address_size 64\n.visible .entry k()\n{\n.reg .b64 %rd<4>; .reg "
                             ".b32 %r<4>; .reg .pred %p<2>;\n"
                             ".shared .align 8 .b64 bar;\nred.shared.add.u32 [bar], "
                             "1;\natom.shared.add.u32 %r1, [bar], 1;\n";
    const ModuleLines old = Detector::linesOf(
        ptx::parseModule(".version 6.4\n.target sm_60\n" + body + "ret;\n}\n", "k.ptx"));
    REQUIRE(old.reductions);
    CHECK(*old.reductions == std::unordered_set<std::uint32_t>{8});
    CHECK(old.unscoped.empty());
    const ModuleLines lines = Detector::linesOf(ptx::parseModule(
        ".version 8.6\n.target sm_90a\n" + body +
            "mbarrier.arrive.shared::cta.b64 _, [bar];\n"
            "mbarrier.arrive.release.cta.shared::cta.b64 _, [bar];\n"
            "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p1, [bar], 0;\n"
            "mbarrier.arrive.shared::cta.b64 %rd1, [bar];\nret;\n}\n",
        "k.ptx"));
    CHECK_FALSE(lines.reductions);
    CHECK(lines.unscoped == std::unordered_set<std::uint32_t>{10, 13});
}

TEST_CASE(
    "a matrix instruction is one of every lane, and follows the stores that a proxy fence shows",
    "[races]")
{
    for (const bool fenced : {true, false}) {
        Feed f;
        f.cta(0, 0);
        f.stores(0, 10, ~Lanes{0});
        if (fenced) f.request(0, Op::FenceProxy, kFenceAsync);
        f.async(0, AsyncOp::Kind::Matrix, 20, ~Lanes{0}, false, 128);
        CHECK(f.missing() == (fenced ? "" : "race-async: proxy-fence (cta)"));
    }
    Feed f;
    f.cta(0, 0);
    f.async(0, AsyncOp::Kind::CpAsync, 10, 2, true, 16);
    f.async(0, AsyncOp::Kind::Matrix, 20, ~Lanes{0}, false, 128);
    CHECK(f.missing() == "race-async: wait-group+barrier (cta)");
}

TEST_CASE(
    "a wait for groups is for those of its kind, of its lanes, and of matrices for the whole warp",
    "[races]")
{
    using Kind = AsyncOp::Kind;
    struct Row {
        Kind kind;
        Lanes lanes, waiting;
        bool writes, reads;
        const char* missing;
    };
    const std::vector<Row> rows{
        {Kind::CpAsync, 1, 1, true, false, ""},
        {Kind::CpAsync, 2, 1, true, false, "race-async: wait-group (cta)"},
        {Kind::Bulk, 1, 1, false, false, ""},
        {Kind::Bulk, 1, 1, false, true, ""},
        {Kind::Bulk, 1, 1, true, true, "race-async: wait-group (cta)"},
        {Kind::Bulk, 1, 2, false, true, "race-async: wait-group (cta)"},
        {Kind::Matrix, ~Lanes{0}, ~Lanes{0}, false, false, ""},
    };
    for (const Row& row : rows) {
        CAPTURE(static_cast<int>(row.kind), row.lanes, row.waiting, row.writes, row.reads);
        Feed f;
        f.cta(0, 0);
        f.async(0, row.kind, 10, row.lanes, row.writes, 4);
        f.group(row.kind, row.lanes, false);
        for (const Kind other : {Kind::CpAsync, Kind::Bulk, Kind::Matrix})
            if (other != row.kind) f.group(other, ~Lanes{0}, true);
        f.group(row.kind, row.waiting, true, row.reads);
        Access a;  // of the lane that began it
        a.lanes = highestLane(row.lanes);
        a.line = 20;
        a.touch = Touch::Writes;
        a.range[static_cast<unsigned>(__builtin_ctz(a.lanes))] = {0, 4, 0, 0};
        f.detector.onAccess(a);
        CHECK(f.missing() == row.missing);
    }
}

TEST_CASE("shared memory is watched to the last byte of a window, and not beyond", "[races]")
{
    for (const std::uint64_t at : {0u, 127u, 128u, 129u, 256u}) {
        CAPTURE(at);
        Feed f;
        f.cta(0, 0, 0, 129);
        for (const unsigned lane : {0u, 1u}) {
            Access a;
            a.lanes = Lanes{1} << lane;
            a.line = 10 + lane;
            a.touch = Touch::Writes;
            a.range[lane] = {at, 1, 0, 0};
            f.detector.onAccess(a);
        }
        CHECK(f.missing() == (at < 256 ? "race-write-write: barrier (warp)" : ""));
    }
}

TEST_CASE("a wait by parity is two phases late where a phase of the same parity was before",
          "[races]")
{
    struct Row {
        unsigned phases;  // complete when the wait is answered
        std::uint64_t parity;
        bool late;
    };
    for (const Row& row : {Row{1, 0, false}, Row{2, 1, false}, Row{2, 0, false}, Row{3, 0, true},
                           Row{3, 1, false}, Row{4, 1, true}, Row{4, 0, true}}) {
        CAPTURE(row.phases, row.parity);
        Feed f;
        f.cta(0, 0, 0, 1024, 64);
        Commit c;
        c.unit = Unit::Mbarrier;
        c.op = Op::MbarInit;
        c.lanes = 1;
        c.object = 64;
        f.detector.port().onCommit(c);
        for (unsigned phase = 0; phase < row.phases; ++phase) {
            c.op = Op::MbarArrive;
            c.flip = true;
            f.detector.port().onCommit(c);
        }
        SyncRequest wait;
        wait.op = Op::MbarTryWaitParity;
        wait.at = {0, 0, 1};
        wait.lanes = 1;
        wait.addr[0] = 64;
        wait.data[0] = row.parity;
        f.detector.port().onRequest(0, wait);
        SyncResponse answer;
        answer.at = wait.at;
        answer.lanes = answer.pred = 1;
        f.detector.port().onResponse(answer);
        unsigned late = 0;
        for (const Finding& found : f.detector.takeFindings()) late += found.rule == "MBW-014";
        CHECK(late == (row.late ? 1 : 0));
    }
}
