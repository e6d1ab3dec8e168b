/// \file
/// AccessQueue: accesses that a driver has announced or performed and that have not reached the port of their SM. The queue chooses
/// the next access to give.
#pragma once
#include <algorithm>
#include <deque>

#include "golden/layout.gen.hpp"

namespace gsu {

/// Announced accesses go first, in order, and a later request waits for them. While the SM has no room for more (wr_room_o) only performed
/// accesses are given: otherwise the accesses that make room would queue after those that need it.
class AccessQueue {
public:
    void announce(const raw::Wr& accesses) { announced_.push_back(accesses); }
    void perform(const raw::Wr& accesses) { performed_.push_back(accesses); }
    [[nodiscard]] bool empty() const noexcept { return announced_.empty() && performed_.empty(); }
    /// Whether the SM has every announcement, the one that is `taken` in this clock included.
    [[nodiscard]] bool told(bool taken) const noexcept
    {
        return announced_.empty() || (taken && announced_.size() == 1);
    }
    /// The accesses to offer to the SM in this clock; null: none. Pre: not empty().
    [[nodiscard]] const raw::Wr* offer(bool room)
    {
        lastAnnounced_ = !announced_.empty() && room;
        if (lastAnnounced_) return &announced_.front();
        while (!performed_.empty()) {
            if (!announced_.empty()) takeBack(performed_.front());
            if (performed_.front().count != 0) return &performed_.front();
            performed_.pop_front();
        }
        return nullptr;
    }
    /// Call when the SM has taken the accesses that were offered last.
    void pop() { (lastAnnounced_ ? announced_ : performed_).pop_front(); }

private:
    [[nodiscard]] static bool sameCount(const raw::Wr& a, const raw::Wr& b) noexcept
    {
        return a.cta == b.cta && a.everyone == b.everyone && a.epoch == b.epoch &&
               (a.everyone || a.warp == b.warp);
    }
    /// The driver does not say which accesses of an epoch are performed. If announced ones are still in the queue, they count as the
    /// performed ones. Then no release comes too early.
    void takeBack(raw::Wr& performed)
    {
        for (auto a = announced_.rbegin(); a != announced_.rend() && performed.count != 0; ++a) {
            if (!sameCount(*a, performed)) continue;
            const auto both = std::min(a->count, performed.count);
            a->count = static_cast<std::uint16_t>(a->count - both);
            performed.count = static_cast<std::uint16_t>(performed.count - both);
        }
        std::erase_if(announced_, [](const raw::Wr& a) { return a.count == 0; });
    }
    std::deque<raw::Wr> announced_, performed_;
    bool lastAnnounced_{};  ///< the last offer was an announcement
};

}  // namespace gsu
