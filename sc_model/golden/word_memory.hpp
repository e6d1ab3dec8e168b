/// \file
/// A plain SharedMemory for drivers that have none of their own. All words start as 0.
#pragma once
#include <vector>

#include "golden/port.hpp"

namespace gsu {

/// 256 KiB per SM in 8-byte words.
class WordMemory final : public SharedMemory {
public:
    /// Bytes of one SM; addresses are taken modulo this number.
    static constexpr std::uint32_t kBytes = 1u << 18;

    /// Memory of `sms` SMs.
    explicit WordMemory(unsigned sms) : words_(std::size_t{sms} * kWords) {}
    [[nodiscard]] std::uint64_t readWord(std::uint8_t sm, std::uint32_t addr) const override
    {
        return words_[sm * kWords + addr / 8 % kWords];
    }
    void writeWord(std::uint8_t sm, std::uint32_t addr, std::uint64_t value) override
    {
        words_[sm * kWords + addr / 8 % kWords] = value;
    }

private:
    static constexpr std::size_t kWords = kBytes / 8;
    std::vector<std::uint64_t> words_;
};

}  // namespace gsu
