#include "golden/warp_ops.hpp"

#include <bit>

namespace gsu {
namespace {

constexpr std::uint32_t kSign = 0x8000'0000;
constexpr std::uint32_t kInfinity = 0x7f80'0000;

bool isNan(std::uint32_t bits) noexcept { return (bits & ~kSign) > kInfinity; }

/// An unsigned number that rises with the f32: -0.0 lies below +0.0 (REDUX-007). Not of a NaN.
std::uint32_t rankOf(std::uint32_t bits) noexcept
{
    return (bits & kSign) != 0 ? ~bits : bits | kSign;
}

std::uint32_t foldInteger(ReduxOp op, std::uint32_t a, std::uint32_t b) noexcept
{
    const bool signedLess = static_cast<std::int32_t>(b) < static_cast<std::int32_t>(a);
    switch (op) {
        case ReduxOp::Add: return a + b;
        case ReduxOp::And: return a & b;
        case ReduxOp::Or: return a | b;
        case ReduxOp::Xor: return a ^ b;
        case ReduxOp::MinU: return b < a ? b : a;
        case ReduxOp::MaxU: return b < a ? a : b;
        case ReduxOp::MinS: return signedLess ? b : a;
        case ReduxOp::MaxS: return signedLess ? a : b;
        case ReduxOp::MinF:
        case ReduxOp::MaxF: break;
    }
    return 0;
}

std::uint32_t reduxFloat(std::uint8_t kind, Lanes lanes, const std::array<std::uint64_t, 32>& data)
{
    const bool max = static_cast<ReduxOp>(kind & 15) == ReduxOp::MaxF;
    bool sawNan = false;
    bool sawNumber = false;
    std::uint32_t best = 0;
    eachLane(lanes, [&](unsigned lane) {
        auto bits = static_cast<std::uint32_t>(data[lane]);
        if ((kind & kReduxAbs) != 0) bits &= ~kSign;
        if (isNan(bits)) {
            sawNan = true;
            return;
        }
        const bool better = max ? rankOf(bits) > rankOf(best) : rankOf(bits) < rankOf(best);
        if (!sawNumber || better) best = bits;
        sawNumber = true;
    });
    const bool poisoned = sawNan && (kind & kReduxNan) != 0;
    return poisoned || !sawNumber ? kCanonicalNan : best;
}

std::uint32_t redux(std::uint8_t kind, Lanes lanes, const std::array<std::uint64_t, 32>& data)
{
    const auto op = static_cast<ReduxOp>(kind & 15);
    if (op == ReduxOp::MinF || op == ReduxOp::MaxF) return reduxFloat(kind, lanes, data);
    auto result = static_cast<std::uint32_t>(data[std::countr_zero(lanes) & 31]);
    eachLane(lanes & (lanes - 1), [&](unsigned lane) {
        result = foldInteger(op, result, static_cast<std::uint32_t>(data[lane]));
    });
    return result;
}

WarpAnswer vote(std::uint8_t kind, Lanes lanes, Lanes pred) noexcept
{
    const Lanes set = pred & lanes;
    bool result = false;
    switch (static_cast<VoteMode>(kind)) {
        case VoteMode::Ballot: return {lanes, 0, set};
        case VoteMode::All: result = set == lanes; break;
        case VoteMode::Any: result = set != 0; break;
        case VoteMode::Uni: result = set == 0 || set == lanes; break;
    }
    return {lanes, result ? lanes : 0, 0};
}

/// Lanes whose operand is that of the lowest lane.
Lanes equalToFirst(std::uint8_t kind, Lanes lanes, const std::array<std::uint64_t, 32>& data)
{
    const std::uint64_t width = kind == kMatchB64 ? ~std::uint64_t{0} : 0xffff'ffff;
    const std::uint64_t first = data[std::countr_zero(lanes) & 31] & width;
    Lanes equal = 0;
    eachLane(lanes, [&](unsigned lane) {
        if ((data[lane] & width) == first) equal |= Lanes{1} << lane;
    });
    return equal;
}

}  // namespace

bool hasForm(Op op, std::uint8_t kind) noexcept
{
    switch (op) {
        case Op::Vote:
        case Op::VoteSync: return kind <= static_cast<std::uint8_t>(VoteMode::Ballot);
        case Op::MatchAny:
        case Op::MatchAll: return kind <= kMatchB64;
        case Op::Redux: {
            const unsigned fold = kind & 15u;
            if (fold > unsigned(ReduxOp::MaxF) || (kind & ~(15u | kReduxAbs | kReduxNan)) != 0)
                return false;
            return fold >= unsigned(ReduxOp::MinF) || kind == fold;
        }
        case Op::Elect:
        case Op::ActiveMask: return kind == 0;
        default: return false;
    }
}

bool writesValue(Op op, std::uint8_t kind) noexcept
{
    if (op == Op::Vote || op == Op::VoteSync)
        return kind == static_cast<std::uint8_t>(VoteMode::Ballot);
    return isWarpOp(op);
}

bool writesPredicate(Op op, std::uint8_t kind) noexcept
{
    if (op == Op::Vote || op == Op::VoteSync) return !writesValue(op, kind);
    return op == Op::MatchAll || op == Op::Elect;
}

WarpAnswers evaluate(Op op, std::uint8_t kind, Lanes lanes, Lanes pred,
                     const std::array<std::uint64_t, 32>& data) noexcept
{
    WarpAnswers all;
    all.count = 1;
    WarpAnswer& one = all.at[0];
    switch (op) {
        case Op::Vote:
        case Op::VoteSync: one = vote(kind, lanes, pred); break;
        case Op::ActiveMask: one = {lanes, 0, lanes}; break;
        case Op::Redux: one = {lanes, 0, redux(kind, lanes, data)}; break;
        case Op::
            Elect:  // the lowest lane leads (D-21); ELECT-005 promises only that it is one, and always the same
            one = {lanes, lanes & (~lanes + 1),
                   static_cast<std::uint32_t>(std::countr_zero(lanes))};
            break;
        case Op::MatchAll: {
            const bool same = equalToFirst(kind, lanes, data) == lanes;
            one = {lanes, same ? lanes : 0, same ? lanes : 0};
            break;
        }
        case Op::MatchAny:
            all.count = 0;
            for (Lanes rest = lanes; rest != 0;) {
                const Lanes equal = equalToFirst(kind, rest, data);
                all.at[all.count++] = {equal, 0, equal};
                rest &= ~equal;
            }
            break;
        default: break;
    }
    return all;
}

}  // namespace gsu
