// Chips of more SMs than one network has: what runs on them, and what is refused by name.
#include <cstdio>
#include <nlohmann/json.hpp>

#include "gsu_process.hpp"

using nlohmann::json;
using process::Folder;
using process::refused;
using process::runGsu;
using process::spill;

namespace {

constexpr unsigned kSms = 132;

/// A trace after a change of its text: the footer has the hash of what is before it (FNV-1a 64).
void seal(const std::string& file, std::string text)
{
    text.erase(text.rfind("end "));
    std::uint64_t hash = 0xcbf29ce484222325;
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    std::uint64_t records = 0;
    for (std::size_t at = text.find("\nbegin\n") + 6;
         (at = text.find('\n', at + 1)) != std::string::npos;)
        ++records;
    char footer[64];
    std::snprintf(footer, sizeof footer, "end %llu %#018llx\n",
                  static_cast<unsigned long long>(records), static_cast<unsigned long long>(hash));
    spill(file, text + footer);
}

/// The options of the launch, besides `more`.
void write(const std::string& file, const char* entry, unsigned ctas, unsigned threads,
           const json& params, const json& expect, const json& more)
{
    json launch{{"ptx", process::data("chip.ptx")},
                {"entry", entry},
                {"grid", {ctas}},
                {"block", {threads}},
                {"params", params},
                {"expect", expect}};
    launch.update(more);
    spill(file, launch.dump());
}

/// Each CTA of a cluster of two gets its peer's numbers.
void writeExchange(const std::string& file, unsigned ctas, const json& more)
{
    json values = json::array();
    for (unsigned cta = 0; cta < ctas; ++cta) {
        for (unsigned t = 0; t < 64; ++t) values.push_back((cta ^ 1) * 1000 + t + 64);
    }
    json all{{"cluster", {2}}};
    all.update(more);
    write(file, "exchange", ctas, 64, {{{"buffer", {{"type", "u32"}, {"count", ctas * 64}}}}},
          {{{"param", 0}, {"values", values}}}, all);
}

/// Every CTA of a grid that is there as a whole reads what the next one wrote.
void writeMeet(const std::string& file, unsigned ctas, const json& more)
{
    json values = json::array();
    for (unsigned cta = 0; cta < ctas; ++cta) values.push_back((cta + 1) % ctas + 7);
    const auto buffer = [](unsigned count) {
        return json{{"buffer", {{"type", "u32"}, {"count", count}}}};
    };
    json all{{"cooperative", true}};
    all.update(more);
    write(file, "meet", ctas, 1, {buffer(1), buffer(ctas), buffer(ctas)},
          {{{"param", 2}, {"values", values}}}, all);
}

json ran(const std::string& arguments)
{
    const auto r = runGsu("run --json " + arguments);
    CAPTURE(arguments, r.out.substr(0, 600), r.err);
    REQUIRE(r.code == 0);
    const json out = json::parse(r.out);
    CHECK(out["verdict"] == "pass");
    CHECK(out["findings"].empty());
    return out;
}

}  // namespace

TEST_CASE("clusters on all SMs of a chip, with races checked, recorded and replayed",
          "[cli][CLU-016]")
{
    const Folder folder;
    const std::string launch = folder / "exchange.launch.json", trace = folder / "t.gsut";
    writeExchange(launch, 2 * kSms, {{"chip", "h100"}});
    for (const char* unit : {"golden", "lockstep"}) {
        CAPTURE(unit);
        const json out = ran(std::string("--unit ") + unit + " --check race --record " + trace +
                             " --timeline " + (folder / "t.pftrace") + ' ' + launch);
        CHECK(out["sms"] == kSms);
        // The second network has a cluster in slot 0, too.
        const std::string text = process::slurp(trace);
        CHECK(text.find("\nsms 132\n") != std::string::npos);
        CHECK(text.find("cluster=0:0 of 2 at 16/0") != std::string::npos);
        const auto again = runGsu(std::string("replay --json --unit ") + unit + ' ' + trace);
        REQUIRE(again.code == 0);
        CHECK(json::parse(again.out)["verdict"] == "agree");
    }
}

TEST_CASE("17 and 18 SMs are one network, with clusters that reach over all of it",
          "[cli][CLU-005]")
{
    const Folder folder;
    const std::string launch = folder / "exchange.launch.json", trace = folder / "t.gsut";
    for (const unsigned sms : {17u, 18u}) {
        writeExchange(launch, 48, {{"sms", sms}, {"cluster", {16}}});
        for (const char* unit : {"golden", "lockstep"}) {
            CAPTURE(sms, unit);
            ran(std::string("--unit ") + unit + " --check race --record " + trace + ' ' + launch);
            // The second cluster begins on the SMs that the first left free, and continues at SM 0.
            const std::string text = process::slurp(trace);
            CHECK(text.find("\nnetwork 18\nsms " + std::to_string(sms) + '\n') !=
                  std::string::npos);
            CHECK(text.find("cluster=1:0 of 16 at 16/0") != std::string::npos);
            CHECK(text.find(std::string("cluster=1:15 of 16 at ") +
                            (sms == 18 ? "13/1" : "14/1")) != std::string::npos);
            const auto again = runGsu(std::string("replay --json --unit ") + unit + ' ' + trace);
            REQUIRE(again.code == 0);
            CHECK(json::parse(again.out)["verdict"] == "agree");
        }
        refused("run --unit rtl --fst " + (folder / "w.fst") + " --waves sm18 " + launch,
                "there are SMs 0 to " + std::to_string(sms - 1));
    }
    ran("--unit rtl --fst " + (folder / "w.fst") + " --waves sm17.mbar,sm0,net " + launch);
    writeExchange(launch, 38, {{"sms", 19}});
    ran("--unit golden --record " + trace + ' ' + launch);
    CHECK(process::slurp(trace).find("\nnetwork ") == std::string::npos);  // 16 and 3
}

TEST_CASE("why a launch has fewer threads than asked for, and nothing before a refusal", "[cli]")
{
    const Folder folder;
    const std::string file = folder / "x.launch.json";
    writeExchange(file, 4, {{"sms", 4}});
    const auto said = [&](const std::string& options) {
        return runGsu("run " + file + options).err;
    };
    CHECK(said(" --unit golden --threads 1") == "");
    CHECK(said(" --unit golden --threads 2") == "on one thread: one network\n");
    CHECK(said(" --unit rtl --threads 2") == "");
    CHECK(said(" --unit lockstep --threads 3") == "on two threads: one network\n");
    CHECK(said(" --unit rtl --threads 2 --fst " + (folder / "x.fst")) ==
          "on one thread: what is asked for needs all events in their order\n");
    CHECK(said(" --unit rtl --threads 2 --record " + (folder / "x.gsut")) == "");
    refused("run " + file + " --unit rtl --threads 2 --assertions --fst " + (folder / "y.fst"),
            "not together with --fst");
}

TEST_CASE("a trace of 18 SMs in two networks is replayed in two", "[cli]")
{
    const Folder folder;
    const std::string launch = folder / "exchange.launch.json", trace = folder / "t.gsut";
    writeExchange(launch, 4, {{"sms", 19}});
    for (const std::string unit : {"golden", "lockstep"}) {
        CAPTURE(unit);
        ran("--unit " + unit + " --record " + trace + ' ' + launch);
        // As a program wrote it that put 18 SMs into networks of 16: both clusters are in slot 0.
        std::string text = process::slurp(trace);
        REQUIRE(text.find("cluster=0:0 of 2 at 0/0") != std::string::npos);
        REQUIRE(text.find("cluster=0:0 of 2 at 16/0") != std::string::npos);
        text.replace(text.find("\nsms 19\n"), 8, "\nsms 18\n");
        seal(trace, text);
        const auto replay = [&] { return runGsu("replay --json --unit " + unit + ' ' + trace); };
        const auto again = replay();
        CAPTURE(again.out.substr(0, 600), again.err);
        REQUIRE(again.code == 0);
        CHECK(json::parse(again.out)["verdict"] == "agree");
        // In one network the two clusters are one slot: it cannot be right.
        text.replace(text.find("\nsms 18\n"), 8, "\nnetwork 18\nsms 18\n");
        seal(trace, text);
        CHECK(replay().code != 0);
        for (const char* wrong : {"network 0", "network 19"}) {
            std::string other = text;
            other.replace(other.find("network 18"), 10, wrong);
            seal(trace, other);
            CHECK(replay().code == 2);
        }
    }
}

TEST_CASE("more clusters than the tags of one SM on one chip under weak memory", "[cli]")
{
    const Folder folder;
    const std::string launch = folder / "exchange.launch.json";
    writeExchange(launch, 148 * 8, {{"sms", 148}});
    ran("--unit golden --set exec.memory=weak --seed 7 " + launch);
}

TEST_CASE("a barrier of the whole grid through global memory on a chip", "[cli]")
{
    const Folder folder;
    const std::string launch = folder / "meet.launch.json";
    writeMeet(launch, 148 * 4, {{"chip", "b200"}});
    for (const char* unit : {"golden", "lockstep"}) {
        CAPTURE(unit);
        ran(std::string("--unit ") + unit + ' ' + launch);
    }
    writeMeet(launch, 148 * 32 + 1, {{"chip", "b200"}});
    refused("run --unit golden " + launch, "do not fit at once: 4736 do on 148 SMs");
}

TEST_CASE("cancelled clusters and dependent launches on a chip", "[cli][CLC-014][GDC-005]")
{
    const Folder folder;
    const std::string at = std::string(" -o ") + (folder / "");
    REQUIRE(runGsu("gen steal --tiles 4096 --threads 256" + at).code == 0);
    REQUIRE(runGsu("gen pipeline --launches 9 --ctas 64 --words 20000" + at).code == 0);
    for (const char* unit : {"golden", "lockstep"}) {
        CAPTURE(unit);
        const std::string chip = std::string("--chip h200 --unit ") + unit + ' ';
        ran(chip + (folder / "steal.launch.json"));
        const json list = ran(chip + (folder / "pipeline.launch.json"));
        // Nine launches beside each other, with seven slots for grids.
        CHECK(list["launches"].size() == 9);
        for (const json& one : list["launches"]) CHECK(one["unit_of"] == 0);
    }
}

TEST_CASE("a chip by name: its SMs, its parameters, its clock", "[cli]")
{
    const Folder folder;
    const std::string launch = folder / "meet.launch.json";
    writeMeet(launch, 4, {{"sms", 2}});
    struct Known {
        const char *name, *preset;
        unsigned sms, mhz;
    };
    for (const Known& k : {Known{"h100", "hopper", 132, 1755}, Known{"h200", "hopper", 132, 1777},
                           Known{"b200", "blackwell", 148, 1965}}) {
        CAPTURE(k.name);
        const std::string trace = folder / (std::string(k.name) + ".gsut");
        const json out = ran(std::string("--unit golden --record ") + trace + " --chip " + k.name +
                             ' ' + launch);
        CHECK(out["sms"] == k.sms);
        const std::string text = process::slurp(trace);
        CHECK(text.find(std::string("\npreset ") + k.preset + '\n') != std::string::npos);
        CHECK(text.find("\nclock " + std::to_string(k.mhz) + '\n') != std::string::npos);
    }
    CHECK(ran("--unit golden --chip h100 --preset ideal --timing hopper " + launch)["sms"] == kSms);
    CHECK(ran("--unit golden " + launch)["sms"] == 2);
    refused("run --chip h300 " + launch, "'h300' is not one of h100, h200, b200");
    refused("run --chip h100 --of 132 --timing hopper " + launch, "--of excludes --chip");
    writeMeet(launch, 4, {{"chip", "h100"}, {"sms", 2}});
    refused("run " + launch, "sms: goes without \"chip\"");
    writeMeet(launch, 4, {{"chip", "v100"}});
    refused("run " + launch, "chip: expected one of h100, h200, b200");
    writeMeet(launch, 4, {{"sms", 149}});
    refused("run " + launch, "sms: must be 1..148, is 149");
    writeMeet(launch, 4, {{"of", 132}});
    refused("run --timing simple " + launch, "launch.json:");
    refused("run " + launch, ": of: exec.of goes with exec.timing=hopper or blackwell");
}

TEST_CASE("what a chip of several networks cannot do is refused before the first cycle", "[cli]")
{
    const Folder folder;
    const std::string launch = folder / "exchange.launch.json", waves = folder / "w.fst";
    writeExchange(launch, 2 * kSms, {{"chip", "h100"}});
    const std::string some = "--fst " + waves + " --waves ";
    refused("run --fst " + waves + ' ' + launch, "132 SMs are 9 networks of up to 16");
    refused("run " + some + "mbar " + launch, "a part of every SM");
    refused("run " + some + "sm15,sm16 " + launch, "SMs of several networks");
    refused("run " + some + "net " + launch, "the network of no SM");
    refused("run " + some + "sm132 " + launch, "there are SMs 0 to 131");
    CHECK(!std::filesystem::exists(waves));
    ran(some + "sm17.mbar,sm18,net " + launch);
    CHECK(std::filesystem::file_size(waves) > 1000);
}

TEST_CASE("more packets than a network has tags are refused by name", "[cli]")
{
    const Folder folder;
    const std::string launch = folder / "exchange.launch.json";
    writeExchange(launch, 256, {{"sms", 16}});
    refused("run --unit lockstep " + launch, "4096 tags are used up");
    writeExchange(launch, 32, {{"sms", 16}});
    ran("--unit lockstep " + launch);
}
