/// The threads of a warp: the vector clock of each, and what it gives to others when it releases. Lanes with equal clocks are kept together.
#pragma once
#include <deque>

#include "golden/types.hpp"
#include "races/clock.hpp"

namespace gsu::races {

/// How far an order of memory reaches, as levels that include each other.
enum class Level : std::uint8_t { Cta, Cluster, Gpu };
[[nodiscard]] constexpr Level levelOf(Scope scope) noexcept
{
    return scope == Scope::Cta ? Level::Cta : scope == Scope::Cluster ? Level::Cluster : Level::Gpu;
}
inline constexpr unsigned kLevels = 3;

/// What is known, by what it is good for.
struct Knowledge {
    Clock all;
    Clock asyncShared, asyncGlobal;  ///< what a proxy fence shows to the async proxy, by space
    Clock inits;   ///< mbarriers whose init fence.mbarrier_init has published, beside `all`
    Clock weak;    ///< what relaxed arrivals and stores would give if they released, beside `all`
    Clock unread;  ///< what relaxed waits and loads have seen, beside `all`
    Clock reads;   ///< behind which writes of others may come, beside `all`: no more than that
    std::uint64_t grids{};  ///< that have ended, as griddepcontrol.wait says: all of them

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
    /// Something of that CTA is known, ordered or not.
    [[nodiscard]] bool somehow(std::uint32_t cta) const noexcept
    {
        return all.knows(cta) || weak.knows(cta) || unread.knows(cta);
    }
    bool operator==(const Knowledge&) const noexcept = default;
};

/// What lanes of a warp know of the lanes of their own warp, or have waited for themselves; by Line.
using OwnTimes = std::array<LaneTimes, kOwnLines>;

class Threads {
public:
    /// Lanes that know the same.
    struct Part {
        Lanes lanes{};
        Knowledge knows;
        OwnTimes self;  ///< of other lanes of the warp, by bar.warp.sync
    };

    Threads(std::uint32_t cta, unsigned warp, Lanes lanes) : cta_(cta), warp_(warp)
    {
        parts_.push_back({lanes, {}, {}});
    }
    [[nodiscard]] const std::vector<Part>& parts() const noexcept { return parts_; }
    [[nodiscard]] std::uint32_t cta() const noexcept { return cta_; }
    [[nodiscard]] unsigned warp() const noexcept { return warp_; }
    /// Whose line it is: wgmma are those of a warpgroup, complete for all of its warps at once.
    [[nodiscard]] static constexpr unsigned warpOf(Line line, unsigned warp) noexcept
    {
        return line == Line::Matrix ? warp & ~3u : warp;
    }
    /// The time of what they do now.
    [[nodiscard]] Time now() const noexcept { return now_; }
    /// A lane's own operations of the line that it has waited for.
    [[nodiscard]] Time waited(Line line, unsigned lane) const noexcept
    {
        return waited_[static_cast<std::size_t>(line)].of(lane);
    }
    /// Lanes of this warp have come so far on this line, as far as the part knows.
    [[nodiscard]] bool reached(const Part& part, Line line, Lanes lanes, Time time) const noexcept;

    /// What these lanes know, what they have done themselves included.
    [[nodiscard]] Knowledge known(Lanes lanes) const;
    /// What these lanes give when they release now; what they do from here on is later.
    [[nodiscard]] Knowledge release(Lanes lanes);
    void acquire(Lanes lanes, const Knowledge& from);
    /// Lanes have met in bar.warp.sync.
    void meet(Lanes lanes);

    /// A fence: what it releases is given away by later relaxed writes and arrivals; what relaxed reads have seen is acquired.
    void fence(Lanes lanes, Level level, Sem sem, std::uint32_t line);
    /// The fence that came with a release in this line was not one of the program.
    void forgetFence(Lanes lanes, std::uint32_t line);
    /// What fences of this level at least have released of these lanes.
    [[nodiscard]] Knowledge fenced(Lanes lanes, Level level) const;
    /// A relaxed read has seen this; a fence of this level acquires it.
    void saw(Lanes lanes, Level level, const Knowledge& what);
    void proxyFence(Lanes lanes, bool shared, bool global);
    void initFence(Lanes lanes);

    /// The next operation of the line that the lane begins.
    [[nodiscard]] Time begin(Line line, unsigned lane);
    [[nodiscard]] Time begun(Line line, unsigned lane) const noexcept;
    void closeGroup(Line line, Lanes lanes);
    /// They have waited for all groups but the youngest; `all`: and for what is in no group.
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
        std::deque<Time> groups;  ///< closed ones: the last operation of each
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
