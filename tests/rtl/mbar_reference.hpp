/// The mbarrier object in plain integers, one execution at a time: the statement the RTL is tested against. Written from the requirements
/// (reference state machines, D-22..D-39), not from the RTL.
#pragma once
#include <cstdint>

#include "rtl/mbar_testbench.hpp"

namespace mbar {

inline constexpr std::int64_t kMax = (1 << 20) - 1;

struct Object {
    int phase{};
    std::int64_t pending{}, expected{}, tx{};
    bool locked{};
    bool operator==(const Object&) const = default;
    [[nodiscard]] bool retired() const { return pending == 0 && expected == 0 && tx == 0; }
};

/// sm_90 layout: {phase[63], -pending[62:43], lock[42], -tx[41:21], -expected[20:1], 0}.
[[nodiscard]] inline Word encode(const Object& o)
{
    const auto field = [](std::int64_t value, int bits) {
        return Word(-value) & ((Word{1} << bits) - 1);
    };
    return Word(o.phase) << 63 | field(o.pending, 20) << 43 | Word(o.locked) << 42 |
           field(o.tx, 21) << 21 | field(o.expected, 20) << 1;
}

[[nodiscard]] inline Object decode(Word word)
{
    const auto count = [&](int low) {
        return std::int64_t(((Word{1} << 20) - (word >> low & kMax)) & kMax);
    };
    Object o;
    o.phase = int(word >> 63);
    o.pending = count(43);
    o.expected = count(1);
    o.locked = word >> 42 & 1;
    const auto raw = std::int64_t(word >> 21 & 0x1f'ffff);
    o.tx = raw >= 1 << 20 ? (1 << 21) - raw : -raw;
    return o;
}

struct Outcome {
    Object after;
    Object state;  ///< before the arrive-on, after the expect
    bool flip{}, refused{};
};

/// One execution of `op` with its operand on `o`.
[[nodiscard]] inline Outcome execute(Object o, Op op, std::int64_t operand,
                                     bool lockOnError = false)
{
    Outcome out{o, o};
    if (op == Op::MbarInit) {
        if (operand < 1 || operand > kMax) {
            out.refused = true;
        } else {
            out.after = {0, operand, operand, 0, false};
        }
        return out;
    }
    std::int64_t arrivals = 0, drops = 0, bytes = 0, extra = 0;
    bool operandOk = true;
    switch (op) {
        case Op::MbarArrive:
        case Op::EvAsyncArrive:
        case Op::EvAgentArrive:
            arrivals = operand;
            operandOk = operand >= 1 && operand <= kMax;
            break;
        case Op::MbarArriveDrop:
            arrivals = drops = operand;
            operandOk = operand >= 1 && operand <= kMax;
            break;
        case Op::MbarArriveExpectTx:
            arrivals = 1;
            bytes = operand;
            break;
        case Op::MbarDropExpectTx:
            arrivals = drops = 1;
            bytes = operand;
            break;
        case Op::MbarExpectTx: bytes = operand; break;
        case Op::MbarCompleteTx:
        case Op::EvAsyncCompleteTx: bytes = -operand; break;
        case Op::CpAsyncArrive: extra = 1; break;
        default: return out;  // leaves the object alone
    }
    const bool fits = operandOk && arrivals <= o.pending && drops <= o.expected &&
                      o.tx + bytes <= kMax && o.tx + bytes >= -kMax && o.pending + extra <= kMax;
    if (!fits || o.locked || o.retired()) {
        out.refused = true;
        if (lockOnError) out.after.locked = true;
        return out;
    }
    const bool arrivesToo = op == Op::MbarArriveExpectTx || op == Op::MbarDropExpectTx;
    if (arrivesToo) out.state.tx += bytes;
    o.tx += bytes;
    o.expected -= drops;
    o.pending += extra - arrivals;
    if (o.pending == 0 && o.tx == 0) {
        o.phase ^= 1;
        o.pending = o.expected;
        out.flip = true;
    }
    out.after = o;
    return out;
}

}  // namespace mbar
