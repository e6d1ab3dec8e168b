/// A hang as the port shows it: the waiters, who has arrived there before, and which arrivals each waiter owes another, judged by earlier rounds.
#pragma once
#include <optional>
#include <string>

#include "causes/port_history.hpp"
#include "causes/wait_roots.hpp"
#include "golden/mbarrier.hpp"
#include "golden/wait_text.hpp"

namespace gsu {

/// Lanes that wait.
struct PortWait {
    WarpId id;  ///< CTA by SM * 32 + slot
    Lanes lanes{};
    WaitKind kind{};
    Op op{};
    std::uint32_t object{};           ///< offset, number of the barrier, or member mask
    std::uint32_t count{};            ///< count of a named barrier
    std::optional<unsigned> asked{};  ///< mbarrier: parity of the awaited phase
    std::uint32_t line{};
    std::uint32_t times{};  ///< times that it was asked
    bool polls{};           ///< the wait was answered with false and will be repeated
    bool ofWarp{};          ///< it awaits other lanes of its own warp
    Cycle since{};
};

/// An arrival that would come from a waiter if its wait returned, as in earlier rounds.
struct PortDebt {
    std::size_t by{};  ///< index of that waiter's wait
    std::uint32_t line{};
};

/// A warp that has arrived at an object in earlier rounds.
struct PortMember {
    WarpId id;
    std::uint64_t share{};  ///< arrivals in a completed phase
    std::uint64_t now{};    ///< arrivals in the running phase
    std::uint32_t times{};  ///< rounds
    std::uint32_t line{};   ///< line of its arrival
};

class PortSnapshot {
public:
    /// A snapshot of `history`. `clock`: the word for a time, "cycle".
    PortSnapshot(const PortHistory& history, const char* clock);

    [[nodiscard]] const PortHistory& history() const noexcept { return history_; }
    [[nodiscard]] const std::vector<PortWait>& waits() const noexcept { return waits_; }
    [[nodiscard]] const std::vector<PortDebt>& debts(std::size_t wait) const
    {
        return debts_[wait];
    }
    /// Live warps that do not wait.
    [[nodiscard]] const std::vector<WarpId>& running() const noexcept { return running_; }
    [[nodiscard]] std::vector<WaitRoot> roots() const;
    [[nodiscard]] bool sameObject(const PortWait& a, const PortWait& b) const;

    [[nodiscard]] const PortCta& cta(const PortWait& w) const { return history_.cta(w.id.first); }
    [[nodiscard]] const PortWarp* warp(const WarpId& id) const;
    [[nodiscard]] bool ended(const WarpId& id) const;
    /// The awaited mbarrier: never null, an empty one if nothing has happened there.
    [[nodiscard]] const PortMbar& mbar(const PortWait& w) const;
    [[nodiscard]] MbarState state(const PortWait& w) const { return unpackMbar(mbar(w).word); }
    [[nodiscard]] const PortNamed& named(const PortWait& w) const;
    /// The members of an mbarrier or a named barrier.
    [[nodiscard]] std::vector<PortMember> members(const PortWait& w) const;
    /// True if one line arrived more than once at this object, or at another stage of its ring.
    [[nodiscard]] bool loops(const PortWait& w) const;
    /// Arrivals of a warp by this line, at any object.
    [[nodiscard]] std::uint64_t arrivalsBy(const WarpId& id, std::uint32_t line) const;
    /// Live warps of the CTA, or of the cluster for the cluster barrier, that have not arrived.
    [[nodiscard]] std::vector<WarpId> absent(const PortWait& w) const;
    /// All CTAs of its cluster that are resident.
    [[nodiscard]] std::vector<const PortCta*> cluster(const PortCta& cta) const;

    // Words.
    /// "cycle 12".
    [[nodiscard]] std::string time(Cycle at) const;
    [[nodiscard]] std::string name(const PortWait& w) const;
    [[nodiscard]] std::string warp(const WarpId& id, const PortWait* beside) const;
    [[nodiscard]] std::string warps(std::vector<WarpId> ids, const PortWait* beside) const;

private:
    void addWaits(const PortCta& cta, unsigned warp);
    [[nodiscard]] bool satisfied(const PortCta& cta, unsigned warp, const Asked& asked) const;
    void owe(std::size_t wait);
    void oweMembers(std::size_t wait);
    void oweAbsent(std::size_t wait, const std::vector<WarpId>& absent);
    void oweLanes(std::size_t wait);
    void oweGrids(std::size_t wait);
    [[nodiscard]] bool wasPassed(const PortWait& w) const;

    const PortHistory& history_;
    const char* clock_;
    std::vector<PortWait> waits_;
    std::vector<WarpId> running_;
    std::vector<std::vector<PortDebt>> debts_;
    std::vector<bool> sufficient_;
};

/// "SM 0 CTA 3".
[[nodiscard]] std::string nameOfCta(std::uint32_t number);
/// "line 12"; for 0, a text that no line was given.
[[nodiscard]] std::string nameOfLine(std::uint32_t line);

}  // namespace gsu
