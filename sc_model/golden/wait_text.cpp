#include "golden/wait_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/counted.hpp"
#include "golden/mbarrier.hpp"
#include "golden/op_traits.hpp"

namespace gsu {

WaitKind waitKindOf(Op op) noexcept
{
    if (isMbarOp(op)) return WaitKind::Mbarrier;
    if (meetsLanes(op) || isWarpOp(op)) return WaitKind::Warp;
    if (isCluster(op)) return WaitKind::Cluster;
    if (isGridControl(op)) return WaitKind::Grid;
    return isNamed(op) ? WaitKind::Named : WaitKind::Fence;
}

namespace {

std::string nameOfObject(const WaitingGroup& w)
{
    switch (w.kind) {
        case WaitKind::Named: return fmt::format("named barrier {}", w.id);
        case WaitKind::Mbarrier: return fmt::format("the mbarrier at +{:#x}", w.address);
        case WaitKind::Cluster: return "the cluster barrier";
        case WaitKind::Warp: return "other lanes of its warp";
        case WaitKind::Spin:
            return w.endless ? "nothing: its loop has no end"
                             : "memory that nothing can change any more";
        case WaitKind::Fence: return "older accesses to be performed";
        case WaitKind::Grid: return "the end of the grids before its own";
        case WaitKind::Columns: return "columns of tensor memory (tcgen05.alloc)";
    }
    return "?";
}

bool sameObject(const WaitingGroup& a, const WaitingGroup& b)
{
    if (a.kind != b.kind) return false;
    switch (a.kind) {
        case WaitKind::Cluster: return a.cluster == b.cluster;
        case WaitKind::Named: return a.cta == b.cta && a.id == b.id;
        case WaitKind::Mbarrier: return a.cta == b.cta && a.address == b.address;
        case WaitKind::Spin: return a.cta == b.cta && a.id == b.id;
        case WaitKind::Warp:
        case WaitKind::Fence: return a.cta == b.cta && a.warp == b.warp;
        case WaitKind::Grid:
        case WaitKind::Columns: return a.cta == b.cta;
    }
    return false;
}

class Explanation {
public:
    Explanation(std::vector<WaitingGroup> waiting, const std::vector<PresentWarp>& present,
                const std::function<std::string(std::uint32_t)>& nameOf)
        : waiting_(std::move(waiting)), present_(present), nameOf_(nameOf)
    {
        std::stable_sort(waiting_.begin(), waiting_.end(),
                         [](const WaitingGroup& a, const WaitingGroup& b) {
                             return a.cta != b.cta ? a.cta < b.cta : a.warp < b.warp;
                         });
    }
    WaitReport take()
    {
        std::vector<const WaitingGroup*> told;
        for (const WaitingGroup& first : waiting_) {
            if (std::any_of(told.begin(), told.end(),
                            [&](const WaitingGroup* t) { return sameObject(*t, first); }))
                continue;
            told.push_back(&first);
            if (told.size() > kMaxTold) continue;
            report_.explanation += (report_.explanation.empty() ? "" : " ") + partOf(first);
        }
        return std::move(report_);
    }

private:
    static constexpr std::size_t kMaxTold = 6;
    static constexpr unsigned kMaxMissing = 4;

    /// Warps of the CTA that wait for the same.
    [[nodiscard]] std::set<std::uint32_t> warpsAt(const WaitingGroup& first) const
    {
        std::set<std::uint32_t> here;
        for (const WaitingGroup& w : waiting_) {
            if (sameObject(w, first) && w.cta == first.cta) here.insert(w.warp);
        }
        return here;
    }
    std::string partOf(const WaitingGroup& first)
    {
        const std::set<std::uint32_t> here = warpsAt(first);
        const bool spins = first.kind == WaitKind::Spin, one = here.size() == 1;
        std::string text = fmt::format("{}: {} (first: warp {}", nameOf_(first.cta),
                                       counted(here.size(), "warp"), first.warp);
        if (!first.place.empty()) text += ", " + first.place;
        text += fmt::format(") {}{} {} {}{}", spins ? "spin" : "wait", one ? "s" : "",
                            spins ? "on" : "for", nameOfObject(first), first.state);
        const std::string missing = missingAt(first, here);
        return text + (missing.empty() ? "" : "; missing: " + missing) + ".";
    }
    [[nodiscard]] std::string whyOf(const PresentWarp& p) const
    {
        if (p.exited) return "exited";
        for (const WaitingGroup& w : waiting_) {
            if (w.cta != p.cta || w.warp != p.warp) continue;
            return (w.kind == WaitKind::Spin ? "spins on " : "waits for ") + nameOfObject(w) +
                   (w.place.empty() ? "" : " at " + w.place);
        }
        return "is running";
    }
    [[nodiscard]] bool waitsThere(const PresentWarp& p, const WaitingGroup& first) const
    {
        return std::any_of(waiting_.begin(), waiting_.end(), [&](const WaitingGroup& w) {
            return w.cta == p.cta && w.warp == p.warp && sameObject(w, first);
        });
    }
    /// Noted in the report, the first ones in words.
    std::string missingAt(const WaitingGroup& first, const std::set<std::uint32_t>& here)
    {
        std::string text;
        if (first.kind == WaitKind::Spin || first.kind == WaitKind::Warp ||
            first.kind == WaitKind::Fence || first.kind == WaitKind::Grid)
            return text;
        unsigned count = 0;
        for (const PresentWarp& p : present_) {
            const bool same = p.cta == first.cta;
            const bool candidate =
                first.kind == WaitKind::Cluster ? p.cluster == first.cluster : same;
            if (!candidate || (same && here.contains(p.warp)) || waitsThere(p, first)) continue;
            const std::string reason = whyOf(p);
            if (++count <= kMaxMissing)
                text += fmt::format("{}{}{} {}", text.empty() ? "warp " : ", warp ", p.warp,
                                    same ? "" : " of " + nameOf_(p.cta), reason);
            if (listed_.insert({p.cta, p.warp}).second)
                report_.missing.push_back({p.cta, p.warp, reason});
        }
        return text;
    }

    std::vector<WaitingGroup> waiting_;
    const std::vector<PresentWarp>& present_;
    const std::function<std::string(std::uint32_t)>& nameOf_;
    WaitReport report_;
    std::set<std::pair<std::uint32_t, std::uint32_t>> listed_;
};

}  // namespace

const char* nameOf(WaitKind kind) noexcept
{
    switch (kind) {
        case WaitKind::Named: return "named";
        case WaitKind::Mbarrier: return "mbarrier";
        case WaitKind::Cluster: return "cluster";
        case WaitKind::Warp: return "warp";
        case WaitKind::Spin: return "spin";
        case WaitKind::Fence: return "fence";
        case WaitKind::Grid: return "grid";
        case WaitKind::Columns: return "columns";
    }
    return "?";
}

WaitReport explainWaits(std::vector<WaitingGroup> waiting, const std::vector<PresentWarp>& present,
                        const std::function<std::string(std::uint32_t)>& nameOf)
{
    return Explanation(std::move(waiting), present, nameOf).take();
}

std::string namedText(std::uint64_t value)
{
    const std::uint32_t halves[2]{static_cast<std::uint32_t>(value),
                                  static_cast<std::uint32_t>(value >> 32)};
    raw::NbWord word;
    raw::unpack(word, halves);
    if (word.mode == 0) return {};
    return fmt::format(" ({} of {} threads have arrived)", unsigned{word.n} * kLanes,
                       unsigned{word.target} * kLanes);
}

std::string mbarrierText(std::uint64_t word)
{
    const MbarState s = unpackMbar(word);
    return fmt::format(" (phase {:d}, {} of {} arrivals pending, {} bytes of tx outstanding{}{})",
                       s.phase, s.pending, s.expected, s.tx, word == 0 ? "; never initialised" : "",
                       s.lock ? ", locked" : "");
}

}  // namespace gsu
