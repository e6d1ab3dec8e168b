#include <bit>
#include <cmath>

#include "exec/machine/meetings.hpp"

namespace gsu::exec {
namespace {

void vote(const Ctx& ctx, const MicroOp& op, Lanes to, Lanes over, const MeetValues& v)
{
    const Lanes yes = v.pred & over;
    switch (static_cast<VoteMode>(op.aux[1])) {
        case VoteMode::All: return ctx.setPred(op.pd, to, yes == over ? ~0u : 0);
        case VoteMode::Any: return ctx.setPred(op.pd, to, yes != 0 ? ~0u : 0);
        case VoteMode::Uni: return ctx.setPred(op.pd, to, yes == over || yes == 0 ? ~0u : 0);
        case VoteMode::Ballot: break;
    }
    std::uint64_t* d = ctx.row(op.d);
    eachLane(to, [&](unsigned l) { d[l] = yes; });
}

void match(const Ctx& ctx, const MicroOp& op, Lanes to, Lanes over, const MeetValues& v)
{
    std::uint64_t* d = op.d != kNoRow ? ctx.row(op.d) : nullptr;
    if (static_cast<MatchMode>(op.aux[1]) == MatchMode::Any) {
        eachLane(to, [&](unsigned l) {
            Lanes equal = 0;
            eachLane(over, [&](unsigned k) { equal |= v.value[k] == v.value[l] ? 1u << k : 0; });
            d[l] = equal;
        });
        return;
    }
    const std::uint64_t first = v.value[static_cast<unsigned>(__builtin_ctz(over))];
    bool all = true;
    eachLane(over, [&](unsigned k) { all = all && v.value[k] == first; });
    if (d != nullptr) eachLane(to, [&](unsigned l) { d[l] = all ? over : 0; });
    ctx.setPred(op.pd, to, all ? ~0u : 0);
}

float reduceFloat(bool maximum, std::uint8_t flags, Lanes over, const MeetValues& v)
{
    float best = 0;
    bool any = false, nan = false;
    eachLane(over, [&](unsigned l) {
        float x = std::bit_cast<float>(static_cast<std::uint32_t>(v.value[l]));
        if ((flags & kReduxAbs) != 0) x = std::fabs(x);
        if (std::isnan(x)) {
            nan = true;
            return;
        }
        // +0 counts as above -0 (REDUX-007).
        const bool better = maximum
                                ? x > best || (x == best && std::signbit(best) && !std::signbit(x))
                                : x < best || (x == best && !std::signbit(best) && std::signbit(x));
        if (!any || better) best = x;
        any = true;
    });
    if (!any || (nan && (flags & kReduxNan) != 0)) return std::bit_cast<float>(0x7fff'ffffu);
    return best;
}

std::uint32_t reduce(const MicroOp& op, Lanes over, const MeetValues& v)
{
    const auto mode = static_cast<ReduxMode>(op.aux[1]);
    if (mode == ReduxMode::MinF || mode == ReduxMode::MaxF) {
        return std::bit_cast<std::uint32_t>(
            reduceFloat(mode == ReduxMode::MaxF, op.aux[2], over, v));
    }
    auto r = static_cast<std::uint32_t>(v.value[static_cast<unsigned>(__builtin_ctz(over))]);
    eachLane(over & (over - 1), [&](unsigned l) {
        const auto x = static_cast<std::uint32_t>(v.value[l]);
        const auto rs = static_cast<std::int32_t>(r), xs = static_cast<std::int32_t>(x);
        switch (mode) {
            case ReduxMode::Add: r += x; break;
            case ReduxMode::MinU: r = x < r ? x : r; break;
            case ReduxMode::MaxU: r = x > r ? x : r; break;
            case ReduxMode::MinS: r = xs < rs ? x : r; break;
            case ReduxMode::MaxS: r = xs > rs ? x : r; break;
            case ReduxMode::And: r &= x; break;
            case ReduxMode::Or: r |= x; break;
            case ReduxMode::Xor: r ^= x; break;
            case ReduxMode::MinF:
            case ReduxMode::MaxF: break;
        }
    });
    return r;
}

void shuffle(const Ctx& ctx, const MicroOp& op, Lanes to, Lanes over, const MeetValues& v)
{
    std::uint64_t* d = op.d != kNoRow ? ctx.row(op.d) : nullptr;
    Lanes valid = 0;
    eachLane(to, [&](unsigned l) {
        const auto lane = static_cast<int>(l);
        const int b = static_cast<int>(v.b[l] & 31), clamp = static_cast<int>(v.c[l] & 31);
        const int segment = static_cast<int>(v.c[l] >> 8 & 31);
        const int top = (lane & segment) | (clamp & ~segment), bottom = lane & segment;
        int from = 0;
        bool inside = false;
        switch (static_cast<ShflMode>(op.aux[1])) {
            case ShflMode::Up:
                from = lane - b;
                inside = from >= top;
                break;
            case ShflMode::Down:
                from = lane + b;
                inside = from <= top;
                break;
            case ShflMode::Bfly:
                from = lane ^ b;
                inside = from <= top;
                break;
            case ShflMode::Idx:
                from = bottom | (b & ~segment);
                inside = from <= top;
                break;
        }
        if (!inside) from = lane;
        valid |= inside ? 1u << l : 0;
        // The value of a lane that does not take part is unspecified: the own one.
        const auto source = static_cast<unsigned>(from) & 31;
        if (d != nullptr) d[l] = v.value[(over >> source & 1) != 0 ? source : l];
    });
    ctx.setPred(op.pd, to, valid);
}

}  // namespace

void resolveMeet(const Ctx& ctx, const MicroOp& op, Lanes to, Lanes over, const MeetValues& v)
{
    switch (static_cast<Meet>(op.aux[0])) {
        case Meet::Vote: return vote(ctx, op, to, over, v);
        case Meet::Match: return match(ctx, op, to, over, v);
        case Meet::Shfl: return shuffle(ctx, op, to, over, v);
        case Meet::Redux: {
            const std::uint32_t r = reduce(op, over, v);
            std::uint64_t* d = ctx.row(op.d);
            return eachLane(to, [&](unsigned l) { d[l] = r; });
        }
        case Meet::Elect: {
            const auto leader = static_cast<unsigned>(__builtin_ctz(over));
            if (op.d != kNoRow) {
                std::uint64_t* d = ctx.row(op.d);
                eachLane(to, [&](unsigned l) { d[l] = leader; });
            }
            return ctx.setPred(op.pd, to, 1u << leader);
        }
    }
}

}  // namespace gsu::exec
