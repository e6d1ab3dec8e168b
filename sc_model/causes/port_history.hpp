/// What a port shows of a run, as far as it tells why it hangs: what passed each barrier, what lanes asked last, who has left.
/// Whoever sees the port feeds it: the C library, a replay, the pre-flight of a trace. Bounded by what is resident.
#pragma once
#include <array>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include "causes/mbar_history.hpp"
#include "golden/chip_layout.hpp"

namespace gsu {

/// Lanes whose last request may hold them: it is not answered, or a wait was answered with false.
struct Asked {
    Op op{};
    Lanes lanes{};
    Lanes open{};                ///< of them without an answer
    std::uint32_t object{};      ///< offset of the mbarrier, number of the barrier, member mask
    std::uint32_t count{};       ///< of a named barrier, 0: all threads
    bool phase{};                ///< of an mbarrier: parity of the phase that is to complete
    bool joined{};               ///< of a named or the cluster barrier: the warp was counted
    std::uint32_t line{};        ///< 0: not known
    std::uint32_t times{1};      ///< asked with the same answer
    std::uint32_t generation{};  ///< of a named barrier, when its warp was counted
    Cycle since{};
};

/// What is known of a warp.
struct PortWarp {
    Lanes full{}, live{};
    std::vector<Asked> asked;
    std::uint32_t lastLine{};  ///< of its last request
    std::uint32_t exitLine{};
    Cycle exitAt{};
    std::map<std::uint32_t, std::uint32_t> passed;  ///< by line: waits that came true
};

/// What is known of a named barrier of a CTA.
struct PortNamed {
    std::uint64_t word{};
    std::uint32_t generations{};
    std::vector<Doer> running;  ///< who has come to the running one
    std::map<std::uint32_t, std::pair<std::uint32_t, std::uint32_t>>
        totals;  ///< by warp: times, last line
};

/// Two arrivals of a thread at an mbarrier with no wait of its warp between them.
struct TwiceInARound {
    WarpId warp;
    std::uint32_t first{}, second{};  ///< lines
};

/// What is known of an mbarrier.
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
    std::uint16_t prereqs{};  ///< that are in flight
};

class PortHistory {
public:
    explicit PortHistory(ChipLayout chip);
    [[nodiscard]] const ChipLayout& chip() const noexcept { return chip_; }

    // Inputs, when the port has taken them. `line`: as the driver counts them, 0: not known.
    void route(const ClusterRoute& route);
    void launch(const Launch& launch);
    void grid(std::uint32_t network, const GridStart& start);
    void request(const SyncRequest& request, std::uint32_t line, Cycle now);
    void exit(const Exit& exit, std::uint32_t line, Cycle now);
    /// A copy that completes names the line by which it was issued.
    void copy(const AsyncUpdate& update, std::uint32_t line);
    // What the port reports.
    void response(const SyncResponse& response);
    void release(const Release& release);
    void commit(const Commit& commit);
    // The same where a trace is followed without a unit.
    void mbar(const Commit& commit, const Doer& doer);
    void cameTo(WarpRef at, std::uint32_t id, std::uint64_t word, std::uint32_t line, Cycle now);
    void completed(std::uint8_t sm, std::uint8_t cta, std::uint32_t id, std::uint64_t word,
                   Cycle now);
    void cluster(std::uint8_t sm, std::uint8_t cta, Lanes arrived, Cycle now);
    void gridEvent(std::uint32_t network, const GridEvent& event);
    void freed(std::uint8_t sm, std::uint8_t cta);

    /// By SM and slot.
    [[nodiscard]] const std::vector<PortCta>& ctas() const noexcept { return ctas_; }
    [[nodiscard]] const PortCta& cta(std::uint32_t number) const { return ctas_[number]; }
    /// The CTA of a rank of this CTA's cluster; nullptr: it was not launched, or has ended.
    [[nodiscard]] const PortCta* ofRank(const PortCta& cta, unsigned rank) const;
    [[nodiscard]] const PortGrid& gridOf(std::uint32_t network, unsigned slot) const;
    /// A barrier changed, or lanes were told something new, last in this cycle.
    [[nodiscard]] Cycle lastChange() const noexcept { return lastChange_; }
    [[nodiscard]] static std::uint32_t numberOf(unsigned sm, unsigned slot) noexcept
    {
        return sm * kMaxCtas + slot;
    }

private:
    struct Sender {
        WarpRef at;
        std::uint32_t line{};
        bool remote{};  ///< the form that names a rank
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
