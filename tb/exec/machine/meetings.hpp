/// Results of vote, match, redux, elect and shfl over a set of lanes; private to tb/exec.
#pragma once
#include "exec/machine/reconvergence.hpp"

namespace gsu::exec {

/// MicroOp::aux[0] of a Rendezvous; aux[1] is the mode below, aux[2] the qualifiers.
enum class Meet : std::uint8_t { Vote, Match, Redux, Elect, Shfl };
enum class VoteMode : std::uint8_t { All, Any, Uni, Ballot };
enum class MatchMode : std::uint8_t { Any, All };
enum class ReduxMode : std::uint8_t { Add, MinU, MaxU, MinS, MaxS, And, Or, Xor, MinF, MaxF };
enum class ShflMode : std::uint8_t { Up, Down, Bfly, Idx };
inline constexpr std::uint8_t kReduxAbs = 1, kReduxNan = 2;

/// Writes the results of the lanes `to`, computed over the lanes `over`.
void resolveMeet(const Ctx& ctx, const MicroOp& op, Lanes to, Lanes over, const MeetValues& values);
/// BWS-010: elect names exited lanes.
void checkElect(RunState& state, const Warp& warp, Lanes mask, Lanes lanes, std::uint32_t line);

/// Lanes of a warp that wait for each other in vote, match, redux, elect and shfl.
class Meetings {
public:
    Meetings(RunState& state, Reconvergence& lanes) noexcept : s_(state), lanes_(lanes) {}

    /// A group executes such an instruction: answered at once, or when the others of its member mask have come.
    void meet(Warp& warp, std::uint32_t index, const MicroOp& op, Lanes lanes);
    /// These lanes of the warp have exited: nobody waits for them.
    void check(Warp& warp, Lanes exited);

private:
    void finish(Warp& warp, Meeting& meeting);

    RunState& s_;
    Reconvergence& lanes_;
};

}  // namespace gsu::exec
