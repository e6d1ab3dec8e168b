#include "exec/decode/predicated_branches.hpp"

#include <algorithm>

#include "exec/decode/instruction_facts.hpp"

namespace gsu::exec {

PredicatedBranches::PredicatedBranches(const ptx::Function& function)
    : function_(function), predicated_(function.body.size())
{
    for (std::uint32_t i = 0; i < function.body.size(); ++i) {
        if (function.body[i].guard.reg == ptx::kNone || !target(function.body[i])) continue;
        const auto behind = end(i);
        if (!behind || enteredFromElsewhere(i, *behind)) continue;
        for (std::uint32_t j = i; j < *behind; ++j)
            if (function.body[j].opcode == "bra") predicated_[j] = true;
    }
}

std::optional<std::uint32_t> PredicatedBranches::target(const ptx::Instruction& branch) const
{
    if (branch.opcode != "bra" || branch.operands.empty()) return std::nullopt;
    const auto label =
        std::ranges::find(function_.labels, branch.operands.front().name, &ptx::Label::name);
    if (label == function_.labels.end()) return std::nullopt;
    return label->target;
}

std::optional<std::uint32_t> PredicatedBranches::end(std::uint32_t begin) const
{
    std::uint32_t behind = *target(function_.body[begin]);
    unsigned count = 0, arms = 1;
    for (std::uint32_t i = begin + 1; i < behind; ++i) {
        const ptx::Instruction& in = function_.body[i];
        if (const auto to = target(in)) {
            if (*to <= i) return std::nullopt;
            behind = std::max(behind, *to);
            arms = 2;
        } else if (endsBlock(in) || ++count > 2 * kArm) {
            return std::nullopt;
        }
    }
    const bool forward = behind > begin && behind <= function_.body.size();
    return forward && count <= arms * kArm ? std::optional(behind) : std::nullopt;
}

bool PredicatedBranches::enteredFromElsewhere(std::uint32_t begin, std::uint32_t end) const
{
    for (std::uint32_t i = 0; i < function_.body.size(); ++i) {
        if (i >= begin && i < end) continue;
        const auto to = target(function_.body[i]);
        if (to && *to > begin && *to < end) return true;
    }
    return false;
}

}  // namespace gsu::exec
