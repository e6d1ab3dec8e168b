// The hangs of the shared examples: kind, line and culprits.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "causes/hang_case.hpp"

namespace gsu::test {
namespace {

/// Lines that hold `part`.
std::set<std::uint32_t> linesWith(const std::string& path, const std::string& part)
{
    std::ifstream in(path);
    std::set<std::uint32_t> lines;
    std::string text;
    for (std::uint32_t line = 1; std::getline(in, text); ++line) {
        if (text.find(part) != std::string::npos) lines.insert(line);
    }
    return lines;
}

struct Shared {
    std::string name, kind, at;
    Ids culprits;
};

const std::vector<Shared>& sharedHangs()
{
    static const std::vector<Shared> all{
        {"hang_bulk_expects_more", "missing-bytes", "256;", {{0, 0}}},
        {"hang_cluster_warp_subset", "cyclic-wait", "barrier.", {{0, 0}, {0, 1}, {1, 0}, {1, 1}}},
        {"hang_leaver_without_drop", "exited-arriver", "@%p1 ret", {{0, 1}}},
        {"hang_mbar_init_too_big", "count-too-large", "mbarrier.init", {}},
        {"hang_mbar_lane_arrivals",
         "missing-arrival",
         "mbarrier.arrive",
         {{0, 0}, {0, 1}, {0, 2}, {0, 3}}},
        {"hang_mbar_vs_named", "cyclic-wait", "", {{0, 0}, {0, 1}}},
        {"hang_named_missing_arriver", "missing-arrival", "@%p1 bra SKIP", {{0, 2}}},
        {"hang_named_swapped_ids", "cyclic-wait", "barrier.sync", {{0, 0}, {0, 1}}},
        {"hang_parity_after_next", "missing-arrival", "mbarrier.arrive", {{0, 0}}},
        {"hang_remote_wrong_rank", "other-cta", "mbarrier.arrive", {{1, 0}}},
        {"hang_spin_global_flag", "flag-not-set", "ld.acquire", {{0, 1}}},
        {"hang_tx_never_completed", "missing-bytes", "expect_tx", {{0, 0}}},
    };
    return all;
}

}  // namespace

TEST_CASE("the hangs of the shared examples have their causes", "[causes][shared]")
{
    const char* shared = std::getenv("GSU_SHARED");
    if (shared == nullptr || !std::filesystem::exists(shared)) {
        std::cout << "SKIP: GSU_SHARED is not set, the shared hangs were not run\n";
        return;
    }
    for (const Shared& s : sharedHangs()) {
        const std::string stem = std::string(shared) + "/kernels_bad/" + s.name + "/" + s.name;
        const LaunchSpec spec = loadLaunch(stem + ".launch.json");
        const ptx::Module module = ptx::parseFile(spec.ptx);
        for (const std::uint64_t seed : {1u, 2u, 5u}) {
            RunOptions options;
            options.seed = seed;
            Executor executor(spec, module, options);
            GoldenPort port(executor.sms());
            const RunResult r = executor.run(port);
            INFO(s.name << ", seed " << seed);
            CHECK(r.asExpected);
            REQUIRE(r.hang);
            REQUIRE(r.hang->cause);
            const HangCause& cause = *r.hang->cause;
            INFO(cause.sentence << " (line " << cause.line << ')');
            CHECK(cause.kind == s.kind);
            CHECK(linesWith(stem + ".ptx", s.at).contains(cause.line));
            CHECK(cause.culprits == s.culprits);
            CHECK(r.cycles < 20'000);
        }
    }
}

}  // namespace gsu::test
