// Cases that other simulators get wrong, at the ports of the RTL and in its traces: Vortex, Accel-Sim.
#include <map>
#include <random>

#include "base/hash.hpp"
#include "catch.hpp"
#include "cli/gsu_process.hpp"
#include "golden/params.hpp"
#include "golden/word_memory.hpp"
#include "lockstep/lockstep_port.hpp"
#include "trace/writer.hpp"
#include "verilated/events.hpp"
#include "verilated/rtl_port.hpp"

using namespace gsu;

namespace {

/// One SM in lockstep with one CTA of `warps` warps.
struct Rig {
    explicit Rig(unsigned warps, std::uint32_t policy = 0)
        : rtl(1, config(policy)), port(rtl, {.waitLimit = config(policy).trywait_limit})
    {
        rtl.setMemory(memory);
        port.setSink(log);
        while (!port.launch({.threads = std::uint16_t(32 * warps), .size = 4096})) port.step();
        for (int i = 0; i < 40; ++i) port.step();
    }
    static Config config(std::uint32_t policy)
    {
        Config c = configOf(Preset::Hopper);
        c.mbar_policy = static_cast<decltype(c.mbar_policy)>(policy);
        return c;
    }
    /// Presents in the next cycle that takes it and lets that cycle pass.
    void give(SyncRequest r)
    {
        while (!port.canPresent(0)) port.step();
        r.tag = tag = std::uint16_t((tag + 1) % 4096);
        port.present(r);
        port.step();
    }
    void settle()
    {
        for (int i = 0; i < 400; ++i) port.step();
        REQUIRE_FALSE(port.fault());
    }
    WordMemory memory{1};
    RtlPort rtl;
    LockstepPort port;
    test::EventLog log;
    std::uint16_t tag{};
};

SyncRequest named(unsigned warp, std::uint32_t id, std::uint32_t count)
{
    SyncRequest r;
    r.op = Op::BarSync, r.at = {0, 0, std::uint8_t(warp)}, r.lanes = ~Lanes{0}, r.arg0 = id,
    r.arg1 = count;
    r.aligned = true;
    return r;
}

SyncRequest single(Op op, unsigned warp, std::uint32_t address, std::uint64_t data)
{
    SyncRequest r;
    r.op = op, r.at = {0, 0, std::uint8_t(warp)}, r.lanes = 1, r.addr[0] = address,
    r.data[0] = data;
    return r;
}

}  // namespace

TEST_CASE("Vortex (issue 400): two named barriers used in consecutive cycles release only their "
          "own warps",
          "[BAR-004][BAR-013]")
{
    const unsigned seed = GENERATE(1u, 2u, 3u);
    CAPTURE(seed);
    std::mt19937 random(seed);
    Rig rig(4);
    for (unsigned round = 0; round < 256; ++round) {
        const unsigned first = random() % 16, second = (first + 1 + random() % 15) % 16;
        const bool half = random() % 2 == 0;
        CAPTURE(round, first, second);
        rig.log.releases.clear();
        rig.give(named(0, first, 64));
        rig.give(named(2, second, 64));
        if (half) {  // the other barrier completes while this one is half full
            rig.give(named(3, second, 64));
            rig.settle();
            REQUIRE(rig.log.releases.size() == 1);
            REQUIRE(rig.log.releases[0].id == second);
            rig.give(named(1, first, 64));
        } else {
            rig.give(named(1, first, 64));
            rig.give(named(3, second, 64));
        }
        rig.settle();
        REQUIRE(rig.log.releases.size() == 2);
        for (const Release& r : rig.log.releases) {
            REQUIRE((r.id == first || r.id == second));
            REQUIRE(r.warps == (r.id == first ? 0b0011u : 0b1100u));
        }
        REQUIRE(rig.log.releases[0].id != rig.log.releases[1].id);
    }
}

TEST_CASE("Vortex (issue 400): two mbarriers of one line, and of one bank, used in consecutive "
          "cycles flip independently",
          "[MBAR-010][MBAR-011]")
{
    const std::uint32_t policy = GENERATE(0u, 1u);
    const std::uint32_t other = GENERATE(8u, 128u, 1024u);
    CAPTURE(policy, other);
    Rig rig(2, policy);
    rig.give(single(Op::MbarInit, 0, 0, 1));
    rig.settle();
    rig.give(single(Op::MbarInit, 0, other, 3));
    rig.settle();
    unsigned phase = 0, otherPhase = 0, left = 3;
    struct Last final : SyncSink {
        std::map<std::uint32_t, std::uint64_t> word;
        void onCommit(const Commit& c) override
        {
            if (c.unit == Unit::Mbarrier) word[c.object & 0xff'ffff] = c.newWord;
        }
        void onResponse(const SyncResponse&) override {}
        void onRelease(const Release&) override {}
        void onDelivered(const Delivered&) override {}
        void onCtaFree(const CtaFree&) override {}
    } last;
    rig.port.setSink(last);
    for (unsigned round = 0; round < 256; ++round) {
        CAPTURE(round);
        const unsigned before = round % 2;  // which of the two comes first
        for (unsigned i = 0; i < 2; ++i) {
            const unsigned warp = (before + i) % 2;
            rig.give(single(Op::MbarArrive, warp, warp == 0 ? 0 : other, 1));
        }
        rig.settle();
        phase ^= 1;
        if (--left == 0) left = 3, otherPhase ^= 1;
        const MbarState a = unpackMbar(last.word.at(0)), b = unpackMbar(last.word.at(other));
        REQUIRE((a.phase == (phase != 0) && a.pending == 1));
        REQUIRE((b.phase == (otherPhase != 0) && b.pending == left));
    }
}

namespace {

const char* const kNamed = R"(.version 8.6
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 out)
{
    .reg .pred %p<4>; .reg .b32 %r<8>;
    mov.u32 %r0, 0;
L:  barrier.cta.sync %r0, 64;
    add.u32 %r0, %r0, 1;
    setp.lt.u32 %p0, %r0, 16;
    @%p0 bra L;
    ret;
}
)";

/// Warp 0 fills and warp 1 empties a stage, four times.
const char* const kPipeline = R"(.version 8.6
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 out)
{
    .reg .pred %p<8>; .reg .b32 %r<8>;
    .shared .align 128 .b8 smem[64];
    mov.u32 %r0, %tid.x;
    setp.eq.u32 %p0, %r0, 0;
    @%p0 mbarrier.init.shared::cta.b64 [smem], 32;
    @%p0 mbarrier.init.shared::cta.b64 [smem+8], 32;
    bar.sync 0;
    mov.u32 %r1, 0;
    setp.ge.u32 %p1, %r0, 32;
    @%p1 bra C;
P:  mbarrier.arrive.shared::cta.b64 _, [smem];
    and.b32 %r2, %r1, 1;
V:  mbarrier.try_wait.parity.shared::cta.b64 %p2, [smem+8], %r2;
    @!%p2 bra V;
    add.u32 %r1, %r1, 1;
    setp.lt.u32 %p3, %r1, 4;
    @%p3 bra P;
    ret;
C:  and.b32 %r2, %r1, 1;
W:  mbarrier.try_wait.parity.shared::cta.b64 %p2, [smem], %r2;
    @!%p2 bra W;
    mbarrier.arrive.shared::cta.b64 _, [smem+8];
    add.u32 %r1, %r1, 1;
    setp.lt.u32 %p3, %r1, 4;
    @%p3 bra C;
    ret;
}
)";

/// Runs 64 threads of `ptx` on the RTL in lockstep and records k.gsut; its lines without the footer.
std::vector<std::string> record(const process::Folder& folder, const char* ptx)
{
    process::spill(folder / "k.ptx", ptx);
    process::spill(
        folder / "k.launch.json",
        R"({"ptx": "k.ptx", "block": [64, 1, 1], "params": [{"buffer": {"type": "u32", "count": 4}}]})");
    REQUIRE(process::runGsu("run '" + (folder / "k.launch.json") + "' --record '" +
                            (folder / "k.gsut") + "'")
                .code == 0);
    std::vector<std::string> lines;
    std::ifstream in(folder / "k.gsut");
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    REQUIRE(lines.back().starts_with("end "));
    lines.pop_back();
    return lines;
}

/// Writes the lines as a complete trace of that name.
void write(const std::string& path, const std::vector<std::string>& lines)
{
    std::string text;
    std::size_t records = 0;
    bool body = false;
    for (const std::string& line : lines) {
        text += line + '\n';
        records += body;
        body = body || line == "begin";
    }
    char footer[64];
    std::snprintf(footer, sizeof footer, "end %zu 0x%016llx\n", records,
                  static_cast<unsigned long long>(fnv1a(text)));
    process::spill(path, text + footer);
}

bool has(const std::string& line, const char* part) { return line.find(part) != std::string::npos; }

}  // namespace

TEST_CASE(
    "Accel-Sim: the named barriers 0 to 15 stay what they are in a recorded trace and its replay",
    "[trace][BAR-004]")
{
    const process::Folder folder;
    const std::vector<std::string> lines = record(folder, kNamed);
    for (unsigned id = 0; id < 16; ++id) {
        CAPTURE(id);
        const std::string request = "barrier.cta.sync " + std::to_string(id) + ", 64;";
        const std::string release = "named " + std::to_string(id) + ' ';
        const auto count = [&](const std::string& part) {
            return std::count_if(lines.begin(), lines.end(),
                                 [&](const auto& l) { return has(l, part.c_str()); });
        };
        CHECK(count(request) == 2);
        CHECK(count(release) == 1);
    }
    const auto replay = process::runGsu("replay '" + (folder / "k.gsut") + "' --json");
    CHECK(replay.code == 0);
    CHECK(has(replay.out, "\"verdict\":\"agree\""));
}

TEST_CASE(
    "Accel-Sim (issue 561): a wait that is missing in a trace is named, whatever the parameters",
    "[trace][MBAR-013]")
{
    const process::Folder folder;
    std::vector<std::string> lines = record(folder, kPipeline);
    const auto lose = [&] {  // the next wait of warp 1, and its answer
        const auto wait = std::find_if(lines.begin(), lines.end(), [](const auto& l) {
            return l.starts_with("do ") && has(l, " 0/0/1 ") && has(l, "try_wait");
        });
        if (wait == lines.end()) return false;
        const auto answer = std::find_if(wait, lines.end(), [](const auto& l) {
            return l.starts_with("answer ") && has(l, " 0/0/1 ");
        });
        REQUIRE(answer != lines.end());
        lines.erase(answer);
        lines.erase(wait);
        return true;
    };
    const std::string path = folder / "cut.gsut";
    const auto complete = process::runGsu("replay '" + (folder / "k.gsut") + "' --set dsm_hop=79");
    CHECK(complete.code == 0);
    CHECK_FALSE(has(complete.out, "MBAR-013"));
    unsigned lost = 0;
    while (lose()) {
        CAPTURE(++lost);
        write(path, lines);
        const auto same = process::runGsu("replay '" + path + "'");
        CHECK(same.code == 1);
        CHECK(has(same.out, "recorded: cycle"));
        const auto other = process::runGsu("replay '" + path + "' --set dsm_hop=79");
        CHECK(has(other.out, "MBAR-013: SM 0 mbarrier at 0x0"));
        CHECK(has(other.out, "the trace lacks a wait"));
    }
    CHECK(lost == 4);
}
