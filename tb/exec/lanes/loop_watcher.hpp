/// Watches backward branches and finds loops that may wait for others, and loops whose state came back unchanged (Brent's method).
#pragma once
#include "exec/state/run_state.hpp"

namespace gsu::exec {

class LoopWatcher {
public:
    explicit LoopWatcher(RunState& state) noexcept : s_(state) {}

    /// Call when the group has taken a backward branch.
    void backward(Warp& warp, Group& group);
    /// True if a loop that cannot end by itself was found since the last call.
    [[nodiscard]] bool takeSuspicion() noexcept;
    /// The same without clearing it.
    [[nodiscard]] bool suspected() const noexcept { return suspected_; }

private:
    void compare(const Warp& warp, Group& group);

    RunState& s_;
    bool suspected_{};
    std::uint64_t suspectedAt_{};  ///< Progress::instructions
};

/// Notes the bytes that a load or an atomic of a diverged group is about to read (ReadWatch).
void watchRead(const Ctx& ctx, const MicroOp& op, Lanes lanes);

}  // namespace gsu::exec
