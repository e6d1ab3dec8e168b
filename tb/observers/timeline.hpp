/// Writes a run as a Perfetto timeline. The processes are CTA slots. There is a track for each warp (when it is blocked), named or cluster
/// barrier (generations), mbarrier (phases, and when bytes are outstanding), slot of the grid table (grids, and when warps were parked) and
/// place of tensor memory. Arrows lead from the event that completes a generation or phase to the waits that it releases. 1 RTL clock is 1
/// ns.
#pragma once
#include <array>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "golden/port_observer.hpp"
#include "observers/cluster_map.hpp"
#include "observers/open_table.hpp"
#include "observers/time_mark.hpp"
#include "observers/timeline_perfetto.hpp"

namespace gsu {

class Timeline final : public PortObserver {
public:
    /// Opens a timeline. The file appears as `path` with finish(). Throws InputError.
    Timeline(const std::string& path, unsigned sms, const std::string& title);
    void onRoute(Cycle now, const ClusterRoute& route) override;
    void onGridStart(Cycle now, const GridStart& start) override;
    void onGrid(const GridEvent& event) override;
    void onLaunch(Cycle now, const Launch& launch) override;
    void onExit(Cycle now, const Exit& exit) override;
    void onRequest(Cycle now, const SyncRequest& request) override;
    void onNotify(Cycle now, const AsyncUpdate& update) override;
    void onResponse(const SyncResponse& response) override;
    void onRelease(const Release& release) override;
    void onCommit(const Commit& commit) override;
    void onCtaFree(const CtaFree& free) override;
    void onEnd(Cycle now) override;
    /// A performed operation of tensor memory: no port sees these, so the executor reports them. `core`: by the tensor core, not by the warp.
    void onTensorOperation(WarpRef at, bool core, Cycle from, Cycle to, const std::string& name,
                           std::uint32_t line);
    /// Columns of tensor memory of the CTA in the slot of `at`.
    void onColumns(WarpRef at, Cycle from, Cycle to, unsigned column, unsigned columns);
    /// Marks these moments, over the whole height.
    void mark(const std::vector<TimeMark>& marks);
    /// A counter: the percentage of the clocks before each multiple of `clocks` in which a server was busy. `sm`: none: it serves all.
    void onServer(const std::string& server, std::optional<unsigned> sm, Cycle clocks,
                  const std::vector<unsigned>& percent);
    /// Completes the file. Throws InputError.
    void finish() { file_.finish(); }
    [[nodiscard]] std::uint64_t events() const noexcept { return file_.events(); }

private:
    /// A running generation on a barrier track.
    struct Generation {
        Cycle first{};
        std::uint32_t arrivals{};
        std::uint64_t number{};
        std::vector<std::uint64_t> flows;
    };
    /// The running phase of an mbarrier.
    struct Phase {
        Cycle from{}, txFrom{};
        std::uint64_t number{}, bytes{};
        std::uint32_t arrivals{}, txMost{};
        std::int32_t tx{};
        bool used{};
    };
    /// A grid of the grid table.
    struct Grid {
        bool used{};
        std::uint64_t number{};  ///< in the order of their start
        Cycle from{}, parkedFrom{}, parkedTo{};
        std::uint32_t ctas{};    ///< CTAs of the grid; 0: elsewhere
        std::uint32_t left{};    ///< CTAs that have not ended
        std::uint32_t behind{};  ///< slots of the grids that its waits wait for
        std::uint32_t parked{};  ///< requests that were parked
    };
    /// Place of an event.
    struct Spot {
        unsigned pid{}, tid{};
        Cycle at{};
    };
    void mbarrier(const Commit& commit);
    void released(WarpRef at, const OpenPart& part, const SyncResponse& response);
    void closeMbarriers(unsigned pid, Cycle now);
    void gridCommit(const Commit& commit);
    void parkedForGrid(unsigned slot, Cycle from, Cycle to);
    void closeGrid(unsigned slot, Cycle now, bool complete);
    void closeGrids(Cycle now);
    /// Whether the reason of an ended wait says that it was parked before.
    [[nodiscard]] static bool parks(const char* why);
    [[nodiscard]] static std::string labelOf(Op op, std::uint32_t id, const char* why);
    void wakes(const Commit& commit, Spot from);
    [[nodiscard]] Spot arrivalSpot(const Commit& commit, Spot track);
    void outstanding(Phase& phase, Spot now, std::int32_t tx);
    void closePhase(Phase& phase, Spot now, bool complete, const std::string& by);
    void answered(WarpRef at, const OpenPart& part, Lanes lanes, Cycle cycle, const char* why);
    void arrival(const Commit& commit, unsigned track, const std::string& text);
    void complete(unsigned pid, unsigned track, Cycle cycle, const std::string& text);
    void trackOnce(unsigned pid, unsigned tid, const std::string& text);

    timeline::File file_;
    OpenTable open_;
    std::unordered_map<std::uint64_t, Generation> generations_;  ///< by process and track
    std::map<std::uint64_t, Phase> phases_;                      ///< by process and track
    /// event that released a wait, by warp and offset
    std::unordered_map<std::uint64_t, Spot> wakers_;
    ClusterMap map_;
    std::unordered_map<std::uint64_t, bool> named_;
    std::vector<std::uint32_t> launches_;  ///< per CTA slot
    std::vector<std::uint8_t> gridOf_;     ///< per CTA slot: slot of the CTA's grid
    unsigned gridPid_;                     ///< process of grids: after those of all CTA slots
    std::array<Grid, kMaxGrids> grids_{};  ///< by slot
    std::uint64_t gridsSoFar_{};
    std::map<unsigned, unsigned> serverTracks_;  ///< number of tracks by process
    std::uint64_t flows_{};
};

}  // namespace gsu
