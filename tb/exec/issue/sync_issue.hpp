/// Turns synchronization instructions into requests at the port: one for each lane group and distinct (id, count) or member mask.
#pragma once
#include "exec/async/async_engines.hpp"
#include "exec/async/remote_atomics.hpp"
#include "exec/lanes/reconvergence.hpp"
#include "exec/memory/memory.hpp"

namespace gsu::exec {

class SyncIssue {
public:
    SyncIssue(RunState& state, Memory& memory, SyncClient& client, AsyncEngines& async,
              RemoteAtomics& atomics, Reconvergence& lanes) noexcept
        : s_(state),
          memory_(memory),
          client_(client),
          async_(async),
          atomics_(atomics),
          lanes_(lanes)
    {
    }

    /// Executes such an instruction for `lanes` of the group. Returns the error that ends the run; empty: none.
    [[nodiscard]] FaultNote issue(Warp& warp, std::uint32_t index, const MicroOp& op, Lanes lanes);
    /// Requests the atomics of Ctx::away, checked by atomOp; the group waits for the answer. Pre: away != 0.
    void atomics(Ctx& ctx, const MicroOp& op);

private:
    [[nodiscard]] SyncRequest requestOf(const Ctx& ctx, const MicroOp& op, const SyncInfo& info,
                                        Lanes lanes) const;
    [[nodiscard]] bool address(Ctx& ctx, const MicroOp& op, const SyncInfo& info, SyncRequest& r);
    void checkBarrier(const SyncRequest& request) const;
    [[nodiscard]] bool splitsByOperands(Warp& warp, std::uint32_t index, const SyncInfo& info,
                                        Lanes lanes);
    void checkGuard(Warp& warp, Group& group, const MicroOp& op, const SyncInfo& info,
                    Lanes lanes) const;
    void checkState(const Ctx& ctx, const MicroOp& op, const SyncInfo& info,
                    const SyncRequest& r) const;
    void checkMap(const Ctx& ctx, const MicroOp& op, const SyncInfo& info, Lanes lanes);
    [[nodiscard]] Lanes mbarAddresses(const Ctx& ctx, const MicroOp& op, const SyncInfo& info,
                                      SyncRequest& r);
    /// Place of a lane's address, and that address in the form of requests.
    struct MbarPlace {
        Place place;  ///< without bytes: refused, which was reported
        std::uint64_t address{};
        std::uint32_t mapped{};
    };
    [[nodiscard]] MbarPlace mbarPlace(const Ctx& ctx, const MicroOp& op, const SyncInfo& info,
                                      unsigned lane, std::uint64_t address);
    void warpOp(Warp& warp, std::uint32_t index, const MicroOp& op, const SyncInfo& info,
                Lanes lanes);
    [[nodiscard]] FaultNote cancels(Ctx& ctx, const MicroOp& op, const SyncInfo& info, Lanes lanes);
    void cancel(Ctx& ctx, const MicroOp& op, const SyncInfo& info, unsigned lane, SyncRequest& r,
                CancelRequest& sent);
    void remoteStores(Ctx& ctx, const SyncRequest& request, const MicroOp& op,
                      const SyncInfo& info);
    void tellRemote(const SyncRequest& one, std::uint64_t name, bool reduces,
                    const MemoryRange& range) const;
    void remoteStore(Ctx& ctx, const SyncRequest& request, const MicroOp& op, const SyncInfo& info,
                     unsigned lane);
    std::uint16_t submit(Warp& warp, Group& group, const SyncRequest& request, const MicroOp& op,
                         const SyncInfo& info);
    void checkMasks(const Warp& warp, const SyncRequest& request, const MicroOp& op);

    RunState& s_;
    Memory& memory_;
    SyncClient& client_;
    AsyncEngines& async_;
    RemoteAtomics& atomics_;
    Reconvergence& lanes_;
};

}  // namespace gsu::exec
