// The GTKWave views of waveforms/: every signal that they name is in the dump of the demo's kernel, and the mbarriers' numbers are true there.
// Reads dumps with fst2vcd of the package gtkwave; says SKIP where it is missing.
#include <algorithm>
#include <iostream>
#include <map>
#include <set>
#include <sstream>

#include "gsu_process.hpp"

using process::Folder;
using process::runGsu;

namespace {

const std::string kRoot = testfiles::testsFolder() + "/..";

bool works(const std::string& command)
{
    return std::system((command + " >/dev/null 2>&1").c_str()) == 0;
}

/// The names of a dump with their identifiers, and all values of some of them.
struct Dump {
    std::map<std::string, std::string> names;
    std::map<std::string, std::set<std::string>> values;  ///< by identifier, binary
};

Dump readVcd(const std::string& path)
{
    Dump dump;
    std::ifstream in(path);
    std::vector<std::string> scopes;
    for (std::string line; std::getline(in, line);) {
        std::istringstream fields(line);
        std::string key, kind, width, id, name, range;
        fields >> key;
        if (key == "$scope") {
            fields >> kind >> name;
            scopes.push_back(name);
        } else if (key == "$upscope") {
            scopes.pop_back();
        } else if (key == "$var") {
            fields >> kind >> width >> id >> name >> range;
            std::string full;
            for (const std::string& s : scopes) full += s + '.';
            dump.names[full + name + (range == "$end" ? "" : range)] = id;
        } else if (!key.empty() && key[0] == 'b') {
            fields >> id;
            dump.values[id].insert(key.substr(1));
        } else if (key.size() > 1 && (key[0] == '0' || key[0] == '1')) {
            dump.values[key.substr(1)].insert(key.substr(0, 1));
        }
    }
    return dump;
}

/// Signals that a view names.
std::vector<std::string> signalsOf(const std::string& view)
{
    std::vector<std::string> names;
    std::ifstream in(view);
    for (std::string line; std::getline(in, line);) {
        if (line.empty() || line[0] == '[' || line[0] == '@' || line[0] == '-') continue;
        names.push_back(line[0] == '+' ? line.substr(line.find("} ") + 2) : line);
    }
    return names;
}

}  // namespace

TEST_CASE("the views name what is in the dump of the demo", "[cli][waves]")
{
    if (!works("command -v fst2vcd")) {
        std::cout << "SKIP: fst2vcd (package gtkwave) is missing, the views are not tried\n";
        return;
    }
    const Folder folder;
    const std::string fst = folder / "demo.fst", vcd = folder / "demo.vcd";
    REQUIRE(runGsu("run --unit rtl --fst " + fst + " " + testfiles::testsFolder() +
                   "/kernels/cluster_pipeline/cluster_pipeline.launch.json")
                .code == 0);
    REQUIRE(works("fst2vcd -f '" + fst + "' -o '" + vcd + "'"));
    const Dump dump = readVcd(vcd);
    REQUIRE(dump.names.size() > 1000);
    for (const char* view : {"barriers", "cluster", "gemm", "mbarrier"}) {
        const auto signals = signalsOf(kRoot + "/waveforms/" + view + ".gtkw");
        CHECK(signals.size() > 40);
        for (const std::string& name : signals) {
            CAPTURE(view, name);
            CHECK(dump.names.count(name) == 1);
        }
    }
    // Word 0 of line 0 is full[0]: one arrival and 1024 bytes a phase; word 0 of line 1 is empty[0]: 16 arrivals.
    const auto values = [&](const std::string& name) {
        const auto found = dump.names.find("sm0.gsu_sm.u_mbar.u_cache.g_shown" + name);
        REQUIRE(found != dump.names.end());
        return dump.values.at(found->second);
    };
    const auto has = [](const std::set<std::string>& all, std::uint32_t value) {
        for (const std::string& v : all) {
            if (v.find_first_not_of("01") == std::string::npos &&
                std::stoull(v, nullptr, 2) == value)
                return true;
        }
        return false;
    };
    CHECK(has(values("[0].object.tx[21:0]"), 1024));
    CHECK(has(values("[0].object.tx[21:0]"), 512));
    CHECK(values("[0].object.phase").size() >= 2);
    for (const std::uint32_t left : {16u, 15u, 1u})
        CHECK(has(values("[4].object.pending[19:0]"), left));
    CHECK(has(values("[4].object.expected[19:0]"), 16));
    CHECK(!has(values("[4].object.pending[19:0]"), 17));
}

#ifdef GSU_WAVES_OF_ALL
constexpr bool kLeavesOut = false;  // this Verilator dumps all of the RTL (waveforms/README.md)
#else
constexpr bool kLeavesOut = true;
#endif

TEST_CASE("waves of parts: only these are in the dump, with the ports of their SM", "[cli][waves]")
{
    if (!works("command -v fst2vcd")) {
        std::cout << "SKIP: fst2vcd (package gtkwave) is missing, parts of waves are not tried\n";
        return;
    }
    const Folder folder;
    const std::string kernel =
        testfiles::testsFolder() + "/kernels/cluster_pipeline/cluster_pipeline.launch.json";
    const auto dumpOf = [&](const std::string& parts) {
        const std::string fst = folder / "w.fst", vcd = folder / "w.vcd";
        REQUIRE(runGsu("run --unit rtl --fst " + fst + " --waves " + parts + " " + kernel).code ==
                0);
        REQUIRE(works("fst2vcd -f '" + fst + "' -o '" + vcd + "'"));
        return readVcd(vcd);
    };
    const auto count = [](const Dump& dump, const std::string& prefix) {
        return std::count_if(dump.names.begin(), dump.names.end(),
                             [&](const auto& n) { return n.first.starts_with(prefix); });
    };
    const Dump one = dumpOf("sm3.mbar");
    CHECK(count(one, "sm3.gsu_sm.u_mbar.") > 100);
    CHECK(one.names.count("sm3.gsu_sm.now_i[47:0]") == 1);
    CHECK((count(one, "sm3.gsu_sm.u_core.u_named_barrier.") == 0) == kLeavesOut);
    CHECK((count(one, "sm0.") == 0) == kLeavesOut);
    CHECK((count(one, "net.") == 0) == kLeavesOut);
    const Dump two = dumpOf("net,named,sm1");
    CHECK(count(two, "net.") > 10);
    CHECK(count(two, "sm7.gsu_sm.u_core.u_named_barrier.") > 10);
    CHECK((count(two, "sm7.gsu_sm.u_mbar.") == 0) == kLeavesOut);
    CHECK(count(two, "sm1.gsu_sm.u_mbar.") > 100);

    const auto refused = [&](const std::string& parts) {
        const std::string fst = folder / "no.fst";
        const process::Outcome o =
            runGsu("run --unit rtl --fst " + fst + " --waves " + parts + " " + kernel);
        CHECK(o.code == 2);
        CHECK(!std::ifstream(fst));
        return o.err;
    };
    CHECK(refused("sm8").find("--waves: 'sm8': there are SMs 0 to 7") != std::string::npos);
    CHECK(refused("sm1.cache").find("'sm1.cache' is no part of the RTL") != std::string::npos);
    CHECK(refused("mbar,,net").find("'' is no part") != std::string::npos);
}

TEST_CASE("the views are what scripts/make_views.py writes", "[cli][waves]")
{
    if (!works("command -v python3")) {
        std::cout << "SKIP: python3 is missing, the views are not compared\n";
        return;
    }
    CHECK(works("python3 '" + kRoot + "/scripts/make_views.py' --check"));
}
