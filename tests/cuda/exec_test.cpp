// Programs under `gsu exec`: their results, the reports about them, their ends.
#include <cmath>
#include <nlohmann/json.hpp>
#include <regex>

#include "catch.hpp"
#include "program.hpp"

using namespace process;
using Json = nlohmann::json;
using program::exec;
using program::file;
using program::has;

TEST_CASE("a program as it is runs in lockstep, with a line for each launch")
{
    for (const char* binary : {"kernels_none", "kernels_speed", "kernels_size"}) {
        const Outcome o = exec("basics", "", binary);
        INFO(o.out + o.err);
        CHECK(o.code == 0);
        CHECK(o.out == "GSU model of sm_90 sm_90\nok\n");
        CHECK(has(o.err, "launch 0: add <<<4, 256>>> pass: "));
        CHECK(has(o.err, "unit lockstep"));
        CHECK(has(o.err, "gsu: 1 launch of 1 kernel (1 pass)"));
    }
}

TEST_CASE("the runtime: errors, symbols, memory, launches, streams, graphs, threads")
{
    for (const char* scenario : {"errors", "symbols", "memory", "launches", "libraries", "streams",
                                 "graphs", "nodes", "threads", "forks"}) {
        const Outcome o = exec(scenario);
        INFO(scenario << '\n' << o.out + o.err);
        CHECK(o.code == 0);
        CHECK(has(o.out, "ok\n"));
    }
}

TEST_CASE("clusters and grid barriers of a program go through the RTL")
{
    const Outcome o = exec("launches", "");
    INFO(o.out + o.err);
    CHECK(o.code == 0);
    CHECK(has(o.err, "cluster_ranks <<<8, 32>>> clusters of 4 pass"));
}

TEST_CASE("the driver: modules, launches, linker, entry points")
{
    const Outcome o = exec("driver", "");
    INFO(o.out + o.err);
    CHECK(o.code == 0);
    CHECK(has(o.out, "ok\n"));
    CHECK(has(o.err, "machine code (a cubin), which nothing here executes"));
}

TEST_CASE(
    "what a kernel does wrong is an error code, and a line with the allocation and the launch")
{
    const Outcome wild = exec("wild");
    INFO(wild.out + wild.err);
    CHECK(wild.code == 1);
    CHECK(has(wild.out, "ok\n"));
    CHECK(has(wild.err, "(cudaErrorIllegalAddress)"));
    CHECK(has(wild.err, "cudaMalloc at cuda_program+0x"));
    CHECK(has(wild.err, "launched at cuda_program+0x"));
    const Outcome freed = exec("freed");
    INFO(freed.out + freed.err);
    CHECK(has(freed.out, "ok\n"));
    CHECK(has(freed.err, "and is freed"));
    const Outcome hang = exec("hang", "");
    INFO(hang.out + hang.err);
    CHECK(has(hang.out, "ok\n"));
    CHECK(has(hang.err, "(cudaErrorLaunchTimeout)"));
    CHECK(has(hang.err, "hang: count-too-large: barrier 1 of CTA 0 is not complete"));
    const Outcome assertion = exec("assertion");
    INFO(assertion.out + assertion.err);
    CHECK(has(assertion.out, "ok\n"));
    CHECK(has(assertion.err, "assertion failed: n == 7"));
    const Outcome trap = exec("trap");
    INFO(trap.out + trap.err);
    CHECK(has(trap.out, "ok\n"));
    CHECK(has(trap.err, "(cudaErrorLaunchFailure)"));
}

TEST_CASE("what kernels print comes when the program waits for them")
{
    const Outcome o = exec("printing");
    CHECK(o.out == "before\nkernel says 42\nkernel says 42\nafter\nok\n");
}

TEST_CASE("--json: one object on standard output, the program's own lines on standard error")
{
    const Outcome o = exec("launches", "--json --unit golden");
    INFO(o.out + o.err);
    const Json json = Json::parse(o.out);
    CHECK(json["exit_code"] == 0);
    REQUIRE(json["launches"].size() == 4);
    CHECK(json["launches"][2]["kernel"] == "cluster_ranks");
    CHECK(json["launches"][2]["grid"] == Json({8, 1, 1}));
    CHECK(json["launches"][3]["verdict"] == "pass");
    CHECK(has(o.err, "ok\n"));
}

TEST_CASE("--timing: a launch has an SM for each CTA, and events agree with the report's time")
{
    for (const auto& [timing, clock] : {std::pair{"hopper", 1755.0}, {"blackwell", 1965.0}}) {
        const Outcome o =
            exec("timed", std::string("--json --unit golden --sms 3 --timing ") + timing);
        INFO(o.out + o.err);
        REQUIRE(o.code == 0);
        const Json launch = Json::parse(o.out)["launches"][0];
        CHECK(launch["time"]["sms"] == 3);
        CHECK(launch["time"]["timing"] == timing);
        const double us = launch["cycles"].get<double>() / clock;
        const std::size_t end = o.err.find(" us\n");
        REQUIRE(end != std::string::npos);
        CHECK(std::abs(std::stod(o.err.substr(o.err.rfind('\n', end) + 1)) - us) < 0.001);
        CHECK(std::abs(launch["time"]["microseconds"].get<double>() - us) < 0.001);
        CHECK(has(exec("timed", std::string("--unit golden --timing ") + timing).err, " us at "));
    }
    const Outcome simple = exec("timed", "--json --unit golden --sms 3");
    CHECK(!Json::parse(simple.out)["launches"][0].contains("time"));
}

TEST_CASE("--kernel: one launch gets report and files, the others another unit")
{
    const Folder folder;
    const Outcome o = exec("launches", "--kernel block_sum:1 --record '" + (folder / "t.gsut") +
                                           "' --timeline '" + (folder / "t.pftrace") + "'");
    INFO(o.out + o.err);
    CHECK(o.code == 0);
    CHECK(has(o.err, "pass (as expected)  block_sum:"));
    CHECK(has(o.err, "launch 0: block_sum <<<4, 128, 512 bytes>>> pass"));
    CHECK(runGsu("replay '" + (folder / "t.gsut") + "'").code == 0);
    CHECK(fs::file_size(folder / "t.pftrace") > 100);
    CHECK(exec("launches", "--record x.gsut").code == 2);
    CHECK(exec("launches", "--others rtl").code == 2);
    CHECK(exec("launches", "--kernel a:b").code == 2);
}

TEST_CASE("--save: gsu run repeats every launch without the program, with the same memory")
{
    const Folder folder;
    for (const char* scenario : {"launches", "symbols", "hang"}) {
        const std::string to = folder / scenario;
        const Outcome o = exec(scenario, "--unit golden --save '" + to + "'");
        INFO(o.out + o.err);
        CHECK(has(o.out, "ok\n"));
        unsigned files = 0;
        for (const fs::path& path : testfiles::filesOf(to)) {
            if (!has(path.string(), ".launch.json") || has(path.string(), "list_")) continue;
            ++files;
            const Json launch = Json::parse(slurp(path.string()));
            if (files == 1 && launch["verdict"] == "pass") CHECK(!launch["expect"].empty());
            const Outcome again = runGsu("run --unit golden '" + path.string() + "'");
            INFO(path << '\n' << again.out + again.err);
            CHECK(again.code == 0);
        }
        CHECK(files == (std::string(scenario) == "launches" ? 4
                        : std::string(scenario) == "hang"   ? 1
                                                            : 3));
    }
}

TEST_CASE("--leaks names what is not freed, with its place")
{
    const Outcome o = exec("leak", "--leaks --unit golden");
    CHECK(has(o.err, "not freed: 1 allocation, 100 bytes, cudaMalloc at cuda_program+0x"));
    CHECK_FALSE(has(exec("leak").err, "not freed"));
}

TEST_CASE("the device is the one that --sm names")
{
    const Outcome o = exec("basics", "--sm 120 --unit golden");
    INFO(o.out + o.err);
    CHECK(o.out == "GSU model of sm_120 sm_120\nok\n");
    const Outcome old = exec("damaged", "--sm 80 --unit golden");
    CHECK(has(old.out, "cudaErrorNoKernelImageForDevice"));
    CHECK(has(old.err, "kernel 'scaled'"));
    CHECK(has(old.err, "no PTX for sm_80 (only compute_90)"));
}

TEST_CASE("a kernel without PTX is refused by name, a damaged fat binary by the byte")
{
    const Outcome machine = exec("damaged", "", "machine");
    INFO(machine.out + machine.err);
    CHECK(machine.code == 0);
    CHECK(has(machine.out, "cudaErrorNoKernelImageForDevice"));
    CHECK(has(machine.err, "kernel 'scaled': cuda_program has no PTX for sm_90 (only sm_90)"));
    const Folder folder;
    std::string bytes = slurp(file("kernels_size"));
    bytes[97] = static_cast<char>(bytes[97] ^ 0x40);  // where the compressed bytes begin
    spill(folder / "bad.fatbin", bytes);
    const Outcome bad =
        runGsu("exec -- '" GSU_CUDA_PROGRAM "' '" + (folder / "bad.fatbin") + "' damaged");
    INFO(bad.out + bad.err);
    CHECK(bad.code == 0);
    CHECK_FALSE(has(bad.out, "cudaSuccess"));
    CHECK(has(bad.err, "gsu: cudaLaunchKernel: kernel 'scaled': "));
    spill(folder / "cut.fatbin", bytes.substr(0, 40));
    const Outcome cut =
        runGsu("exec -- '" GSU_CUDA_PROGRAM "' '" + (folder / "cut.fatbin") + "' damaged");
    CHECK(cut.code == 0);
    CHECK(has(cut.out, "cudaError"));
}

TEST_CASE("a thousand small launches")
{
    const Outcome o = exec("many", "--unit golden --quiet");
    INFO(o.out + o.err);
    CHECK(o.code == 0);
    CHECK(o.out == "ok\n");
    CHECK(o.err.empty());
}

TEST_CASE("the memory of the device may be given with a unit", "[cuda]")
{
    CHECK(runGsu("exec --memory 2gb -- true").code ==
          runGsu("exec --memory 2147483648 -- true").code);
    CHECK(has(runGsu("exec --memory 2gb -- true").err, "gsu: no launch was seen"));
    CHECK(runGsu("exec --memory 2xb -- true").code == 2);
}

TEST_CASE("how a program ends is how gsu exec ends")
{
    CHECK(runGsu("exec -- sh -c 'exit 7'").code == 7);
    const Outcome killed = exec("killed");
    CHECK(killed.code == 128 + 6);
    CHECK(has(killed.err, "ended by signal 6"));
    CHECK(has(killed.err, "1 launch of 1 kernel (1 pass)"));
    const Outcome quiet = runGsu("exec -- true");
    CHECK(quiet.code == 0);
    CHECK(has(quiet.err, "gsu: no launch was seen: a kernel is only seen if "));
    CHECK(!has(exec("killed").err, "no launch"));
    const Outcome none = runGsu("exec -- ./no-such-program");
    CHECK(none.code == 2);
    CHECK(has(none.err, "there is no such program"));
    CHECK(runGsu("exec -- no-such-program-at-all").code == 2);
    CHECK(runGsu("exec").code == 2);
    CHECK(runGsu("exec -- /dev/null").code == 2);
}

TEST_CASE("without gsu exec the library runs with its defaults; the loader finds it only where it "
          "is told to")
{
    const fs::path libraries = fs::path(GSU_BINARY).parent_path() / "cuda";
    const Folder folder;
    const std::string call = "'" GSU_CUDA_PROGRAM "' '" + file("kernels_size") + "' basics >'" +
                             (folder / "out") + "' 2>&1";
    CHECK(std::system(("LD_LIBRARY_PATH='" + libraries.string() + "' " + call).c_str()) == 0);
    CHECK(has(slurp(folder / "out"), "unit lockstep"));
}

TEST_CASE("the stand-in without its links, as a wheel holds it, serves all the same")
{
    const Folder folder;
    const fs::path library = fs::path(GSU_BINARY).parent_path() / "cuda" / "libgsu_cuda.so";
    fs::copy_file(GSU_BINARY, folder / "gsu");
    fs::create_directory(folder / "cuda");
    fs::copy_file(library, folder / "cuda/libgsu_cuda.so");
    const std::string call = "'" + (folder / "gsu") + "' exec -- '" GSU_CUDA_PROGRAM "' '" +
                             file("kernels_size") + "' basics >'" + (folder / "out") + "' 2>&1";
    const int status = std::system(call.c_str());
    INFO(slurp(folder / "out"));
    CHECK(status == 0);
    CHECK(has(slurp(folder / "out"), "GSU model of sm_90"));
}

namespace {

/// Whether programs of nvcc can be built, and run; says why not.
bool nvcc()
{
#ifdef GSU_SANITIZED
    std::puts(
        "SKIP: programs of nvcc have no sanitizer's runtime, which this build's library needs");
    return false;
#else
    const bool there = std::system("command -v nvcc >/dev/null 2>&1") == 0;
    if (!there) std::puts("SKIP: nvcc is not installed");
    return there;
#endif
}

std::string compiled(const Folder& folder, const std::string& options)
{
    const std::string to = folder / "program";
    const std::string source = testfiles::testsFolder() + "/cuda/programs/vector_add.cu";
    REQUIRE(std::system(("nvcc " + options + " '" + source + "' -o '" + to + "' >/dev/null 2>&1")
                            .c_str()) == 0);
    return to;
}

}  // namespace

TEST_CASE("a program of nvcc runs as it is; one with the runtime inside is refused with the line "
          "that links it again",
          "[nvcc]")
{
    if (!nvcc()) return;
    const Folder folder;
    const Outcome o =
        runGsu("exec -- '" + compiled(folder, "-cudart shared -arch=compute_90") + "'");
    INFO(o.out + o.err);
    CHECK(o.code == 0);
    CHECK(o.out == "ok 1000\n");
    const Outcome refused =
        runGsu("exec -- '" + compiled(folder, "-cudart static -arch=compute_90") + "'");
    CHECK(refused.code == 2);
    CHECK(has(refused.err, "nvcc -cudart shared"));
}

namespace {

/// The names of the table of errors, each as the macro that its side has.
std::string errorNames()
{
    const std::string text = slurp(testfiles::testsFolder() + "/../tb/cuda/device/errors.def");
    const std::regex row(R"re(GSU_CUDA_ERROR\(\d+, "(\w*)", "(\w*)")re");
    std::string lines;
    for (std::sregex_iterator at(text.begin(), text.end(), row), end; at != end; ++at) {
        if ((*at)[1].length() != 0) lines += "RUNTIME(" + (*at)[1].str() + ")\n";
        if ((*at)[2].length() != 0) lines += "DRIVER(" + (*at)[2].str() + ")\n";
    }
    return lines;
}

}  // namespace

TEST_CASE("own declarations have the sizes, places and numbers of the vendor's header", "[nvcc]")
{
    if (!nvcc()) return;
    const Folder folder;
    spill(folder / "errors.inc", errorNames());
    const std::string tests = testfiles::testsFolder(), to = folder / "header";
    const std::string command = "nvcc -std=c++17 -cudart shared -I '" + tests + "/../tb' -I '" +
                                (folder / "") + "' '" + tests + "/cuda/programs/header.cu' -o '" +
                                to + "' 2>&1";
    INFO(command);
    REQUIRE(std::system(command.c_str()) == 0);
    const Outcome o = runGsu("exec --quiet -- '" + to +
                             "' \"$(dirname \"$(command -v nvcc)\")/../lib64/libcudart.so\"");
    INFO(o.out + o.err);
    CHECK(o.code == 0);
    // Properties, names and texts of errors; a header that is older has fewer.
    CHECK(o.out.rfind("ok ", 0) == 0);
    CHECK(std::atoi(o.out.c_str() + 3) > 220);
}
