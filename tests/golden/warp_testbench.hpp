/// Requests of warp-wide operations on a golden port with one warp.
#pragma once
#include "golden/warp_ops.hpp"
#include "testbench.hpp"

namespace gsu::test {

[[nodiscard]] constexpr std::uint8_t kindOf(VoteMode mode)
{
    return static_cast<std::uint8_t>(mode);
}
[[nodiscard]] constexpr std::uint8_t kindOf(ReduxOp op, std::uint8_t flags = 0)
{
    return static_cast<std::uint8_t>(static_cast<std::uint8_t>(op) | flags);
}

/// A request with qualifiers and operands.
class Ops final : public Testbench {
public:
    Ops() { launch(0, 0, 32); }
    SyncRequest vote(VoteMode mode, Lanes lanes, Lanes pred, std::uint32_t mask = kAll)
    {
        SyncRequest r = request(Op::VoteSync, warp(0), lanes, mask);
        r.kind = kindOf(mode);
        r.pred = pred;
        return r;
    }
    SyncRequest with(Op op, std::uint8_t kind, Lanes lanes, std::uint32_t mask)
    {
        SyncRequest r = request(op, warp(0), lanes, mask);
        r.kind = kind;
        return r;
    }
    const SyncResponse& one(Lanes lanes)
    {
        REQUIRE(responses.size() == 1);
        CHECK(responses[0].lanes == lanes);
        CHECK(responses[0].last);
        CHECK(responses[0].cause == Cause::Done);
        return responses[0];
    }
};

}  // namespace gsu::test
