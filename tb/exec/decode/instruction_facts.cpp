#include "exec/decode/instruction_facts.hpp"

#include <algorithm>
#include <set>

namespace gsu::exec {

bool hasModifier(const ptx::Instruction& in, std::string_view modifier)
{
    return std::ranges::find(in.modifiers, modifier) != in.modifiers.end();
}

bool endsBlock(const ptx::Instruction& in)
{
    static const std::set<std::string_view> kEnds{"bra",
                                                  "brx",
                                                  "call",
                                                  "ret",
                                                  "exit",
                                                  "trap",
                                                  "bar",
                                                  "barrier",
                                                  "fence",
                                                  "membar",
                                                  "cp",
                                                  "wgmma",
                                                  "tcgen05",
                                                  "mbarrier",
                                                  "stmatrix",
                                                  "red",
                                                  "atom",
                                                  "wmma",
                                                  "tensormap",
                                                  "setmaxnreg",
                                                  "nanosleep",
                                                  "clusterlaunchcontrol",
                                                  "griddepcontrol",
                                                  "multimem"};
    return kEnds.contains(in.opcode);
}

}  // namespace gsu::exec
