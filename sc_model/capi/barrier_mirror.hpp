/// State of the barriers of a unit, derived from its commits, for queries between cycles. Words are those of golden/layout.gen.hpp.
#pragma once
#include <array>
#include <optional>
#include <unordered_map>
#include <vector>

#include "golden/types.hpp"

namespace gsu::capi {

class BarrierMirror {
public:
    struct Mbarrier {
        std::uint64_t word{};
        std::uint64_t phases{};
        bool known{};  ///< `word` is the newest; else the newest is in memory
    };

    explicit BarrierMirror(unsigned sms) : ctas_(std::size_t{sms} * kMaxCtas) {}

    void saw(const Commit& commit);
    /// Clears the slot of a freed CTA.
    void freed(unsigned sm, unsigned cta) { at(sm, cta) = {}; }
    /// An ordinary store may have changed mbarriers of this CTA: from now on the words in memory are valid. Offsets in its window.
    void stored(unsigned sm, unsigned cta, std::uint32_t from, std::uint32_t bytes);

    [[nodiscard]] std::uint64_t named(unsigned sm, unsigned cta, unsigned id) const
    {
        return at(sm, cta).named[id];
    }
    [[nodiscard]] std::uint64_t completions(unsigned sm, unsigned cta, unsigned id) const
    {
        return at(sm, cta).completions[id];
    }
    /// Warps that have arrived at the cluster barrier.
    [[nodiscard]] Lanes clusterArrived(unsigned sm, unsigned cta) const
    {
        return at(sm, cta).clusterArrived;
    }
    [[nodiscard]] std::uint64_t generations(unsigned sm, unsigned cta) const
    {
        return at(sm, cta).generations;
    }
    [[nodiscard]] Mbarrier mbarrier(unsigned sm, unsigned cta, std::uint32_t offset) const;

private:
    struct Cta {
        std::array<std::uint64_t, kMaxBars> named{}, completions{};
        Lanes clusterArrived{};
        std::uint64_t generations{};
        std::unordered_map<std::uint32_t, Mbarrier> mbarriers{};  ///< by byte offset
    };
    [[nodiscard]] Cta& at(unsigned sm, unsigned cta) { return ctas_[sm * kMaxCtas + cta]; }
    [[nodiscard]] const Cta& at(unsigned sm, unsigned cta) const
    {
        return ctas_[sm * kMaxCtas + cta];
    }

    std::vector<Cta> ctas_;
};

}  // namespace gsu::capi
