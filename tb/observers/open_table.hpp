/// Lanes of warps that wait for an answer: the bookkeeping that recorder, replayer and statistics share. It decides when a request is
/// answered (SyncPort): every lane is named by a response, or by a release of its warp for the waiting forms of bar and barrier.cluster
/// (D-11, D-12, D-51). No allocation once every warp has been used.
#pragma once
#include <vector>

#include "golden/op_traits.hpp"
#include "golden/types.hpp"

namespace gsu {

/// One request, with its waiting lanes.
struct OpenPart {
    Cycle since{};  ///< cycle in which it was presented
    Lanes lanes{};
    std::uint32_t id{};  ///< arg0
    std::uint32_t source{};
    std::uint32_t user{};  ///< free for the owner of the table
    std::uint16_t tag{};
    Op op{};
};

class OpenTable {
public:
    explicit OpenTable(unsigned sms = kMaxSms) : warps_(std::size_t{sms} * kMaxCtas * kMaxWarps) {}

    [[nodiscard]] static std::size_t indexOf(WarpRef at) noexcept
    {
        return (std::size_t{at.sm} * kMaxCtas + at.cta) * kMaxWarps + at.warp;
    }
    /// A key for a warp together with the object of shared memory at which it waits.
    [[nodiscard]] static std::uint64_t waitKey(WarpRef at, std::uint32_t offset) noexcept
    {
        return std::uint64_t{indexOf(at)} << 24 | offset;
    }
    [[nodiscard]] const std::vector<OpenPart>& parts(WarpRef at) const
    {
        return warps_[indexOf(at)];
    }
    [[nodiscard]] Lanes openLanes(WarpRef at) const
    {
        Lanes open = 0;
        for (const OpenPart& p : warps_[indexOf(at)]) open |= p.lanes;
        return open;
    }
    /// Number of requests with a waiting lane.
    [[nodiscard]] std::size_t open() const noexcept { return open_; }
    [[nodiscard]] std::size_t size() const noexcept { return warps_.size(); }
    [[nodiscard]] static WarpRef warpAt(std::size_t index) noexcept
    {
        return {std::uint8_t(index / (kMaxCtas * kMaxWarps)),
                std::uint8_t(index / kMaxWarps % kMaxCtas), std::uint8_t(index % kMaxWarps)};
    }

    void present(const SyncRequest& r, Cycle now, std::uint32_t user = 0)
    {
        warps_[indexOf(r.at)].push_back({now, r.lanes, r.arg0, r.source, user, r.tag, r.op});
        ++open_;
    }
    /// Calls visit(WarpRef, const OpenPart& before, Lanes answered, bool closed) for every part that this response answers; release() does the same.
    template <typename Visit> void response(const SyncResponse& r, Visit&& visit)
    {
        sweep(
            r.at, r.lanes, [](const OpenPart&) { return true; }, visit);
    }
    template <typename Visit> void release(const Release& r, Visit&& visit)
    {
        const auto wakes = [&](const OpenPart& p) { return isReleased(r, p.op, p.id); };
        for (Lanes rest = r.warps; rest != 0; rest &= rest - 1) {
            const auto warp = std::uint8_t(__builtin_ctz(rest));
            sweep({r.sm, r.cta, warp}, r.lanes, wakes, visit);
        }
    }

private:
    template <typename Wakes, typename Visit>
    void sweep(WarpRef at, Lanes lanes, Wakes&& wakes, Visit&& visit)
    {
        auto& parts = warps_[indexOf(at)];
        for (std::size_t i = 0; i < parts.size();) {
            const OpenPart part = parts[i];
            const Lanes hit = part.lanes & lanes;
            if (hit == 0 || !wakes(part)) {
                ++i;
                continue;
            }
            parts[i].lanes &= ~hit;
            const bool closed = parts[i].lanes == 0;
            if (closed) {
                parts.erase(parts.begin() + std::ptrdiff_t(i));
                --open_;
            } else {
                ++i;
            }
            visit(at, part, hit, closed);
        }
    }

    std::vector<std::vector<OpenPart>> warps_;
    std::size_t open_{};
};

}  // namespace gsu
