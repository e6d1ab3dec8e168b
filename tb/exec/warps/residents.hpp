/// The CTAs that are resident on the SMs, by SM and slot.
#pragma once
#include <array>
#include <cassert>
#include <memory>
#include <vector>

#include "exec/warps/warp.hpp"

namespace gsu::exec {

inline constexpr std::uint8_t kNoSm = 0xff;  ///< of a key that names no CTA

/// A CTA that may have ended when a late event for it happens.
struct CtaKey {
    std::uint8_t sm{}, slot{};
    std::uint64_t serial{};
    bool operator==(const CtaKey&) const = default;
};

[[nodiscard]] inline CtaKey keyOf(const Cta& cta) noexcept
{
    return {cta.launch.sm, cta.launch.cta, cta.serial};
}

class Residents {
public:
    explicit Residents(unsigned sms) : slots_(sms) {}

    [[nodiscard]] unsigned sms() const noexcept { return static_cast<unsigned>(slots_.size()); }
    /// The CTA of a slot; nullptr: the slot is free.
    [[nodiscard]] Cta* at(unsigned sm, unsigned slot) const noexcept
    {
        return slots_[sm][slot].get();
    }
    /// The CTA of a key; nullptr if it has ended, or `key` names no SM.
    [[nodiscard]] Cta* live(const CtaKey& key) const noexcept
    {
        if (key.sm >= slots_.size()) return nullptr;
        Cta* cta = at(key.sm, key.slot);
        return cta != nullptr && cta->serial == key.serial && cta->liveWarps != 0 ? cta : nullptr;
    }
    /// The CTA whose shared memory contains an address of an SM, or nullptr.
    [[nodiscard]] const Cta* holding(unsigned sm, std::uint32_t address) const noexcept
    {
        for (const auto& cta : slots_[sm]) {
            if (cta != nullptr && address >= cta->launch.base &&
                address - cta->launch.base < cta->launch.size)
                return cta.get();
        }
        return nullptr;
    }
    /// Puts a CTA into the slot of its launch. Pre: free.
    void put(std::unique_ptr<Cta> cta)
    {
        auto& slot = slots_[cta->launch.sm][cta->launch.cta];
        assert(slot == nullptr);
        slot = std::move(cta);
    }
    /// Takes a CTA out of its slot.
    [[nodiscard]] std::unique_ptr<Cta> take(const Cta& cta) noexcept
    {
        return std::move(slots_[cta.launch.sm][cta.launch.cta]);
    }

    /// Calls f(Cta&) for each CTA, by SM and slot.
    template <class F> void each(F&& f) const
    {
        for (const auto& sm : slots_) {
            for (const auto& cta : sm) {
                if (cta != nullptr) f(*cta);
            }
        }
    }

private:
    std::vector<std::array<std::unique_ptr<Cta>, kMaxCtas>> slots_;
};

}  // namespace gsu::exec
