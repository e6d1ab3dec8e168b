// --tensor skip: the same cycles and findings, sums that are zero, no comparison of memory.
#include "catch.hpp"
#include "exec/tensor.hpp"
#include "kernels.hpp"

using namespace gsu;
using namespace gsu::test;

namespace {

/// Ones times ones by mma (128 threads, each warp its own), and by wgmma in two groups; both to memory.
Kernel products()
{
    std::string zeros, stores;
    for (unsigned i = 0; i < 8; ++i) {
        zeros += "mov.f32 %f" + std::to_string(i) + ", 0f40000000;";
        stores +=
            "st.global.f32 [%rd8+" + std::to_string(4 * i) + "], %f" + std::to_string(i) + ";";
    }
    const std::string wgmma = "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 "
                              "{%f4,%f5,%f6,%f7}, %rd5, %rd6, 1, 1, 1, 0, 0;";
    return {".param .u64 out",
            ".reg .f32 %f<16>; .shared .align 1024 .b8 s[8192]; ld.param.u64 %rd7, [out]; mov.u32 "
            "%r1, %tid.x; mov.u32 %r2, s;"
            "mul.wide.u32 %rd8, %r1, 32; add.u64 %rd8, %rd8, %rd7; mad.lo.u32 %r3, %r1, 16, %r2; "
            "mov.b32 %r20, 0x3c003c00; mov.b64 %rd5, 0x800080000; mov.b64 %rd6, %rd5;"
            "st.shared.v4.u32 [%r3], {%r20,%r20,%r20,%r20}; fence.proxy.async; bar.sync 0;" +
                zeros +
                "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f0,%f1,%f2,%f3}, "
                "{%r20,%r20,%r20,%r20}, {%r20,%r20}, {%f0,%f1,%f2,%f3};"
                "wgmma.fence.sync.aligned;" +
                wgmma + "wgmma.commit_group.sync.aligned;" + wgmma +
                "wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 1; "
                "wgmma.wait_group.sync.aligned 0;" +
                stores + "ret;"};
}

Outcome runAs(TensorMode mode, std::uint64_t seed)
{
    LaunchSpec spec;
    spec.file = "test.launch.json";
    spec.block = {128, 1, 1};
    spec.params = {buffer(std::vector<float>(1024, -1.0f))};
    Expectation e;
    e.param = 0;
    e.data.type = DataType::F32;
    const float expected = 18;
    e.data.bytes.resize(4);
    std::memcpy(e.data.bytes.data(), &expected, 4);
    e.first = 1;
    spec.expect.push_back(e);
    RunOptions options;
    options.seed = seed;
    options.tensor = mode;
    return runTensor(products(), spec, options);
}

}  // namespace

TEST_CASE("skipped products are zero, and everything else is as it was", "[tensor]")
{
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        CAPTURE(seed);
        const Outcome all = runAs(TensorMode::Compute, seed), none = runAs(TensorMode::Skip, seed);
        INFO(all.result.trap);
        REQUIRE(all.result.verdict == Verdict::Pass);
        REQUIRE(none.result.verdict == Verdict::Pass);  // memory does not hold what is expected
        CHECK(none.result.cycles == all.result.cycles);
        CHECK(none.result.instructions == all.result.instructions);
        CHECK(none.result.findings.empty());
        const auto sums = all.as<float>(0), zeros = none.as<float>(0);
        for (unsigned i = 0; i < 1024; ++i) {
            REQUIRE(sums[i] == (i % 8 < 4 ? 18.0f : 34.0f));
            REQUIRE(zeros[i] == 0.0f);
        }
    }
}
