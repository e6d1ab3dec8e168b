// Kernels that have their fences end as expected whatever memory does: all of them, ten seeds, three forms.
#include <cstdlib>
#include <filesystem>

#include "catch.hpp"
#include "files.hpp"
#include "golden/forwarding_port.hpp"
#include "memory/launched.hpp"
#include "ptx/parser.hpp"

using namespace gsu;
using namespace gsu::visibility;
using namespace gsu::visibility::test;

namespace {

namespace fs = std::filesystem;

constexpr Form kForms[]{Form::Immediate, Form::Default, Form::Weak};

std::vector<fs::path> launchesBelow(const fs::path& folder)
{
    std::vector<fs::path> files;
    if (!fs::exists(folder)) return files;
    for (const auto& entry : fs::recursive_directory_iterator(folder))
        if (entry.path().filename().string().find(".launch.json") != std::string::npos)
            files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    return files;
}

/// Has no fence where it needs one: a lock that is taken and given back by plain loads and stores.
bool forgets(const fs::path& file)
{
    return file.string().find("lock_weak_loads") != std::string::npos;
}

unsigned runAll(const fs::path& folder)
{
    unsigned runs = 0;
    for (const fs::path& file : launchesBelow(folder)) {
        INFO(file.string());
        const LaunchFile launch = loadLaunchFile(file);
        if (!launch.launches.empty()) continue;  // lists: tests/cli
        const ptx::Module module = loadModule(launch.common);
        unsigned failed = 0;
        for (const Form form : kForms) {
            for (std::uint64_t seed = 1; seed <= 10; ++seed) {
                INFO("memory " << visibility::nameOf(form) << ", seed " << seed);
                const Ran ran = runOnce(launch.common, module, {}, form, seed);
                INFO(gsu::nameOf(ran.result.verdict));
                if (form == Form::Weak && forgets(file)) {
                    failed += ran.result.asExpected ? 0 : 1;
                    continue;
                }
                CHECK(ran.result.asExpected);
                ++runs;
            }
        }
        if (forgets(file)) CHECK(failed > 0);
    }
    return runs;
}

/// Lane 0 stores, `sync`, lane 1 loads: what lane 1 sees.
std::uint32_t exchanged(const std::string& sync, Form form, std::uint64_t seed)
{
    const ptx::Module module = ptx::parseModule(
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n"
        ".shared .align 4 .b32 s; .reg .b32 %r<4>; .reg .b64 %d<2>; .reg .pred %p<3>;\n"
        "ld.param.u64 %d1, [out]; mov.u32 %r1, %tid.x; setp.eq.u32 %p1, %r1, 0;\n"
        "mov.u32 %r2, 7; @%p1 st.shared.u32 [s], %r2;\n" +
            sync +
            "\nld.shared.u32 %r3, [s]; setp.eq.u32 %p2, %r1, 1; @%p2 st.global.u32 [%d1], %r3;\n"
            "ret;\n}\n",
        "exchange.ptx");
    const LaunchSpec spec = parseLaunch(
        R"({"ptx": "k.ptx", "block": [32], "params": [{"buffer": {"type": "u32", "count": 1}}]})",
        "exchange.launch.json");
    return static_cast<std::uint32_t>(runOnce(spec, module, {}, form, seed, 0).out.at(0));
}

}  // namespace

TEST_CASE(
    "bar.warp.sync orders the lanes that it joins; without it weak memory shows the old value",
    "[BWS-006]")
{
    unsigned stale = 0;
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        INFO("seed " << seed);
        CHECK(exchanged("bar.warp.sync 0xffffffff;", Form::Weak, seed) == 7);
        CHECK(exchanged("", Form::Default, seed) == 7);
        stale += exchanged("", Form::Weak, seed) == 0 ? 1 : 0;
    }
    CHECK(stale > 0);
}

TEST_CASE("kernels of the project end as expected in every form of memory", "[D-69][BAR-014]")
{
    CHECK(runAll(testfiles::testsFolder() + "/kernels") >= 90);
    CHECK(runAll(testfiles::testsFolder() + "/kernels_order") >= 60);
}

TEST_CASE("shared kernels end as expected in every form of memory", "[shared][D-69]")
{
    const char* shared = std::getenv("GSU_SHARED");
    if (shared == nullptr || !fs::exists(fs::path(shared) / "kernels")) {
        std::cout << "SKIP: GSU_SHARED names no kernels\n";
        return;
    }
    CHECK(runAll(fs::path(shared) / "kernels") >= 300);
    CHECK(runAll(fs::path(shared) / "kernels_order") >= 60);
}

namespace {

/// How many accesses each call reports as performed, and how many calls of one clock are for one count.
class Telling final : public ForwardingPort {
public:
    using ForwardingPort::ForwardingPort;
    void performed(const Accesses& a) override
    {
        calls += 1;
        accesses += a.count;
        if (now() == last_ && a.reach == Reach::Everyone && a.epoch == epoch_) ++twice;
        last_ = now();
        if (a.reach == Reach::Everyone) epoch_ = a.epoch;
        ForwardingPort::performed(a);
    }
    std::uint64_t calls{}, accesses{}, twice{};

private:
    Cycle last_{kNever};
    std::uint8_t epoch_{2};
};

}  // namespace

TEST_CASE("stores that are performed in one clock are told to the port together", "[D-54][D-69]")
{
    std::string stores;
    for (int i = 0; i < 24; ++i) stores += "st.global.v4.u32 [%d1], {%r1, %r1, %r1, %r1};\n";
    const ptx::Module module = ptx::parseModule(
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n"
        ".reg .b32 %r<4>; .reg .b64 %d<3>;\n"
        "ld.param.u64 %d1, [out]; mov.u32 %r1, %tid.x; mul.wide.u32 %d2, %r1, 16;\n"
        "add.u64 %d1, %d1, %d2;\n" +
            stores + "fence.acq_rel.gpu;\nret;\n}\n",
        "many.ptx");
    const LaunchSpec spec = parseLaunch(
        R"({"ptx": "k.ptx", "block": [512], "params": [{"buffer": {"type": "u32", "count": 2048}}]})",
        "many.launch.json");
    RunOptions options;
    options.params.memory = static_cast<std::uint32_t>(Form::Weak);
    Executor executor(spec, module, options);
    GoldenPort golden(executor.sms());
    golden.setMemory(executor.sharedMemory());
    Telling port(golden);
    CHECK(executor.run(port).verdict == Verdict::Pass);
    INFO(port.calls << " calls, " << port.accesses << " accesses");
    CHECK(port.accesses >= 8'000);
    CHECK(port.calls * 3 <= port.accesses);
    // A store that overwrites one still waiting performs that at once: a call of its own, in any clock.
    CHECK(port.twice * 100 <= port.calls);
}
