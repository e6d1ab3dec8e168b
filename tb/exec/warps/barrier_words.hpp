/// States of a CTA's barriers as last committed, for findings and the explanation of a hang.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "golden/types.hpp"

namespace gsu::exec {

class BarrierWords {
public:
    /// Sets the word of a named barrier. `id` is below kBarsPerCta.
    void setNamed(std::uint32_t id, std::uint64_t word) noexcept
    {
        named_[id] = word;
        namedKnown_ |= 1u << id;
    }
    /// The word of a named barrier; nullptr: nothing was committed.
    [[nodiscard]] const std::uint64_t* named(std::uint32_t id) const noexcept
    {
        return id < kBarsPerCta && (namedKnown_ >> id & 1) != 0 ? &named_[id] : nullptr;
    }
    /// Sets the word of an mbarrier. `offset` in the CTA's window of `bytes` bytes; beyond it there is no mbarrier.
    void setMbarrier(std::uint32_t offset, std::uint32_t bytes, std::uint64_t word)
    {
        if (offset >= bytes) return;
        if (words_.empty()) {
            words_.resize(bytes / 8 + 1);
            known_.resize(bytes / 8 + 1);
        }
        words_[offset / 8] = word;
        known_[offset / 8] = true;
    }
    /// Marks an object as live, from its init to its inval.
    void setObject(std::uint32_t offset, std::uint32_t bytes, bool live)
    {
        if (offset >= bytes) return;
        if (objects_.empty()) objects_.resize(bytes / 8 + 1);
        objects_[offset / 8] = live;
        low_ = std::min(low_, offset);
        high_ = std::max(high_, offset + 8);
    }
    /// True if a live object is among these bytes of the window.
    [[nodiscard]] bool holdsObject(std::uint32_t offset, std::uint32_t bytes) const noexcept
    {
        if (offset >= high_ || offset + bytes <= low_) return false;
        const std::uint32_t end = (std::min(offset + bytes, high_) + 7) / 8;
        for (std::uint32_t word = std::max(offset, low_) / 8; word < end; ++word)
            if (objects_[word]) return true;
        return false;
    }
    /// The word of an mbarrier; nullptr: nothing was committed.
    [[nodiscard]] const std::uint64_t* mbarrier(std::uint32_t offset) const noexcept
    {
        return offset / 8 < words_.size() && known_[offset / 8] ? &words_[offset / 8] : nullptr;
    }

private:
    std::array<std::uint64_t, kBarsPerCta> named_{};
    std::uint32_t namedKnown_{};
    std::vector<std::uint64_t> words_;  ///< by word of the window; empty before the first
    std::vector<bool> known_, objects_;
    std::uint32_t low_{~0u}, high_{};  ///< range of all objects so far
};

}  // namespace gsu::exec
