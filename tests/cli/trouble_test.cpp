// When things go wrong: signals, full disks, hostile names, numbers that no type holds, more findings than a report lists.
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <regex>
#include <thread>
#include <vector>

#include "gsu_process.hpp"
#include "timeline_events.hpp"

extern char** environ;

using nlohmann::json;
using process::data;
using process::Folder;
using process::runGsu;
using process::slurp;
using process::spill;

namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

/// gsu in the background; standard output goes to a file.
class Running {
public:
    Running(const Folder& folder, std::vector<std::string> arguments) : out_(folder / "out")
    {
        arguments.insert(arguments.begin(), GSU_BINARY);
        std::vector<char*> argv;
        for (std::string& a : arguments) argv.push_back(a.data());
        argv.push_back(nullptr);
        posix_spawn_file_actions_t files;
        ::posix_spawn_file_actions_init(&files);
        ::posix_spawn_file_actions_addopen(&files, 1, out_.c_str(), O_CREAT | O_WRONLY, 0600);
        ::posix_spawn_file_actions_addopen(&files, 2, (folder / "err").c_str(), O_CREAT | O_WRONLY,
                                           0600);
        REQUIRE(::posix_spawn(&pid_, GSU_BINARY, &files, nullptr, argv.data(), environ) == 0);
        ::posix_spawn_file_actions_destroy(&files);
    }
    ~Running()
    {
        if (pid_ == 0) return;
        ::kill(pid_, SIGKILL);
        ::waitpid(pid_, nullptr, 0);
    }
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;
    void kill(int signal) const { ::kill(pid_, signal); }
    /// The exit code, or -1 when a signal ended it or it does not end.
    int wait()
    {
        for (int i = 0; i < 3000; ++i) {
            int status = 0;
            if (::waitpid(pid_, &status, WNOHANG) == pid_) {
                pid_ = 0;
                return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
            }
            std::this_thread::sleep_for(10ms);
        }
        return -1;
    }
    [[nodiscard]] std::string out() const { return slurp(out_); }

private:
    std::string out_;
    pid_t pid_{};
};

std::string partialIn(const Folder& folder)
{
    for (const auto& entry : fs::directory_iterator(folder / "")) {
        const std::string name = entry.path().filename().string();
        if (name.find(".partial") != std::string::npos) return name;
    }
    return {};
}

/// The run has begun when its outputs are open and it has had some time.
void awaitStart(const Folder& folder)
{
    for (int i = 0; i < 3000 && partialIn(folder).empty(); ++i) std::this_thread::sleep_for(10ms);
    REQUIRE(!partialIn(folder).empty());
    std::this_thread::sleep_for(200ms);
}

}  // namespace

TEST_CASE("a signal ends a run in order", "[cli]")
{
    for (const int signal : {SIGINT, SIGTERM}) {
        const Folder folder;
        std::vector<std::string> arguments{"run",
                                           "--json",
                                           "--record",
                                           folder / "t.gsut",
                                           "--timeline",
                                           folder / "t.pftrace",
                                           "--dump-memory",
                                           folder / "",
                                           data("spin.launch.json"),
                                           "--unit",
                                           "lockstep",
                                           "--fst",
                                           folder / "w.fst"};
        Running run(folder, arguments);
        awaitStart(folder);
        run.kill(signal);
        run.kill(signal);  // as timeout(1) does
        CHECK(run.wait() == 1);
        const json out = json::parse(run.out());
        CHECK(out["verdict"] == "interrupted");
        CHECK(out["as_expected"] == false);
        CHECK(out["cycles"] > 100);
        CHECK(partialIn(folder).empty());
        CHECK(timelines::eventsOf(slurp(folder / "t.pftrace")).size() > 100);
        CHECK(slurp(folder / "w.fst").size() > 1000);
        const auto replay = runGsu("replay --json --unit lockstep " + (folder / "t.gsut"));
        CHECK(replay.code == 0);
        CHECK(json::parse(replay.out)["verdict"] == "agree");
    }
}

TEST_CASE("a signal ends a replay in order, whoever insists gets out at once", "[cli]")
{
    const Folder folder;
    const std::string trace = folder / "t.gsut";
    CHECK(runGsu("run --unit golden --max-cycles 3000000 --record " + trace + ' ' +
                 data("spin.launch.json"))
              .code == 1);
    {
        Running replay(folder, {"replay", "--json", "--unit", "golden", "--timeline",
                                folder / "t.pftrace", trace});
        // Once it writes, it also listens to signals; a sanitized program takes its time to start.
        for (int i = 0; i < 1000 && partialIn(folder).empty(); ++i)
            std::this_thread::sleep_for(10ms);
        replay.kill(SIGTERM);
        CHECK(replay.wait() == 1);
        CHECK(json::parse(replay.out())["verdict"] == "interrupted");
        CHECK(partialIn(folder).empty());
    }
    // No process reads the report: the second signal, a second later, ends the run.
    REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);
    const int reader = ::open((folder / "pipe").c_str(), O_RDWR);
    REQUIRE(::fcntl(reader, F_SETPIPE_SZ, 4096) >= 0);
    const std::string junk(4096, 'x');
    REQUIRE(::write(reader, junk.data(), junk.size()) == 4096);
    ::fs::remove(folder / "out");
    ::fs::create_symlink(folder / "pipe", folder / "out");
    Running stuck(folder, {"run", "--unit", "golden", "--record", folder / "u.gsut",
                           data("spin.launch.json")});
    awaitStart(folder);
    stuck.kill(SIGINT);
    std::this_thread::sleep_for(1200ms);
    stuck.kill(SIGINT);
    CHECK(stuck.wait() == 128 + SIGINT);
    CHECK(partialIn(folder).empty());
    ::close(reader);
}

TEST_CASE("a full disk is an error with the file's name", "[cli]")
{
    // A limit on the size of files stands for a full disk: the same errors at the same places.
    const std::string limited = "run --max-cycles 100000 --unit ";
    const auto full = [&](const std::string& option, const std::string& unit, int blocks) {
        const Folder folder;
        const std::string file = folder / "output";
        const std::string command = "sh -c 'ulimit -f " + std::to_string(blocks) + "; exec \"" +
                                    GSU_BINARY + "\" " + limited + unit + ' ' + option + ' ' +
                                    file + ' ' + data("spin.launch.json") + " 2>" +
                                    (folder / "err") + " >" + (folder / "out") + "'";
        const int status = std::system(command.c_str());
        const std::string err = slurp(folder / "err");
        CAPTURE(command, status, err);
        REQUIRE(WIFEXITED(status));
        CHECK(WEXITSTATUS(status) == 2);
        CHECK(err.find(file + ": writing failed: ") == 0);
        CHECK(err.find('\n') == err.size() - 1);
        CHECK(partialIn(folder).empty());
        CHECK(!fs::exists(file));
    };
    full("--record", "golden", 8);
    full("--timeline", "golden", 8);
    for (const int blocks : {4, 8, 64, 200}) full("--fst", "rtl", blocks);
}

TEST_CASE("one output that fails costs neither the others nor the report", "[cli]")
{
    const Folder folder;
    const std::string launch = folder / "k.launch.json";
    json good = json::parse(slurp(data("count.launch.json")));
    good["ptx"] = data("count.ptx");
    good["params"][0]["buffer"]["count"] = 40000;
    good["expect"][0]["first"] = 96;
    spill(launch, good.dump());
    fs::create_directory(folder / "d");
    const std::string command = "sh -c 'ulimit -f 100; exec \"" + std::string(GSU_BINARY) +
                                "\" run --json --unit golden --record " + (folder / "t.gsut") +
                                " --dump-memory " + (folder / "d") + ' ' + launch + " 2>" +
                                (folder / "err") + " >" + (folder / "out") + "'";
    const int status = std::system(command.c_str());
    CHECK(WEXITSTATUS(status) == 2);
    CHECK(slurp(folder / "err").find((folder / "d/param0.bin") + ": writing failed: ") == 0);
    CHECK(json::parse(slurp(folder / "out"))["verdict"] == "pass");
    CHECK(runGsu("replay --unit golden " + (folder / "t.gsut")).code == 0);
    CHECK(fs::is_empty(folder / "d"));
}

TEST_CASE("dumped memory replaces no input and has names that every file system takes", "[cli]")
{
    const Folder folder;
    const std::string launch = folder / "k.launch.json", name(400, 'n');
    json k = json::parse(slurp(data("count.launch.json")));
    k["ptx"] = data("count.ptx");
    const std::string ones(96 * 4, '\1');
    spill(folder / "param0.bin", ones);
    k["params"][0]["buffer"]["init"]["file"] = "param0.bin";
    spill(launch, k.dump());
    const auto refused = runGsu("run --unit golden --dump-memory " + (folder / "") + ' ' + launch);
    CHECK(refused.code == 2);
    CHECK(refused.err.find("param0.bin: cannot be written: it is an input of this run") !=
          std::string::npos);
    CHECK(slurp(folder / "param0.bin") == ones);
    CHECK(runGsu("run --unit golden --record " + (folder / "d/param0.bin") + " --dump-memory " +
                 (folder / "d") + ' ' + launch)
              .code == 2);

    k["params"][0]["buffer"].erase("init");
    for (const std::string& twin : {name + "a", name + "b", std::string("a/b"), std::string("a_b")})
        k["memory"][twin] = {{"type", "u8"}, {"count", 3}, {"init", {{"fill", twin.size() % 7}}}};
    spill(launch, k.dump());
    fs::create_directory(folder / "d");
    const auto r = runGsu("run --unit golden --dump-memory " + (folder / "d") + ' ' + launch);
    CAPTURE(r.err);
    CHECK(r.code == 0);
    CHECK(r.out.find("written: memory " + (folder / "d")) != std::string::npos);
    CHECK(std::distance(fs::directory_iterator(folder / "d"), fs::directory_iterator()) == 5);
    CHECK(slurp(folder / "d/memory.a_b.bin").size() == 3);
    CHECK(slurp(folder / "d/memory.a_b-2.bin").size() == 3);
    CHECK(slurp(folder / "d/param0.bin").substr(0, 4) == std::string("\x18\0\0\0", 4));
}

TEST_CASE("numbers of launch files are what they say or refused", "[cli]")
{
    const Folder folder;
    const std::string launch = folder / "k.launch.json";
    const auto run = [&](const char* type, const json& value) {
        json k = json::parse(slurp(data("count.launch.json")));
        k["ptx"] = data("count.ptx");
        k["memory"]["m"] = {{"type", type}, {"count", 1}, {"init", {{"values", {value}}}}};
        k["expect"] = json::array({{{"memory", "m"}, {"type", type}, {"fill", value}}});
        spill(launch, k.dump());
        fs::create_directories(folder / "d");
        return runGsu("run --unit golden --dump-memory " + (folder / "d") + ' ' + launch);
    };
    const std::uint64_t big = 1ull << 63;
    const auto bytes = [&] { return slurp(folder / "d/memory.m.bin"); };
    CHECK(run("u64", big).code == 0);
    CHECK(bytes() == std::string("\0\0\0\0\0\0\0\x80", 8));
    CHECK(run("b64", -1).code == 0);
    CHECK(run("f64", big).code == 0);
    CHECK(bytes() == std::string("\0\0\0\0\0\0\xe0\x43", 8));
    CHECK(run("f32", ~0ull).code == 0);
    CHECK(bytes() == std::string("\0\0\x80\x5f", 4));
    CHECK(run("i64", std::int64_t(big)).code == 0);
    for (const auto& [type, value] :
         std::vector<std::pair<const char*, json>>{{"i64", big},
                                                   {"u64", -1},
                                                   {"u32", big},
                                                   {"i8", 128},
                                                   {"u64", 18446744073709551616.0},
                                                   {"f16", 70000},
                                                   {"bf16", 1e39},
                                                   {"f32", 1e39}}) {
        const auto r = run(type, value);
        CAPTURE(type, value.dump(), r.err);
        CHECK(r.code == 2);
        CHECK(r.err.find(std::string("does not fit ") + type) != std::string::npos);
    }
}

TEST_CASE("no error is dropped, however many there are", "[cli][BAR-002]")
{
    const Folder folder;
    std::string ptx =
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u32 id)\n"
        "{\n.reg .b32 %r<3>; .reg .b64 %rd<3>; .shared .align 8 .b64 m;\n"
        "ld.param.u32 %r1, [id];\n";
    for (int i = 0; i < 1100; ++i) ptx += "bar.sync %r1;\n";
    ptx += "ret;\n}\n";
    spill(folder / "k.ptx", ptx);
    spill(folder / "k.launch.json", R"({"ptx": "k.ptx", "entry": "k", "block": [32, 1, 1],
        "verdict": "misuse", "params": [{"scalar": {"type": "u32", "value": 16}}]})");
    const auto r = runGsu("run --unit golden --json " + (folder / "k.launch.json"));
    CHECK(r.code == 0);
    const json out = json::parse(r.out);
    CHECK(out["verdict"] == "misuse");
    REQUIRE(out["findings"].size() == 1100);
    for (std::size_t i = 0; i < 1100; ++i) REQUIRE(out["findings"][i]["line"] == 8 + i);
}

TEST_CASE("warnings past the thousandth are counted", "[cli][BWS-010]")
{
    const Folder folder;
    std::string ptx = ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k()\n"
                      "{\n.reg .b32 %r<2>; .reg .pred %p<2>;\n"
                      "mov.u32 %r1, %tid.x; setp.eq.u32 %p1, %r1, 31; @%p1 exit;\n";
    for (int i = 0; i < 1100; ++i) ptx += "bar.warp.sync -1;\n";
    spill(folder / "k.ptx", ptx + "ret;\n}\n");
    spill(folder / "k.launch.json", R"({"ptx": "k.ptx", "block": [32, 1, 1]})");
    const auto r = runGsu("run --unit golden --json " + (folder / "k.launch.json"));
    CHECK(r.code == 0);
    const json out = json::parse(r.out);
    CHECK(out["verdict"] == "pass");
    CHECK(out["findings"].size() == 1000);
    CHECK(out["warnings_not_listed"] == 100);
}

TEST_CASE("unknown commands and options name the nearest", "[cli]")
{
    const auto says = [](const std::string& arguments, const std::string& what) {
        const auto r = runGsu(arguments);
        CAPTURE(arguments, r.err);
        CHECK(r.code == 2);
        CHECK(r.err.find(what) != std::string::npos);
    };
    says("rnu x", "unknown command 'rnu' (did you mean run?)");
    says("frobnicate", "unknown command 'frobnicate' (there are run, ");
    says("run --timelne x y", "unknown option '--timelne' (did you mean --timeline?)");
    says("run --timelne x y", "(see gsu run --help)");
    says("fuzz --count 2", "unknown option '--count' (there are --help, --");
    says("gen rng", "unknown pattern 'rng' (did you mean ring?) (see gsu gen --help)");
    says("gen", "a pattern is missing (there are lowering, handshake, ");
    says("", "a command is missing (there are run, ");
    says("params --with Foo=3", "no 'Foo' in the structure (gsu params --structure lists them)");
    says("decode --dump /dev/zero --at 0", "/dev/zero: is not a regular file");
}

TEST_CASE("the version says what it was built from", "[cli]")
{
    const auto version = runGsu("--version");
    CAPTURE(version.out);
    CHECK(version.code == 0);
    const std::regex form("gsu " GSU_VERSION
                          " \\((commit [0-9a-f]{7,40}\\+?, )?Verilator [0-9.]+, \\w+ "
                          "[0-9.]+, \\w+\\)\n");
    CHECK(std::regex_match(version.out, form));
}
