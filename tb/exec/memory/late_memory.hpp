/// The executor's side of memory that takes time (tb/exec/memory.md): delayed accesses, their bytes when they are performed, and the
/// announcements to the port.
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
    /// All arguments must outlive it.
    LateMemory(RunState& state, DeviceMemory& device, SharedBytes& shared);

    /// Whether stores by an instruction of this state space may be delayed.
    [[nodiscard]] bool mayDelay(ptx::Space space) const noexcept
    {
        if (form_ == visibility::Form::Default)
            return space == ptx::Space::Generic || space == ptx::Space::SharedCluster;
        return form_ == visibility::Form::Weak && space != ptx::Space::Local;
    }
    /// Whether stores of this CTA to the place are delayed.
    [[nodiscard]] bool delays(const Cta& cta, const Place& place) const noexcept;
    /// Whether an access is pending: then loads must ask.
    [[nodiscard]] bool pending() const noexcept { return !queue_.empty(); }
    /// Whether an access may be pending for bytes from the place on; `address`: of its first byte.
    [[nodiscard]] bool pendingAt(const Place& place, std::uint64_t address,
                                 std::uint32_t bytes) const noexcept
    {
        return pending() && queue_.near(whereOf(place, address), bytes);
    }
    /// Whether beforeWrite() has something to do.
    [[nodiscard]] bool watchesWrites() const noexcept
    {
        return logsShared_ || logsGlobal_ || logsMaps_ || tellsMatrix_;
    }
    [[nodiscard]] Cycle next() const noexcept { return queue_.next(); }
    /// Performs accesses that are due now.
    void perform();

    /// Delays a store of a lane: elements of `element` bytes. Pre: delays().
    void store(const Ctx& ctx, unsigned lane, const Place& place, std::uint64_t address,
               const std::uint8_t* bytes, unsigned total, unsigned element);
    /// Delays a reduction. Pre: delays(), at most 8 bytes.
    void reduce(const Ctx& ctx, unsigned lane, const Place& place, std::uint64_t address,
                std::uint64_t value, const MicroOp& op);
    /// Delays a reduction of a lane until its packet is delivered, or its thread acts on the place again. Returns the name for
    /// performHeld(). Pre: at most 8 bytes.
    [[nodiscard]] std::uint64_t hold(const Ctx& ctx, unsigned lane, const Place& place,
                                     std::uint64_t address, std::uint64_t value, const MicroOp& op);
    /// The packet of a held reduction has left: fences and releases of its CTA, barriers of its warp wait for it.
    void left(std::uint64_t name) { queue_.left(name); }
    void performHeld(std::uint64_t name);
    /// Whether a repeated witness has times for stores of this line.
    [[nodiscard]] bool timed(std::uint32_t line) const
    {
        return s_.options.storeTimes.contains(line);
    }
    /// Overlays the stores that the lane sees on bytes that were read at the place.
    void read(const Ctx& ctx, unsigned lane, const Place& place, std::uint64_t address,
              std::uint8_t* bytes, unsigned total);
    /// Performs the stores that the lane sees there: the following instruction acts on memory itself.
    void settle(const Ctx& ctx, unsigned lane, const Place& place, std::uint64_t address,
                unsigned total);
    /// Performs the warp's stores towards its CTA, and all stores of everyone.
    void settleWarp(const Warp& warp);
    void settleAll();
    /// The CTA's last thread has exited: performs its stores, and the stores to its shared memory.
    void exited(const Cta& cta);

    /// Announces to the port the accesses that a request has to wait for, before it is presented.
    void announce(const SyncRequest& request, const Cta& cta);

    /// Generic stores are logged from now on: copies read memory through the async proxy.
    void watchProxy(bool shared, bool global) noexcept;
    /// The kernel has wgmma: the matrix engine is notified of stores of a CTA to its own window.
    void watchMatrix() noexcept { tellsMatrix_ = true; }
    /// Call before a generic write of `bytes` bytes to the place.
    void beforeWrite(const Cta& by, const Place& place, std::uint64_t address, unsigned bytes)
    {
        if (logsShared_ || logsGlobal_ || logsMaps_) log(by.serial, place, address, bytes);
        if (tellsMatrix_) tellMatrix(by, place, bytes);
    }
    /// Turns bytes of memory into those that a copy of a CTA sees; `where` as in whereOf().
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
    /// Turns the bytes of a map in global memory into those that a copy of the CTA sees, and returns the missing fence.
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
    /// Call after a change of the queue: counts waiting stores, and reports performed ones to the port.
    void count();

    RunState& s_;
    DeviceMemory& device_;
    SharedBytes& shared_;
    const visibility::Form form_;
    bool logsShared_{}, logsGlobal_{}, logsMaps_{}, tellsMatrix_{};
    visibility::StoreQueue queue_;
    std::vector<Accesses> told_;  ///< accesses performed in this change, one record for each count
    visibility::ProxyLog log_;
    visibility::MapLog maps_;
};

}  // namespace gsu::exec
