// tcgen05.ld, st and cp in all shapes, and products of the forms that the other tests do not have.
#include "kernels.hpp"

using namespace gsu;
using namespace gsu::test;

namespace {

struct Form {
    const char* name;
    unsigned perRepeat, most;
    unsigned (*lane)(unsigned thread, unsigned index);
    unsigned (*column)(unsigned thread, unsigned index);
};

/// Written from the table of the specification, apart from the library's own.
const std::array<Form, 4> kForms{{
    {"32x32b", 1, 128, [](unsigned t, unsigned) { return t; },
     [](unsigned, unsigned i) { return i; }},
    {"16x64b", 1, 128, [](unsigned t, unsigned) { return t / 4 + t % 2 * 8; },
     [](unsigned t, unsigned i) { return t / 2 % 2 + 2 * i; }},
    {"16x128b", 2, 64, [](unsigned t, unsigned i) { return t / 4 + i % 2 * 8; },
     [](unsigned t, unsigned i) { return t % 4 + i / 2 * 4; }},
    {"16x256b", 4, 32, [](unsigned t, unsigned i) { return t / 4 + i / 2 % 2 * 8; },
     [](unsigned t, unsigned i) { return t % 4 * 2 + i % 2 + i / 4 * 8; }},
}};

}  // namespace

TEST_CASE("every shape loads the cells that the specification names", "[tcgen05]")
{
    for (const Form& form : kForms) {
        for (unsigned repeat = 1; repeat <= form.most; repeat *= 4) {
            const unsigned count = repeat * form.perRepeat;
            CAPTURE(form.name, repeat);
            Steps s = empty();
            s.more = number(256) + "tcgen05.ld.sync.aligned." + form.name + ".x" +
                     std::to_string(repeat) + ".b32 " + words(count) +
                     ", [%r13];\ntcgen05.wait::ld.sync.aligned;\n";
            s.store = storeAll(count);
            const Outcome o = s.run();
            CHECK(rulesOf(o) == "");
            const auto out = o.as<std::uint32_t>(1);
            unsigned wrong = 0;
            for (unsigned t = 0; t < 128; ++t) {
                for (unsigned i = 0; i < count; ++i)
                    wrong += out[t * 256 + i] !=
                             (t / 32 * 32 + form.lane(t % 32, i)) * 1000 + form.column(t % 32, i);
            }
            CHECK(wrong == 0);
        }
    }
}

TEST_CASE("what a shape stores it loads again, packed and not, in both halves", "[tcgen05]")
{
    for (const Form& form : kForms) {
        for (const bool packed : {false, true}) {
            for (const unsigned half : {0u, 16u}) {
                if (half != 0 && form.name[0] == '3') continue;
                CAPTURE(form.name, packed, half);
                const unsigned count = 4 * form.perRepeat;
                std::string fill = "add.u32 %r13, %r13, " + std::to_string(half << 16) + ";\n";
                for (unsigned i = 0; i < count; ++i)
                    fill += "mad.lo.u32 %d" + std::to_string(i) + ", %r1, 65599, " +
                            std::to_string(i * 7919 + 1) + ";\n";
                Steps s = empty();
                s.more = fill + "tcgen05.st.sync.aligned." + form.name + ".x4" +
                         (packed ? ".unpack::16b" : "") + ".b32 [%r13], " + words(count) +
                         ";\ntcgen05.wait::st.sync.aligned;\ntcgen05.ld.sync.aligned." + form.name +
                         ".x4" + (packed ? ".pack::16b" : "") + ".b32 " + words(count, 128) +
                         ", [%r13];\ntcgen05.wait::ld.sync.aligned;\n";
                for (unsigned i = 0; i < count; ++i)
                    s.store += "st.global.u32 [%rd4+" + std::to_string(4 * i) + "], %d" +
                               std::to_string(128 + i) + ";\n";
                const Outcome o = s.run();
                CHECK(rulesOf(o) == "");
                const auto out = o.as<std::uint32_t>(1);
                unsigned wrong = 0;
                for (unsigned t = 0; t < 128; ++t)
                    for (unsigned i = 0; i < count; ++i)
                        wrong += out[t * 256 + i] != t * 65599 + i * 7919 + 1;
                CHECK(wrong == 0);
            }
        }
    }
}

TEST_CASE("16x32bx2: the second half of the threads has columns of its own", "[tcgen05]")
{
    Steps s = empty();
    s.more = number(64) + "tcgen05.ld.sync.aligned.16x32bx2.x4.b32 " + words(4) +
             ", [%r13], 24;\ntcgen05.wait::ld.sync.aligned;\n";
    s.store = storeAll(4);
    const Outcome o = s.run();
    CHECK(rulesOf(o) == "");
    const auto out = o.as<std::uint32_t>(1);
    for (unsigned t = 0; t < 128; ++t) {
        for (unsigned i = 0; i < 4; ++i)
            CHECK(out[t * 256 + i] == (t / 32 * 32 + t % 16) * 1000 + i + (t % 32 >= 16 ? 24 : 0));
    }
}

TEST_CASE("literals among the registers of a store", "[tcgen05]")
{
    Steps s = empty();
    s.more = "tcgen05.st.sync.aligned.32x32b.x2.b32 [%r13], {0x40000000, %r1};\n"
             "tcgen05.wait::st.sync.aligned;\ntcgen05.ld.sync.aligned.32x32b.x2.b32 {%d0, %d1}, "
             "[%r13];\n"
             "tcgen05.wait::ld.sync.aligned;\n";
    s.store = storeAll(2);
    const auto out = s.run().as<std::uint32_t>(1);
    CHECK(out[256 * 5] == 0x4000'0000);
    CHECK(out[256 * 5 + 1] == 5);
}

TEST_CASE("copies from shared memory to all quarters", "[tcgen05]")
{
    // 32 rows of 16 bytes from the numbers of A on, in cores of eight rows.
    Steps s = empty();
    s.multiply = "mov.u64 %rd12, " +
                 std::to_string(std::uint64_t{128 >> 4} << 32 | std::uint64_t{1} << 46) +
                 "; add.u64 %rd12, %rd12, %rd9;\n@%p1 tcgen05.cp.cta_group::1.32x128b.warpx4 "
                 "[%r10], %rd12;\n";
    s.commit = Steps{}.commit;
    s.wait = Steps{}.wait;
    s.after = Steps{}.after + "add.u32 %r13, %r10, %r3;\n";
    s.more = "tcgen05.ld.sync.aligned.32x32b.x4.b32 " + words(4) +
             ", [%r13];\ntcgen05.wait::ld.sync.aligned;\n";
    s.store = storeAll(4);
    const Outcome o = s.run();
    CHECK(rulesOf(o) == "");
    const auto out = o.as<std::uint32_t>(1);
    const std::vector<std::uint8_t> bytes = Numbers(7).bytes;
    for (unsigned t = 0; t < 128; ++t) {
        for (unsigned i = 0; i < 4; ++i) {
            std::uint32_t word = 0;
            std::memcpy(&word, bytes.data() + t % 32 * 16 + i * 4, 4);
            CHECK(out[t * 256 + i] == word);
        }
    }
}

TEST_CASE("A from tensor memory, lanes that stay, an accumulator that is scaled", "[tcgen05]")
{
    // A's rows in 8 columns from 64 on: thread t has row t.
    std::string rows;
    for (unsigned c = 0; c < 2; ++c) {  // 16 bytes along K
        for (unsigned w = 0; w < 4; ++w)
            rows += "ld.shared.u32 %d" + std::to_string(c * 4 + w) + ", [%r6+" +
                    std::to_string(c * 128 + w * 4) + "];\n";
    }
    Steps s;
    s.multiply =
        "and.b32 %r6, %r1, 7; shl.b32 %r6, %r6, 4; shr.u32 %r7, %r1, 3; shl.b32 %r7, %r7, 8;"
        "add.u32 %r6, %r6, %r7; add.u32 %r6, %r6, %r9;\n" +
        rows +
        "add.u32 %r13, %r10, %r3; add.u32 %r13, %r13, 64; add.u32 %r14, %r10, 64;\n"
        "tcgen05.st.sync.aligned.32x32b.x8.b32 [%r13], " +
        words(8) +
        ";\ntcgen05.wait::st.sync.aligned;\ntcgen05.fence::before_thread_sync;\nbar.sync 1;\n"
        "tcgen05.fence::after_thread_sync;\nmov.u32 %r21, 0; mov.u32 %r22, 32;\n"
        "@%p1 tcgen05.mma.cta_group::1.kind::f16 [%r10], [%r14], %rd11, %r11, 0;\n";
    CHECK(rulesOf(s.run()) == "");
    CHECK(hasProduct(s.run()));
    // Once more with the sums of before by 2^-1: one and a half times as much; row 5 stays.
    s.multiply +=
        "@%p1 tcgen05.mma.cta_group::1.kind::f16 [%r10], %rd10, %rd11, %r11, {%r22, %r21, "
        "%r21, %r21}, 1, 1;\n";
    const Outcome o = s.run();
    CHECK(rulesOf(o) == "");
    const auto out = o.as<float>(1);
    const auto once = Numbers(7).product;
    for (unsigned i = 0; i < kM; ++i)
        for (unsigned j = 0; j < kN; ++j)
            CHECK(out[i * 256 + j] == once[i * kN + j] * (i == 5 ? 1.0f : 1.5f));
}

TEST_CASE("columns that another CTA of the SM has are waited for, and who waits for ever is told",
          "[tcgen05]")
{
    // Two CTAs on one SM, each with 512 columns.
    Steps s = empty();
    const auto launch = [&](const Steps& steps) {
        LaunchSpec spec;
        spec.file = "test.launch.json";
        spec.block = {128, 1, 1};
        spec.grid = {2, 1, 1};
        spec.sms = 1;
        spec.params = {buffer(Numbers(7).bytes),
                       buffer(std::vector<float>(std::size_t{256} * 128))};
        return runTensor(steps.kernel(), spec, 1);
    };
    s.more = "nanosleep.u32 2000;\n";
    const Outcome fine = launch(s);
    CHECK(rulesOf(fine) == "");
    CHECK(fine.result.verdict == Verdict::Pass);
    // One CTA that asks twice for all of them.
    s.alloc += "@!%p2 bra NC;\ntcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [place], "
               "512;\nNC:\n";
    const Outcome o = s.run();
    CHECK(o.result.verdict == Verdict::Hang);
    REQUIRE(o.result.hang.has_value());
    bool columns = false;
    for (const auto& w : o.result.hang->waiting)
        columns |= w.kind == HangReport::Kind::Columns && w.warp == 0;
    CHECK(columns);
    CHECK(o.result.hang->explanation.find("columns of tensor memory") != std::string::npos);
}

TEST_CASE("--tensor skip: the same times and requests, zeros", "[tcgen05]")
{
    const Outcome all = Steps{}.run(3), none = Steps{}.run(3, 128, {}, TensorMode::Skip);
    CHECK(rulesOf(none) == "");
    CHECK(none.result.cycles == all.result.cycles);
    CHECK(none.result.syncRequests == all.result.syncRequests);
    CHECK(none.as<std::uint32_t>(1)[0] == 0);
}

TEST_CASE("tensor memory counts in the limit of memory", "[tcgen05]")
{
    const Steps s;
    LaunchSpec spec;
    spec.file = "test.launch.json";
    spec.block = {128, 1, 1};
    spec.params = {buffer(Numbers(7).bytes), buffer(std::vector<float>(std::size_t{256} * 128))};
    RunOptions options;
    const auto refusal = [&](std::uint64_t bytes) {
        options.memoryBytes = bytes;
        try {
            return std::string(nameOf(runTensor(s.kernel(), spec, options).result.verdict));
        } catch (const InputError& e) {
            return std::string(e.what());
        }
    };
    CHECK(refusal(1u << 20) == "pass");
    CHECK(refusal(400'000).find("tensor memory") != std::string::npos);
}
