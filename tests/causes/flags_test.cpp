// Who should have written the awaited word, or gave the lock back.
#include "causes/hang_case.hpp"

namespace gsu::test {
namespace {

/// Warp 0 polls a word until it holds `value`; the others do `rest`, each with its own number in %r2.
std::string polled(const std::string& word, const std::string& value, const std::string& rest,
                   const std::string& end = "")
{
    return "setp.ne.u32 %p1, %r2, 0;\n@%p1 bra SET;\nmov.u32 %r8, " + value + R"(;
S:
ld.acquire.gpu.global.u32 %r4, [)" +
           word + R"(]; //POLL
setp.ne.u32 %p2, %r4, %r8;
@%p2 bra S;
bra DONE;
SET:
@!%p15 bra DONE;
)" + rest + "\nDONE:\n" +
           end;
}

/// A warp takes the lock, then does `held`.
std::string locked(const std::string& held)
{
    return R"(@!%p15 bra DONE;
mov.u32 %r10, 0;
L:
TAKE:
atom.cas.acquire.gpu.global.b32 %r5, [%rd1], 0, 1; //TAKE
setp.ne.u32 %p1, %r5, 0;
@%p1 bra TAKE;
add.u32 %r10, %r10, 1;
)" + held + "\nDONE:\n";
}

}  // namespace

TEST_CASE("a store that was passed with its guard false is named", "[causes]")
{
    const std::string guarded = R"(ld.global.u32 %r7, [%rd1+64];
setp.ne.u32 %p5, %r7, 0;
mov.u32 %r9, 1;
@%p5 st.release.gpu.global.u32 [%rd1], %r9; //HERE)";
    check({"its warp has ended",
           polled("%rd1", "1", guarded),
           "flag-not-set",
           {{0, 1}},
           {"passed the store at line", "and ended at line"}});
    check({"its warp waits for the poller",
           polled("%rd1", "1", guarded, "bar.warp.sync -1;\nbarrier.sync 5, 64;\n"),
           "flag-not-set",
           {{0, 1}},
           {"passed the store at line"}});
}

TEST_CASE("of several writers of a word, the last one is named", "[causes]")
{
    const std::string late = "@%p3 nanosleep.u32 4000;\n";
    const std::string two = "setp.eq.u32 %p3, %r2, 1;\n";
    const auto write = [](const std::string& value, const std::string& word) {
        return "mov.u32 %r9, " + value + ";\nst.release.gpu.global.u32 [" + word + "], %r9;";
    };
    check(
        {"two warps write, the first of them later",
         polled("%rd1", "5",
                two + late + "add.u32 %r9, %r2, 1;\nst.release.gpu.global.u32 [%rd1], %r9; //HERE"),
         "flag-not-set",
         {{0, 1}},
         {"holds 2", "warp 1 wrote 2 last"},
         {96, 1, 1}});
    check({"a word beside it is written later",
           polled("%rd1", "5",
                  two + "@%p3 bra A;\nnanosleep.u32 4000;\n" + write("7", "%rd1+4") +
                      "\nbra DONE;\nA:\n" + write("1", "%rd1") + " //HERE"),
           "flag-not-set",
           {{0, 1}},
           {"warp 1 wrote 1 last"},
           {96, 1, 1}});
    check({"a word beside it is written earlier",
           polled("%rd1", "5",
                  two + "@%p3 bra A;\nnanosleep.u32 4000;\n" + write("1", "%rd1") +
                      " //HERE\nbra DONE;\nA:\n" + write("7", "%rd1+4")),
           "flag-not-set",
           {{0, 2}},
           {"warp 2 wrote 1 last"},
           {96, 1, 1}});
    check({"two words beside it, and the later one counts",
           polled("%rd1", "5",
                  two + "@%p3 bra A;\nnanosleep.u32 4000;\n" + write("8", "%rd1+8") +
                      " //HERE\nbra DONE;\nA:\n" + write("7", "%rd1+4")),
           "flag-not-set",
           {{0, 2}},
           {"nobody writes it", "warp 2 wrote 8 at"},
           {96, 1, 1}});
}

TEST_CASE("a write within 256 bytes of the word is told, and none that is farther", "[causes]")
{
    struct Row {
        int offset;
        bool near;
    };
    for (const Row row : {Row{256, true}, Row{260, false}, Row{-256, true}, Row{-260, false}}) {
        const std::string at = std::to_string(1024 + row.offset);
        std::string body =
            polled("%rd1+1024", "5",
                   "mov.u32 %r9, 1;\nst.release.gpu.global.u32 [%rd1+" + at + "], %r9; //WRITE");
        body = replaced(body, row.near ? "//WRITE" : "//POLL", "//HERE");
        check({"a write at " + at + " of a word at 1024",
               body,
               "flag-not-set",
               {{0, row.near ? 1u : 0u}},
               {row.near ? "warp 1 wrote 1 at" : "nobody writes it, and nobody"}});
    }
}

TEST_CASE("a word of shared memory is not that of another CTA", "[causes]")
{
    check({"each CTA has a word, and one sets its own",
           R"(setp.ne.u32 %p1, %r61, 0;
@%p1 bra SET;
S:
ld.volatile.shared.u32 %r4, [data+4]; //HERE
setp.eq.u32 %p2, %r4, 0;
@%p2 bra S;
bra DONE;
SET:
mov.u32 %r9, 1;
st.volatile.shared.u32 [data+4], %r9;
DONE:
)",
           "flag-not-set",
           {{0, 0}},
           {"data+4 (CTA 0 +0x4) holds 0", "nobody writes it, and nobody"},
           {32, 1, 1},
           {2, 1, 1}});
}

TEST_CASE("the holder of a lock is who took it last and has not given it back", "[causes]")
{
    for (const std::string give : {"atom.exch.release.gpu.global.b32 %r6, [%rd1], 0;",
                                   "mov.u32 %r6, 0;\nst.release.gpu.global.u32 [%rd1], %r6;"})
        check(
            {"the second warp returns with it, after one round: " + give.substr(0, 4),
             locked("setp.eq.u32 %p2, %r10, 2;\nsetp.eq.u32 %p3, %r2, 1;\nand.pred %p2, %p2, %p3;\n"
                    "@%p2 ret; //HERE\n" +
                    give + "\nsetp.lt.u32 %p4, %r10, 3;\n@%p4 bra L;"),
             "lock-not-released",
             {{0, 1}},
             {"was taken by warp 1", "exited at"},
             {96, 1, 1}});
    check({"the CTA of the holder has ended",
           replaced(locked("setp.eq.u32 %p2, %r61, 0;\n@%p2 ret; //HERE\nst.release.gpu.global.u32 "
                           "[%rd1], 0;"),
                    "L:\n", "setp.ne.u32 %p6, %r61, 0;\n@%p6 nanosleep.u32 9000;\nL:\n"),
           "lock-not-released",
           {{0, 0}},
           {"was taken by CTA 0 warp 0", "exited at"},
           {32, 1, 1},
           {3, 1, 1}});
    check({"the holder waits for a barrier with a wrong count, and would give it back",
           replaced(locked("setp.eq.u32 %p3, %r2, 0;\n@%p3 barrier.sync 2, 96; //HERE\n"
                           "st.release.gpu.global.u32 [%rd1], 0;"),
                    "L:\n", "@!%p0 nanosleep.u32 4000;\nL:\n"),
           "count-too-large",
           {},
           {"barrier 2"}});
}

TEST_CASE("the notes of 64 ended CTAs are kept", "[causes]")
{
    // CTA 0 takes the lock and ends, the last CTA wants it.
    const std::string body = R"(setp.eq.u32 %p1, %r61, 0;
mov.u32 %r7, %nctaid.x;
sub.u32 %r7, %r7, 1;
setp.eq.u32 %p2, %r61, %r7;
or.pred %p1, %p1, %p2;
and.pred %p1, %p1, %p0;
@!%p1 bra DONE;
@%p2 nanosleep.u32 20000;
TAKE:
atom.cas.acquire.gpu.global.b32 %r5, [%rd1], 0, 1; //TAKE
setp.ne.u32 %p3, %r5, 0;
@%p3 bra TAKE;
DONE:
)";
    for (const std::uint32_t ctas : {3u, 1000u}) {
        const bool known = ctas < 64;
        std::string text;
        const HangCase c{.name = "a lock of CTA 0 of " + std::to_string(ctas),
                         .body = body,
                         .kind = "",
                         .block = {32, 1, 1},
                         .grid = {ctas, 1, 1},
                         .sms = 1};
        const RunResult r = hangOf(c, text);
        REQUIRE(r.hang);
        REQUIRE(r.hang->cause);
        checkRecorded(c.name, *r.hang);
        CHECK((r.hang->cause->kind == "lock-not-released") == known);
    }
}

}  // namespace gsu::test
