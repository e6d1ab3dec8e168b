/// Exact detection of hangs (D-62). A run hangs if nothing can happen any more, or if every live lane is blocked or repeats a loop whose
/// state came back unchanged while no memory changed. Before it reports the second case, it suspends the loops until the port is idle, and
/// runs each once more if the unit got an input since its last iteration. Then no latency can matter.
#pragma once
#include <functional>

#include "exec/async/async_engines.hpp"
#include "exec/ctas/launcher.hpp"
#include "exec/lanes/reconvergence.hpp"

namespace gsu::exec {

class HangWatch {
public:
    HangWatch(RunState& state, const Residents& residents, const SyncClient& client,
              const AsyncEngines& async, const Launcher& launcher, Schedulers& schedulers,
              Reconvergence& lanes, LoopWatcher& loops) noexcept
        : s_(state),
          residents_(residents),
          client_(client),
          async_(async),
          launcher_(launcher),
          schedulers_(schedulers),
          lanes_(lanes),
          loops_(loops)
    {
    }

    /// Call once in each executed cycle, before warps issue.
    void watch();
    /// True while loops are suspended: no warp issues until it is known whether anything can end them.
    [[nodiscard]] bool draining() const noexcept { return draining_; }
    /// Call when nothing is in flight any more. True: lanes that were held back for others continue; false: it is a hang.
    [[nodiscard]] bool releaseHeld();
    /// Whether a group's open try_wait, if it ended without success, would only be repeated.
    using AsksAgain = std::function<bool(Warp&, const Group&)>;
    /// Whether every group is stuck, or only repeats its wait.
    [[nodiscard]] bool nothingMoves(const AsksAgain& asksAgain) const;
    /// Call when something outside the launch has happened: suspended loops may continue.
    void wake() noexcept { draining_ = false; }

private:
    [[nodiscard]] bool suspended(const Warp& warp, const Group& group) const;
    [[nodiscard]] bool stuck(const Warp& warp, const Group& group) const;
    [[nodiscard]] bool nothingMoves() const;

    RunState& s_;
    const Residents& residents_;
    const SyncClient& client_;
    const AsyncEngines& async_;
    const Launcher& launcher_;
    Schedulers& schedulers_;
    Reconvergence& lanes_;
    LoopWatcher& loops_;
    bool draining_{};
    Cycle drainFrom_{};             ///< when draining began
    std::uint64_t drainChanges_{};  ///< Progress::changes when draining began
    std::uint64_t
        lookedAfter_{};  ///< PortSide::acts when loops last continued with nothing in flight
};

/// PTX line of the load that a loop on memory polls; 0: not known.
using PollLine = std::function<std::uint32_t(const Group&)>;
/// The waiters and their objects, in words. exec/causes adds the missing participants and the reasons.
[[nodiscard]] HangReport reportHang(const RunState& state, const Residents& residents,
                                    const SyncClient& client, const Memory& memory,
                                    const PollLine& pollLine);

}  // namespace gsu::exec
