/// Named barriers of one CTA (BAR-004..BAR-042, D-05..D-11, D-14..D-17, D-71). Counts are in threads, arrivals in warps. Pure functions and
/// value types, no latencies: release latency and arbitration belong to the device.
#pragma once
#include <vector>

#include "golden/warp_join.hpp"

namespace gsu {

struct NamedBarrier {
    enum class Mode : std::uint8_t { Idle, Explicit, Implicit };

    Mode mode{};
    std::uint32_t count{};  ///< effective count of the opening arrival, in threads (D-07, D-08)
    std::uint32_t n{};      ///< arrivals, in warps
    Lanes arrived{};        ///< bit per warp
    Lanes waiting{};        ///< warps with lanes that wait for the completion
    std::uint8_t redops{};
    bool plain{};  ///< a sync or arrive was counted (BAR-026)
    std::uint16_t popc{};
    bool all{}, any{};
    bool operator==(const NamedBarrier&) const = default;
};

/// The state, packed as raw::NbWord: 0 while idle; target and n saturate at 127 (D-16).
[[nodiscard]] std::uint64_t wordOf(const NamedBarrier& barrier) noexcept;

/// Result of one commit: the barrier afterwards, errors (kNbErr*), and at a completion the result for its waiters.
struct NamedNext {
    NamedBarrier state{};
    std::uint16_t errs{};
    bool refused{}, flip{};
    NamedBarrier done{};  ///< valid with `flip`: the completed generation
};

/// Commits one arrival. `live`: live warps of the arriving warp's CTA. `diverged`: aligned form by a part of the live lanes.
[[nodiscard]] NamedNext nbarNext(NamedBarrier barrier, const JoinGroup& arrival, Lanes live,
                                 bool diverged) noexcept;
/// Checks for completion after a warp exit (BAR-039, D-06).
[[nodiscard]] bool nbarComplete(const NamedBarrier& barrier, Lanes live) noexcept;

/// One bit per barrier of a CTA.
using BarMask = std::uint64_t;

/// The barriers of one CTA: as many as the structure has.
class NamedBarriers {
public:
    explicit NamedBarriers(unsigned bars = kBarsPerCta) : bars_(bars) {}

    void launch(unsigned warps) noexcept;
    NamedNext arrive(const JoinGroup& arrival, bool diverged);
    /// The warp's last lane has exited. Returns the mask of the barriers that this completes.
    [[nodiscard]] BarMask exit(unsigned warp) noexcept;
    /// Completes barrier `id` after an exit. Returns the completed generation.
    NamedBarrier complete(unsigned id) noexcept;
    /// Barriers that are not idle although the CTA has ended: their arrivals are reported and discarded (D-17).
    [[nodiscard]] BarMask left() const noexcept;
    /// Calls visit(warps, lanes) for the records that release generation `done` of barrier `id`, once. Warps whose live lanes all wait come
    /// first, in one record of all lanes; then each warp that waits with a part of its lanes.
    template <class Visit> void release(unsigned id, const NamedBarrier& done, Visit&& visit)
    {
        Lanes whole = done.waiting;
        for (const Part& p : parts_)
            if (p.id == id) whole &= ~(Lanes{1} << p.warp);
        if (whole != 0) visit(whole, ~Lanes{0});
        for (std::size_t i = 0; i < parts_.size();) {
            if (parts_[i].id != id) {
                ++i;
                continue;
            }
            visit(Lanes{1} << parts_[i].warp, parts_[i].lanes);
            parts_.erase(parts_.begin() + static_cast<std::ptrdiff_t>(i));
        }
    }

    [[nodiscard]] const NamedBarrier& at(unsigned id) const noexcept { return bars_[id]; }
    [[nodiscard]] Lanes live() const noexcept { return live_; }

private:
    /// Waiting lanes of a warp of which other lanes do not wait (D-12, D-13).
    struct Part {
        std::uint8_t id{}, warp{};
        Lanes lanes{};
    };
    void note(unsigned id, const JoinGroup& arrival);

    std::vector<NamedBarrier> bars_;
    std::vector<Part> parts_;  ///< by warp; almost always empty
    Lanes live_{};
};

}  // namespace gsu
