// Our kernels for tensor cores (tests/kernels) on the RTL in lockstep, under ten seeds and both policies of the mbarrier cache; --tensor skip.
#include <algorithm>

#include "gsu_json.hpp"

using nlohmann::json;
using process::kernel;
using process::runGsu;

namespace {

json runs(const std::string& options) { return process::jsonOf("run --json " + options); }

}  // namespace

TEST_CASE("tensor kernels give the right result under ten seeds and both cache policies",
          "[cli][tensor]")
{
    struct Row {
        const char* name;
        std::size_t rings, stages;  ///< pipelines of so many stages in the report of launch 1
    };
    for (const Row& row : {Row{"gemm_sm80", 1, 3},
                           {"gemm_sm90", 1, 4},
                           {"attention_sm90", 2, 2},
                           {"attention_sm90/attention_causal", 2, 2},
                           {"gemm_sm100", 4, 4},
                           {"gemm_2sm_sm100", 2, 4},
                           {"gemm_fp4_sm100", 0, 0},
                           {"attention_sm100", 0, 0}}) {
        for (unsigned seed = 1; seed <= 10; ++seed) {
            for (unsigned policy = 0; policy < 2; ++policy) {
                const json out = runs("--seed " + std::to_string(seed) + " --set mbar_policy=" +
                                      std::to_string(policy) + ' ' + kernel(row.name));
                CAPTURE(row.name, seed, policy);
                CHECK(out["as_expected"] == true);
                CHECK(out["findings"].empty());
                CHECK(out["launches"][1]["unit"] == "lockstep");
                const json& rings = out["launches"][1]["pipelines"];
                const auto whole = std::count_if(rings.begin(), rings.end(), [&](const json& ring) {
                    return ring["stages"].size() == row.stages;
                });
                CHECK(static_cast<std::size_t>(whole) >= row.rings);
            }
        }
    }
}

TEST_CASE(
    "--tensor skip leaves times and requests as they are and compares no memory, truncate does",
    "[cli][tensor]")
{
    for (const char* name : {"gemm_sm80", "gemm_sm90", "gemm_sm100"}) {
        for (unsigned seed = 1; seed <= 3; ++seed) {
            const std::string line = "--seed " + std::to_string(seed) + ' ' + kernel(name);
            const json all = runs(line), none = runs("--tensor skip " + line);
            CHECK(!all.contains("tensor"));
            CHECK(none["tensor"] == "skip");
            CHECK(none["memory_compared"] == false);
            CHECK(none["launches"][1]["tensor"] == "skip");
            CHECK(none["mismatches"].empty());
            for (const char* key :
                 {"cycles", "instructions", "sync_requests", "mbarriers", "pipelines"})
                CHECK(none["launches"][1][key] == all["launches"][1][key]);
            // The kernel that checks finds zeros: it counts what the others would not let pass.
            CHECK(none["launches"][2]["instructions"] != all["launches"][2]["instructions"]);
        }
    }
    const auto text = runGsu("run --tensor skip " + kernel("gemm_sm90"));
    CHECK(text.out.find("--tensor skip: matrix sums are zero, memory is not compared") !=
          std::string::npos);
    // Whole numbers are exact however sums are cut off: memory is compared, and holds what is expected.
    for (const char* name : {"gemm_sm80", "gemm_sm90"}) {
        const json cut = runs("--tensor truncate " + kernel(name));
        CHECK(cut["tensor"] == "truncate");
        CHECK(cut["memory_compared"] == true);
        CHECK(cut["as_expected"] == true);
    }
    CHECK(runGsu("run --tensor guess " + kernel("gemm_sm90")).code == 2);
}

TEST_CASE("tensor memory is counted in the report, and products take the tensor pipe's time",
          "[cli][tensor]")
{
    const std::string line = kernel("gemm_sm100");
    const json out = runs("--unit golden " + line);
    const json& tensor = out["launches"][1]["tensor_memory"];
    CHECK(tensor["allocations"] == 4);
    CHECK(tensor["most_columns"] == 128);
    CHECK(tensor["mma"] == 480);
    CHECK(tensor["ld"] == 192);
    CHECK(tensor["commits"] == 132);
    CHECK(tensor["core_busy_clocks"].get<unsigned>() > 0);
    CHECK(!out["launches"][0].contains("tensor_memory"));
    const auto text = runGsu("run --unit golden " + line);
    CHECK(text.out.find("tensor memory: 4 allocations, at most 128 columns of an SM") !=
          std::string::npos);
    const json timed = runs("--unit golden --timing blackwell " + line)["launches"][1]["time"];
    CHECK(timed["busy"]["tensor pipe"].get<double>() > 0.1);
    CHECK(timed["tflops"].get<double>() > 0);
}
