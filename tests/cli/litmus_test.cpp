// gsu litmus: verdicts, exit codes, witnesses on the unit, own kernels, bad input.
#include <nlohmann/json.hpp>

#include "gsu_process.hpp"

using process::Folder;
using process::runGsu;
using process::spill;

namespace {

const std::string kMp =
    "PTX MP\n{ x = 0; f = 0; }\n P0@cta 0,cluster 0,gpu 0 | P1@cta 1,cluster 0,gpu 0 ;\n"
    " st.weak x, 1 | ld.acquire.gpu r0, f ;\n STORE f, 1 | ld.weak r1, x ;\n"
    "~exists (P1:r0 == 1 /\\ P1:r1 == 0)\n";

/// A bound on memory for what follows in the shell; AddressSanitizer maps far more than it uses.
std::string limited()
{
#ifdef __SANITIZE_ADDRESS__
    return {};
#else
    return "ulimit -v 400000; ";
#endif
}

std::string mp(const Folder& folder, const std::string& store)
{
    std::string text = kMp;
    text.replace(text.find("STORE"), 5, store);
    const std::string path = folder / (store + ".litmus");
    spill(path, text);
    return path;
}

}  // namespace

TEST_CASE("a forbidden outcome is exit code 1, with a witness that the unit repeats",
          "[cli][litmus]")
{
    const Folder folder;
    const auto good = runGsu("litmus " + mp(folder, "st.release.gpu"));
    CAPTURE(good.out, good.err);
    CHECK(good.code == 0);
    CHECK(good.out.find("MP (") == 0);
    CHECK(good.out.find(": holds\n") != std::string::npos);
    CHECK(good.out.find("repeated on lockstep: 3 of 3 outcomes") != std::string::npos);

    const auto bad = runGsu("litmus --json " + mp(folder, "st.relaxed.gpu"));
    CHECK(bad.code == 1);
    const auto said = nlohmann::json::parse(bad.out);
    CHECK(said["forbidden_seen"] == true);
    const auto& test = said["tests"][0];
    CHECK(test["verdict"] == "forbidden outcome seen");
    CHECK(test["complete"] == true);
    REQUIRE(test["outcomes"].size() == 4);
    bool named = false;
    for (const auto& outcome : test["outcomes"]) {
        CHECK(outcome["count"] > 0);
        CHECK(!outcome["witness"].empty());
        CHECK(outcome["replay"]["shown"] == true);
        named = named || (outcome["named"] == true && outcome["values"]["P1:r1"] == 0);
    }
    CHECK(named);
    CHECK(runGsu("litmus --memory immediate " + mp(folder, "st.relaxed.gpu")).code == 0);
}

TEST_CASE("incomplete is an outcome of its own", "[cli][litmus]")
{
    const Folder folder;
    const auto r =
        runGsu("litmus --no-replay --states 5 --runs 50 " + mp(folder, "st.release.gpu"));
    CHECK(r.code == 0);
    CHECK(r.out.find(": incomplete\n") != std::string::npos);
    CHECK(r.out.find("50 random runs") != std::string::npos);
}

TEST_CASE("an own kernel with a condition on what it leaves", "[cli][litmus]")
{
    const Folder folder;
    spill(folder / "k.ptx",
          ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n"
          " .shared .align 4 .b32 s;\n .reg .b32 %r<4>; .reg .b64 %d<2>; .reg .pred %p<2>;\n"
          " ld.param.u64 %d1, [out]; mov.u32 %r1, %tid.x; setp.ne.u32 %p1, %r1, 0;\n"
          " @%p1 bra J;\n mov.u32 %r2, 7; st.shared.u32 [s], %r2;\nJ:\n SYNC\n"
          " ld.shared.u32 %r3, [s]; setp.ne.u32 %p1, %r1, 40; @%p1 ret;\n"
          " st.global.u32 [%d1], %r3;\n ret;\n}\n");
    std::string ptx = process::slurp(folder / "k.ptx");
    spill(
        folder / "k.launch.json",
        R"({"ptx": "k.ptx", "block": [64], "params": [{"buffer": {"type": "u32", "count": 2}}]})");
    const std::string test = folder / "k.litmus";
    spill(test, "KERNEL shared\n{ launch = \"k.launch.json\"; }\nforall (param0[0] == 7)\n");
    for (const bool fenced : {true, false}) {
        std::string text = ptx;
        text.replace(text.find("SYNC"), 4, fenced ? "bar.sync 0;" : "");
        spill(folder / "k.ptx", text);
        const auto r = runGsu("litmus --unit golden --kernel-runs 20 " + test);
        CAPTURE(fenced, r.out, r.err);
        CHECK(r.code == (fenced ? 0 : 1));
        CHECK(r.out.find(fenced ? "param0[0]=7" : "param0[0]=0") != std::string::npos);
        if (!fenced) CHECK(r.out.find("--seed") != std::string::npos);
    }
    spill(test, "KERNEL shared\n{ launch = \"k.launch.json\"; }\nforall (param1[0] == 7)\n");
    const auto r = runGsu("litmus --unit golden " + test);
    CHECK(r.code == 2);
    CHECK(r.err.find("k.litmus:3:9: the launch has no 'param1': param0") != std::string::npos);
}

TEST_CASE("a location that the initial state does not name is named", "[cli][litmus]")
{
    const Folder folder;
    const auto said = [&](const std::string& state) {
        const std::string path = folder / "t.litmus";
        spill(path, "PTX T\n" + state + "\n P0@cta 0 ;\n ld.weak r0, flg ;\nexists (P0:r0 == 0)\n");
        const auto r = runGsu("litmus --unit golden " + path);
        CHECK(r.code == 0);
        return r.err.substr(r.err.rfind('/') + 1);
    };
    CHECK(said("{ flag = 0; }") == "t.litmus:4: location flg is not in { }: it begins as 0\n");
    CHECK(said("{ flg = 0; }").empty());
    CHECK(said("{ }").empty());
}

TEST_CASE("litmus input that cannot be used is named with its place", "[cli][litmus]")
{
    const Folder folder;
    const auto refused = [&](const std::string& text, const std::string& says) {
        const std::string path = folder / "t.litmus";
        spill(path, text);
        const auto r = runGsu("litmus " + path);
        CAPTURE(text, r.out, r.err);
        CHECK(r.code == 2);
        CHECK(r.out.empty());
        CHECK(r.err.find('\n') == r.err.size() - 1);
        CHECK(r.err.find("t.litmus:" + says) != std::string::npos);
    };
    refused("", "1:1: a litmus test begins with PTX and its name");
    refused("PTX\n", "1:4: the test has no name");
    refused("PTX T\n{ x = 0; }\n P0@cta 0 ;\n ld.weak r0, x, 1 ;\nexists (x == 0)\n", "4:");
    refused("PTX T\n{ x = 0; }\n P0@cta 0 ;\n jump x ;\nexists (x == 0)\n", "4:2: 'jump'");
    refused("PTX T\n{ x = 0; }\n P0@cta 0 ;\n st.weak x, 1 ;\nexists (z == 0)\n",
            "5:9: there is no location 'z'");
    refused("KERNEL K\n{ launch = k; }\nexists (param0[0] == 1)\n", "2:12: expected the name");
    refused("KERNEL K\n{ launch = \"k\"; }\nexists (1 == 1)\n",
            "4:1: the condition looks at nothing");
    const auto gone = runGsu("litmus " + (folder / "none.litmus"));
    CHECK(gone.code == 2);
    CHECK(runGsu("litmus").code == 2);
    CHECK(runGsu("litmus --memory strong " + (folder / "t.litmus")).code == 2);
    CHECK(runGsu("run --unit golden --set exec.memory=strong x.launch.json").code == 2);
}

TEST_CASE(
    "a test that is too large is refused in one line, a search that is too large ends incomplete",
    "[cli][litmus]")
{
    const Folder folder;
    std::string text = "PTX M\n{\n";
    for (unsigned i = 0; i < 300; ++i) text += "x" + std::to_string(i) + " = 0;\n";
    spill(folder / "m.litmus", text + "}\n P0@cta 0 ;\n st.weak x280, 1 ;\nexists (x280 == 1)\n");
    const auto many = runGsu("litmus " + (folder / "m.litmus"));
    CHECK(many.code == 2);
    CHECK(many.err.find("m.litmus:259:1: more than 256 locations\n") != std::string::npos);

    // Counts for ever, a chain of states: stored as a whole, a million of them take a gigabyte.
    spill(folder / "c.litmus",
          "PTX C\n{ x = 0; }\n P0@cta 0 | P1@cta 0 ;\n L: | ld.weak r1, x ;\n add r0, r0, 1 | ;\n"
          " st.weak x, r0 | ;\n goto L | ;\nexists (P1:r1 == -1)\n");
    const std::string call = " litmus --no-replay --runs 10 " + (folder / "c.litmus");
    const auto bounded = runGsu("--version >/dev/null; " + limited() + "'" GSU_BINARY "'" + call);
    CAPTURE(bounded.err);
    CHECK(bounded.code == 0);
    CHECK(bounded.out.find("incomplete (more states than --states): 1000001 states") !=
          std::string::npos);
    const auto small =
        runGsu("litmus --no-replay --runs 10 --max-memory 4 " + (folder / "c.litmus"));
    CHECK(small.code == 0);
    CHECK(small.out.find("incomplete (more memory than --max-memory): ") != std::string::npos);
}
