/// shfl: lanes of a warp exchange values. It is data movement; vote, match, redux and elect are requests to the unit. Private to tb/exec.
#pragma once
#include "exec/lanes/reconvergence.hpp"

namespace gsu::exec {

enum class ShflMode : std::uint8_t { Up, Down, Bfly, Idx };

/// Writes the values that the lanes `to` read from the lanes `over`.
void shuffle(const Ctx& ctx, const MicroOp& op, Lanes to, Lanes over, const MeetValues& values);

/// Lanes of a warp that wait for each other in shfl.
class Shuffles {
public:
    Shuffles(RunState& state, Reconvergence& lanes) noexcept : s_(state), lanes_(lanes) {}

    /// Executes such an instruction for a group: answered at once, or when the other lanes of its member mask have come.
    void meet(Warp& warp, std::uint32_t index, const MicroOp& op, Lanes lanes);
    /// Call when these lanes of the warp have exited: no lane waits for them.
    void check(Warp& warp, Lanes exited);

private:
    void finish(Warp& warp, OpenShuffle& open);

    RunState& s_;
    Reconvergence& lanes_;
};

}  // namespace gsu::exec
