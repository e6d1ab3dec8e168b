/// For each register the mbarrier of the state that an arrive has written there (MBW-010).
#pragma once
#include <map>
#include <optional>
#include <tuple>

#include "exec/warps/warp.hpp"

namespace gsu::exec {

class StateOrigins {
public:
    /// Notes a returned state. `row`: of the warp's register file. `object`: its address in the form of requests.
    void returned(const Warp& warp, std::uint32_t row, unsigned lane, std::uint64_t state,
                  std::uint32_t object)
    {
        if (rows_.size() >= kMost) rows_.clear();  // forgotten states are not checked
        rows_[{warp.cta->serial, warp.index, row}][lane] = {state, object, true};
    }
    /// The mbarrier from which this lane got this state in this register.
    [[nodiscard]] std::optional<std::uint32_t> objectOf(const Warp& warp, std::uint32_t row,
                                                        unsigned lane, std::uint64_t state) const
    {
        const auto found = rows_.find({warp.cta->serial, warp.index, row});
        if (found == rows_.end()) return {};
        const Origin& o = found->second[lane];
        if (!o.known || o.state != state) return {};
        return o.object;
    }

private:
    static constexpr std::size_t kMost = 1u << 14;
    struct Origin {
        std::uint64_t state{};
        std::uint32_t object{};
        bool known{};
    };
    std::map<std::tuple<std::uint64_t, std::uint32_t, std::uint32_t>, std::array<Origin, 32>>
        rows_;  ///< by CTA, warp and row
};

}  // namespace gsu::exec
