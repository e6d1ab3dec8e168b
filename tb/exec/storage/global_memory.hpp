/// Memory of a launch: global allocations, constant bank, kernel parameters, the shared bytes of each SM, and the windows of generic
/// addresses (GEN-002, GEN-003, D-66). Shared addresses are {rank + 1, offset} in 8 + 24 bits; the rank field 0 means the executing CTA, so
/// a mapped address is never mistaken for a local one (NVVM-008). In kernels with pairs of CTAs they are {rank, offset}
/// (Program::rankedAddresses).
#pragma once
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "golden/port.hpp"

namespace gsu::exec {

inline constexpr std::uint64_t kSharedWindow = 0x0000'7f10'0000'0000ull;
inline constexpr std::uint64_t kLocalWindow = 0x0000'7f20'0000'0000ull;
inline constexpr std::uint64_t kParamWindow = 0x0000'7f30'0000'0000ull;
inline constexpr std::uint64_t kConstWindow = 0x0000'7f38'0000'0000ull;
inline constexpr std::uint64_t kGlobalBase = 0x0000'7f40'0000'0000ull;
inline constexpr std::uint64_t kMultimemBase = 0x0000'7e80'0000'0000ull;  ///< of multimem addresses
inline constexpr std::uint64_t kMaxLocal = 512 * 1024;                    ///< bytes of one thread
inline constexpr std::uint64_t kStackBase = 0x8000'0000ull;  ///< of alloca, in local memory
inline constexpr std::uint64_t kWindowMask = 0xffff'ffffull;

[[nodiscard]] constexpr bool inWindow(std::uint64_t address, std::uint64_t window) noexcept
{
    return (address & ~kWindowMask) == window;
}

/// Frees the bytes of a block, if they are its own.
struct BlockRelease {
    bool owned{true};
    void operator()(std::uint8_t* bytes) const noexcept
    {
        if (owned) delete[] bytes;
    }
};

class WrittenBytes;

class GlobalMemory {
public:
    struct Block {
        std::uint64_t base{}, bytes{};
        std::unique_ptr<std::uint8_t[], BlockRelease> data;
        std::string name;
        bool heap{};            ///< may be released
        std::uint64_t freed{};  ///< former size of a released block, kept a while for messages
    };
    /// Allocates zeroed memory, 256-byte aligned, with a gap after it. Returns the address. `at`: not below it; ascending, because existing
    /// blocks cannot move.
    std::uint64_t allocate(std::uint64_t bytes, std::string name, bool heap = false,
                           std::uint64_t at = 0);
    /// Adds a block at `base` whose bytes are at `data`, which outlives it, until forget(). False: it overlaps another one.
    bool adopt(std::uint64_t base, std::uint64_t bytes, std::uint8_t* data, std::string name);
    /// From now on allocate() returns nothing below `base`.
    void startAt(std::uint64_t base) noexcept { next_ = base; }
    /// Bytes of the block that starts there; 0: none does.
    [[nodiscard]] std::uint64_t sizeAt(std::uint64_t base) const noexcept;
    /// Releases a heap block. Returns the bytes that became free; 0 if no heap block starts there.
    std::uint64_t release(std::uint64_t base);
    /// Removes a block of adopt(); it is kept a while for messages, like released ones.
    void forget(std::uint64_t base);
    /// The bytes of an address; nullptr if [address, address + bytes) is not inside one block.
    [[nodiscard]] std::uint8_t* find(std::uint64_t address, std::uint64_t bytes) noexcept
    {
        if (last_ < blocks_.size()) {
            const Block& b = blocks_[last_];
            const std::uint64_t at = address - b.base;
            if (at < b.bytes && bytes <= b.bytes - at) return b.data.get() + at;
        }
        return search(address, bytes);
    }
    /// Forgets all blocks except the first `count`. Pre: only allocations happened since there were this many.
    void keepFirst(std::size_t count);
    [[nodiscard]] const std::vector<Block>& blocks() const noexcept { return blocks_; }
    /// Also looks for reads of unwritten bytes. `written` outlives it.
    void watch(WrittenBytes& written) noexcept { watched_ = &written; }
    /// The record of written bytes; nullptr: there is none.
    [[nodiscard]] WrittenBytes* watched() const noexcept { return watched_; }
    /// "inside/behind `name`", for messages.
    [[nodiscard]] std::string describe(std::uint64_t address) const;
    /// The block that contains an address, or nullptr.
    [[nodiscard]] const Block* holding(std::uint64_t address) const;

private:
    [[nodiscard]] std::uint8_t* search(std::uint64_t address, std::uint64_t bytes) noexcept;
    /// The first block that starts after `address`.
    [[nodiscard]] std::vector<Block>::iterator above(std::uint64_t address) noexcept;
    /// The block that starts at `base`, unless it is freed; end(): none.
    [[nodiscard]] std::vector<Block>::iterator at(std::uint64_t base) noexcept;
    std::uint64_t free(Block& block);
    std::vector<Block> blocks_;  ///< ascending base
    std::uint64_t next_{kGlobalBase};
    /// Index of the block where this thread found an address last; per thread, because parallel SMs would only overwrite each other's.
    inline static constinit thread_local std::size_t last_ = 0;
    std::size_t freed_{};
    WrittenBytes* watched_{};
};

/// One byte array per SM; the RTL's memory port reads and writes words of it.
class SharedBytes final : public SharedMemory {
public:
    static constexpr std::uint32_t kBytesPerSm = 256 * 1024;  ///< 18-bit word addresses
    static constexpr std::uint32_t kUsablePerSm = 227 * 1024;
    explicit SharedBytes(unsigned sms) : bytes_(sms, std::vector<std::uint8_t>(kBytesPerSm)) {}

    [[nodiscard]] std::uint64_t readWord(std::uint8_t sm, std::uint32_t addr) const override
    {
        std::uint64_t word;
        std::memcpy(&word, bytes_[sm].data() + (addr & (kBytesPerSm - 8)), 8);
        return word;
    }
    void writeWord(std::uint8_t sm, std::uint32_t addr, std::uint64_t value) override
    {
        std::memcpy(bytes_[sm].data() + (addr & (kBytesPerSm - 8)), &value, 8);
    }
    [[nodiscard]] std::uint8_t* at(unsigned sm, std::uint32_t addr) noexcept
    {
        return bytes_[sm].data() + addr;
    }

private:
    std::vector<std::vector<std::uint8_t>> bytes_;
};

}  // namespace gsu::exec
