/// Memory of the device and memory of the host that kernels see, under addresses that both sides share: a pointer means the same everywhere. Host
/// addresses are reserved for device memory, so that a pointer to it is never one to anything else, and touching it on the host faults as on a
/// machine with a GPU.
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
        Host,        ///< page-locked, made here
        Registered,  ///< the program's own, made known
        Variable     ///< of a module
    } kind{Kind::Device};
    std::uint64_t address{}, bytes{};
    std::uint8_t* data{};  ///< where this process finds its bytes
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
    /// `watched`: reads of bytes that nobody has written are looked for.
    explicit Heap(std::uint64_t capacity, bool watched = false);
    ~Heap();
    Heap(const Heap&) = delete;
    Heap& operator=(const Heap&) = delete;

    /// What kernels access.
    [[nodiscard]] exec::GlobalMemory& global() noexcept { return global_; }
    /// nullptr: there is not so much. `align`: a power of two. Pre: kind is Device, Managed or Host.
    [[nodiscard]] const Allocation* allocate(Allocation::Kind kind, std::uint64_t bytes,
                                             std::string site, std::uint64_t align = 256);
    /// The program's own memory. nullptr: part of it is known already.
    [[nodiscard]] const Allocation* adopt(void* memory, std::uint64_t bytes, std::string site);
    /// A variable of a module, whose bytes are at `data`.
    void addVariable(std::uint64_t address, std::uint64_t bytes, std::uint8_t* data,
                     std::string name);
    void removeVariable(std::uint64_t address) { live_.erase(address); }
    /// False: nothing of one of these kinds begins there.
    bool release(std::uint64_t address);
    [[nodiscard]] bool watched() const noexcept { return written_.has_value(); }
    /// The program has written, or copied on the device, if anybody wants to know.
    void wrote(std::uint64_t address, std::uint64_t bytes);
    void copied(std::uint64_t to, std::uint64_t from, std::uint64_t bytes);
    /// Everything but variables.
    void releaseAll();

    /// What holds the address; nullptr: nothing.
    [[nodiscard]] const Allocation* find(std::uint64_t address) const noexcept;
    [[nodiscard]] const Allocation* find(const void* address) const noexcept
    {
        return find(reinterpret_cast<std::uint64_t>(address));
    }
    /// Something that the address lay in, and that was freed; nullptr: nothing.
    [[nodiscard]] const Allocation* freed(std::uint64_t address) const noexcept;
    /// In the range that is reserved for device memory.
    [[nodiscard]] bool reserved(std::uint64_t address) const noexcept
    {
        return address - base_ < bytes_;
    }
    /// "byte 12 of cudaMalloc at app+0x12, which has 4 bytes", "4 bytes before ...", "outside every allocation".
    [[nodiscard]] std::string describe(std::uint64_t address) const;

    [[nodiscard]] std::uint64_t capacity() const noexcept { return capacity_; }
    [[nodiscard]] std::uint64_t used() const noexcept { return used_; }
    /// How often an allocation was put where something had been freed: an address means something else since then.
    [[nodiscard]] std::uint64_t recycled() const noexcept { return recycled_; }
    [[nodiscard]] const std::map<std::uint64_t, Allocation>& all() const noexcept { return live_; }

private:
    void reserve();
    const Allocation* add(Allocation allocation);
    void giveBack(const Allocation& allocation) noexcept;
    /// Addresses for `bytes` and the gap behind them: such as nobody has had as long as there are some. nullopt: none are left.
    [[nodiscard]] std::optional<std::uint64_t> place(std::uint64_t bytes, std::uint64_t align);
    [[nodiscard]] std::optional<std::uint64_t> recycle(std::uint64_t bytes, std::uint64_t align);
    void take(std::uint64_t address, std::uint64_t end);
    void addFree(std::uint64_t address, std::uint64_t bytes);
    /// The bytes of an allocation that begins there; nullptr: the system has none.
    [[nodiscard]] std::uint8_t* bytesFor(const Allocation& allocation) const noexcept;

    exec::GlobalMemory global_;
    std::optional<exec::WrittenBytes> written_;  ///< of device memory
    std::uint64_t capacity_, used_{};
    std::uint64_t base_{}, bytes_{};  ///< reserved
    std::uint64_t next_{};            ///< where the next allocation may begin
    std::map<std::uint64_t, std::uint64_t>
        free_;              ///< ranges that were freed: from where to where; none touches another
    std::uint64_t from_{};  ///< behind what was recycled last
    std::uint64_t made_{}, recycled_{};
    std::map<std::uint64_t, Allocation> live_;
    std::vector<Allocation> freed_;  ///< the last ones
};

}  // namespace gsu::cuda
