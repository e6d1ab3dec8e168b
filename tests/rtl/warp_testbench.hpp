/// Requests of vote, match, redux, elect and activemask on one SM, and what they must answer, computed lane by lane from the text of the rules.
#pragma once
#include <bit>
#include <cmath>
#include <cstring>
#include <map>

#include "testbench.hpp"

namespace testbench {

/// The answer to one lane.
struct LaneAnswer {
    std::uint64_t value{};
    bool pred{};
    Cause cause{};
    bool operator==(const LaneAnswer&) const = default;
};

inline SyncRequest warpOp(Op op, unsigned warp, Lanes lanes, Lanes mask, unsigned kind = 0)
{
    SyncRequest r;
    r.op = op;
    r.at = {0, 0, std::uint8_t(warp)};
    r.lanes = lanes;
    r.arg0 = mask;
    r.kind = std::uint8_t(kind);
    return r;
}

/// By lane, from every response so far; a lane that was answered twice fails.
inline std::map<unsigned, LaneAnswer> answers(const Recorder& seen, unsigned warp)
{
    std::map<unsigned, LaneAnswer> found;
    for (const SyncResponse& r : seen.responses) {
        if (r.at.warp != warp) {
            continue;
        }
        CHECK((r.pred & ~r.lanes) == 0);
        CHECK(r.stride == 0);
        for (unsigned lane = 0; lane < 32; ++lane) {
            if ((r.lanes >> lane & 1) == 0) {
                continue;
            }
            CHECK(found.count(lane) == 0);
            found[lane] = {r.value, (r.pred >> lane & 1) != 0, r.cause};
        }
    }
    return found;
}

/// The float of the text, by comparison of real numbers: a second way beside the RTL's keys.
inline std::uint32_t floatMinMax(bool maximum, unsigned kind, Lanes over, const SyncRequest& r)
{
    bool any = false;
    float best = 0;
    for (unsigned lane = 0; lane < 32; ++lane) {
        if ((over >> lane & 1) == 0) {
            continue;
        }
        float x = std::bit_cast<float>(std::uint32_t(r.data[lane]));
        if ((kind & kReduxAbs) != 0) {
            x = std::fabs(x);
        }
        if (std::isnan(x)) {
            if ((kind & kReduxNan) != 0) {
                return 0x7fff'ffff;
            }
            continue;
        }
        const double a = std::signbit(x) && x == 0 ? -1e-300 : double(x);
        const double b = std::signbit(best) && best == 0 ? -1e-300 : double(best);
        if (!any || (maximum ? a > b : a < b)) {
            best = x;
        }
        any = true;
    }
    return any ? std::bit_cast<std::uint32_t>(best) : 0x7fff'ffff;
}

inline std::uint32_t reduced(unsigned kind, Lanes over, const SyncRequest& r)
{
    const unsigned mode = kind & 15;
    if (mode >= kReduxMinF) {
        return floatMinMax(mode == kReduxMaxF, kind, over, r);
    }
    bool first = true;
    std::int64_t acc = 0;
    for (unsigned lane = 0; lane < 32; ++lane) {
        if ((over >> lane & 1) == 0) {
            continue;
        }
        const auto bits = std::uint32_t(r.data[lane]);
        const std::int64_t x =
            mode == kReduxMinS || mode == kReduxMaxS ? std::int32_t(bits) : std::int64_t(bits);
        const bool least = mode == kReduxMinU || mode == kReduxMinS;
        if (first) {
            acc = x;
        } else if (mode == kReduxAdd) {
            acc += x;
        } else if (mode == kReduxAnd) {
            acc &= x;
        } else if (mode == kReduxOr) {
            acc |= x;
        } else if (mode == kReduxXor) {
            acc ^= x;
        } else {
            acc = least ? std::min(acc, x) : std::max(acc, x);
        }
        first = false;
    }
    return std::uint32_t(acc);
}

/// The answer that `lane` of a group of the lanes `over` must get; `r` has the operands and predicates of all lanes.
inline LaneAnswer expected(const SyncRequest& r, Lanes over, unsigned lane)
{
    const Lanes yes = r.pred & over;
    const std::uint64_t bits = r.kind == kMatchB64 ? ~std::uint64_t{0} : 0xffff'ffff;
    const auto same = [&](unsigned a, unsigned b) { return ((r.data[a] ^ r.data[b]) & bits) == 0; };
    Lanes equal = 0;
    for (unsigned k = 0; k < 32; ++k) {
        if ((over >> k & 1) != 0 && same(k, lane)) {
            equal |= 1u << k;
        }
    }
    switch (r.op) {
        case Op::Vote:
        case Op::VoteSync:
            if (r.kind == kVoteBallot) {
                return {yes, false, Cause::Done};
            }
            return {0,
                    r.kind == kVoteAll   ? yes == over
                    : r.kind == kVoteAny ? yes != 0
                                         : yes == 0 || yes == over,
                    Cause::Done};
        case Op::MatchAny: return {equal, false, Cause::Done};
        case Op::MatchAll: return {equal == over ? over : 0, equal == over, Cause::Done};
        case Op::Redux: return {reduced(r.kind, over, r), false, Cause::Done};
        case Op::Elect: {
            const auto leader = unsigned(std::countr_zero(over));
            return {leader, lane == leader, Cause::Done};
        }
        case Op::ActiveMask: return {over, false, Cause::Done};
        default: return {};
    }
}

}  // namespace testbench
