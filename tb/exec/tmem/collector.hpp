/// Collector buffers of a CTA, or of a pair: whether they hold an operand. Products read memory whatever the hint says; an error is only
/// the use of a buffer that was not filled.
#pragma once
#include <array>

#include "exec/tmem/instruction.hpp"

namespace gsu::tmem {

class Collectors {
public:
    /// Uses a buffer. `buffer`: 0 for a; for .ws 0..3 for b0..b3. A refused use changes nothing.
    [[nodiscard]] Verdict use(const Modifiers& modifiers, unsigned buffer)
    {
        const bool ws = modifiers.weightStationary;
        bool& holds = holds_[ws ? 1 + buffer : 0];
        const Collector hint = modifiers.collector;
        const bool used = hint == Collector::Use || hint == Collector::LastUse;
        if (used && !holds)
            return Refusal{Rule::CollectorEmpty,
                           (ws ? "b" + std::to_string(buffer) : "a") + " holds nothing"};
        holds = hint == Collector::Fill || hint == Collector::Use;
        return std::nullopt;
    }

private:
    std::array<bool, 5> holds_{};  ///< a, b0 to b3
};

}  // namespace gsu::tmem
