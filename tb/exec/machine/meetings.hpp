/// Results of vote, match, redux, elect and shfl over a set of lanes; private to tb/exec.
#pragma once
#include "exec/machine/machine.hpp"

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
void checkElect(Machine& machine, const Warp& warp, Lanes mask, Lanes lanes, std::uint32_t line);

}  // namespace gsu::exec
