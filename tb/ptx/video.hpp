/// Video instructions (vadd to vset4): their selectors, and the forms that the reference assembler of CUDA 13.0 takes. No rule ids: outside
/// chapter 9.7.13. The manual and the assembler agree, except on selectors that the assembler ignores.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "ptx/check.hpp"

namespace gsu::ptx {

struct VideoProblem {
    Position at;
    std::string reason;
};

[[nodiscard]] bool isVideo(std::string_view opcode) noexcept;
/// Number of values in one register: 2 or 4 for SIMD forms, else 1.
[[nodiscard]] unsigned videoLanes(std::string_view opcode) noexcept;
/// Whether a text has the shape of a selector: b or h and one to four digits below 8 ("b0", "h32", "b7531").
[[nodiscard]] bool isVideoSelector(std::string_view text) noexcept;
/// The first modifier or operand that the instruction does not take; `instruction` is a video instruction of `function`.
[[nodiscard]] std::optional<VideoProblem> videoProblem(const Function& function,
                                                       const Instruction& instruction,
                                                       Dialect dialect = Dialect::Text);

}  // namespace gsu::ptx
