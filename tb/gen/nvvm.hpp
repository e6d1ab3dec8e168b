/// The cluster operations of compilers (NVVM): intrinsic, PTX, gates, and the conditions of their verifier (NVVM-001..NVVM-019).
#pragma once
#include <string>
#include <vector>

namespace gsu::gen {

struct NvvmRow {
    const char* op;         ///< nvvm.cluster.arrive
    const char* intrinsic;  ///< of LLVM
    const char* alias;      ///< other spelling of the operation, "" for none
    const char* operands;   ///< operands and results, by type
    const char* ptx;        ///< %r, %a, %c: result, address, rank
    unsigned version;  ///< PTX that NVVM asks for, times 10 (NVVM-014: later than PTX itself does)
    bool aligned;      ///< the form that clang's builtins and the handshake use has .aligned
};
[[nodiscard]] const std::vector<NvvmRow>& nvvmRows();
/// The row of an operation or its alias; nullptr: there is none.
[[nodiscard]] const NvvmRow* nvvmRow(const std::string& op);

/// One use of an operation in a module.
struct NvvmUse {
    std::string op;
    std::vector<std::string> operands,
        results;                          ///< types as LLVM writes them: "ptr addrspace(3)", "i32"
    std::vector<std::string> attributes;  ///< attributes except the location
    unsigned sm{90}, version{81};         ///< target, PTX version times 10
};
/// Whether {aligned} counts as an attribute (NVVM-015, A-18).
enum class Attributes { Aligned, None };
/// The reason why the verifier rejects a use, with the rule; empty: it accepts it.
[[nodiscard]] std::string nvvmProblem(const NvvmUse& use, Attributes allowed = Attributes::Aligned);
/// The same for a kernel: arrivals and waits that clearly do not come in pairs, without a cluster (NVVM-016).
[[nodiscard]] std::string nvvmPairProblem(const std::vector<NvvmUse>& kernel, bool cluster);
/// The text of `gsu help nvvm`.
[[nodiscard]] std::string nvvmHelp();

}  // namespace gsu::gen
