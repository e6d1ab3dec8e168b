/// The events of a run at a port, as far as they show why it hangs: what passed each barrier, the last requests of lanes, exited warps.
/// Every user that sees the port feeds it: the C library, a replay, the pre-flight of a trace. Its size is bounded by the resident CTAs.
#pragma once
#include <array>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include "causes/mbar_history.hpp"
#include "golden/chip_layout.hpp"

namespace gsu {

/// Lanes that their last request may block: it is unanswered, or it is a wait that was answered with false.
struct Asked {
    Op op{};
    Lanes lanes{};
    Lanes open{};                ///< unanswered lanes
    std::uint32_t object{};      ///< offset of the mbarrier, number of the barrier, member mask
    std::uint32_t count{};       ///< count of a named barrier, 0: all threads
    bool phase{};                ///< mbarrier: parity of the awaited phase
    bool joined{};               ///< named or cluster barrier: the warp was counted
    std::uint32_t line{};        ///< 0: not known
    std::uint32_t times{1};      ///< times that it was asked with the same answer
    std::uint32_t generation{};  ///< named barrier: its generation when the warp was counted
    Cycle since{};
};

/// Facts about a warp.
struct PortWarp {
    Lanes full{}, live{};
    std::vector<Asked> asked;
    std::uint32_t lastLine{};  ///< line of its last request
    std::uint32_t exitLine{};
    Cycle exitAt{};
    std::map<std::uint32_t, std::uint32_t> passed;  ///< by line: waits that came true
};

/// Facts about a named barrier of a CTA.
struct PortNamed {
    std::uint64_t word{};
    std::uint32_t generations{};
    std::vector<Doer> running;  ///< arrivals of the running generation
    std::map<std::uint32_t, std::pair<std::uint32_t, std::uint32_t>>
        totals;  ///< by warp: times, last line
};

/// Two arrivals of a thread at an mbarrier with no wait of its warp between them.
struct TwiceInARound {
    WarpId warp;
    std::uint32_t first{}, second{};  ///< lines
};

/// Facts about an mbarrier.
struct PortMbar {
    MbarHistory past;
    std::uint64_t word{};
    std::vector<TwiceInARound> twice;  ///< each pair of lines once
};

struct PortCta {
    bool used{};
    Launch launch;
    std::uint32_t number{};  ///< SM * 32 + slot
    std::vector<PortWarp> warps;
    std::map<std::uint32_t, PortMbar> mbars;  ///< by offset in the window
    std::map<std::uint32_t, PortNamed> named;
    Lanes clusterArrived{};
    std::map<std::uint32_t, std::pair<Lanes, std::uint32_t>>
        sinceWait;  ///< by warp << 24 | offset: arrived since it last waited, at which line
};

/// A grid in a slot of the grid table.
struct PortGrid {
    bool used{};
    std::uint32_t ctas{}, launched{}, ended{};
    std::uint16_t prereqs{};  ///< earlier grids in flight for which it waits, a bit each
};

class PortHistory {
public:
    explicit PortHistory(ChipLayout chip);
    [[nodiscard]] const ChipLayout& chip() const noexcept { return chip_; }

    // Inputs, after the port has taken them. `line`: as the driver counts lines, 0: not known.
    void route(const ClusterRoute& route);
    void launch(const Launch& launch);
    void grid(std::uint32_t network, const GridStart& start);
    void request(const SyncRequest& request, std::uint32_t line, Cycle now);
    void exit(const Exit& exit, std::uint32_t line, Cycle now);
    /// A copy that completes, with the line that issued it.
    void copy(const AsyncUpdate& update, std::uint32_t line);
    // reports of the port
    void response(const SyncResponse& response);
    void release(const Release& release);
    void commit(const Commit& commit);
    // The same reports for a trace that is followed without a unit.
    void mbar(const Commit& commit, const Doer& doer);
    void cameTo(WarpRef at, std::uint32_t id, std::uint64_t word, std::uint32_t line, Cycle now);
    void completed(std::uint8_t sm, std::uint8_t cta, std::uint32_t id, std::uint64_t word,
                   Cycle now);
    void cluster(std::uint8_t sm, std::uint8_t cta, Lanes arrived, Cycle now);
    void gridEvent(std::uint32_t network, const GridEvent& event);
    void freed(std::uint8_t sm, std::uint8_t cta);

    /// All CTAs, by SM and slot.
    [[nodiscard]] const std::vector<PortCta>& ctas() const noexcept { return ctas_; }
    [[nodiscard]] const PortCta& cta(std::uint32_t number) const { return ctas_[number]; }
    /// The CTA of a rank of this CTA's cluster; nullptr: it was not launched, or has ended.
    [[nodiscard]] const PortCta* ofRank(const PortCta& cta, unsigned rank) const;
    [[nodiscard]] const PortGrid& gridOf(std::uint32_t network, unsigned slot) const;
    /// The last cycle in which a barrier changed, or lanes got a new answer.
    [[nodiscard]] Cycle lastChange() const noexcept { return lastChange_; }
    [[nodiscard]] static std::uint32_t numberOf(unsigned sm, unsigned slot) noexcept
    {
        return sm * kMaxCtas + slot;
    }

private:
    struct Sender {
        WarpRef at;
        std::uint32_t line{};
        bool remote{};  ///< the form of the instruction that names a rank
    };
    [[nodiscard]] PortWarp& warp(WarpRef at);
    void named(const Commit& commit);
    void arrived(PortCta& owner, PortMbar& object, const Commit& commit, const Doer& doer);
    void looked(PortCta& cta, WarpRef at, const Asked& asked, Cycle now);
    void forget(PortWarp& warp, Lanes lanes);
    [[nodiscard]] Doer doerOf(const Commit& commit);

    ChipLayout chip_;
    std::vector<PortCta> ctas_;
    std::vector<std::vector<Sender>> tags_;  ///< by SM and tag: the last request
    std::unordered_map<std::uint64_t, std::vector<std::pair<std::uint32_t, std::uint32_t>>>
        copies_;                                    ///< by SM, slot and tag: offset and line
    std::map<std::uint32_t, ClusterRoute> routes_;  ///< network << 16 | cluster << 4 | rank
    std::map<std::uint32_t, std::array<PortGrid, 16>> grids_;  ///< by network
    Cycle lastChange_{};
};

}  // namespace gsu
