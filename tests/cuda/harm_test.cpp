// Trouble around a program: it is killed, gets signals, forks, uses threads, passes damaged fat binaries. Nothing is left half-written, and no crash is the
// library's.
#include <csignal>
#include <nlohmann/json.hpp>
#include <random>

#include "catch.hpp"
#include "program.hpp"

using namespace process;
using Json = nlohmann::json;
using program::exec;
using program::file;
using program::has;

namespace {

/// All files are whole: launch files and lists are JSON and name files that are there; nothing partial is left.
void checkWhole(const std::string& folder, std::size_t atLeast)
{
    std::size_t whole = 0;
    for (const fs::path& path : testfiles::filesOf(folder)) {
        INFO(path);
        CHECK_FALSE(has(path.filename().string(), "partial"));
        if (path.extension() != ".json") continue;
        const Json launch = Json::parse(slurp(path.string()), nullptr, false);
        REQUIRE(launch.is_object());
        for (const Json& memory : launch["memory"])
            CHECK(fs::exists(path.parent_path() / memory["init"]["file"].get<std::string>()));
        ++whole;
    }
    CHECK(whole >= atLeast);
}

}  // namespace

TEST_CASE(
    "a program that is killed leaves whole files, the launches that ended, and its signal's code")
{
    const Folder folder;
    const Outcome o = exec("killed_hard", "--unit golden --save '" + (folder / "s") + "'");
    INFO(o.out + o.err);
    CHECK(o.code == 128 + SIGKILL);
    CHECK(has(o.err, "ended by signal 9"));
    CHECK(has(o.err, "gsu: 5 launches of 1 kernel (5 pass)"));
    checkWhole(folder / "s", 6);
    const Outcome again =
        runGsu("run --unit golden '" + (folder / "s/list_00000.launch.json") + "'");
    CHECK(again.code == 0);
}

TEST_CASE("killed while a launch runs and waves are written: no part of a file is left")
{
    const Folder folder;
    const Outcome o = exec("killed_in_launch",
                           "--kernel grid_steps --record '" + (folder / "t.gsut") + "' --fst '" +
                               (folder / "w.fst") + "' --save '" + (folder / "s") + "'");
    INFO(o.out + o.err);
    CHECK(o.code == 128 + SIGKILL);
    std::size_t files = 0;
    for (const auto& entry : fs::directory_iterator(folder / "")) {
        INFO(entry.path());
        CHECK(entry.path().filename().string().find("partial") == std::string::npos);
        files += entry.is_regular_file() ? 1 : 0;
    }
    CHECK(files == 0);
}

TEST_CASE("signals of the program are its own while kernels run")
{
    const Outcome o = exec("signals", "--unit golden");
    INFO(o.out + o.err);
    CHECK(o.code == 0);
    CHECK(has(o.out, "ok\n"));
}

TEST_CASE("a fork that goes on to run another program, and one that ends, do no harm to the "
          "parent's launches")
{
    for (const char* seed : {"1", "3"}) {
        const Outcome o = exec("forks_late", std::string("--unit golden --seed ") + seed);
        INFO(o.out + o.err);
        CHECK(o.code == 0);
        CHECK(has(o.out, "ok\n"));
        CHECK(has(o.err, "gsu: 2 launches of 1 kernel (2 pass)"));
    }
}

TEST_CASE("damaged fat binaries under a program: an error code, one line, never a crash")
{
    const std::string whole = slurp(file("kernels_size"));
    const Folder folder;
    constexpr unsigned kSeed = 20, kTries = 24;
    std::mt19937 random(kSeed);
    unsigned refused = 0;
    for (unsigned i = 0; i < kTries; ++i) {
        std::string bytes = whole;
        if (i % 3 == 0) {
            bytes.resize(random() % bytes.size());
        } else {
            // Half of them in the headers.
            const std::size_t reach = i % 3 == 1 ? 96 : bytes.size();
            for (unsigned n = 1 + random() % 4; n != 0; --n)
                bytes[random() % reach] = static_cast<char>(random());
        }
        const std::string name = folder / "f.fatbin";
        spill(name, bytes);
        const Outcome o =
            runGsu("exec --unit golden --quiet -- '" GSU_CUDA_PROGRAM "' '" + name + "' damaged");
        INFO("seed " << kSeed << " try " << i << '\n' << o.out + o.err);
        CHECK((o.code == 0 || o.code == 1));
        CHECK(has(o.out, "cuda"));
        if (!has(o.out, "cudaSuccess")) {
            ++refused;
            CHECK(has(o.err, "gsu: cudaLaunchKernel: "));
        }
    }
    CHECK(refused > kTries / 2);
}
