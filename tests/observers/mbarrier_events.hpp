/// A scripted producer/consumer ring of two stages on one CTA, as a port would report it.
#pragma once
#include "events.hpp"
#include "golden/mbarrier.hpp"

namespace events {

/// Plays single commits on mbarriers and keeps their words.
template <typename Observer> class MbarrierScript {
public:
    explicit MbarrierScript(Observer& observer) : o_(observer) {}

    void commit(gsu::Cycle cycle, gsu::Op op, gsu::MbarOp step, std::uint32_t offset,
                std::uint32_t amount, std::uint8_t warp, gsu::Src src = gsu::Src::Local)
    {
        std::uint64_t& word = words_[offset];
        const gsu::MbarNext next = gsu::mbarNext(gsu::unpackMbar(word), {step, amount, false});
        REQUIRE(next.errs == 0);
        gsu::Commit c =
            events::commit(cycle, gsu::Unit::Mbarrier, op, warp, offset, next.flip, src);
        c.lanes = 1;
        c.oldWord = word;
        c.newWord = word = gsu::packMbar(next.state);
        o_.onCommit(c);
    }
    void init(std::uint32_t offset, std::uint32_t count)
    {
        commit(1, gsu::Op::MbarInit, gsu::MbarOp::Init, offset, count, 0);
    }
    void arrive(gsu::Cycle cycle, std::uint32_t offset, std::uint8_t warp)
    {
        commit(cycle, gsu::Op::MbarArrive, gsu::MbarOp::Arrive, offset, 1, warp);
    }
    void expect(gsu::Cycle cycle, std::uint32_t offset, std::uint32_t bytes, std::uint8_t warp)
    {
        commit(cycle, gsu::Op::MbarArriveExpectTx, gsu::MbarOp::ArriveExpectTx, offset, bytes,
               warp);
    }
    void copied(gsu::Cycle cycle, std::uint32_t offset, std::uint32_t bytes)
    {
        commit(cycle, gsu::Op::EvAsyncCompleteTx, gsu::MbarOp::CompleteTx, offset, bytes, 0,
               gsu::Src::AsyncCopy);
    }
    /// A try_wait of a warp, and its answer.
    void open(gsu::Cycle from, std::uint32_t offset, std::uint8_t warp)
    {
        gsu::SyncRequest r = events::request(gsu::Op::MbarTryWaitParity, warp, 0, 40, warp, 1);
        r.addr[0] = offset;
        o_.onRequest(from, r);
    }
    void answer(gsu::Cycle to, std::uint8_t warp, gsu::Cause cause = gsu::Cause::Flip,
                bool value = true)
    {
        gsu::SyncResponse s = events::response(to, warp, warp, 1);
        s.cause = cause;
        s.pred = value ? 1 : 0;
        o_.onResponse(s);
    }
    void wait(gsu::Cycle from, gsu::Cycle to, std::uint32_t offset, std::uint8_t warp,
              gsu::Cause cause = gsu::Cause::Flip, bool value = true)
    {
        open(from, offset, warp);
        answer(to, warp, cause, value);
    }

private:
    Observer& o_;
    std::map<std::uint32_t, std::uint64_t> words_;
};

inline constexpr std::uint32_t kFull[2]{0x100, 0x108}, kEmpty[2]{0x110, 0x118};

/// Warp 0 fills, warps 1 and 2 consume; four tiles of 512 bytes in two stages. Consumers wait 100 clocks for each tile, the producer 10 for
/// each stage from tile 2 on.
template <typename Observer> void ring(Observer& o)
{
    MbarrierScript<Observer> s(o);
    o.onLaunch(0, launch(0, 96));
    for (const std::uint32_t at : kFull) s.init(at, 1);
    for (const std::uint32_t at : kEmpty) s.init(at, 2);
    for (unsigned tile = 0; tile < 4; ++tile) {
        const gsu::Cycle now = 1000 + 1000 * tile;
        const unsigned stage = tile % 2;
        s.expect(now, kFull[stage], 512, 0);
        for (const std::uint8_t w : {std::uint8_t{1}, std::uint8_t{2}})
            s.open(now, kFull[stage], w);
        s.copied(now + 50, kFull[stage], 256);
        s.copied(now + 99, kFull[stage], 256);
        for (const std::uint8_t w : {std::uint8_t{1}, std::uint8_t{2}}) s.answer(now + 100, w);
        if (tile < 2) s.open(now + 195, kEmpty[stage], 0);
        for (const std::uint8_t w : {std::uint8_t{1}, std::uint8_t{2}})
            s.arrive(now + 200 + w, kEmpty[stage], w);
        if (tile < 2) s.answer(now + 205, 0);
    }
}

}  // namespace events
