// `gsu help nvvm`: the table of the cluster operations of compilers, and the same from LLVM where it is installed.
#include "gen/nvvm.hpp"

#include <iostream>

#include "gsu_process.hpp"

using namespace gsu::gen;

namespace {

/// llc of LLVM 19 or later; empty where there is none.
std::string compiler()
{
    for (const char* name : {"llc-19", "llc-20", "llc-21"}) {
        if (std::system((std::string("command -v ") + name + " >/dev/null 2>&1").c_str()) == 0)
            return name;
    }
    const char* own = std::getenv("GSU_LLC");
    return own != nullptr ? own : "";
}

/// A kernel that uses every intrinsic of the table.
std::string module()
{
    std::string declarations, body;
    unsigned n = 0;
    for (const NvvmRow& row : nvvmRows()) {
        const std::string name = row.intrinsic;
        const std::string value = "%v" + std::to_string(n++);
        if (name == "llvm.nvvm.mapa.shared.cluster") {
            declarations += "declare ptr addrspace(3) @" + name + "(ptr addrspace(3), i32)\n";
            body += "  " + value + " = call ptr addrspace(3) @" + name +
                    "(ptr addrspace(3) %p, i32 %r)\n  store ptr addrspace(3) " + value +
                    ", ptr %out\n";
        } else if (name.find("barrier") != std::string::npos) {
            declarations += "declare void @" + name + "()\n";
            body += "  call void @" + name + "()\n";
        } else {
            const std::string type = name.find("is_explicit") != std::string::npos ? "i1" : "i32";
            declarations += "declare " + type + " @" + name + "()\n";
            body += "  " + value + " = call " + type + " @" + name + "()\n  store volatile " +
                    type + ' ' + value + ", ptr %out\n";
        }
    }
    return "target triple = \"nvptx64-nvidia-cuda\"\n" + declarations +
           "define void @k(ptr addrspace(3) %p, i32 %r, ptr %out) {\n" + body + "  ret void\n}\n";
}

/// The first word of an instruction, and of moves its special register.
std::string essence(const std::string& ptx)
{
    const std::string word = ptx.substr(0, ptx.find_first_of(" \t;"));
    const std::size_t sreg = ptx.rfind('%');
    return word.rfind("mov", 0) == 0 ? ptx.substr(sreg, ptx.find(';') - sreg) : word;
}

}  // namespace

TEST_CASE("gsu help nvvm lists every operation with its PTX",
          "[cli][NVVM-001][NVVM-002][NVVM-003][NVVM-005][NVVM-013][NVVM-018]")
{
    const auto help = process::runGsu("help nvvm");
    REQUIRE(help.code == 0);
    for (const NvvmRow& row : nvvmRows()) {
        CAPTURE(row.op);
        CHECK(help.out.find(row.op) != std::string::npos);
        CHECK(help.out.find(row.ptx) != std::string::npos);
        CHECK(help.out.find(row.intrinsic) != std::string::npos);
    }
    CHECK(std::string(nvvmRow("nvvm.cluster.arrive")->ptx) == "barrier.cluster.arrive;");
    CHECK(std::string(nvvmRow("nvvm.cluster.arrive.relaxed")->ptx) ==
          "barrier.cluster.arrive.relaxed;");
    CHECK(std::string(nvvmRow("nvvm.cluster.wait")->ptx) == "barrier.cluster.wait;");
    CHECK(std::string(nvvmRow("nvvm.mapa")->ptx).rfind("mapa.shared::cluster.u64", 0) == 0);
}

TEST_CASE("alias spellings name the same operations", "[cli][NVVM-012]")
{
    CHECK(nvvmRow("nvvm.barrier.cluster.arrive") == nvvmRow("nvvm.cluster.arrive"));
    CHECK(nvvmRow("nvvm.barrier.cluster.wait") == nvvmRow("nvvm.cluster.wait"));
    CHECK(nvvmRow("nvvm.cluster.sync") == nullptr);
}

TEST_CASE("every PTX of the table is accepted on sm_90 and on sm_100, and none below",
          "[cli][NVVM-014][NVVM-018]")
{
    const process::Folder folder;
    for (const NvvmRow& row : nvvmRows()) {
        std::string text = row.ptx;
        const bool wide = text.rfind("mapa", 0) == 0, predicate = text.rfind("mov.pred", 0) == 0;
        for (const auto& [from, to] : {std::pair<std::string, std::string>{"%r,", predicate ? "%p0,"
                                                                                  : wide ? "%rd0,"
                                                                                         : "%r0,"},
                                       {"%a", "%rd1"},
                                       {"%c;", "%r1;"}}) {
            if (const std::size_t at = text.find(from); at != std::string::npos)
                text.replace(at, from.size(), to);
        }
        for (const auto& [target, accepted] :
             {std::pair<std::string, bool>{"sm_90", true}, {"sm_100", true}, {"sm_89", false}}) {
            process::spill(folder / "k.ptx", ".version 8.6\n.target " + target +
                                                 "\n.address_size 64\n.entry k()\n{ .reg .pred "
                                                 "%p<2>; .reg .b32 %r<2>; .reg .b64 %rd<2>;\n" +
                                                 text + "\nret; }\n");
            CAPTURE(row.op, text, target);
            CHECK((process::runGsu("check '" + (folder / "k.ptx") + "'").code == 0) == accepted);
        }
    }
}

TEST_CASE("what the verifier rejects",
          "[cli][NVVM-004][NVVM-006][NVVM-007][NVVM-014][NVVM-015][NVVM-019]")
{
    const std::string shared = "ptr addrspace(3)";
    CHECK(nvvmProblem({"nvvm.cluster.arrive", {}, {}, {}}).empty());
    CHECK(nvvmProblem({"nvvm.cluster.arrive", {"i32"}, {}, {}}).rfind("NVVM-004", 0) == 0);
    CHECK(nvvmProblem({"nvvm.cluster.wait", {}, {"i32"}, {}}).rfind("NVVM-004", 0) == 0);
    CHECK(nvvmProblem({"nvvm.mapa", {shared, "i32"}, {shared}, {}}).empty());
    CHECK(nvvmProblem({"nvvm.mapa", {"ptr", "i32"}, {shared}, {}}).rfind("NVVM-006", 0) == 0);
    CHECK(nvvmProblem({"nvvm.mapa", {shared, "i64"}, {shared}, {}}).rfind("NVVM-007", 0) == 0);
    CHECK(nvvmProblem({"nvvm.mapa", {shared, "i32"}, {"i64"}, {}}).rfind("NVVM-019", 0) == 0);
    CHECK(nvvmProblem({"nvvm.read.ptx.sreg.clusterid.x", {}, {"i32"}, {}}).empty());
    CHECK(nvvmProblem({"nvvm.read.ptx.sreg.clusterid.x", {}, {"i64"}, {}}).rfind("NVVM-019", 0) ==
          0);
    CHECK(nvvmProblem({"nvvm.read.ptx.sreg.clusterid.x", {"i32"}, {"i32"}, {}})
              .rfind("NVVM-019", 0) == 0);
    CHECK(nvvmProblem({"nvvm.cluster.arrive", {}, {}, {"aligned"}}).empty());
    CHECK(nvvmProblem({"nvvm.cluster.arrive", {}, {}, {"aligned"}}, Attributes::None)
              .rfind("NVVM-015", 0) == 0);
    CHECK(nvvmProblem({"nvvm.cluster.arrive", {}, {}, {"scope"}}).rfind("NVVM-015", 0) == 0);
    CHECK(nvvmProblem({"nvvm.mapa", {shared, "i32"}, {shared}, {"aligned"}}).rfind("NVVM-015", 0) ==
          0);
    CHECK(nvvmProblem({"nvvm.cluster.wait", {}, {}, {}, 89}).rfind("NVVM-014", 0) == 0);
    CHECK(nvvmProblem({"nvvm.cluster.wait", {}, {}, {}, 100}).empty());
    CHECK(nvvmProblem({"nvvm.cluster.arrive.relaxed", {}, {}, {}, 90, 80}).rfind("NVVM-014", 0) ==
          0);
    CHECK(nvvmProblem({"nvvm.cluster.arrive", {}, {}, {}, 90, 80}).empty());
}

TEST_CASE("arrivals and waits that clearly do not pair are rejected where there is no cluster",
          "[cli][NVVM-016]")
{
    const NvvmUse arrive{"nvvm.cluster.arrive", {}, {}, {}}, wait{"nvvm.cluster.wait", {}, {}, {}};
    CHECK(nvvmPairProblem({arrive, wait}, false).empty());
    CHECK(nvvmPairProblem({arrive}, false).rfind("NVVM-016", 0) == 0);
    CHECK(nvvmPairProblem({arrive, wait, wait}, false).rfind("NVVM-016", 0) == 0);
    CHECK(nvvmPairProblem({arrive}, true).empty());
}

TEST_CASE("LLVM emits the PTX of the table", "[cli][llc][NVVM-013]")
{
    const std::string llc = compiler();
    if (llc.empty()) {
        std::cout << "SKIP: no llc of LLVM 19 (Debian's llvm-19): the table of `gsu help nvvm` is "
                     "not compared with what it emits\n";
        return;
    }
    const process::Folder folder;
    process::spill(folder / "k.ll", module());
    const std::string command = llc + " -mtriple=nvptx64 -mcpu=sm_90 -mattr=+ptx83 -o '" +
                                (folder / "k.ptx") + "' '" + (folder / "k.ll") + "' 2>'" +
                                (folder / "err") + "'";
    const int status = std::system(command.c_str());
    INFO(process::slurp(folder / "err"));
    REQUIRE(status == 0);
    const std::string ptx = process::slurp(folder / "k.ptx");
    INFO(ptx);
    for (const NvvmRow& row : nvvmRows()) {
        CAPTURE(row.intrinsic, essence(row.ptx));
        CHECK(ptx.find(essence(row.ptx)) != std::string::npos);
    }
    // And the front end takes it.
    CHECK(process::runGsu("check '" + (folder / "k.ptx") + "'").code == 0);
}
