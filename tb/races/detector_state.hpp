/// The CTAs, barriers and operations of a run, which the parts of the race detector share.
#pragma once
#include <map>
#include <optional>

#include "exec/result/accesses.hpp"
#include "golden/chip_layout.hpp"
#include "races/shadow.hpp"
#include "races/threads.hpp"

namespace gsu::races {

/// An agent and its act, for order and for reports.
struct Stamp {
    std::uint32_t cta{};
    std::uint8_t warp{};
    Lanes lanes{};
    Time time{};
    std::uint32_t line{};
};

/// An arrival of tcgen05.commit in flight to an mbarrier: the knowledge of the thread when it issued the commit.
struct AgentArrival {
    std::uint32_t issuer{};  ///< CTA of the issuer
    Knowledge given;
};

/// The last use of an mbarrier by lanes of a warp.
struct Use {
    LaneTimes times;
    Lanes lanes{};
    std::uint32_t line{};
};

/// An mbarrier between its init and the next.
struct Mbarrier {
    std::optional<Stamp> init;
    std::uint32_t offset{};
    Knowledge near, far;  ///< arrivals of this phase: of its CTA or asynchronous, and of other CTAs
    std::array<Knowledge, 2> doneNear, doneFar;              ///< of completed phases, by parity
    Time phase{1};                                           ///< the running phase
    Time first{1};                                           ///< the first phase after the init
    std::map<std::pair<std::uint32_t, unsigned>, Use> uses;  ///< by CTA and warp
    std::vector<Stamp> expected;   ///< each expect_tx without arrival of the phase
    bool announced{}, hasBytes{};  ///< in this phase: an arrive with bytes, completed bytes
    bool lastHadBytes{};           ///< hasBytes of the phase before
    Clock lastArrivals;            ///< arrivals of the phase before
    std::deque<std::uint32_t>
        completing;  ///< operations whose completions are in flight to the unit, in order
    std::deque<AgentArrival> arriving;  ///< arrivals, those of one CTA in order
};

/// The running generation of a named barrier.
struct Generation {
    Knowledge arrived;
    std::vector<std::pair<unsigned, Lanes>> waiting;  ///< warps
};

struct CtaState {
    std::uint32_t linear{}, number{};
    Launch launch;
    std::uint32_t cluster{};  ///< name of the cluster
    std::uint32_t grid{};     ///< in the order in which grids began
    std::vector<Threads> warps;
    std::vector<Lanes> live, barWaits, clusterWaits;  ///< by warp
    std::vector<std::array<std::uint32_t, 32>> clusterArrivals;
    Knowledge exited;  ///< releases of exited threads
    std::map<std::uint32_t, Generation> named;
    std::unordered_map<std::uint32_t, Mbarrier> mbarriers;
    std::vector<Block> blocks;  ///< blocks of its window
};

/// An operation with an end of its own: the completion of a phase.
struct Ending {
    static constexpr Time kNot = ~Time{0};
    std::uint32_t issuer{};  ///< CTA of the issuer
    std::uint32_t cta{}, offset{};
    Time phase{kNot};
};

struct DetectorState {
    ChipLayout chip{kMaxChipSms};
    std::vector<std::unique_ptr<CtaState>> ctas;
    std::array<std::array<std::uint32_t, kMaxCtas>, kMaxChipSms> slots{};  ///< 1 + number; 0: free
    std::vector<Ending> endings;

    [[nodiscard]] CtaState* at(unsigned sm, unsigned slot)
    {
        if (sm >= kMaxChipSms || slot >= kMaxCtas || slots[sm][slot] == 0) return nullptr;
        return ctas[slots[sm][slot] - 1].get();
    }
    [[nodiscard]] CtaState* at(const WarpRef& warp) { return at(warp.sm, warp.cta); }
    [[nodiscard]] Threads* threads(const WarpRef& warp)
    {
        CtaState* cta = at(warp);
        return cta != nullptr && warp.warp < cta->warps.size() ? &cta->warps[warp.warp] : nullptr;
    }
    /// The least scope that two CTAs share.
    [[nodiscard]] Level between(std::uint32_t a, std::uint32_t b) const
    {
        if (a == b) return Level::Cta;
        return ctas[a]->cluster == ctas[b]->cluster ? Level::Cluster : Level::Gpu;
    }
};

}  // namespace gsu::races
