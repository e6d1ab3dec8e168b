// tcgen05.shift: refused unless exec.tcgen05_shift says which lanes it moves; then exact values, and its place among the asynchronous operations.
#include "kernels.hpp"

using namespace gsu;
using namespace gsu::test;

namespace {

using Set = std::vector<std::pair<std::string, std::string>>;
const Set kWarp{{"exec.tcgen05_shift", "warp"}}, kAll{{"exec.tcgen05_shift", "all"}};

const std::string kDown = "@%p1 tcgen05.shift.cta_group::1.down [%r20];\n";
const std::string kReady =
    "tcgen05.fence::before_thread_sync;\nbar.sync 1;\ntcgen05.fence::after_thread_sync;\n";

/// The address of a lane and a column.
std::string place(unsigned lane, unsigned column)
{
    return "add.u32 %r20, %r10, " + std::to_string(lane << 16 | column) + ";\n";
}

/// A wait for everything that thread 0 gave the tensor core; `phase`: of the mbarrier.
std::string committed(unsigned phase = 0, const std::string& name = "W")
{
    return Steps{}.commit + name + ": mbarrier.try_wait.parity.shared.b64 %p4, [bar], " +
           std::to_string(phase) + "; @!%p4 bra " + name + ";\n" + Steps{}.after;
}

/// Numbered cells, `what`, and 32 columns in the output.
Steps around(const std::string& what)
{
    Steps s = empty();
    s.more = number(32) + kReady + what + "tcgen05.ld.sync.aligned.32x32b.x32.b32 " + words(32) +
             ", [%r13];\ntcgen05.wait::ld.sync.aligned;\n";
    s.store = storeAll(32);
    return s;
}

std::string foundAround(const std::string& what, const Set& set = kWarp)
{
    return rulesOf(around(what).run(1, 128, set));
}

}  // namespace

TEST_CASE("a shift moves eight columns of the lanes that the parameter says", "[tcgen05]")
{
    struct Row {
        const Set* set;
        unsigned first, lanes;
    };
    for (const Row& row : {Row{&kWarp, 64, 32}, Row{&kAll, 0, 128}}) {
        for (std::uint64_t seed = 1; seed <= 5; ++seed) {
            CAPTURE(row.lanes, seed);
            const Outcome o = around(place(64, 8) + kDown + committed()).run(seed, 128, *row.set);
            CHECK(rulesOf(o) == "");
            REQUIRE(o.result.verdict == Verdict::Pass);
            const auto out = o.as<std::uint32_t>(1);
            for (unsigned lane = 0; lane < 128; ++lane) {
                for (unsigned column = 0; column < 32; ++column) {
                    const bool moves = lane >= row.first && lane < row.first + row.lanes &&
                                       lane % 32 != 31 && column / 8 == 1;
                    REQUIRE(out[lane * 256 + column] == (moves ? lane + 1 : lane) * 1000 + column);
                }
            }
        }
    }
}

TEST_CASE("a shift is refused by name when nothing says which lanes it moves", "[tcgen05][TC5-025]")
{
    const auto refusal = [](const Set& set) {
        try {
            return rulesOf(around(place(0, 0) + kDown + committed()).run(1, 128, set));
        } catch (const InputError& e) {
            return std::string(e.what());
        }
    };
    CHECK(refusal({}).find("TC5-025: ") != std::string::npos);
    CHECK(refusal({}).find("exec.tcgen05_shift=warp") != std::string::npos);
    CHECK(refusal({{"exec.tcgen05_shift", "refused"}}).find("TC5-025: ") != std::string::npos);
    CHECK(refusal(kWarp) == "");
    CHECK(refusal(kAll) == "");
}

TEST_CASE("where a shift may begin", "[tcgen05][TC5-010][TC5-011][TC5-016]")
{
    CHECK(foundAround(place(8, 0) + kDown + committed()).find("TC5-016 ") == 0);
    CHECK(foundAround(place(32, 505) + kDown + committed()).find("TC5-010 ") == 0);
    Steps s = around(place(0, 32) + kDown + committed());
    s.alloc = "@!%p2 bra NA;\ntcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [place], "
              "32;\nNA:\n";
    s.dealloc = "@!%p2 bra ND;\ntcgen05.dealloc.cta_group::1.sync.aligned.b32 %r10, 32;\nND:\n";
    CHECK(rulesOf(s.run(1, 128, kWarp)) == "TC5-011 ");
}

TEST_CASE("a shift is waited for by a commit", "[tcgen05][TC5-080][TC5-083][TC5-084]")
{
    bool old = false;
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        CAPTURE(seed);
        const Outcome o = around(place(0, 0) + kDown).run(seed, 128, kWarp);
        CHECK(rulesOf(o).find("TC5-080 ") == 0);
        CHECK(o.result.verdict == Verdict::Misuse);
        old |= o.as<std::uint32_t>(1)[0] == 0;
    }
    CHECK(old);
    // Other warps stored the rows that it moves: their fence, and its own.
    const std::string wait = place(0, 0) + kDown + committed();
    Steps s = around(wait);
    s.more.erase(s.more.find("tcgen05.fence::before"), 35);
    CHECK(rulesOf(s.run(1, 128, kWarp)) == "");  // of the same warp, 0
    s = around(place(32, 0) + kDown + committed());
    s.more.erase(s.more.find("tcgen05.fence::before"), 35);
    CHECK(rulesOf(s.run(1, 128, kWarp)) == "TC5-083 ");
    s = around(place(32, 0) + kDown + committed());
    s.more.erase(s.more.find("tcgen05.fence::after"), 34);
    CHECK(rulesOf(s.run(1, 128, kWarp)) == "TC5-084 ");
}

TEST_CASE("what keeps its order with a shift", "[tcgen05][TC5-087]")
{
    const std::string descriptor =
        "mov.u64 %rd12, " + std::to_string(std::uint64_t{128 >> 4} << 32 | std::uint64_t{1} << 46) +
        "; add.u64 %rd12, %rd12, %rd9;\n";
    const std::string narrow = "add.u32 %r21, %r10, 2031616;\n@%p1 tcgen05.cp.cta_group::1.4x256b "
                               "[%r21], %rd12;\n",
                      wide = "@%p1 tcgen05.cp.cta_group::1.128x128b [%r10], %rd12;\n";
    const std::string at = place(0, 0) + descriptor, before = at + kDown, end = committed();
    CHECK(foundAround(before + kDown + end) == "TC5-087 ");
    CHECK(foundAround(before + wide + end) == "TC5-087 ");
    CHECK(foundAround(at + wide + kDown + end) == "TC5-087 ");
    CHECK(foundAround(before + committed(0, "V") + kDown + committed(1)) == "");
    // The last lane of each quarter afresh: lane 31 of it, as it is done for a convolution.
    const Outcome o = around(before + narrow + end).run(1, 128, kAll);
    CHECK(rulesOf(o) == "");
    const auto out = o.as<std::uint32_t>(1);
    const std::vector<std::uint8_t> bytes = Numbers(7).bytes;
    for (unsigned lane = 0; lane < 128; ++lane) {
        for (unsigned column = 0; column < 8; ++column) {
            std::uint32_t expected = (lane + 1) * 1000 + column;
            if (lane % 32 == 31)
                std::memcpy(&expected, bytes.data() + lane / 32 * 16 + column % 4 * 4, 4);
            CHECK(out[lane * 256 + column] == expected);
        }
    }
}

TEST_CASE("products around a shift of their A", "[tcgen05]")
{
    // A in tensor memory: columns 64 to 71; the second product, to columns 128 on, has A one row on.
    std::string rows;
    for (unsigned c = 0; c < 2; ++c)
        for (unsigned w = 0; w < 4; ++w)
            rows += "ld.shared.u32 %d" + std::to_string(c * 4 + w) + ", [%r6+" +
                    std::to_string(c * 128 + w * 4) + "];\n";
    Steps s;
    s.alloc = empty().alloc;
    s.dealloc = empty().dealloc;
    s.multiply =
        "and.b32 %r6, %r1, 7; shl.b32 %r6, %r6, 4; shr.u32 %r7, %r1, 3; shl.b32 %r7, %r7, 8;"
        "add.u32 %r6, %r6, %r7; add.u32 %r6, %r6, %r9;\n" +
        rows +
        "add.u32 %r13, %r10, %r3; add.u32 %r13, %r13, 64; add.u32 %r14, %r10, 64; add.u32 %r15, "
        "%r10, 128;\ntcgen05.st.sync.aligned.32x32b.x8.b32 [%r13], " +
        words(8) + ";\ntcgen05.wait::st.sync.aligned;\n" + kReady +
        "@%p1 tcgen05.mma.cta_group::1.kind::f16 [%r10], [%r14], %rd11, %r11, 0;\n" + place(0, 64) +
        kDown + "@%p1 tcgen05.mma.cta_group::1.kind::f16 [%r15], [%r14], %rd11, %r11, 0;\n";
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        CAPTURE(seed);
        Steps first = s, second = s;
        second.load = "add.u32 %r13, %r15, %r3;\ntcgen05.ld.sync.aligned.32x32b.x64.b32 " +
                      words(64) + ", [%r13];\n";
        const Outcome before = first.run(seed, 128, kAll), after = second.run(seed, 128, kAll);
        CHECK(rulesOf(before) == "");
        CHECK(rulesOf(after) == "");
        CHECK(hasProduct(before));
        const auto out = after.as<float>(1);
        const auto once = Numbers(7).product;
        unsigned wrong = 0;
        for (unsigned i = 0; i < kM; ++i)
            for (unsigned j = 0; j < kN; ++j)
                wrong += out[i * 256 + j] != once[(i % 32 == 31 ? i : i + 1) * kN + j];
        CHECK(wrong == 0);
    }
}
