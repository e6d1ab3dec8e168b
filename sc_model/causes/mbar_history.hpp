/// What has happened to one mbarrier: its last phases with who arrived and which copies brought bytes, its inits, who has looked at it.
#pragma once
#include <cstdint>
#include <deque>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "golden/types.hpp"

namespace gsu {

/// A warp of the grid: linear index of its CTA, index in the CTA.
using WarpId = std::pair<std::uint32_t, std::uint32_t>;

/// Who did something, and by which PTX line; line 0: not known.
struct Doer {
    WarpId warp;
    std::uint32_t line{};
    bool remote{};  ///< by the network, from another CTA
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

/// What one warp gave to one phase by one line.
struct Contribution {
    Share share{};
    Doer doer;
    std::uint64_t amount{};
    std::uint32_t times{};
    Cycle first{}, last{};
};

struct MbarPhase {
    std::uint32_t number{};  ///< phases completed before it, since the init
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
    std::uint32_t phases{};  ///< that had completed until then
    bool lost{};             ///< arrivals or bytes of a running phase went with it
    std::uint32_t lostArrivals{};
};

/// A wait that returned true.
struct MbarLook {
    Cycle at{};
    std::uint32_t line{};
    std::uint32_t phases{};  ///< that had completed by then
    std::uint32_t times{};
};

/// All that one warp has given by one line.
struct MbarTotal {
    std::uint64_t amount{};
    std::uint32_t times{};
    std::uint32_t lastPhase{};
    bool remote{};
    Cycle last{};
    Lanes lanes{};  ///< that were seen to do it
};

class MbarHistory {
public:
    static constexpr std::size_t kPhases = 4, kSetups = 4;  ///< that are kept
    using Who = std::tuple<Share, WarpId, std::uint32_t>;   ///< warp and PTX line

    void commit(const Commit& commit, const Doer& doer);
    void looked(const WarpId& warp, std::uint32_t line, Cycle now);

    /// Completed since the init.
    [[nodiscard]] std::uint32_t phases() const noexcept { return phases_; }
    /// The running one last. Not empty.
    [[nodiscard]] const std::deque<MbarPhase>& last() const noexcept { return last_; }
    [[nodiscard]] const MbarPhase& running() const noexcept { return last_.back(); }
    [[nodiscard]] const std::vector<MbarSetup>& setups() const noexcept { return setups_; }
    [[nodiscard]] const std::map<Who, MbarTotal>& totals() const noexcept { return totals_; }
    [[nodiscard]] const std::map<WarpId, MbarLook>& looks() const noexcept { return looks_; }
    [[nodiscard]] std::uint64_t word() const noexcept { return word_; }
    /// A phase that is kept has completed with as many bytes announced.
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
