/// Counters for the cover points of mbarriers, of their asynchronous arrivals, and of try_cancel, that can be seen at the port.
#pragma once
#include <array>
#include <unordered_map>
#include <vector>

#include "golden/chip_layout.hpp"
#include "golden/port_observer.hpp"
#include "observers/coverage_points.hpp"
#include "observers/open_table.hpp"

namespace gsu {

class MbarrierCoverage : public CoverPart {
public:
    explicit MbarrierCoverage(ChipLayout chip)
        : ctas_(std::size_t{chip.sms()} * kMaxCtas), cancels_(chip.sms()), open_(chip.sms())
    {
    }
    [[nodiscard]] static std::vector<CoverPoint> points();
    void launch(const Launch& launch);
    void request(Cycle now, const SyncRequest& request);
    void response(const SyncResponse& response);
    void commit(const Commit& commit);
    void answer(const CancelAnswer& answer);
    void ended(WarpRef at);
    /// Number of objects of the CTA whose phase has begun: something has arrived, and it has not completed.
    [[nodiscard]] unsigned running(WarpRef at) const { return cta(at).running; }
    /// True if a lane of the CTA is suspended in a try_wait.
    [[nodiscard]] bool suspended(WarpRef at) const { return cta(at).waits != 0; }

private:
    struct Object {
        bool live{}, used{}, begun{};
        bool expected{}, completed{}, negative{}, byThread{}, byCopy{};  ///< in this phase
        bool polled{};  ///< a test_wait was answered false in this phase
        std::uint32_t phases{}, copies{};
        std::vector<std::uint64_t> waits;  ///< keys of the requests that are suspended at it
    };
    struct Cta {
        Launch launch;
        std::unordered_map<std::uint32_t, Object> objects;
        /// error bits of refused operations that no legal operation followed
        std::uint16_t refused{};
        unsigned live{}, running{}, waits{};
    };
    /// An arrive of 32 lanes at one object, lane by lane.
    struct Walk {
        Lanes left{};
        bool flipped{};
    };
    struct Wait {
        Lanes lanes{};
        Cycle since{};
        std::uint32_t phase{};
    };
    [[nodiscard]] Cta& cta(WarpRef at) { return ctas_[std::size_t{at.sm} * kMaxCtas + at.cta]; }
    [[nodiscard]] const Cta& cta(WarpRef at) const
    {
        return ctas_[std::size_t{at.sm} * kMaxCtas + at.cta];
    }
    [[nodiscard]] static std::uint64_t keyOf(WarpRef at, std::uint16_t tag) noexcept
    {
        return std::uint64_t{OpenTable::indexOf(at)} << 16 | tag;
    }
    void wait(Cycle now, const SyncRequest& r);
    void space(const SyncRequest& r);
    void sent(const SyncRequest& r);
    void refusal(Cta& c, const Commit& commit);
    void life(Cta& c, Object& o, const Commit& commit);
    void arrival(Object& o, const Commit& commit);
    void drop(const Commit& commit);
    void bytes(Object& o, const Commit& commit);
    void walk(const Commit& commit);
    void flip(Cta& c, Object& o, const Commit& commit);
    void begin(Cta& c, Object& o, bool begun);

    std::vector<Cta> ctas_;
    /// Unanswered queries of try_cancel of an SM: for one CTA, for all CTAs of a cluster.
    std::vector<std::array<std::int64_t, 2>> cancels_;
    OpenTable open_;  ///< waits; `user`: completed phases of the object
    std::unordered_map<std::uint64_t, Walk> walks_;
    std::unordered_map<std::uint64_t, Wait> waits_;
};

}  // namespace gsu
