/// Splits and merges the lane groups of a warp (reconvergence.cpp has the rules).
#pragma once
#include "exec/client/sync_client.hpp"
#include "exec/ctas/schedulers.hpp"
#include "exec/lanes/loop_watcher.hpp"

namespace gsu::exec {

/// Index in Warp::groups of the group that has one of these lanes; ptx::kNone: none has.
[[nodiscard]] std::uint32_t groupOf(const Warp& warp, Lanes lanes);

class Reconvergence {
public:
    Reconvergence(RunState& state, const SyncClient& client, Schedulers& schedulers,
                  LoopWatcher& loops) noexcept
        : s_(state), client_(client), schedulers_(schedulers), loops_(loops)
    {
    }

    /// The lanes `taken` of a group go on at `target`, the rest at `stayPc`; `token`: they meet again at the reconvergence point.
    void diverge(Warp& warp, std::uint32_t index, Lanes taken, std::uint32_t target,
                 std::uint32_t stayPc, bool token);
    /// True when the values of `lanes` differ: lanes with another than the first one's have become a group of their own.
    [[nodiscard]] bool splitBy(Warp& warp, std::uint32_t index, const std::uint64_t* values,
                               Lanes lanes);
    /// A group stands at its reconvergence point. False: all have come, and `index` is the merged group.
    [[nodiscard]] bool park(Warp& warp, std::uint32_t& index);
    /// Whether an aligned operation may be issued: all live lanes are in the group, which `index` then is, or none else can come.
    [[nodiscard]] bool alignedReady(Warp& warp, std::uint32_t& index);
    /// After each issue: lets parked and aligned groups go on that need not wait any longer.
    void settle(Warp& warp);
    /// Lets parked groups go on whose others have come or run too long without coming.
    void checkTokens(Warp& warp);
    /// Nothing else moves: parked groups go on. False: there are none.
    [[nodiscard]] bool releaseHeld(Warp& warp);
    /// The group goes on, merged with others that stand at the same place.
    void wake(Warp& warp, Group& group);
    /// A request of these lanes has been answered.
    void answered(Warp& warp, Lanes lanes);
    /// After a call or return: where the group's reconvergence point is in the function it runs now.
    static void setParkPc(Warp& warp, Group& group);

private:
    void pushToken(Warp& warp, std::uint32_t index);
    void giveUp(Warp& warp, std::uint32_t token);
    void giveUpAll(Warp& warp);
    static void merge(Warp& warp, std::uint32_t into, std::uint32_t from);
    static void tryMerge(Warp& warp, std::uint32_t index);
    [[nodiscard]] Lanes waitsFor(const Warp& warp, const Group& group, bool patient) const;
    [[nodiscard]] Lanes waitsForAnswer(const Warp& warp, const Group& group, Lanes outside) const;
    [[nodiscard]] Lanes coming(const Warp& warp, bool patient) const;
    void releaseParked(Warp& warp);
    void checkAligned(Warp& warp);

    RunState& s_;
    const SyncClient& client_;
    Schedulers& schedulers_;
    LoopWatcher& loops_;
};

}  // namespace gsu::exec
