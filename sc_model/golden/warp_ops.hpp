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

/// What a vote computes.
enum class VoteMode : std::uint8_t { All = 0, Any = 1, Uni = 2, Ballot = 3 };
/// What redux.sync folds with: bits 3..0 of its `kind`.
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
/// What redux.sync of f32 gives for a NaN (D-61).
inline constexpr std::uint32_t kCanonicalNan = 0x7fff'ffff;

/// Of the warp-wide operations the ones that wait for nobody: they see the lanes that execute them together (D-64).
[[nodiscard]] constexpr bool isStateless(Op op) noexcept
{
    return op == Op::Vote || op == Op::ActiveMask;
}
/// Whether a warp-wide operation has that form.
[[nodiscard]] bool hasForm(Op op, std::uint8_t kind) noexcept;

/// The result of some lanes.
struct WarpAnswer {
    Lanes lanes{};          ///< whose
    Lanes pred{};           ///< predicates, a bit per lane of `lanes`
    std::uint32_t value{};  ///< the same for all of them
};
/// One answer, for match.any one per set of equal lanes, lowest lane first.
struct WarpAnswers {
    std::array<WarpAnswer, 32> at{};  ///< the first `count` are valid
    unsigned count{};                 ///< 1..32
};
/// What `lanes`, not 0, that met in that operation receive. Pre: hasForm(op, kind).
[[nodiscard]] WarpAnswers evaluate(Op op, std::uint8_t kind, Lanes lanes, Lanes pred,
                                   const std::array<std::uint64_t, 32>& data) noexcept;
/// Whether these forms write a value, and a predicate: an answer's other field means nothing.
[[nodiscard]] bool writesValue(Op op, std::uint8_t kind) noexcept;
[[nodiscard]] bool writesPredicate(Op op, std::uint8_t kind) noexcept;  ///< \copydoc writesValue

}  // namespace gsu
