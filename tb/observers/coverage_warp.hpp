/// Counters for the cover points of warp-wide operations, fences and grids that can be seen at the port. Operands of lanes that come one
/// after the other are not put together: points about all operands are counted only if the whole mask comes as one request.
#pragma once
#include <array>
#include <vector>

#include "golden/port_observer.hpp"
#include "observers/coverage_points.hpp"

namespace gsu {

class WarpCoverage : public CoverPart {
public:
    explicit WarpCoverage(unsigned sms) : ctas_(std::size_t{sms} * kMaxCtas) {}
    [[nodiscard]] static std::vector<CoverPoint> points();
    void launch(const Launch& launch);
    /// Counts a request. `live`: the lanes of its warp that have not exited.
    void request(const SyncRequest& request, Lanes live);
    void ended(WarpRef at);

private:
    struct Cta {
        bool inGrid{}, signalled{};
    };
    void vote(const SyncRequest& r, Lanes live);
    void match(const SyncRequest& r);
    void redux(const SyncRequest& r);
    void reduxFloat(const SyncRequest& r);
    void elect(const SyncRequest& r);
    void fence(const SyncRequest& r);
    void grid(const SyncRequest& r);
    Cta& cta(WarpRef at) { return ctas_[std::size_t{at.sm} * kMaxCtas + at.cta]; }

    std::vector<Cta> ctas_;
};

}  // namespace gsu
