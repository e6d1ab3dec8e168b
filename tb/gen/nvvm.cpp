#include "gen/nvvm.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace gsu::gen {
namespace {

constexpr const char* kSreg = "() -> i32";

std::string padded(std::string text, std::size_t width)
{
    text.resize(std::max(width, text.size() + 1), ' ');
    return text;
}

/// "a, b" of "(a, b) -> c"
std::vector<std::string> typesOf(const std::string& list)
{
    std::vector<std::string> all;
    for (std::size_t at = 0; at < list.size();) {
        const std::size_t comma = std::min(list.find(", ", at), list.size());
        if (comma > at) all.push_back(list.substr(at, comma - at));
        at = comma + 2;
    }
    return all;
}

std::string typeProblem(const NvvmRow& row, const NvvmUse& use)
{
    const std::string text = row.operands;
    const std::size_t close = text.find(") -> ");
    const auto operands = typesOf(text.substr(1, close - 1));
    const std::string result = text.substr(close + 5);
    const std::vector<std::string> results =
        result == "()" ? std::vector<std::string>{} : std::vector{result};
    const std::string mnemonic = row.op;
    if (mnemonic == "nvvm.mapa" && use.operands.size() == 2 && use.operands[0] != operands[0])
        return "NVVM-006: the address must be ptr addrspace(3), not " + use.operands[0];
    if (mnemonic == "nvvm.mapa" && use.operands.size() == 2 && use.operands[1] != operands[1])
        return "NVVM-007: the rank is i32, not " + use.operands[1];
    if (use.operands != operands || use.results != results)
        return std::string(mnemonic.find("sreg") != std::string::npos || mnemonic == "nvvm.mapa"
                               ? "NVVM-019"
                               : "NVVM-004") +
               ": operands and results are " + text;
    return {};
}

}  // namespace

const std::vector<NvvmRow>& nvvmRows()
{
    static const std::vector<NvvmRow> rows{
        {"nvvm.cluster.arrive", "llvm.nvvm.barrier.cluster.arrive", "nvvm.barrier.cluster.arrive",
         "() -> ()", "barrier.cluster.arrive;", 80, false},
        {"nvvm.cluster.arrive.relaxed", "llvm.nvvm.barrier.cluster.arrive.relaxed", "", "() -> ()",
         "barrier.cluster.arrive.relaxed;", 81, false},
        {"nvvm.cluster.wait", "llvm.nvvm.barrier.cluster.wait", "nvvm.barrier.cluster.wait",
         "() -> ()", "barrier.cluster.wait;", 80, false},
        {"nvvm.cluster.arrive {aligned}", "llvm.nvvm.barrier.cluster.arrive.aligned", "",
         "() -> ()", "barrier.cluster.arrive.aligned;", 80, true},
        {"nvvm.cluster.arrive.relaxed {aligned}",
         "llvm.nvvm.barrier.cluster.arrive.relaxed.aligned", "", "() -> ()",
         "barrier.cluster.arrive.relaxed.aligned;", 81, true},
        {"nvvm.cluster.wait {aligned}", "llvm.nvvm.barrier.cluster.wait.aligned", "", "() -> ()",
         "barrier.cluster.wait.aligned;", 80, true},
        {"nvvm.mapa", "llvm.nvvm.mapa.shared.cluster", "",
         "(ptr addrspace(3), i32) -> ptr addrspace(3)", "mapa.shared::cluster.u64 %r, %a, %c;", 80,
         false},
        {"nvvm.read.ptx.sreg.clusterid.x", "llvm.nvvm.read.ptx.sreg.clusterid.x", "", kSreg,
         "mov.u32 %r, %clusterid.x;", 80, false},
        {"nvvm.read.ptx.sreg.clusterid.y", "llvm.nvvm.read.ptx.sreg.clusterid.y", "", kSreg,
         "mov.u32 %r, %clusterid.y;", 80, false},
        {"nvvm.read.ptx.sreg.clusterid.z", "llvm.nvvm.read.ptx.sreg.clusterid.z", "", kSreg,
         "mov.u32 %r, %clusterid.z;", 80, false},
        {"nvvm.read.ptx.sreg.nclusterid.x", "llvm.nvvm.read.ptx.sreg.nclusterid.x", "", kSreg,
         "mov.u32 %r, %nclusterid.x;", 80, false},
        {"nvvm.read.ptx.sreg.nclusterid.y", "llvm.nvvm.read.ptx.sreg.nclusterid.y", "", kSreg,
         "mov.u32 %r, %nclusterid.y;", 80, false},
        {"nvvm.read.ptx.sreg.nclusterid.z", "llvm.nvvm.read.ptx.sreg.nclusterid.z", "", kSreg,
         "mov.u32 %r, %nclusterid.z;", 80, false},
        {"nvvm.read.ptx.sreg.cluster.ctarank", "llvm.nvvm.read.ptx.sreg.cluster.ctarank", "", kSreg,
         "mov.u32 %r, %cluster_ctarank;", 80, false},
        {"nvvm.read.ptx.sreg.cluster.nctarank", "llvm.nvvm.read.ptx.sreg.cluster.nctarank", "",
         kSreg, "mov.u32 %r, %cluster_nctarank;", 80, false},
        {"nvvm.is_explicit_cluster", "llvm.nvvm.is_explicit_cluster", "", "() -> i1",
         "mov.pred %r, %is_explicit_cluster;", 80, false},
    };
    return rows;
}

const NvvmRow* nvvmRow(const std::string& op)
{
    for (const NvvmRow& row : nvvmRows())
        if (op == row.op || (*row.alias != '\0' && op == row.alias)) return &row;
    return nullptr;
}

std::string nvvmProblem(const NvvmUse& use, Attributes allowed)
{
    const NvvmRow* row = nvvmRow(use.op);
    if (row == nullptr) return "no such operation: " + use.op;
    for (const std::string& attribute : use.attributes) {
        const bool pairs =
            use.op.find("arrive") != std::string::npos || use.op.find("wait") != std::string::npos;
        if (attribute == "aligned" && pairs && allowed == Attributes::Aligned) continue;
        return "NVVM-015: no attributes but the location, not {" + attribute + "}";
    }
    if (use.sm < 90) return "NVVM-014: needs sm_90";
    if (use.version < row->version)
        return fmt::format("NVVM-014: needs PTX {}.{}", row->version / 10, row->version % 10);
    return typeProblem(*row, use);
}

std::string nvvmPairProblem(const std::vector<NvvmUse>& kernel, bool cluster)
{
    if (cluster) return {};  // other warps may pair with it: detected in the run
    const auto count = [&](const char* word) {
        return std::count_if(kernel.begin(), kernel.end(), [&](const NvvmUse& u) {
            return u.op.find(word) != std::string::npos;
        });
    };
    if (count("arrive") == count("wait")) return {};
    return fmt::format(
        "NVVM-016: {} arrive and {} wait in a kernel without a cluster: they do not come in pairs",
        count("arrive"), count("wait"));
}

std::string nvvmHelp()
{
    std::string text =
        padded("operation", 40) + padded("PTX", 44) + padded("NVVM: PTX", 11) + "intrinsic\n";
    for (const NvvmRow& row : nvvmRows()) {
        text += padded(row.op, 40) + padded(row.ptx, 44) +
                padded(fmt::format("{}.{}", row.version / 10, row.version % 10), 11) +
                row.intrinsic + '\n';
        if (*row.alias != '\0') text += "    also " + std::string(row.alias) + '\n';
    }
    return text + "All need sm_90, also on sm_100 and later (NVVM-018). PTX itself asks for 7.8, "
                  "and for 8.0 where .relaxed is written (NVVM-014).\n"
                  "arrive is a release, not acquire and release (NVVM-001, A-15); clusterid is a "
                  "coordinate in the grid, not a rank (NVVM-010, A-16).\n"
                  "What the verifier rejects: operands or results of other types (NVVM-004, "
                  "NVVM-019), mapa of a pointer outside addrspace(3) (NVVM-006) or with\n"
                  "a rank that is not i32 (NVVM-007), attributes but {aligned} (NVVM-015), arrive "
                  "and wait without each other where there is no cluster (NVVM-016).\n"
                  "`gsu gen handshake` lowers a cluster's barrier and the handshake on them, by "
                  "scope and target.\n";
}

}  // namespace gsu::gen
