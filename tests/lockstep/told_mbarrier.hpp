/// Requests, commits and beginnings of cases about mbarriers for a follower that is told them.
#pragma once
#include "told.hpp"

namespace gsu::test {

inline constexpr std::uint32_t kTheirs = clusterAddress(1, 0);  ///< of rank 1, which is on SM 1

inline std::uint64_t wordWith(std::uint32_t pending, std::uint32_t expected, bool phase = false)
{
    return packMbar({.phase = phase, .pending = pending, .expected = expected});
}
/// All lanes name the first word, and count one.
inline SyncRequest mbar(Op op, Lanes lanes, std::uint16_t tag, const WarpRef& at = kFirst)
{
    SyncRequest r = requestOf(op, lanes, tag, at);
    r.data.fill(1);
    return r;
}
/// The same of rank 1.
inline SyncRequest remote(Op op, Lanes lanes, std::uint16_t tag)
{
    SyncRequest r = mbar(op, lanes, tag);
    r.remote = true;
    r.addr.fill(kTheirs);
    return r;
}
inline Commit local(Op op, Lanes lanes, std::uint16_t tag, std::uint64_t before,
                    std::uint64_t after)
{
    return {.unit = Unit::Mbarrier,
            .op = op,
            .at = kFirst,
            .lanes = lanes,
            .tag = tag,
            .oldWord = before,
            .newWord = after};
}
/// What SM 1 commits of a packet of SM 0.
inline Commit posted(Op op, Lanes lanes, std::uint16_t tag)
{
    return {.unit = Unit::Mbarrier,
            .op = op,
            .at = kFar,
            .lanes = lanes,
            .tag = tag,
            .object = kTheirs,
            .src = Src::Remote};
}
/// What SM 1 commits of it once its CTA has exited.
inline Commit dropped(Op op, Lanes lanes, std::uint16_t tag)
{
    Commit c = posted(op, lanes, tag);
    c.refused = true;
    c.errs = kMbErrUndeliverable;
    return c;
}
inline Commit ack(std::uint16_t tag, Lanes lane, std::uint32_t object)
{
    return {.unit = Unit::Fence,
            .op = Op::EvAck,
            .at = kFirst,
            .lanes = lane,
            .tag = tag,
            .object = object,
            .src = Src::Remote,
            .srcSm = 1};
}
inline void done(Told& t, std::uint16_t tag, Lanes lanes, Cause cause = Cause::Done)
{
    t.answer({.tag = tag, .lanes = lanes, .last = true, .cause = cause});
}
/// A CTA alone with an object of this count.
inline void object(Told& t, std::uint32_t count)
{
    t.alone();
    SyncRequest r = mbar(Op::MbarInit, 1, 100);
    r.data.fill(count);
    t.request(r);
    t.commit(local(Op::MbarInit, 1, 100, 0, wordWith(count, count)));
    done(t, 100, 1);
}
/// Lane 0 asks whether phase 0 is complete.
inline SyncRequest tryWait()
{
    SyncRequest r = mbar(Op::MbarTryWaitParity, 1, 1);
    r.data.fill(0);
    return r;
}
/// What its commit says before the object of count 1 has an arrival.
inline Commit tried() { return local(Op::MbarTryWaitParity, 1, 1, wordWith(1, 1), wordWith(1, 1)); }
/// A wait for it that is suspended for up to `clocks`.
inline void park(Told& t, std::uint32_t clocks)
{
    object(t, 1);
    SyncRequest r = tryWait();
    r.kind = 1;
    r.limit.fill(clocks);
    t.request(r);
    t.commit(tried());
}
inline void arrive(Told& t)
{
    t.request(mbar(Op::MbarArrive, 2, 2));
    Commit c = local(Op::MbarArrive, 2, 2, wordWith(1, 1), wordWith(1, 1, true));
    c.flip = true;
    t.commit(c);
    done(t, 2, 2);
}
inline Commit timeout()
{
    Commit c = local(Op::EvTimeout, 1, 1, 0, 0);
    c.src = Src::Timer;
    return c;
}
/// Two lanes ask for a cluster.
inline void asking(Told& t)
{
    t.alone();
    SyncRequest r = mbar(Op::ClcTryCancel, 3, 1);
    r.data.fill(0x20);
    t.request(r);
    done(t, 1, 3);
    t.device(&Follower::onCancel, CancelQuery{.tag = 1});
}
/// An atom of two lanes whose packet has been committed and performed.
inline void atom(Told& t)
{
    t.pair();
    t.request(remote(Op::Atom, 3, 1));
    t.step();
    t.commit(posted(Op::Atom, 3, 1));
    t.device(&Follower::onDelivered, Delivered{.sm = 1, .tag = 1, .lanes = 3});
    t.commit(ack(1, 2, 4));
}

}  // namespace gsu::test
