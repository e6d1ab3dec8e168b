/// Seeded random requests that have to wait for older operations: fences of every semantics, scope and proxy, releases, barriers, among ordinary accesses that
/// are announced and performed late, and posted packets to other CTAs. One CTA per SM, all of one cluster.
/// It cannot hang a correct port: accesses are performed after a while, a named barrier completes with each arrival, and nothing waits for a warp that waits at
/// the cluster barrier.
#pragma once
#include <array>
#include <map>
#include <vector>

#include "golden/port.hpp"
#include "traffic/barrier_traffic.hpp"

namespace gsu::traffic {

struct OrderOptions {
    std::uint64_t seed{1};
    unsigned sms{2};
    std::uint64_t requests{5'000};
    bool wide{};  ///< some warps announce up to 65535 accesses at once
};

struct OrderStats {
    std::uint64_t requests{}, fences{}, posted{}, announced{}, performed{}, freed{};
    FindingRows findings;
    bool hung{};
};

class OrderTraffic final : public SyncSink {
public:
    OrderTraffic(SyncPort& port, const OrderOptions& options);
    const OrderStats& run();

    void onResponse(const SyncResponse& r) override;
    void onRelease(const Release& r) override;
    void onCommit(const Commit& c) override { stats_.findings.see(c); }
    void onDelivered(const Delivered&) override {}
    void onCtaFree(const CtaFree&) override { ++stats_.freed; }

private:
    static constexpr unsigned kWarps = 6;
    struct Warp {
        Lanes live{~Lanes{0}}, open{};
        bool owed{};  ///< cluster arrive without wait
    };
    struct Sm {
        std::array<Warp, kWarps> warp;
        std::multimap<Cycle, Accesses> due;  ///< accesses to be performed, by cycle
        unsigned nextTag{};
    };

    void launchAll();
    void drive(std::uint8_t sm);
    void announce(std::uint8_t sm, std::uint8_t warp);
    void perform(std::uint8_t sm);
    void fence(SyncRequest& r);
    void post(SyncRequest& r);
    void release(SyncRequest& r);
    void meet(SyncRequest& r, Warp& w);
    void leave(std::uint8_t sm);
    [[nodiscard]] bool busy() const;

    SyncPort& port_;
    OrderOptions options_;
    Random random_;
    OrderStats stats_;
    std::vector<Sm> sms_;
};

}  // namespace gsu::traffic
