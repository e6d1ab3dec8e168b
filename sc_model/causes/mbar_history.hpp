/// The history of one mbarrier: its last phases with the arrivals and the bytes of copies, its inits, and the warps that have seen a phase complete.
#pragma once
#include <cstdint>
#include <deque>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "golden/types.hpp"

namespace gsu {

/// A warp of the grid: linear index of its CTA, index of the warp in the CTA.
using WarpId = std::pair<std::uint32_t, std::uint32_t>;

/// The warp that did something, and the PTX line; line 0: not known.
struct Doer {
    WarpId warp;
    std::uint32_t line{};
    bool remote{};  ///< through the network, from another CTA
};

enum class Share : std::uint8_t {
    Arrivals,
    Dropped,    ///< arrivals that leave the barrier, too
    Announced,  ///< bytes
    Completed   ///< bytes
};
/// "arrivals", "dropped", "announced", "completed".
[[nodiscard]] const char* nameOf(Share share) noexcept;
[[nodiscard]] constexpr bool isArriving(Share share) noexcept
{
    return share == Share::Arrivals || share == Share::Dropped;
}

/// The share of one warp in one phase, by one line.
struct Contribution {
    Share share{};
    Doer doer;
    std::uint64_t amount{};
    std::uint32_t times{};
    Cycle first{}, last{};
};

struct MbarPhase {
    std::uint32_t number{};  ///< phases completed before this one, since the init
    Cycle begin{}, end{kNever};
    std::vector<Contribution> parts;
    [[nodiscard]] std::uint64_t sum(Share share) const noexcept;
};

/// An init or inval.
struct MbarSetup {
    Cycle at{};
    Doer doer;
    bool inval{};
    std::uint32_t count{};
    std::uint32_t phases{};  ///< phases that had completed until then
    bool lost{};             ///< arrivals or bytes of a running phase were lost
    std::uint32_t lostArrivals{};
};

/// A wait that returned true.
struct MbarLook {
    Cycle at{};
    std::uint32_t line{};
    std::uint32_t phases{};  ///< phases that had completed by then
    std::uint32_t times{};
};

/// The total of one warp by one line.
struct MbarTotal {
    std::uint64_t amount{};
    std::uint32_t times{};
    std::uint32_t lastPhase{};
    bool remote{};
    Cycle last{};
    Lanes lanes{};  ///< lanes that were seen to do it
};

class MbarHistory {
public:
    static constexpr std::size_t kPhases = 4, kSetups = 4;  ///< numbers of kept phases and inits
    using Who = std::tuple<Share, WarpId, std::uint32_t>;   ///< warp and PTX line

    void commit(const Commit& commit, const Doer& doer);
    void looked(const WarpId& warp, std::uint32_t line, Cycle now);

    /// Phases completed since the init.
    [[nodiscard]] std::uint32_t phases() const noexcept { return phases_; }
    /// The kept phases, the running one last. Not empty.
    [[nodiscard]] const std::deque<MbarPhase>& last() const noexcept { return last_; }
    [[nodiscard]] const MbarPhase& running() const noexcept { return last_.back(); }
    [[nodiscard]] const std::vector<MbarSetup>& setups() const noexcept { return setups_; }
    [[nodiscard]] const std::map<Who, MbarTotal>& totals() const noexcept { return totals_; }
    [[nodiscard]] const std::map<WarpId, MbarLook>& looks() const noexcept { return looks_; }
    [[nodiscard]] std::uint64_t word() const noexcept { return word_; }
    /// True if a kept phase has completed with this number of announced bytes.
    [[nodiscard]] bool paid(std::uint64_t announced) const noexcept;

private:
    void setup(const Commit& commit, const Doer& doer);
    void add(Share share, std::uint64_t amount, const Commit& commit, const Doer& doer);

    std::uint32_t phases_{};
    std::uint64_t word_{};
    std::deque<MbarPhase> last_{MbarPhase{}};
    std::vector<MbarSetup> setups_;
    std::map<Who, MbarTotal> totals_;
    std::map<WarpId, MbarLook> looks_;
};

}  // namespace gsu
