/// Seeded random grids for any SyncPort: CTAs that signal, wait, end in any order and number, grids that wait for others, grids that run
/// elsewhere, memory that is performed late. CTAs are launched grid by grid, so the oldest grid always makes progress and a correct port
/// cannot hang. It checks what a driver sees without commits: waits that returned too early, and events and their times.
#pragma once
#include <array>
#include <string>
#include <vector>

#include "golden/port.hpp"
#include "traffic/barrier_traffic.hpp"

namespace gsu::traffic {

struct GridOptions {
    std::uint64_t seed{1};
    unsigned sms{3};
    unsigned slots{kMaxGrids};  ///< slots of the grid table
    unsigned grids{200};
    unsigned accesses{
        30};  ///< percent of the CTAs that leave accesses to be performed after their last exit
    bool skip{true};
};

struct GridStats {
    std::uint64_t grids{}, elsewhere{}, ctas{}, plain{}, signals{}, repeats{}, silent{};
    std::uint64_t waits{}, parked{}, atOnce{}, merged{}, reused{}, cycles{}, lateMemory{};
    std::uint64_t cancelled{};  ///< CTAs that were taken back before their launch
    std::uint64_t
        signalledEarly{};  ///< grids in which every CTA had signalled while one was still resident
    std::string wrong;     ///< text of an event that no driver may see; empty: there was none
    bool hung{};
};

class GridTraffic final : public SyncSink {
public:
    GridTraffic(SyncPort& port, const GridOptions& options);
    const GridStats& run();

    void onResponse(const SyncResponse& r) override;
    void onRelease(const Release&) override { say("a release"); }
    void onCommit(const Commit&) override {}
    void onDelivered(const Delivered&) override { say("data"); }
    void onCtaFree(const CtaFree& f) override;
    void onGrid(const GridEvent& e) override;

private:
    /// A grid in flight, or a grid whose end has not been reported.
    struct Grid {
        bool used{}, elsewhere{}, ended{}, told{};
        std::uint64_t life{};
        unsigned toLaunch{}, running{};
        unsigned quiet{};  ///< CTAs that have neither signalled nor ended
        std::vector<std::pair<unsigned, std::uint64_t>> before;  ///< prerequisites: slot, life
    };
    struct Cta {
        bool used{}, signalled{}, over{};
        unsigned grid{}, budget{};
        Lanes live[2]{}, open[2]{}, waiting[2]{};
        std::array<std::uint16_t, 32> tag[2]{};
        unsigned late{};  ///< accesses to be performed
    };

    void say(const std::string& what)
    {
        if (stats_.wrong.empty()) stats_.wrong = what + " in cycle " + std::to_string(port_.now());
    }
    void openGrid();
    void launchOne();
    void cancelSome();
    bool act(unsigned sm, unsigned slot);
    void present(unsigned sm, unsigned slot, unsigned warp, Op op, Lanes lanes);
    void performLate();
    [[nodiscard]] bool busy() const;
    [[nodiscard]] bool complete(const std::pair<unsigned, std::uint64_t>& grid) const
    {
        const Grid& g = grids_[grid.first];
        return g.life != grid.second || (g.elsewhere ? g.ended : g.toLaunch + g.running == 0);
    }

    SyncPort& port_;
    GridOptions options_;
    Random random_;
    GridStats stats_;
    std::array<Grid, kMaxGrids> grids_{};
    std::vector<unsigned> order_;  ///< grids with CTAs to be launched, oldest first
    std::vector<std::array<Cta, kMaxCtas>> ctas_;
    std::vector<std::uint16_t> tags_;
    std::uint64_t lives_{};
};

}  // namespace gsu::traffic
