/// PredicatedBranches: forward branches around a few instructions, which the assembler makes predicates of these. Seen with cuobjdump of ptxas 13.0.
#pragma once
#include <optional>
#include <vector>

#include "ptx/ast.hpp"

namespace gsu::exec {

/// Such a branch begins a part of the text that nobody enters in its middle, of at most kArm instructions, or of two arms of so many. None of them is a
/// barrier, a fence, an asynchronous operation, a call or a loop. So the basic blocks around it are one.
class PredicatedBranches {
public:
    explicit PredicatedBranches(const ptx::Function& function);
    [[nodiscard]] bool has(std::size_t instruction) const { return predicated_[instruction]; }

private:
    static constexpr unsigned kArm =
        7;  ///< 8 where lanes may differ, 6 where the assembler knows that they do not
    [[nodiscard]] std::optional<std::uint32_t> target(const ptx::Instruction& branch) const;
    /// Where the part that begins with this branch ends; none if it is no such part.
    [[nodiscard]] std::optional<std::uint32_t> end(std::uint32_t begin) const;
    [[nodiscard]] bool enteredFromElsewhere(std::uint32_t begin, std::uint32_t end) const;

    const ptx::Function& function_;
    std::vector<bool> predicated_;
};

}  // namespace gsu::exec
