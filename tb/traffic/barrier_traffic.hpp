/// Seeded random traffic for any SyncPort: clusters of CTAs, divergent lane groups, exits, back-pressure, illegal operations. It cannot
/// hang a correct port: warp 0 of each CTA never blocks and keeps arriving where others wait.
#pragma once
#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/random.hpp"
#include "golden/port.hpp"
#include "traffic/finding_rows.hpp"

namespace gsu::traffic {

class Random {
public:
    explicit Random(std::uint64_t seed) : state_(seed * 0x9e37'79b9'7f4a'7c15u + 1) {}
    std::uint64_t next() { return splitmix64(state_); }
    unsigned below(unsigned n) { return static_cast<unsigned>((next() >> 32) * n >> 32); }
    bool percent(unsigned p) { return below(100) < p; }
    /// A non-empty subset of `mask`.
    Lanes subset(Lanes mask)
    {
        const Lanes some = mask & static_cast<Lanes>(next());
        return some != 0 ? some : mask;
    }

private:
    std::uint64_t state_;
};

struct BarrierOptions {
    std::uint64_t seed{1};
    unsigned sms{2};
    std::uint64_t requests{10'000};  ///< then every CTA runs to its end
    unsigned ops{150};               ///< approximate number of requests of one CTA
    unsigned illegal{6};             ///< illegal requests, in percent
    unsigned hold{4};     ///< percent of the cycles in which an SM begins to withhold requests
    unsigned maxCtas{6};  ///< per SM at once
    bool nullOps{true};   ///< also send operations that no unit handles
    /// percent of the operations under a member mask that are vote, match, redux or elect
    unsigned warpOps{};
    bool skip{true};  ///< use quietUntil and skipTo
};

/// Counts of events; tests assert that their case happened.
struct BarrierStats {
    std::uint64_t requests{}, commits{}, responses{}, releases{}, refused{}, cycles{};
    std::uint64_t generations{}, clusterFlips{}, warpSyncs{}, exits{}, ctas{}, clusters{};
    std::uint64_t partialReleases{};  ///< releases of a part of a warp's lanes
    std::uint64_t joinsByExit{}, flipsByExit{}, skipped{}, held{}, partial{}, strangers{};
    std::array<std::uint64_t, 16> named{}, warp{}, cluster{};  ///< per error bit
    std::array<std::uint64_t, 64> ops{};                       ///< commits per operation
    std::uint64_t sets{};  ///< match.any with more than one set of equal lanes
    FindingRows findings;
    bool hung{};
    bool endless{};  ///< warps waited for each other in a way that the driver did not resolve

    static void count(std::array<std::uint64_t, 16>& bits, unsigned errs)
    {
        for (; errs != 0; errs &= errs - 1) ++bits[static_cast<unsigned>(std::countr_zero(errs))];
    }
};

class BarrierTraffic final : public SyncSink {
public:
    BarrierTraffic(SyncPort& port, const BarrierOptions& options);
    /// Runs until every CTA has been freed, the port faults, or nothing happens any more.
    const BarrierStats& run();
    [[nodiscard]] const BarrierStats& stats() const { return stats_; }

    void onResponse(const SyncResponse&) override;
    void onRelease(const Release&) override;
    void onCommit(const Commit&) override;
    void onDelivered(const Delivered&) override {}
    void onCtaFree(const CtaFree&) override;

private:
    static constexpr std::uint8_t kAtCluster = kMaxBars;
    enum class Goal : std::uint8_t { None, Bar, Arrive, Wait };
    struct Warp {
        Lanes live{}, open{};
        Goal goal{};
        std::uint32_t id{}, count{};  ///< id and effective count of a Bar goal
        Lanes met{};                  ///< lanes presented for the goal, not yet committed
        std::array<Lanes, 2>
            masks{};  ///< groups of lanes that are meeting: bar.warp.sync, vote, ...
        std::array<std::uint16_t, 2> forms{};  ///< form of each: Op and kind
        Lanes parked{};                        ///< lanes that wait for a release
        bool owed{};                           ///< cluster arrive without wait
        std::uint32_t arrivedIn{};             ///< CTA's cluster generation at the cluster arrive
        std::array<std::uint16_t, 32> tag{};
        std::array<std::uint8_t, 32> at{};  ///< barrier a lane waits at, kAtCluster, 255: none
        [[nodiscard]] Lanes free() const { return live & ~open; }
    };
    struct Cta {
        bool used{}, freed{};
        Launch launch{};
        unsigned warps{}, budget{};
        std::uint32_t flips{};  ///< cluster generations delivered
        std::array<std::uint32_t, kMaxBars>
            open{};  ///< effective count of an active barrier with waiters
        std::array<Warp, kMaxWarps> warp{};
        std::uint32_t ready{};  ///< warps with a free lane
        void see(unsigned index)
        {
            const std::uint32_t bit = 1u << index;
            ready = warp[index].free() != 0 ? ready | bit : ready & ~bit;
        }
    };
    struct Sm {
        std::array<Cta, kMaxCtas> ctas{};
        std::uint32_t launched{};               ///< CTAs that run
        std::uint64_t slots{};                  ///< warp slots in use
        std::array<std::uint8_t, 4096> tags{};  ///< open lanes per tag
        unsigned nextTag{};
        Cycle holdUntil{};
    };

    void startCluster();
    [[nodiscard]] std::vector<Launch> placeCluster(unsigned slot, unsigned ctas);
    void begin(const Launch& launch);
    void launchPending();
    bool drive(unsigned sm);
    bool driveWarp(Cta& cta, unsigned index);
    bool work(Cta& cta, unsigned index, Lanes loose);
    bool continueGoal(Cta& cta, unsigned index, Lanes loose);
    bool newGoal(Cta& cta, unsigned index, Lanes loose);
    bool rescue(Cta& cta, Lanes loose);
    bool warpSync(Cta& cta, unsigned index, Lanes loose);
    bool meet(Cta& cta, unsigned index, std::size_t slot, Lanes lanes);
    std::uint16_t someForm();
    bool illegal(Cta& cta, unsigned index, Lanes loose);
    bool exitLanes(Cta& cta, unsigned index, Lanes lanes);
    bool bar(Cta& cta, unsigned index, Lanes lanes, bool aligned);
    bool cluster(Cta& cta, unsigned index, Lanes lanes, bool aligned);
    void planBar(Cta& cta, Warp& warp);
    [[nodiscard]] bool lastWarp(const Cta& cta, unsigned index) const;
    SyncRequest request(const Cta& cta, unsigned index, Op op, Lanes lanes);
    bool present(Cta& cta, const SyncRequest& request, std::uint8_t waitsAt = 255);
    void close(Cta& cta, unsigned index, Lanes lanes);
    void pass();
    void seeCluster(const Commit& commit, Cta& cta, Warp& warp);
    Cta& ctaOf(unsigned sm, unsigned cta) { return sms_[sm].ctas[cta]; }

    SyncPort& port_;
    BarrierOptions options_;
    const Structure has_;
    Random random_;
    BarrierStats stats_;
    std::vector<Sm> sms_;
    std::array<std::uint8_t, kMaxClusters> clusters_{};  ///< CTAs left per cluster slot
    std::vector<std::pair<std::uint8_t, std::uint8_t>> launches_;
    unsigned living_{};
    Cycle lastEvent_{};
};

}  // namespace gsu::traffic
