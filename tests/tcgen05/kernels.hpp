/// Small kernels with tcgen05: a product of small whole numbers in one CTA of four warps, written in steps that a test leaves out or changes.
#pragma once
#include <random>

#include "exec/tensor.hpp"
#include "exec/tensor/element.hpp"

namespace gsu::test {

inline constexpr unsigned kM = 128, kN = 64, kK = 16;

/// A K-major operand of 16-bit elements without swizzle: cores of 8 rows x 16 bytes, those along K first.
inline std::uint64_t descriptorAt(std::uint32_t start)
{
    return start >> 4 | std::uint64_t{128 >> 4} << 16 | std::uint64_t{256 >> 4} << 32 |
           std::uint64_t{1} << 46;
}
inline constexpr std::uint32_t kInstruction = 1u << 4 | kN / 8 << 17 | kM / 16 << 24;

/// A (4096 bytes) and B (2048 bytes) as they lie in shared memory, and the product.
struct Numbers {
    std::vector<std::uint8_t> bytes = std::vector<std::uint8_t>(6144);
    std::vector<float> product = std::vector<float>(std::size_t{kM} * kN);

    explicit Numbers(std::uint64_t seed)
    {
        std::mt19937_64 random(seed);
        std::vector<int> a(std::size_t{kM} * kK), b(std::size_t{kN} * kK);
        for (int& v : a) v = static_cast<int>(random() % 9) - 4;
        for (int& v : b) v = static_cast<int>(random() % 9) - 4;
        const auto put = [&](std::size_t base, unsigned row, unsigned k, int v) {
            const std::uint32_t bits = tensor::halfOf(static_cast<float>(v));
            const std::size_t at = base + row % 8 * 16 + row / 8 * 256 + k / 8 * 128 + k % 8 * 2;
            bytes[at] = static_cast<std::uint8_t>(bits);
            bytes[at + 1] = static_cast<std::uint8_t>(bits >> 8);
        };
        for (unsigned k = 0; k < kK; ++k) {
            for (unsigned i = 0; i < kM; ++i) put(0, i, k, a[i * kK + k]);
            for (unsigned j = 0; j < kN; ++j) put(4096, j, k, b[j * kK + k]);
        }
        for (unsigned i = 0; i < kM; ++i) {
            for (unsigned j = 0; j < kN; ++j) {
                int sum = 0;
                for (unsigned k = 0; k < kK; ++k) sum += a[i * kK + k] * b[j * kK + k];
                product[std::size_t{i} * kN + j] = static_cast<float>(sum);
            }
        }
    }
};

/// The registers of ld and st: "{%d0,%d1,...}".
inline std::string words(unsigned count, unsigned first = 0)
{
    std::string text = "{";
    for (unsigned i = 0; i < count; ++i)
        text += (i == 0 ? "%d" : ",%d") + std::to_string(first + i);
    return text + "}";
}

/// Each word of `words(count)` to out[thread][i].
inline std::string storeAll(unsigned count)
{
    std::string text;
    for (unsigned i = 0; i < count; ++i)
        text +=
            "st.global.u32 [%rd4+" + std::to_string(4 * i) + "], %d" + std::to_string(i) + ";\n";
    return text;
}

/// %r1 thread, %r2 warp, %r3 the lanes of its quarter, %p1 thread 0, %p2 warp 0, %r9 shared memory, %rd4 the thread's place in the output.
struct Steps {
    std::string fill =
        "mov.u32 %r4, %r1;\n"
        "F: setp.ge.u32 %p3, %r4, 1536; @%p3 bra G;\n"
        "mul.wide.u32 %rd5, %r4, 4; add.u64 %rd6, %rd1, %rd5; ld.global.u32 %r5, [%rd6];\n"
        "shl.b32 %r6, %r4, 2; add.u32 %r6, %r6, %r9; st.shared.u32 [%r6], %r5;\n"
        "add.u32 %r4, %r4, 128; bra F;\nG:\n";
    std::string proxy = "fence.proxy.async.shared::cta;\n";
    std::string init = "@%p1 mbarrier.init.shared.b64 [bar], 1;\n@%p1 mbarrier.init.shared.b64 "
                       "[bar+8], 128;\n";
    std::string alloc = "@!%p2 bra NA;\ntcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 "
                        "[place], 128;\nNA:\n";
    std::string ready = "bar.sync 0;\nld.shared.u32 %r10, [place];\n";
    std::string multiply =
        "@%p1 tcgen05.mma.cta_group::1.kind::f16 [%r10], %rd10, %rd11, %r11, 0;\n";
    std::string commit =
        "@%p1 tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 "
        "[%r12];\n";
    std::string wait = "W: mbarrier.try_wait.parity.shared.b64 %p4, [bar], 0; @!%p4 bra W;\n";
    std::string after = "tcgen05.fence::after_thread_sync;\n";
    std::string load = "add.u32 %r13, %r10, %r3;\ntcgen05.ld.sync.aligned.32x32b.x64.b32 " +
                       words(64) + ", [%r13];\n";
    std::string waitLoad = "tcgen05.wait::ld.sync.aligned;\n";
    std::string more{};
    std::string store = storeAll(64);
    std::string before = "tcgen05.fence::before_thread_sync;\n";
    std::string end = "bar.sync 0;\n";
    std::string dealloc =
        "@!%p2 bra ND;\ntcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;\n"
        "tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r10, 128;\nND:\n";

    [[nodiscard]] Kernel kernel() const
    {
        const std::string begin =
            ".reg .b32 %d<256>;\n.shared .align 1024 .b8 s[16384];\n.shared .align 8 .b64 bar[4];\n"
            ".shared .align 4 .b32 place[2];\n"
            "ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [out];\n"
            "mov.u32 %r1, %tid.x; shr.u32 %r2, %r1, 5; shl.b32 %r3, %r2, 21; and.b32 %r3, %r3, "
            "6291456;\n"
            "setp.eq.u32 %p1, %r1, 0; setp.eq.u32 %p2, %r2, 0; mov.u32 %r9, s; mov.u32 %r12, bar;\n"
            "mul.wide.u32 %rd3, %r1, 1024; add.u64 %rd4, %rd2, %rd3;\n"
            "mov.u64 %rd10, " +
            std::to_string(descriptorAt(0)) + "; mov.u64 %rd11, " +
            std::to_string(descriptorAt(4096)) +
            ";\nshr.u32 %r7, %r9, 4; cvt.u64.u32 %rd9, %r7; add.u64 %rd10, %rd10, %rd9; add.u64 "
            "%rd11, %rd11, %rd9;\nmov.u32 %r11, " +
            std::to_string(kInstruction) + ";\n";
        return {".param .u64 in, .param .u64 out",
                begin + fill + proxy + init + alloc + ready + multiply + commit + wait + after +
                    load + waitLoad + more + store + before + end + dealloc + "ret;"};
    }
    [[nodiscard]] Outcome run(std::uint64_t seed = 1, unsigned threads = 128,
                              const std::vector<std::pair<std::string, std::string>>& set = {},
                              TensorMode mode = TensorMode::Compute) const
    {
        LaunchSpec spec;
        spec.file = "test.launch.json";
        spec.block = {threads, 1, 1};
        spec.params = {buffer(Numbers(7).bytes),
                       buffer(std::vector<float>(std::size_t{256} * threads))};
        RunOptions options;
        options.seed = seed;
        options.tensor = mode;
        for (const auto& [key, value] : set)
            REQUIRE(setExecParameter(options.params, key + "=" + value).empty());
        return runTensor(kernel(), spec, options);
    }
};

/// "TC5-080 TC5-084 "
inline std::string rulesOf(const Outcome& o)
{
    std::string all;
    for (const Finding& f : o.result.findings) all += f.rule + " ";
    return all;
}

/// Whether the output has the product, thread by thread a row.
inline bool hasProduct(const Outcome& o, unsigned rows = kM)
{
    const std::vector<float> expected = Numbers(7).product, out = o.as<float>(1);
    for (unsigned i = 0; i < rows; ++i) {
        for (unsigned j = 0; j < kN; ++j)
            if (out[std::size_t{i} * 256 + j] != expected[std::size_t{i} * kN + j]) return false;
    }
    return true;
}

/// All columns, and nothing done with them; %r13 is the place of the warp.
inline Steps empty()
{
    Steps s;
    s.multiply = s.commit = s.wait = s.load = s.waitLoad = s.store = "";
    s.alloc = "@!%p2 bra NA;\ntcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [place], "
              "512;\nNA:\n";
    s.dealloc = "@!%p2 bra ND;\ntcgen05.dealloc.cta_group::1.sync.aligned.b32 %r10, 512;\nND:\n";
    s.after = "add.u32 %r13, %r10, %r3;\n";
    return s;
}

/// Cell (lane, column) gets lane * 1000 + column, of 32 columns by 32x32b.
inline std::string number(unsigned columns)
{
    std::string text = "mul.lo.u32 %r20, %r1, 1000;\n";
    for (unsigned c = 0; c < columns; c += 32) {
        for (unsigned i = 0; i < 32; ++i)
            text +=
                "add.u32 %d" + std::to_string(128 + i) + ", %r20, " + std::to_string(c + i) + ";\n";
        text += "add.u32 %r21, %r13, " + std::to_string(c) +
                "; tcgen05.st.sync.aligned.32x32b.x32.b32 [%r21], " + words(32, 128) + ";\n";
    }
    return text + "tcgen05.wait::st.sync.aligned;\n";
}

inline std::string found(const Steps& steps, std::uint64_t seed = 1)
{
    return rulesOf(steps.run(seed));
}

/// A load of 32 lanes by 1 column to %d100, from `column` on.
inline std::string loadOne(unsigned column)
{
    return "add.u32 %r14, %r13, " + std::to_string(column) +
           "; tcgen05.ld.sync.aligned.32x32b.x1.b32 {%d100}, [%r14];\n";
}

}  // namespace gsu::test
