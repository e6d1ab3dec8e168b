/// \file
/// Warp-wide operations as plain functions: vote, match, redux.sync, elect.sync, activemask (VOTE, VSYNC, MATCH, AMASK, REDUX, ELECT).
/// WarpJoin decides which lanes are in a group (D-18); these functions compute the result of a complete group. No state, no time.
///
/// SyncRequest::kind is the form: of votes a VoteMode, of match kMatchB64 or 0, of redux a ReduxOp with kReduxAbs and kReduxNan;
/// 0 otherwise. `data` holds the operands of match (low 32 bits of b32) and redux (low 32 bits), `pred` those of votes.
#pragma once
#include <array>

#include "golden/op_traits.hpp"

namespace gsu {

/// Function of a vote.
enum class VoteMode : std::uint8_t { All = 0, Any = 1, Uni = 2, Ballot = 3 };
/// Operator of redux.sync: bits 3..0 of its `kind`.
enum class ReduxOp : std::uint8_t {
    Add = 0,
    And = 1,
    Or = 2,
    Xor = 3,
    MinU = 4,
    MinS = 5,
    MaxU = 6,
    MaxS = 7,
    MinF = 8,
    MaxF = 9
};
/// Result of redux.sync of f32 for a NaN (D-61).
inline constexpr std::uint32_t kCanonicalNan = 0x7fff'ffff;

/// Whether a warp-wide operation waits for no other lanes: it sees the lanes that execute it together (D-64).
[[nodiscard]] constexpr bool isStateless(Op op) noexcept
{
    return op == Op::Vote || op == Op::ActiveMask;
}
/// Whether a warp-wide operation has this form.
[[nodiscard]] bool hasForm(Op op, std::uint8_t kind) noexcept;

/// The result for some lanes.
struct WarpAnswer {
    Lanes lanes{};          ///< lanes of the result
    Lanes pred{};           ///< predicates, a bit per lane of `lanes`
    std::uint32_t value{};  ///< value, the same for all these lanes
};
/// The answers to a group: one, or for match.any one per set of equal lanes, lowest lane first.
struct WarpAnswers {
    std::array<WarpAnswer, 32> at{};  ///< the first `count` are valid
    unsigned count{};                 ///< 1..32
};
/// The answers to `lanes`, not 0, that met in that operation. Pre: hasForm(op, kind).
[[nodiscard]] WarpAnswers evaluate(Op op, std::uint8_t kind, Lanes lanes, Lanes pred,
                                   const std::array<std::uint64_t, 32>& data) noexcept;
/// Whether these forms write a value (below: a predicate). The other field of an answer has no meaning.
[[nodiscard]] bool writesValue(Op op, std::uint8_t kind) noexcept;
[[nodiscard]] bool writesPredicate(Op op, std::uint8_t kind) noexcept;  ///< \copydoc writesValue

}  // namespace gsu
