/// The executor's side of memory that takes time (tb/exec/memory.md): which accesses are delayed, their bytes when they are performed, and what the port is
/// told of them.
#pragma once
#include "exec/device/device_memory.hpp"
#include "exec/state/run_state.hpp"
#include "exec/storage/global_memory.hpp"
#include "exec/visibility/form.hpp"
#include "exec/visibility/map_log.hpp"
#include "exec/visibility/proxy_log.hpp"
#include "exec/visibility/store_queue.hpp"
#include "exec/warps/residents.hpp"

namespace gsu::exec {

struct Place;

class LateMemory final : private visibility::StoreSink {
public:
    /// All must outlive it.
    LateMemory(RunState& state, DeviceMemory& device, SharedBytes& shared);

    /// Stores by an instruction of this state space may be delayed.
    [[nodiscard]] bool mayDelay(ptx::Space space) const noexcept
    {
        if (form_ == visibility::Form::Default)
            return space == ptx::Space::Generic || space == ptx::Space::SharedCluster;
        return form_ == visibility::Form::Weak && space != ptx::Space::Local;
    }
    /// Stores of this CTA to the place are delayed.
    [[nodiscard]] bool delays(const Cta& cta, const Place& place) const noexcept;
    /// Something is pending: loads must ask.
    [[nodiscard]] bool pending() const noexcept { return !queue_.empty(); }
    /// Something may be pending for bytes from the place on; `address`: of its first.
    [[nodiscard]] bool pendingAt(const Place& place, std::uint64_t address,
                                 std::uint32_t bytes) const noexcept
    {
        return pending() && queue_.near(whereOf(place, address), bytes);
    }
    /// beforeWrite() has something to do.
    [[nodiscard]] bool watchesWrites() const noexcept
    {
        return logsShared_ || logsGlobal_ || logsMaps_ || tellsMatrix_;
    }
    [[nodiscard]] Cycle next() const noexcept { return queue_.next(); }
    /// Performs what is due now.
    void perform();

    /// A delayed store of a lane: elements of `element` bytes. Pre: delays().
    void store(const Ctx& ctx, unsigned lane, const Place& place, std::uint64_t address,
               const std::uint8_t* bytes, unsigned total, unsigned element);
    /// A delayed reduction. Pre: delays(), at most 8 bytes.
    void reduce(const Ctx& ctx, unsigned lane, const Place& place, std::uint64_t address,
                std::uint64_t value, const MicroOp& op);
    /// A reduction of a lane that is performed when its packet is delivered, or as soon as its thread acts on the place again: the name that
    /// performHeld() wants. Pre: at most 8 bytes.
    [[nodiscard]] std::uint64_t hold(const Ctx& ctx, unsigned lane, const Place& place,
                                     std::uint64_t address, std::uint64_t value, const MicroOp& op);
    /// Its packet has left: fences and releases of its CTA, barriers of its warp wait for it.
    void left(std::uint64_t name) { queue_.left(name); }
    void performHeld(std::uint64_t name);
    /// A witness that is repeated says when stores of this line are performed.
    [[nodiscard]] bool timed(std::uint32_t line) const
    {
        return s_.options.storeTimes.contains(line);
    }
    /// Lays what the lane sees over bytes that were read at the place.
    void read(const Ctx& ctx, unsigned lane, const Place& place, std::uint64_t address,
              std::uint8_t* bytes, unsigned total);
    /// Performs what the lane sees there: what follows acts on memory itself.
    void settle(const Ctx& ctx, unsigned lane, const Place& place, std::uint64_t address,
                unsigned total);
    /// Performs what a warp has stored towards its CTA, and everything of everyone.
    void settleWarp(const Warp& warp);
    void settleAll();
    /// The CTA's last thread has exited: what it stored and what goes to its shared memory is performed.
    void exited(const Cta& cta);

    /// Tells the port what a request that is about to be presented has to wait for.
    void announce(const SyncRequest& request, const Cta& cta);

    /// Copies read memory through the async proxy: generic stores are remembered from now on.
    void watchProxy(bool shared, bool global) noexcept;
    /// The kernel has wgmma: the matrix engine hears of stores of a CTA to its own window.
    void watchMatrix() noexcept { tellsMatrix_ = true; }
    /// A generic write of `bytes` bytes to the place is about to happen.
    void beforeWrite(const Cta& by, const Place& place, std::uint64_t address, unsigned bytes)
    {
        if (logsShared_ || logsGlobal_ || logsMaps_) log(by.serial, place, address, bytes);
        if (tellsMatrix_) tellMatrix(by, place, bytes);
    }
    /// Turns bytes of memory into what a copy of a CTA sees; `where` as whereOf().
    void asCopySees(const CtaKey& issuer, visibility::Where where, std::uint8_t* bytes,
                    std::size_t count);
    void copyWrote(visibility::Where where, std::size_t count);
    void proxyFence(const Cta& cta, visibility::ProxyLog::Of of) { log_.fence(cta.serial, of); }

    /// The kernel has tensor copies: they read maps through the tensormap proxy.
    void watchMaps() noexcept { logsMaps_ = true; }
    void mapReleased() noexcept { maps_.released(); }
    void mapAcquired(const Cta& cta, std::uint64_t address, std::size_t count)
    {
        maps_.acquired(cta.serial, address, count);
    }
    /// Turns the bytes of a map in global memory into what a copy of the CTA sees, and says which fence it lacks.
    [[nodiscard]] visibility::MapLog::Missing
    asMapSees(const Cta& cta, std::uint64_t address, std::uint8_t* bytes, std::size_t count) const;

    [[nodiscard]] static visibility::Where whereShared(const Launch& l,
                                                       std::uint32_t offset) noexcept
    {
        return visibility::Where{l.sm} << 20 | (l.base + offset);
    }
    [[nodiscard]] static visibility::Where whereOf(const Place& place,
                                                   std::uint64_t address) noexcept;

private:
    void toEveryone(const visibility::Store& store,
                    const visibility::Announced& announced) override;
    void toCta(const visibility::Store& store, const visibility::Announced& announced) override;
    void tell(const visibility::Store& store, Reach reach, std::uint8_t epoch);
    void log(std::uint64_t by, const Place& place, std::uint64_t address, unsigned bytes);
    void tellMatrix(const Cta& by, const Place& place, unsigned bytes) const;
    void push(const visibility::Store& store, std::uint32_t line);
    [[nodiscard]] static visibility::Store reduction(const Ctx& ctx, unsigned lane,
                                                     const Place& place, std::uint64_t address,
                                                     std::uint64_t value, const MicroOp& op);
    [[nodiscard]] std::uint8_t* bytesAt(const visibility::Store& store) noexcept;
    /// After a change of the queue: how many wait, and what was performed, told to the port.
    void count();

    RunState& s_;
    DeviceMemory& device_;
    SharedBytes& shared_;
    const visibility::Form form_;
    bool logsShared_{}, logsGlobal_{}, logsMaps_{}, tellsMatrix_{};
    visibility::StoreQueue queue_;
    std::vector<Accesses> told_;  ///< performed in this change, one of each count
    visibility::ProxyLog log_;
    visibility::MapLog maps_;
};

}  // namespace gsu::exec
