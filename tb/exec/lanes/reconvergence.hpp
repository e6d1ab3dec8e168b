/// Splits and merges the lane groups of a warp (reconvergence.cpp has the rules).
#pragma once
#include "exec/client/sync_client.hpp"
#include "exec/ctas/schedulers.hpp"
#include "exec/lanes/loop_watcher.hpp"

namespace gsu::exec {

/// Index in Warp::groups of the group with one of these lanes; ptx::kNone: there is none.
[[nodiscard]] std::uint32_t groupOf(const Warp& warp, Lanes lanes);

class Reconvergence {
public:
    Reconvergence(RunState& state, const SyncClient& client, Schedulers& schedulers,
                  LoopWatcher& loops) noexcept
        : s_(state), client_(client), schedulers_(schedulers), loops_(loops)
    {
    }

    /// The lanes `taken` of a group continue at `target`, the rest at `stayPc`; `token`: they meet again at the reconvergence point.
    void diverge(Warp& warp, std::uint32_t index, Lanes taken, std::uint32_t target,
                 std::uint32_t stayPc, bool token);
    /// True if the values of `lanes` differ: lanes with a value other than the first lane's have become a group of their own.
    [[nodiscard]] bool splitBy(Warp& warp, std::uint32_t index, const std::uint64_t* values,
                               Lanes lanes);
    /// Parks a group at its reconvergence point. False: all lanes have come, and `index` is the merged group.
    [[nodiscard]] bool park(Warp& warp, std::uint32_t& index);
    /// Whether an aligned operation may be issued: all live lanes are in the group, which `index` then is, or no others can come.
    [[nodiscard]] bool alignedReady(Warp& warp, std::uint32_t& index);
    /// Call after each issue: resumes parked and aligned groups that need not wait any longer.
    void settle(Warp& warp);
    /// Resumes parked groups whose other lanes have come, or have run too long without coming.
    void checkTokens(Warp& warp);
    /// Resumes parked groups when nothing else moves. False: there are none.
    [[nodiscard]] bool releaseHeld(Warp& warp);
    /// Resumes the group, merged with others at the same place.
    void wake(Warp& warp, Group& group);
    /// A request of these lanes has been answered.
    void answered(Warp& warp, Lanes lanes);
    /// Call after a call or return: sets the group's reconvergence point in its present function.
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
