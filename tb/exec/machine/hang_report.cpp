// The explanation of a hang.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "exec/machine/hang_watch.hpp"
#include "golden/mbarrier.hpp"

namespace gsu::exec {
namespace {

using Waiting = HangReport::Waiting;
using On = HangReport::Kind;

std::string plural(std::size_t n, const char* what)
{
    return fmt::format("{} {}{}", n, what, (n == 1 ? "" : "s"));
}

Waiting waitingOf(const RunState& state, const SyncClient& client, const Warp& w, const Group& g)
{
    Waiting entry{w.cta->linear, w.index, g.lanes, g.line, On::Spin, 0, 0, 0};
    if (g.state == GroupState::Meeting || g.state == GroupState::Aligned) {
        entry.kind = On::Warp;
        return entry;
    }
    if (g.loop.looping) {
        entry.line = g.loop.polled ? g.loop.pollLine : state.program.codes[g.code].ops[g.pc].line;
        entry.kind = g.loop.polled ? On::Mbarrier : On::Spin;
        entry.address = g.loop.pollAddress;
        return entry;
    }
    for (const std::uint16_t tag : w.openTags) {
        const OpenRequest& open = client.open(w, tag);
        const SyncRequest& r = open.request;
        if ((r.lanes & g.lanes) == 0) continue;
        entry.line = open.line;
        switch (r.op) {
            case Op::WarpSync:
            case Op::Vote:
            case Op::VoteSync:
            case Op::MatchAny:
            case Op::MatchAll:
            case Op::ActiveMask:
            case Op::Redux:
            case Op::Elect: entry.kind = On::Warp; break;
            case Op::ClusterArrive:
            case Op::ClusterWait: entry.kind = On::Cluster; break;
            case Op::BarSync:
            case Op::BarArrive:
            case Op::BarRedPopc:
            case Op::BarRedAnd:
            case Op::BarRedOr:
                entry.kind = On::Named;
                entry.id = r.arg0;
                break;
            case Op::Fence:
            case Op::FenceMbarrierInit:
            case Op::FenceProxy:
            case Op::Membar:
            case Op::TensormapCpFence: entry.kind = On::Fence; break;
            default:  // the rest names an mbarrier
                entry.kind = On::Mbarrier;
                entry.address = r.addr[static_cast<unsigned>(__builtin_ctz(r.lanes))] & 0xff'ffff;
                break;
        }
    }
    return entry;
}

std::string nameOfObject(const Waiting& w)
{
    switch (w.kind) {
        case On::Named: return fmt::format("named barrier {}", w.id);
        case On::Mbarrier: return fmt::format("the mbarrier at byte {}", w.address);
        case On::Cluster: return "the cluster barrier";
        case On::Warp: return "other lanes of its warp";
        case On::Spin: return "memory that nothing can change any more";
        case On::Fence: return "older accesses to be performed";
    }
    return "?";
}

bool sameObject(const Waiting& a, const Waiting& b)
{
    if (a.kind != b.kind) return false;
    if (a.kind == On::Named) return a.cta == b.cta && a.id == b.id;
    if (a.kind == On::Mbarrier) return a.cta == b.cta && a.address == b.address;
    if (a.kind == On::Spin) return a.cta == b.cta && a.line == b.line;
    return a.kind == On::Cluster || (a.cta == b.cta && a.warp == b.warp);
}

std::string why(const std::vector<Waiting>& all, const Warp& w, const ptx::Module& module)
{
    if (w.live == 0) return "exited";
    for (const Waiting& other : all) {
        if (other.cta == w.cta->linear && other.warp == w.index) {
            return std::string(other.kind == On::Spin ? "spins on " : "waits for ") +
                   nameOfObject(other) + " at " + module.lineText(other.line);
        }
    }
    return "is running";
}

/// Arrivals and target of a named barrier; empty when unknown.
std::string describeNamed(const Cta& cta, std::uint32_t id)
{
    const std::uint64_t* found = cta.words.named(id);
    if (found == nullptr) return {};
    const std::uint32_t halves[2]{static_cast<std::uint32_t>(*found),
                                  static_cast<std::uint32_t>(*found >> 32)};
    raw::NbWord word;
    raw::unpack(word, halves);
    if (word.mode == 0) return {};
    return fmt::format(" ({} of {} threads have arrived)", unsigned{word.n} * 32,
                       unsigned{word.target} * 32);
}

std::string describeMbarrier(std::uint64_t word)
{
    const MbarState s = unpackMbar(word);
    std::string text =
        fmt::format(" (phase {}, {} of {} arrivals pending, {} bytes of tx outstanding",
                    s.phase ? 1 : 0, s.pending, s.expected, s.tx);
    if (word == 0) text += "; never initialised";
    return text + (s.lock ? ", locked)" : ")");
}

/// Collects the report of all that wait; one part of the text per barrier.
class Explanation {
public:
    Explanation(const RunState& state, const Residents& residents, const SyncClient& client,
                const Memory& memory)
        : s_(state), client_(client), memory_(memory)
    {
        residents.each([&](Cta& cta) {
            for (const Warp& w : cta.warps) add(cta, w);
        });
        std::sort(report_.waiting.begin(), report_.waiting.end(),
                  [](const Waiting& a, const Waiting& b) {
                      return a.cta != b.cta ? a.cta < b.cta : a.warp < b.warp;
                  });
    }
    HangReport take()
    {
        std::vector<Waiting> told;
        std::string text;
        for (const Waiting& first : report_.waiting) {
            if (std::any_of(told.begin(), told.end(),
                            [&](const Waiting& t) { return sameObject(t, first); }))
                continue;
            told.push_back(first);
            if (told.size() > kMaxTold) continue;
            text += (text.empty() ? "" : " ") + partOf(first);
        }
        report_.explanation = text.empty() ? "No thread can make progress." : text;
        return std::move(report_);
    }

private:
    static constexpr std::size_t kMaxTold = 6, kMaxMissing = 4;

    void add(const Cta& cta, const Warp& w)
    {
        resident_.push_back(&w);
        for (const Group& g : w.groups) {
            report_.waiting.push_back(waitingOf(s_, client_, w, g));
            Waiting& entry = report_.waiting.back();
            if (entry.kind != On::Mbarrier) continue;
            // Written back or not.
            const std::uint64_t* word = cta.words.mbarrier(entry.address);
            entry.word = word != nullptr ? *word : memory_.sharedWord(cta, entry.address);
        }
    }
    [[nodiscard]] std::string objectOf(const Waiting& w) const
    {
        std::string text = nameOfObject(w);
        if (w.kind == On::Mbarrier) return text + describeMbarrier(w.word);
        if (w.kind != On::Named) return text;
        for (const Warp* one : resident_) {
            if (one->cta->linear == w.cta) return text + describeNamed(*one->cta, w.id);
        }
        return text;
    }
    /// Warps of the CTA that wait for the same.
    [[nodiscard]] std::set<std::uint32_t> warpsAt(const Waiting& first) const
    {
        std::set<std::uint32_t> here;
        for (const Waiting& w : report_.waiting) {
            if (sameObject(w, first) && w.cta == first.cta) here.insert(w.warp);
        }
        return here;
    }
    std::string partOf(const Waiting& first)
    {
        const std::set<std::uint32_t> here = warpsAt(first);
        std::string text =
            fmt::format("CTA {}: {} (first: warp {}, {}) {}{}{}{}", first.cta,
                        plural(here.size(), "warp"), first.warp, s_.module.lineText(first.line),
                        (first.kind == On::Spin ? "spin" : "wait"), (here.size() == 1 ? "s" : ""),
                        (first.kind == On::Spin ? " on " : " for "), objectOf(first));
        const std::string missing = missingAt(first, here);
        return text + (missing.empty() ? "" : "; missing: " + missing) + ".";
    }
    /// Warps that the barrier needs and that do not wait at it; noted in the report, the first ones in words.
    std::string missingAt(const Waiting& first, const std::set<std::uint32_t>& here)
    {
        std::string text;
        if (first.kind == On::Spin || first.kind == On::Warp || first.kind == On::Fence)
            return text;
        unsigned count = 0;
        for (const Warp* w : resident_) {
            const bool same = w->cta->linear == first.cta;
            const bool candidate = first.kind == On::Cluster || same;
            if (!candidate || (same && here.contains(w->index))) continue;
            const auto waits = [&](const Waiting& o) {
                return o.cta == w->cta->linear && o.warp == w->index && sameObject(o, first);
            };
            if (std::any_of(report_.waiting.begin(), report_.waiting.end(), waits)) continue;
            const std::string reason = why(report_.waiting, *w, s_.module);
            if (++count <= kMaxMissing) {
                text +=
                    fmt::format("{}warp {}{} {}", (text.empty() ? "" : ", "), w->index,
                                (same ? "" : fmt::format(" of CTA {}", w->cta->linear)), reason);
            }
            if (listed_.insert({w->cta->linear, w->index}).second)
                report_.missing.push_back({w->cta->linear, w->index, reason});
        }
        return text;
    }

    const RunState& s_;
    const SyncClient& client_;
    const Memory& memory_;
    HangReport report_;
    std::vector<const Warp*> resident_;
    std::set<std::pair<std::uint32_t, std::uint32_t>> listed_;
};

}  // namespace

HangReport reportHang(const RunState& state, const Residents& residents, const SyncClient& client,
                      const Memory& memory)
{
    return Explanation(state, residents, client, memory).take();
}

}  // namespace gsu::exec
