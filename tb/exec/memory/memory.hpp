/// Memory as the threads of a launch see it: resolution of addresses, stores, findings about wrong accesses.
#pragma once
#include "exec/device/device_memory.hpp"
#include "exec/memory/late_memory.hpp"
#include "exec/state/run_state.hpp"
#include "exec/storage/global_memory.hpp"

namespace gsu::exec {

/// The place of an address.
struct Place {
    std::uint8_t* bytes{};
    Cta* owner{};            ///< of shared memory, else nullptr
    std::uint32_t offset{};  ///< in the owner's window
    enum class Where : std::uint8_t {
        None,
        Global,
        Shared,
        Local,
        Stack,  ///< of alloca
        Const,
        Param
    } where{Where::None};
    bool elsewhere{};  ///< a shared address that names another CTA, whether it exists or not
    bool noRank{};     ///< the cluster has no CTA of its rank
    /// in place of memory that does not exist: reads give 0, writes have no effect
    bool standIn{};
    const char* why{""};   ///< reason, if bytes is nullptr
    std::uint64_t size{};  ///< bytes of the memory that was missed; 0: not known
};

/// The author of a store, for findings; line 0: not known.
struct StoredBy {
    std::uint32_t cta{};  ///< linear index
    std::uint32_t warp{};
    Lanes lanes{};
    std::uint32_t line{};
};

class Memory {
public:
    /// All arguments must outlive it. `params`: the bank of the kernel's parameters.
    Memory(RunState& state, DeviceMemory& device, SharedBytes& shared,
           std::vector<std::uint8_t>& params)
        : s_(state), device_(device), shared_(shared), params_(params), late_(state, device, shared)
    {
    }

    /// Finds `bytes` bytes at an address of a lane; an empty place has the reason.
    [[nodiscard]] Place locate(const Ctx& ctx, ptx::Space space, std::uint64_t address,
                               unsigned bytes, unsigned lane);
    /// Bytes at an address of the constant bank or of the kernel's parameters; nullptr: they are not all in it.
    [[nodiscard]] std::uint8_t* bankAt(ptx::Space space, std::uint64_t address,
                                       unsigned bytes) const noexcept;
    /// For RunOptions::keepGoing: reports that global memory was missed, and returns zeros in its place.
    [[nodiscard]] Place standIn(const Ctx& ctx, unsigned lane, const std::string& message);
    /// Writes bytes and notes whether anything changed.
    void write(const Place& place, const void* from, unsigned bytes)
    {
        if (place.standIn || std::memcmp(place.bytes, from, bytes) == 0) return;
        std::memcpy(place.bytes, from, bytes);
        if (place.where != Place::Where::Local) s_.progress.changed();
    }
    /// Reports to the port that bytes of a CTA's window were stored.
    void stored(const Cta& owner, std::uint32_t offset, std::uint32_t bytes, const StoredBy& by);
    /// The memory that takes time.
    [[nodiscard]] LateMemory& late() noexcept { return late_; }
    /// A byte of a CTA's window.
    [[nodiscard]] std::uint8_t* shared(const Cta& owner, std::uint32_t offset) const noexcept
    {
        return shared_.at(owner.launch.sm, owner.launch.base + offset);
    }
    /// An aligned word of a CTA's window.
    [[nodiscard]] std::uint64_t sharedWord(const Cta& owner, std::uint32_t offset) const
    {
        return shared_.readWord(owner.launch.sm, owner.launch.base + offset);
    }
    [[nodiscard]] GlobalMemory& global() noexcept { return device_.global; }
    [[nodiscard]] DeviceMemory& device() noexcept { return device_; }

    /// "WHAT of BYTES bytes at ADDRESS: WHY", with the nearest memory.
    [[nodiscard]] std::string text(const char* what, std::uint64_t address, unsigned bytes,
                                   const char* why) const;
    /// The same for a place that locate() did not find.
    [[nodiscard]] std::string text(const char* what, std::uint64_t address, unsigned bytes,
                                   const Place& missed) const;

private:
    [[nodiscard]] Place locateShared(const Ctx& ctx, std::uint32_t address, unsigned bytes,
                                     bool ctaOnly) const;
    [[nodiscard]] Place locateLocal(const Ctx& ctx, std::uint64_t address, unsigned bytes,
                                    unsigned lane) const;
    [[nodiscard]] Place locateBank(ptx::Space space, std::uint64_t address, unsigned bytes) const;

    RunState& s_;
    DeviceMemory& device_;
    SharedBytes& shared_;
    std::vector<std::uint8_t>& params_;
    LateMemory late_;
    std::array<std::uint8_t, 128> nowhere_{};  ///< bytes of standIn()
};

}  // namespace gsu::exec
