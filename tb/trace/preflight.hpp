/// Follows a trace record by record and finds, without running it, barriers that can never complete. Covers bar, barrier.cluster and
/// bar.warp.sync. Rules: BAR-005, BAR-009, BAR-010, BAR-038..041, CLU-007..014, BWS-004, BWS-011. Recorded answers and releases take
/// precedence over its own reasoning, so that a recorded misuse is not refused.
#pragma once
#include <array>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "causes/port_history.hpp"
#include "trace/record.hpp"

namespace gsu::trace {

/// A request that can never complete, found without running the trace.
struct TraceFinding {
    std::string rule;
    std::string message;
    WarpRef at;
    Lanes lanes{};
    std::uint32_t line{};    ///< line of the trace file
    std::uint32_t source{};  ///< line of the PTX file
    Op op{};
    std::uint32_t id{};
};

class Preflight {
public:
    using Refuse = std::function<void(const std::string&)>;  ///< must throw

    /// `port`: gets arrivals at barriers and completions; its clock is the line of the trace.
    Preflight(unsigned sms, PortHistory& port);
    /// Calls `refuse` for a record that no hardware can have issued: a blocked lane that continues (BAR-041).
    void record(const Record& record, const Refuse& refuse, std::uint32_t line);
    /// The requests that are still blocked after the last record.
    [[nodiscard]] std::vector<TraceFinding> finish() const;

private:
    /// A blocked lane: it waits for its warp (joining) or for others.
    struct Lane {
        Op op{Op::None};  ///< None: free
        bool joined{};    ///< its warp has arrived
        std::uint32_t id{}, count{};
        std::uint32_t line{}, source{};
    };
    struct Warp {
        Lanes live{};
        bool launched{};
        bool clusterArrived{};  ///< counted in the running cluster generation
        bool clusterPending{};  ///< has an arrival that it did not wait for
        std::array<Lane, 32> lane{};
    };
    struct Named {
        std::uint32_t n{};      ///< arrivals of warps
        std::uint32_t count{};  ///< threads, 0: all of the CTA
        Lanes arrived{};
    };
    struct Cta {
        bool live{};
        std::uint8_t cluster{}, ctas{1};
        std::uint32_t
            threads{};  ///< rounded up to whole warps: the effective count of an omitted one (D-08)
        std::array<Named, 16> named{};
    };

    void launch(const Launch& launch);
    void request(const SyncRequest& request, std::uint32_t line);
    void exit(const Exit& exit);
    void bar(WarpRef at, Lanes executing);
    void arrive(WarpRef at, std::uint32_t id, std::uint32_t count, Lanes executing);
    void check(std::uint8_t sm, std::uint8_t cta, unsigned id);
    [[nodiscard]] std::uint32_t targetOf(std::uint8_t sm, std::uint8_t cta,
                                         const Named& barrier) const;
    void clusterJoin(WarpRef at);
    void tellCluster(std::uint8_t sm, std::uint8_t cta);
    void clusterCheck(std::uint8_t sm, std::uint8_t cta);
    void warpSync(WarpRef at);
    void answered(const SyncResponse& response);
    void released(const Release& release);
    [[nodiscard]] std::vector<std::size_t> clusterMembers(std::uint8_t sm, std::uint8_t cta) const;
    [[nodiscard]] Lanes blocked(const Warp& warp) const;
    [[nodiscard]] std::string why(WarpRef at, const Lane& lane, std::string& rule) const;
    [[nodiscard]] std::string missing(std::uint8_t sm, std::uint8_t cta, Lanes arrived) const;
    Warp& warp(WarpRef at);
    [[nodiscard]] const Warp& warp(WarpRef at) const;
    Cta& cta(std::uint8_t sm, std::uint8_t slot)
    {
        return ctas_[std::size_t{sm} * kMaxCtas + slot];
    }
    [[nodiscard]] const Cta& cta(std::uint8_t sm, std::uint8_t slot) const
    {
        return ctas_[std::size_t{sm} * kMaxCtas + slot];
    }

    std::vector<Warp> warps_;
    std::vector<Cta> ctas_;
    PortHistory& port_;
    std::uint32_t line_{};  ///< line of the current record
};

}  // namespace gsu::trace
