/// Memory of the device and memory of the host that kernels see, under addresses that both sides share: a pointer means the same
/// everywhere. Host addresses are reserved for device memory. So a pointer to it never points to anything else, and touching it on the host
/// faults as on a machine with a GPU.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "exec/storage/global_memory.hpp"
#include "exec/storage/written_bytes.hpp"

namespace gsu::cuda {

struct Allocation {
    enum class Kind : std::uint8_t {
        Device,
        Managed,
        Host,        ///< page-locked, allocated here
        Registered,  ///< the program's own memory, registered
        Variable     ///< variable of a module
    } kind{Kind::Device};
    std::uint64_t address{}, bytes{};
    std::uint8_t* data{};  ///< its bytes in this process
    std::string site;      ///< "cudaMalloc at app+0x1234"
    std::uint32_t flags{};
    std::uint64_t number{};  ///< counts allocations

    [[nodiscard]] bool onHost() const noexcept
    {
        return kind == Kind::Host || kind == Kind::Registered;
    }
};

class Heap {
public:
    /// A heap of `capacity` bytes. `watched`: reads of unwritten bytes are looked for.
    explicit Heap(std::uint64_t capacity, bool watched = false);
    ~Heap();
    Heap(const Heap&) = delete;
    Heap& operator=(const Heap&) = delete;

    /// The memory that kernels access.
    [[nodiscard]] exec::GlobalMemory& global() noexcept { return global_; }
    /// Allocates memory; nullptr: there is not enough. `align`: a power of two. Pre: kind is Device, Managed or Host.
    [[nodiscard]] const Allocation* allocate(Allocation::Kind kind, std::uint64_t bytes,
                                             std::string site, std::uint64_t align = 256);
    /// Registers the program's own memory. nullptr: part of it is registered already.
    [[nodiscard]] const Allocation* adopt(void* memory, std::uint64_t bytes, std::string site);
    /// Adds a variable of a module, whose bytes are at `data`.
    void addVariable(std::uint64_t address, std::uint64_t bytes, std::uint8_t* data,
                     std::string name);
    void removeVariable(std::uint64_t address) { live_.erase(address); }
    /// Frees an allocation. False: no allocation of these kinds begins there.
    bool release(std::uint64_t address);
    [[nodiscard]] bool watched() const noexcept { return written_.has_value(); }
    /// Notes a write of the program, or a copy on the device, if the heap is watched.
    void wrote(std::uint64_t address, std::uint64_t bytes);
    void copied(std::uint64_t to, std::uint64_t from, std::uint64_t bytes);
    /// Frees everything except variables.
    void releaseAll();

    /// The allocation that contains the address, or nullptr.
    [[nodiscard]] const Allocation* find(std::uint64_t address) const noexcept;
    [[nodiscard]] const Allocation* find(const void* address) const noexcept
    {
        return find(reinterpret_cast<std::uint64_t>(address));
    }
    /// A freed allocation that contained the address, or nullptr.
    [[nodiscard]] const Allocation* freed(std::uint64_t address) const noexcept;
    /// Whether an address is in the range that is reserved for device memory.
    [[nodiscard]] bool reserved(std::uint64_t address) const noexcept
    {
        return address - base_ < bytes_;
    }
    /// "byte 12 of cudaMalloc at app+0x12, which has 4 bytes", "4 bytes before ...", "outside every allocation".
    [[nodiscard]] std::string describe(std::uint64_t address) const;

    [[nodiscard]] std::uint64_t capacity() const noexcept { return capacity_; }
    [[nodiscard]] std::uint64_t used() const noexcept { return used_; }
    /// How often an allocation reused freed addresses: since then such an address has another meaning.
    [[nodiscard]] std::uint64_t recycled() const noexcept { return recycled_; }
    [[nodiscard]] const std::map<std::uint64_t, Allocation>& all() const noexcept { return live_; }

private:
    void reserve();
    const Allocation* add(Allocation allocation);
    void giveBack(const Allocation& allocation) noexcept;
    /// Addresses for `bytes` and the gap after them; unused ones as long as there are some. nullopt: none are left.
    [[nodiscard]] std::optional<std::uint64_t> place(std::uint64_t bytes, std::uint64_t align);
    [[nodiscard]] std::optional<std::uint64_t> recycle(std::uint64_t bytes, std::uint64_t align);
    void take(std::uint64_t address, std::uint64_t end);
    void addFree(std::uint64_t address, std::uint64_t bytes);
    /// The bytes for an allocation that begins there; nullptr: the system has none.
    [[nodiscard]] std::uint8_t* bytesFor(const Allocation& allocation) const noexcept;

    exec::GlobalMemory global_;
    std::optional<exec::WrittenBytes> written_;  ///< written bytes of device memory
    std::uint64_t capacity_, used_{};
    std::uint64_t base_{}, bytes_{};  ///< reserved range
    std::uint64_t next_{};            ///< first address for the next allocation
    std::map<std::uint64_t, std::uint64_t>
        free_;              ///< freed ranges: from and to; no two are adjacent
    std::uint64_t from_{};  ///< end of the range that was reused last
    std::uint64_t made_{}, recycled_{};
    std::map<std::uint64_t, Allocation> live_;
    std::vector<Allocation> freed_;  ///< last freed allocations
};

}  // namespace gsu::cuda
