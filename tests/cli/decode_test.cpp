// gsu decode on words and dumps, and gsu run --dump-smem, which writes them.
#include <iomanip>
#include <nlohmann/json.hpp>
#include <sstream>

#include "golden/mbarrier.hpp"
#include "gsu_process.hpp"

using nlohmann::json;
using process::data;
using process::Folder;
using process::slurp;
using process::spill;

using process::refused;

namespace {

std::string bytesOf(const std::vector<std::uint64_t>& words)
{
    std::string text;
    for (const std::uint64_t w : words)
        for (unsigned i = 0; i < 8; ++i) text += static_cast<char>(w >> 8 * i);
    return text;
}

const std::uint64_t kWord = gsu::packMbar({.phase = true, .pending = 3, .expected = 4, .tx = 512});
const std::uint64_t kBroken = gsu::packMbar({.pending = 0, .expected = 4});

}  // namespace

TEST_CASE("decode explains several words", "[cli][MBAR-002]")
{
    const auto r = process::runGsu("decode --json 0 " + std::to_string(kWord) + " 1");
    REQUIRE(r.code == 0);
    const json words = json::parse(r.out)["words"];
    REQUIRE(words.size() == 3);
    CHECK(words[0]["state"] == "uninitialised");
    CHECK(words[1]["state"] == "valid");
    CHECK(words[1]["pending"] == 3);
    CHECK(words[2]["state"] == "inconsistent");
}

TEST_CASE("decode reads barriers out of a dump", "[cli][MBAR-002]")
{
    const Folder folder;
    const std::string path = folder / "smem.bin";
    spill(path, bytesOf({0, kWord, kBroken, 7}));
    const auto check = [&](const std::string& arguments) {
        const auto r = process::runGsu("decode --json " + arguments);
        CAPTURE(arguments, r.err);
        REQUIRE(r.code == 0);
        const json words = json::parse(r.out)["words"];
        REQUIRE(words.size() == 3);
        CHECK(words[0]["address"] == 8);
        CHECK(words[0]["phase"] == 1);
        CHECK(words[0]["pending"] == 3);
        CHECK(words[0]["expected"] == 4);
        CHECK(words[0]["tx"] == 512);
        CHECK(words[0]["lock"] == false);
        CHECK(words[0]["state"] == "valid");
        CHECK(words[1]["state"] == "uninitialised");
        CHECK(words[2]["address"] == 16);
        CHECK(words[2]["state"] == "inconsistent");
    };
    check("--dump " + path + " --at 0x8 --at 0,16");
    check("--dump - --at 8,0,16 < " + path);
    spill(path, "junk" + bytesOf({0, kWord, kBroken}));
    check("--dump " + path + " --base 4 --at 8 --at 0 --at 0x10");
    // NumPy, version 1.0, and hexadecimal text.
    const std::string header = "{'descr': '<u8', 'fortran_order': False, 'shape': (3,), }";
    std::ostringstream npy;
    npy << "\x93NUMPY\x01" << '\0' << '\x76' << '\0' << std::left << std::setw(118) << header
        << bytesOf({0, kWord, kBroken});
    spill(path, npy.str());
    check("--dump " + path + " --at 8,0,16");
    const std::string hex = folder / "smem.hex";
    char text[80];
    std::snprintf(text, sizeof text, "0x%016llx %016llx\n%016llx\n", 0ull,
                  static_cast<unsigned long long>(kWord), static_cast<unsigned long long>(kBroken));
    spill(hex, text);
    check("--dump " + hex + " --at 8,0,16");
    const auto plain = process::runGsu("decode --dump " + hex + " --at 8");
    CHECK(plain.out.find("phase 1, 3 of 4 arrivals pending, tx 512 bytes") != std::string::npos);
    const auto old = process::runGsu("decode --json --profile sm_80 --dump " + hex + " --at 8");
    CHECK(json::parse(old.out)["words"][0]["state"] == "inconsistent");
}

TEST_CASE("decode refuses what it cannot use", "[cli]")
{
    const Folder folder;
    const std::string path = folder / "smem.bin", empty = folder / "empty.bin";
    spill(path, bytesOf({0, kWord}));
    spill(empty, "");
    refused("decode", "WORD");
    refused("decode --at 8", "--dump");
    refused("decode --dump " + path, "--at");
    refused("decode --dump " + path + " --at 16", "beyond");
    refused("decode --dump " + path + " --at 0xfffffffffffffff8", "beyond");
    refused("decode --dump " + path + " --at 8 --base 1", "beyond");
    refused("decode --dump " + path + " --at 0 --base 99", "beyond");
    refused("decode --dump " + path + " --at 4", "multiple of 8");
    refused("decode --dump " + path + " --at x", "not an address");
    refused("decode --dump " + path + " --at 0 --base -1", "--base");
    refused("decode --dump " + path + " --at 0 --profile sm_70", "sm_70");
    refused("decode --dump " + empty + " --at 0", "empty");
    refused("decode --dump " + (folder / "absent") + " --at 0", "no such file");
    refused("decode --dump " + (folder / ".") + " --at 0", "is a directory");
    refused("decode 5 --dump " + path + " --at 0 six", "six");
    spill(folder / "bad.hex", "00112233\n 44zz\n");
    refused("decode --dump " + (folder / "bad.hex") + " --at 0", "bad.hex:2:2");
    spill(folder / "cut.npy", std::string("\x93NUMPY\x01\x00\xff\x00{", 11));
    refused("decode --dump " + (folder / "cut.npy") + " --at 0", "cut off");
}

TEST_CASE("run writes the shared memory of a CTA, decode reads the hang's barrier in it",
          "[cli][MBAR-002][MBAR-040]")
{
    const Folder folder;
    const std::string path = folder / "smem.bin";
    const auto unit = GENERATE(as<std::string>{}, "golden", "lockstep --set mbar_policy=0",
                               "lockstep --set mbar_policy=1");
    CAPTURE(unit);
    const auto r = process::runGsu("run --json --unit " + unit + " --dump-smem " + path + ' ' +
                                   data("mbar_stuck.launch.json"));
    CAPTURE(r.err);
    REQUIRE(r.code == 0);
    const json on = json::parse(r.out)["hang"]["waiting"][0]["on"];
    CHECK(on["kind"] == "mbarrier");
    CHECK(on["address"] == 64);
    CHECK(on["phase"] == 1);
    CHECK(on["pending"] == 3);
    CHECK(on["expected"] == 4);
    CHECK(on["tx"] == 512);
    CHECK(slurp(path).size() >= 72);
    const auto d = process::runGsu("decode --json --dump " + path + " --at 64,72");
    const json words = json::parse(d.out)["words"];
    CHECK(words[0]["word"] == on["word"]);
    CHECK(words[0]["state"] == "valid");
    CHECK(words[1]["state"] == "uninitialised");
}

TEST_CASE("a hang on an mbarrier is told with its word", "[cli][MBAR-040]")
{
    const auto r = process::runGsu("run --unit golden " + data("mbar_stuck.launch.json"));
    CHECK(r.code == 0);
    CHECK(r.out.find("mbarrier at +0x40: phase 1, 3 of 4 arrivals pending, 512 bytes of tx "
                     "outstanding") != std::string::npos);
}

TEST_CASE("a dump of a CTA that has ended is its memory at its end", "[cli]")
{
    const Folder folder;
    const std::string path = folder / "smem.bin";
    CHECK(process::runGsu("run --unit golden --dump-cta 1 --dump-smem " + path + ' ' +
                          data("mbar_stuck.launch.json"))
              .code == 2);
    CHECK(folder.files() == 0);
    const auto none =
        process::runGsu("run --unit golden --dump-smem " + path + ' ' + data("count.launch.json"));
    CHECK(none.code == 2);  // after the report
    CHECK(none.err.find("no shared memory") != std::string::npos);
    refused("run --unit golden --dump-cta x --dump-smem " + path + ' ' + data("count.launch.json"),
            "--dump-cta");
}

TEST_CASE("decode says of a dump what a hang lacks, as far as words tell", "[cli][causes]")
{
    const Folder folder;
    const std::string path = folder / "smem.bin";
    spill(path, bytesOf({gsu::packMbar({.pending = 3, .expected = 4}),
                         gsu::packMbar({.phase = true, .pending = 0, .expected = 1, .tx = 512}),
                         gsu::packMbar({.pending = 0, .expected = 1, .tx = -512}),
                         gsu::packMbar({.pending = 0, .expected = 2, .tx = 256}), 0}));
    const auto r = process::runGsu("decode --json --dump " + path +
                                   " --at 0 --at 8 --at 16 --at 24 --at 32 --parity 0,1,0,1,0");
    CAPTURE(r.err);
    REQUIRE(r.code == 0);
    const json words = json::parse(r.out)["words"];
    REQUIRE(words.size() == 5);
    CHECK(words[0]["asked"] == 0);
    CHECK(words[0]["cause"]["kind"] == "unknown");
    CHECK(words[0]["cause"]["sentence"] ==
          "the mbarrier at +0x0 lacks 3 of 4 arrivals of the phase "
          "of parity 0: a dump does not show which threads should have arrived, and "
          "whether this phase is the one that was meant, so a wait for parity 0 waits "
          "for ever unless an arrival is in flight.");
    CHECK(words[1]["cause"]["kind"] == "other-barrier");
    CHECK(words[1]["cause"]["sentence"].get<std::string>().find("came to the mbarrier at +0x10") !=
          std::string::npos);
    CHECK(words[2]["cause"]["kind"] == "other-barrier");
    CHECK(words[3]["waits"] == false);  // the phase of parity 1 has gone by
    CHECK_FALSE(words[3].contains("cause"));
    CHECK_FALSE(words[4].contains("waits"));  // no object
    const auto alone = process::runGsu("decode --dump " + path + " --at 24 --parity 0");
    CHECK(alone.out.find("missing-bytes: the mbarrier at +0x18 has 256 bytes outstanding in the "
                         "phase of parity 0") != std::string::npos);
    refused("decode --dump " + path + " --at 0 --at 8 --at 16 --parity 0,1",
            "2 parities for 3 words");
    refused("decode --dump " + path + " --at 0 --parity 2", "--parity");
}
