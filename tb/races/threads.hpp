/// The threads of a warp: the vector clock of each, and the knowledge that it passes on when it releases. Lanes with equal clocks are kept together.
#pragma once
#include <deque>

#include "golden/types.hpp"
#include "races/clock.hpp"

namespace gsu::races {

/// Range of an order of memory, as levels that include each other.
enum class Level : std::uint8_t { Cta, Cluster, Gpu };
[[nodiscard]] constexpr Level levelOf(Scope scope) noexcept
{
    return scope == Scope::Cta ? Level::Cta : scope == Scope::Cluster ? Level::Cluster : Level::Gpu;
}
inline constexpr unsigned kLevels = 3;

/// Known events, by their use.
struct Knowledge {
    Clock all;
    /// events that a proxy fence shows to the async proxy, by space
    Clock asyncShared, asyncGlobal;
    Clock inits;  ///< mbarriers whose init fence.mbarrier_init has published, beside `all`
    /// events that relaxed arrivals and stores would pass on if they released, beside `all`
    Clock weak;
    Clock unread;  ///< events that relaxed waits and loads have seen, beside `all`
    Clock reads;  ///< events after which writes of others may come, beside `all`: no more than that
    std::uint64_t grids{};  ///< ended grids, after griddepcontrol.wait: all of them

    void join(const Knowledge& other)
    {
        all.join(other.all);
        asyncShared.join(other.asyncShared);
        asyncGlobal.join(other.asyncGlobal);
        inits.join(other.inits);
        weak.join(other.weak);
        unread.join(other.unread);
        reads.join(other.reads);
        grids |= other.grids;
    }
    /// True if something of that CTA is known, ordered or not.
    [[nodiscard]] bool somehow(std::uint32_t cta) const noexcept
    {
        return all.knows(cta) || weak.knows(cta) || unread.knows(cta);
    }
    bool operator==(const Knowledge&) const noexcept = default;
};

/// For lanes of a warp, the known events of lanes of their own warp, and the operations that they waited for; by Line.
using OwnTimes = std::array<LaneTimes, kOwnLines>;

class Threads {
public:
    /// Lanes with the same knowledge.
    struct Part {
        Lanes lanes{};
        Knowledge knows;
        OwnTimes self;  ///< events of other lanes of the warp, by bar.warp.sync
    };

    Threads(std::uint32_t cta, unsigned warp, Lanes lanes) : cta_(cta), warp_(warp)
    {
        parts_.push_back({lanes, {}, {}});
    }
    [[nodiscard]] const std::vector<Part>& parts() const noexcept { return parts_; }
    [[nodiscard]] std::uint32_t cta() const noexcept { return cta_; }
    [[nodiscard]] unsigned warp() const noexcept { return warp_; }
    /// The warp of a line: wgmma belong to a warpgroup, and are complete for all of its warps at once.
    [[nodiscard]] static constexpr unsigned warpOf(Line line, unsigned warp) noexcept
    {
        return line == Line::Matrix ? warp & ~3u : warp;
    }
    /// The time of the present acts of the threads.
    [[nodiscard]] Time now() const noexcept { return now_; }
    /// The lane's own operations of the line that it has waited for.
    [[nodiscard]] Time waited(Line line, unsigned lane) const noexcept
    {
        return waited_[static_cast<std::size_t>(line)].of(lane);
    }
    /// True if lanes of this warp have reached this time on this line, as far as the part knows.
    [[nodiscard]] bool reached(const Part& part, Line line, Lanes lanes, Time time) const noexcept;

    /// The knowledge of these lanes, including their own acts.
    [[nodiscard]] Knowledge known(Lanes lanes) const;
    /// The knowledge that these lanes pass on when they release now; their further acts are later.
    [[nodiscard]] Knowledge release(Lanes lanes);
    void acquire(Lanes lanes, const Knowledge& from);
    /// Joins lanes that have met in bar.warp.sync.
    void meet(Lanes lanes);

    /// Executes a fence: later relaxed writes and arrivals pass on what it releases; it acquires what relaxed reads have seen.
    void fence(Lanes lanes, Level level, Sem sem, std::uint32_t line);
    /// Removes the fence that came with a release in this line: it was not one of the program.
    void forgetFence(Lanes lanes, std::uint32_t line);
    /// The knowledge of these lanes that fences of at least this level have released.
    [[nodiscard]] Knowledge fenced(Lanes lanes, Level level) const;
    /// Notes what a relaxed read has seen; a fence of this level acquires it.
    void saw(Lanes lanes, Level level, const Knowledge& what);
    void proxyFence(Lanes lanes, bool shared, bool global);
    void initFence(Lanes lanes);

    /// Begins the lane's next operation of the line; returns its time.
    [[nodiscard]] Time begin(Line line, unsigned lane);
    [[nodiscard]] Time begun(Line line, unsigned lane) const noexcept;
    void closeGroup(Line line, Lanes lanes);
    /// Lanes have waited for all groups except the youngest `mayStay`; `all`: and for operations in no group.
    void waitGroups(Line line, Lanes lanes, std::uint32_t mayStay, bool all, bool reads);

private:
    struct Snapshot {
        Lanes lanes{};
        Knowledge knows;
        OwnTimes self, waited;
        Time time{};
    };
    struct Fence {
        Lanes lanes{};
        std::uint32_t line{};
        bool withAccess{};  ///< maybe: it only releases
        std::shared_ptr<const Snapshot> what;
    };
    struct Seen {
        Lanes lanes{};
        Knowledge what;
    };
    /// Operations of a lane.
    struct Begun {
        Time count{};
        std::deque<Time> groups;  ///< closed groups: the last operation of each
    };
    using BegunLanes = std::array<Begun, 32>;

    [[nodiscard]] Knowledge given(const Snapshot& from, Lanes lanes) const;
    [[nodiscard]] Snapshot snapshot(const Part& part, Lanes lanes) const;
    static void bound(std::vector<Fence>& list);
    void split(Lanes lanes);
    void merge();

    std::uint32_t cta_;
    unsigned warp_;
    Time now_{1};
    std::vector<Part> parts_;
    OwnTimes waited_;
    std::array<std::vector<Fence>, kLevels> fences_;
    std::array<std::vector<Seen>, kLevels> seen_;
    std::array<std::unique_ptr<BegunLanes>, kOwnLines> begun_;
};

}  // namespace gsu::races
