/// Seeded random mbarrier traffic for any SyncPort: one cluster over all SMs and one CTA alone per SM, few objects, much
/// contention; local, remote and asynchronous operations, waits with limits, illegal operands and addresses.
/// It cannot hang a correct port: every wait has a limit.
#pragma once
#include <array>
#include <deque>
#include <vector>

#include "golden/port.hpp"
#include "traffic/barrier_traffic.hpp"

namespace gsu::traffic {

struct MbarOptions {
    std::uint64_t seed{1};
    unsigned sms{2};
    std::uint64_t requests{5'000};
    unsigned illegal{6};  ///< illegal requests, in percent
    bool remote{true};
    bool async{true};
    bool atomics{true};  ///< atom and red of the cluster
    bool agents{true};   ///< arrivals of agents that are no threads
    bool cancels{true};  ///< try_cancel: queries are answered after 1 to 400 clocks, in any order
    bool
        spread{};  ///< large windows that fill the shared memory, and the cluster in another slot on every second SM
    bool
        wide{};  ///< objects anywhere in large windows, counts and bytes with any of their upper bits, many queries at once, some long waits
    /// the CTA of the cluster on the last SM exits after three fifths of the requests: what comes to it later is refused
    bool leaver{};
    bool
        lively{};  ///< all objects are initialised at first, few are invalidated, bytes often sum to 0: most phases complete
};

struct MbarStats {
    std::uint64_t requests{}, commits{}, responses{}, flips{}, refused{}, remoteCommits{},
        asyncCommits{}, timeouts{}, delivered{}, atomicLanes{}, queries{}, multicasts{},
        responses16{},  ///< complete_tx of responses of try_cancel
        /// arrivals of agents committed; of these, arrivals in another CTA
        agents{}, agentsAway{};
    std::array<std::uint64_t, 16> errs{};
    std::array<std::uint64_t, 8> causes{};  ///< causes of responses
    std::uint64_t freed{};
    bool hung{};
    FindingRows findings;
};

class MbarTraffic final : public SyncSink {
public:
    MbarTraffic(SyncPort& port, const MbarOptions& options);
    const MbarStats& run();

    void onResponse(const SyncResponse& r) override;
    void onRelease(const Release&) override {}
    void onCommit(const Commit& c) override;
    void onDelivered(const Delivered& d) override;
    void onCtaFree(const CtaFree&) override { ++stats_.freed; }
    void onCancel(const CancelQuery& q) override;

private:
    static constexpr unsigned kWarps = 4, kObjects = 6;
    struct Warp {
        Lanes open{};
        std::array<std::uint64_t, kLanes> state{};
    };
    struct Sm {
        std::array<std::array<Warp, kWarps>, 2> warp{};
        std::array<Lanes, 4096> open{};
        std::deque<std::pair<Cycle, AsyncUpdate>> due;
        std::deque<std::pair<Cycle, CancelAnswer>> answers;
        unsigned nextTag{};
    };

    void launchAll();
    void initAll();
    void exitAll();
    /// Whether this CTA gives no requests any more.
    [[nodiscard]] bool stops(unsigned sm, unsigned cta) const
    {
        return options_.leaver && cta == 0 && sm + 1 == options_.sms &&
               5 * stats_.requests >= 3 * options_.requests;
    }
    void leave();
    /// The CTA of an asynchronous completion on this SM.
    [[nodiscard]] unsigned some(Random& random, unsigned sm)
    {
        return stops(sm, 0) ? 1 : random.below(2);
    }
    [[nodiscard]] bool spared(Op op);
    bool give(SyncRequest& r, unsigned cta);
    void drive(std::uint8_t sm);
    void asyncs(std::uint8_t sm);
    void agent(std::uint8_t sm);
    void answers(std::uint8_t sm);
    void operands(SyncRequest& r, std::uint8_t sm, unsigned cta, const Warp& w);
    void spoil(SyncRequest& r);
    [[nodiscard]] Op pick();
    [[nodiscard]] std::uint64_t drawnCount(Op op);
    /// An object: half of the objects are at the start of a window, half at its end.
    [[nodiscard]] std::uint32_t object(unsigned rank)
    {
        return clusterAddress(rank, offsetOf(random_.below(kObjects)));
    }
    [[nodiscard]] std::uint32_t offsetOf(std::uint32_t i) const
    {
        if (options_.wide && i % (kObjects - 1) != 0)  // not the first or the last
            return window() / kObjects * i / 16 * 16 + 8;
        return i < kObjects / 2 ? 8 * i : window() - 8 * (kObjects - i);
    }
    [[nodiscard]] std::uint32_t atomicOffset()
    {
        const std::uint32_t within = 4 * random_.below(60);
        return options_.wide ? offsetOf(random_.below(kObjects)) + within : within;
    }
    [[nodiscard]] std::uint32_t window() const
    {
        return options_.spread || options_.wide ? 72 * 1024 : 0x100;
    }
    /// The slot of the CTA of the cluster (0) or of the single CTA (1), and the other way round.
    [[nodiscard]] std::uint8_t slot(unsigned sm, unsigned cta) const
    {
        return static_cast<std::uint8_t>(options_.spread ? cta ^ (sm & 1) : cta);
    }

    SyncPort& port_;
    MbarOptions options_;
    Random random_;
    /// separate generator, so that agents change nothing else
    Random agents_{options_.seed ^ 0xa9e7};
    MbarStats stats_;
    std::vector<Sm> sms_;
    bool left_{};  ///< the leaver has exited
};

}  // namespace gsu::traffic
