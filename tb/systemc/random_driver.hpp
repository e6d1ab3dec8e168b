/// Random CTAs with barriers, thinking pauses, split warps, errors and exits on any SyncPort: the stimulus of the equality testbenches.
/// Decisions come from the seed and the port's answers only, so equal ports see equal calls and give equal logs.
#pragma once
#include <random>
#include <vector>

#include "golden/port.hpp"
#include "observers/open_table.hpp"

namespace gsu {

struct DriverOptions {
    std::uint64_t seed{1};
    unsigned rounds{
        4};  ///< CTAs per SM, one after the other; the odd ones are one cluster over all SMs
    unsigned steps{12};         ///< instructions per CTA program
    unsigned stallPercent{20};  ///< percentage of requests that are held back for a random time
    Cycle longestStall{40};
};

/// Counts of the cases in a run; a testbench fails if its case did not happen.
struct DriverCounts {
    std::uint64_t requests{}, responses{}, releases{}, clusterReleases{}, commits{}, refused{},
        frees{}, stalls{}, skipped{};
    bool hung{};
};

class RandomDriver final : private SyncSink {
public:
    /// A driver of `port`, whose sink it takes.
    RandomDriver(SyncPort& port, const DriverOptions& options);
    [[nodiscard]] const DriverCounts& run();

private:
    enum class Kind : std::uint8_t { Sync, ArriveSync, Reduce, WarpSync, Cluster, NoUnit, BadId };
    struct Cta {
        std::vector<Kind> program;
        unsigned warps{};
        std::uint16_t threads{};
        bool cluster{}, launched{};
    };
    struct Warp {
        Lanes lanes{}, open{}, left{};  ///< left: lanes that still have to present the present step
        std::size_t step{};
        unsigned half{};  ///< half of a cluster step: arrive, then wait
        Cycle due{};
        bool alive{};
    };

    void newRound(unsigned round);
    [[nodiscard]] bool launchAll();
    [[nodiscard]] bool act(std::uint8_t sm);
    void advance(Cta& cta, Warp& warp, WarpRef at);
    [[nodiscard]] SyncRequest requestOf(const Cta& cta, const Warp& warp, WarpRef at);
    [[nodiscard]] Cycle pause();
    void answered(WarpRef at, Lanes lanes);
    [[nodiscard]] unsigned below(unsigned n) { return unsigned(random_() % n); }

    void onResponse(const SyncResponse& r) override;
    void onRelease(const Release& r) override;
    void onCommit(const Commit& c) override;
    void onDelivered(const Delivered&) override {}
    void onCtaFree(const CtaFree&) override { ++counts_.frees; }

    static constexpr std::uint8_t kCta = 3;  ///< the used slot: not the first one
    SyncPort& port_;
    DriverOptions options_;
    std::mt19937_64 random_;
    OpenTable open_;
    std::vector<Cta> ctas_;  ///< per SM
    std::vector<std::vector<Warp>> warps_;
    std::vector<unsigned> turn_;  ///< round robin among the warps of an SM
    std::uint16_t nextTag_{};
    Cycle nextDue_{};
    DriverCounts counts_;
};

}  // namespace gsu
