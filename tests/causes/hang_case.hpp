/// Small kernels that hang, and what the cause of each must be. Lines that may be named bear the mark "//HERE".
#pragma once
#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <set>

#include "catch.hpp"
#include "causes/hang_text.hpp"
#include "causes/port_causes.hpp"
#include "causes/port_watch.hpp"
#include "exec/harness.hpp"
#include "observers/tap_port.hpp"

namespace gsu::test {

using Ids = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

struct HangCase {
    std::string name;
    std::string body;  ///< registers as in Kernel, then prologue() has run
    std::string kind;
    Ids culprits{};
    std::vector<std::string> says{};  ///< parts of the sentence
    std::array<std::uint32_t, 3> block{64, 1, 1}, grid{1, 1, 1}, cluster{1, 1, 1};
    unsigned sms{0};
    std::uint64_t seed{1};
    bool mayMisuse{};      ///< a finding may give the verdict
    bool portMayDiffer{};  ///< what the port shows has two readings
    unsigned behind{};     ///< launches that wait for this one
    bool gridsBefore{};    ///< a launch before it does not end
    std::string target{"sm_90a"};
};

/// %r1 thread, %r2 warp, %r3 lane, %p0 thread 0, %p15 lane 0 of its warp, %rd1 the buffer, %r60 rank in the cluster.
inline std::string prologue()
{
    return R"(
.shared .align 128 .b8 data[4096];
.shared .align 8 .b64 full[4];
.shared .align 8 .b64 empty[4];
.shared .align 4 .b32 word[4];
mov.u32 %r1, %tid.x;
shr.u32 %r2, %r1, 5;
and.b32 %r3, %r1, 31;
setp.eq.u32 %p0, %r1, 0;
setp.eq.u32 %p15, %r3, 0;
mov.u32 %r60, %cluster_ctarank;
mov.u32 %r61, %ctaid.x;
ld.param.u64 %rd1, [out];
)";
}

inline std::string replaced(std::string text, const std::string& what, const std::string& by)
{
    for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
        text.replace(at, what.size(), by);
    return text;
}

inline std::set<std::uint32_t> marked(const std::string& text)
{
    std::set<std::uint32_t> lines;
    std::uint32_t line = 1;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        if (text.substr(at, end - at).find("//HERE") != std::string::npos) lines.insert(line);
        at = end + 1;
        ++line;
    }
    return lines;
}

/// `fromPort`: gets only what the port reports.
inline RunResult hangOf(const HangCase& c, std::string& text, PortHang* fromPort = nullptr)
{
    text = Kernel{".param .u64 out", prologue() + c.body + "\nret;"}.text();
    text = replaced(text, "sm_90a", c.target);
    LaunchSpec spec;
    spec.file = "test.launch.json";
    spec.block = c.block;
    spec.grid = c.grid;
    if (c.cluster[0] * c.cluster[1] * c.cluster[2] > 1) spec.cluster = c.cluster;
    if (c.sms != 0) spec.sms = c.sms;
    spec.params = {buffer(std::vector<std::uint32_t>(1024))};
    RunOptions options;
    options.seed = c.seed;
    if (fromPort == nullptr) return run(text, spec, options).result;
    const ptx::Module module = ptx::parseModule(text, "test.ptx");
    Executor executor(spec, module, options);
    GoldenPort port(executor.sms());
    TapPort tap(port);
    PortWatch watch(executor.sms());
    tap.add(watch);
    executor.setBehind(c.behind);
    executor.setGridsBefore(c.gridsBefore);
    RunResult result = executor.run(tap);
    *fromPort = explainPort(watch.history());
    return result;
}

/// A port knows less than a run, and must not say anything else: the kind of the run, or unknown.
inline void checkPort(const HangCase& c, const std::string& text, const RunResult& r,
                      const PortHang& hang)
{
    INFO(text);
    if (hang.causes.empty()) return;  // nobody waits at the port
    const PortCause& cause = hang.causes.front();
    INFO("from the port: " << nameOf(cause.kind) << ": " << cause.sentence);
    const bool known = cause.kind != CauseKind::Unknown;
    if (known && !c.portMayDiffer) CHECK(r.hang->cause->kind == nameOf(cause.kind));
    if (known && !c.portMayDiffer && cause.line != 0) CHECK(marked(text).contains(cause.line));
    if (std::getenv("GSU_SHOW_PORT") != nullptr)
        std::cout << c.name << ": " << r.hang->cause->kind << " | " << nameOf(cause.kind) << ": "
                  << cause.sentence << '\n';
}

inline void check(const HangCase& c)
{
    for (const std::uint64_t seed : {std::uint64_t{1}, std::uint64_t{7}}) {
        HangCase one = c;
        one.seed = seed;
        std::string text;
        PortHang port;
        const RunResult r = hangOf(one, text, &port);
        INFO("case " << c.name << ", seed " << seed << '\n' << text);
        for (const Finding& f : r.findings)
            UNSCOPED_INFO(f.rule << " line " << f.line << ": " << f.message);
        if (!c.mayMisuse) CHECK(r.verdict == Verdict::Hang);
        REQUIRE(r.hang);
        REQUIRE(r.hang->cause);
        const HangCause& cause = *r.hang->cause;
        INFO("sentence: " << cause.sentence << "\nline " << cause.line);
        for (const HangCause& o : cause.others)
            UNSCOPED_INFO("other: " << o.kind << ": " << o.sentence);
        CHECK(cause.kind == c.kind);
        const std::set<std::uint32_t> lines = marked(text);
        CHECK(lines.contains(cause.line));
        Ids have = cause.culprits, want = c.culprits;
        std::sort(want.begin(), want.end());
        CHECK(have == want);
        for (const std::string& part : c.says) {
            INFO("says " << part);
            CHECK(cause.sentence.find(part) != std::string::npos);
        }
        CHECK(r.hang->explanation.rfind(cause.sentence, 0) == 0);
        // The details do not repeat what the sentence says.
        if (cause.told.size() == r.hang->waiting.size())
            CHECK(r.hang->explanation == cause.sentence);
        else if (cause.others.empty())
            CHECK(r.hang->explanation.size() > cause.sentence.size());
        CHECK(cause.cycle <= r.cycles);
        if (seed == 1) checkRecorded(c.name, *r.hang);
        checkPort(one, text, r, port);
    }
}

/// A ring between a warp that fills stages by copies and one that empties them.
struct Ring {
    unsigned stages{2}, rounds{6};
    std::string producerRounds{"6"}, consumerRounds{"6"};
    std::string fullCount{"1"}, emptyCount{"1"};
    std::string producerParity{"1"};  ///< of the first round
    std::string expect{"mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r12], 256;"};
    std::string copy{"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r16], "
                     "[%rd1], 256, [%r12];"};
    std::string release{"@%p15 mbarrier.arrive.shared::cta.b64 _, [%r13];"};
    std::string inits{}, leaveProducer{"@%p3 bra PL;"}, leaveConsumer{"@%p3 bra CL;"}, afterWait{},
        producerWait{}, consumerWait{};

    [[nodiscard]] std::string text() const
    {
        std::string t = "@!%p0 bra READY;\n";
        for (unsigned s = 0; s < stages; ++s) {
            t += "mbarrier.init.shared::cta.b64 [full+" + std::to_string(8 * s) + "], " +
                 fullCount + ";\n";
            t += "mbarrier.init.shared::cta.b64 [empty+" + std::to_string(8 * s) + "], " +
                 emptyCount + ";\n";
        }
        t += inits + "fence.mbarrier_init.release.cluster;\nREADY:\nbar.sync 0;\n";
        const std::string stage = R"(rem.u32 %r11, %r10, ${S};
div.u32 %r14, %r10, ${S};
and.b32 %r14, %r14, 1;
shl.b32 %r15, %r11, 3;
mov.u32 %r12, full;
add.u32 %r12, %r12, %r15;
mov.u32 %r13, empty;
add.u32 %r13, %r13, %r15;
shl.b32 %r16, %r11, 8;
mov.u32 %r17, data;
add.u32 %r16, %r16, %r17;
)";
        t += R"(setp.eq.u32 %p1, %r2, 0;
@%p1 bra P;
setp.eq.u32 %p1, %r2, 1;
@%p1 bra C;
bra DONE;
P:
@!%p15 bra DONE;
mov.u32 %r10, 0;
PL:
)" + stage + "xor.b32 %r14, %r14, " +
             producerParity + R"(;
PW:
mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r13], %r14;${PWM}
@!%p2 bra PW;
)" + expect + "\n" +
             copy + R"(
add.u32 %r10, %r10, 1;
setp.lt.u32 %p3, %r10, ${PR};
)" + leaveProducer +
             R"(
bra DONE;
C:
mov.u32 %r10, 0;
CL:
)" + stage + R"(CW:
mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r12], %r14;${CWM}
@!%p2 bra CW;
)" + afterWait +
             R"(
ld.shared.u32 %r20, [%r16];
bar.warp.sync -1;
)" + release +
             R"(
add.u32 %r10, %r10, 1;
setp.lt.u32 %p3, %r10, ${CR};
)" + leaveConsumer +
             "\nDONE:\n";
        t = replaced(t, "${S}", std::to_string(stages));
        t = replaced(replaced(t, "${PR}", producerRounds), "${CR}", consumerRounds);
        return replaced(replaced(t, "${PWM}", producerWait), "${CWM}", consumerWait);
    }
};

}  // namespace gsu::test
