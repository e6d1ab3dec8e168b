/// The effect of one commit on an mbarrier, read from the words before and after it (D-22): arrivals, bytes, missing arrivals.
#pragma once
#include "golden/mbarrier.hpp"
#include "golden/op_traits.hpp"
#include "golden/types.hpp"

namespace gsu {

struct MbarrierStep {
    std::uint32_t arrivals{};  ///< taken off the pending count
    std::uint64_t bytes{};     ///< completed
    std::uint32_t
        pending{};  ///< pending arrivals of the commit's phase after it; 0 if the phase completed
    std::int32_t tx{};
};

/// True for commits that show an object's word: neither refused, nor an event without the object.
[[nodiscard]] constexpr bool showsMbarrier(const Commit& c) noexcept
{
    return tellsMbarrier(c) && !c.refused;
}

/// The effect of a commit. Pre: showsMbarrier(c), and c is neither an init nor a wait.
[[nodiscard]] constexpr MbarrierStep stepOf(const Commit& c) noexcept
{
    const MbarState before = unpackMbar(c.oldWord), after = unpackMbar(c.newWord);
    MbarrierStep step;
    step.pending = c.flip ? 0 : after.pending;
    step.tx = c.flip ? 0 : after.tx;
    if (step.pending < before.pending) step.arrivals = before.pending - step.pending;
    const bool completes =
        c.op == Op::EvAsyncCompleteTx || c.op == Op::MbarCompleteTx || isCancel(c.op);
    if (completes && step.tx < before.tx)
        step.bytes = static_cast<std::uint64_t>(before.tx - step.tx);
    return step;
}

}  // namespace gsu
