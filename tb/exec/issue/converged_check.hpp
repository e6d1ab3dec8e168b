/// The check that a warp is converged, which targets before sm_70 ask for; newer targets do not. Private to tb/exec.
#pragma once
#include "exec/state/run_state.hpp"

namespace gsu::exec {

/// Checks an operation that `lanes` of the warp execute together; `mask` is its member mask, all lanes for barriers. On sm_6x and before,
/// all lanes of the mask have to be there, and no others may be active (BAR-033, BWS-007, VSYNC-010).
void checkConverged(RunState& state, const Warp& warp, Op op, Lanes mask, Lanes lanes,
                    std::uint32_t line);

}  // namespace gsu::exec
