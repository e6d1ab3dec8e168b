#include "trace/program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "base/interrupt.hpp"
#include "golden/chip_layout.hpp"
#include "golden/op_traits.hpp"
#include "observers/open_table.hpp"
#include "trace/history_of_trace.hpp"
#include "trace/lane_clock.hpp"
#include "trace/lane_list.hpp"
#include "trace/mbar_preflight.hpp"
#include "trace/reader.hpp"

namespace gsu::trace {

namespace {

constexpr std::uint32_t kSharedBytes = 1u << 18;

/// The place to which the next attachment of a warp or SM belongs.
struct Anchor {
    bool control{};
    std::uint32_t index{kNoIndex};
};
struct IssueAnchor {
    Anchor anchor;
    Cycle delta{};
};

/// Facts from the records about a grid slot.
struct GridUse {
    bool used{}, elsewhere{};
    std::uint32_t launches{};  ///< still to come
};

class Loader {
public:
    Loader(Reader& reader, Program& program)
        : reader_(reader),
          program_(program),
          open_(program.header.sms),
          port_(program.header.chip()),
          history_(port_, program.header.sms),
          preflight_(program.header.sms, port_),
          mbarriers_(program.header.sms, program.header.config, port_),
          live_(open_.size()),
          tails_(open_.size(), kNoIndex),
          warpAnchor_(open_.size()),
          slotUse_(program.header.sms),
          smAnchor_(program.header.sms)
    {
        program_.heads.assign(open_.size(), kNoIndex);
    }

    void run(const std::atomic<bool>* stop)
    {
        Record record;
        while (reader_.next(record)) {
            throwIfInterrupted(stop);
            history_.add(record, reader_.line());
            preflight_.record(
                record, [&](const std::string& reason) { reader_.fail(reason); }, reader_.line());
            std::visit([&](const auto& r) { take(r); }, record);
            mbarriers_.record(record, reader_.line());
            if (program_.records == 0) program_.firstLine = reader_.line();
            ++program_.records;
        }
        program_.recordedHang = program_.header.answers && open_.open() != 0;
        if (!program_.header.answers && !program_.outcomes.empty())
            reader_.fail("the header says that there are no answers");
        program_.findings = preflight_.finish();
        const auto more = mbarriers_.finish();
        program_.findings.insert(program_.findings.end(), more.begin(), more.end());
        program_.underWay = history_.underWay();
        program_.causes = history_.causes(!program_.findings.empty());
    }

private:
    void checkSm(std::uint8_t sm) const
    {
        if (sm >= program_.header.sms) reader_.fail(fmt::format("SM {} is not in the trace", sm));
    }
    [[nodiscard]] std::uint32_t order() const { return std::uint32_t(program_.records); }

    void take(const RouteRecord& r)
    {
        checkSm(r.route.sm);
        routes_[program_.header.chip().clusterOf(r.route.sm, r.route.cluster) << 4 | r.route.rank] =
            r.route;
        program_.controls.push_back({.dt = r.dt,
                                     .frees = r.frees,
                                     .order = order(),
                                     .what = Control::What::Route,
                                     .route = r.route,
                                     .launch = {},
                                     .grid = {}});
    }
    void take(const GridRecord& r)
    {
        if (program_.header.chip().networks() > 1 && r.start.grid >= kChipGrids)
            reader_.fail("a chip of several networks has no such grid slot");
        GridUse& use = grids_[r.start.grid];
        // otherwise the trace does not show the end of the slot's grid
        const bool used = use.used && program_.header.answers;
        if (r.start.fewer ? use.launches < r.start.ctas : r.start.ended ? !use.elsewhere : used)
            reader_.fail(r.start.fewer   ? "the grid has not so many CTAs to be launched"
                         : r.start.ended ? "no grid elsewhere is in flight in this slot"
                                         : "the grid slot is in use");
        if (r.start.fewer)
            use.launches -= r.start.ctas;
        else if (r.start.ended)
            use.elsewhere = false;
        else
            use = {true, r.start.ctas == 0, r.start.ctas};
        program_.controls.push_back(
            {r.dt, r.frees, order(), kNoIndex, Control::What::Grid, {}, {}, r.start});
    }
    void take(const GridEvent& r)
    {
        if (r.complete) grids_[r.grid] = {};
        program_.outcomes.emplace_back(r);
    }
    void take(const LaunchRecord& r)
    {
        const Launch& l = r.launch;
        checkSm(l.sm);
        checkLaunch(l);
        if (l.grid != 0 && grids_[l.grid].launches-- == 0)
            reader_.fail("the grid of this launch has not started, or has all its CTAs");
        const Anchor anchor{true, std::uint32_t(program_.controls.size())};
        for (unsigned w = 0; w < warpsOf(l.threads); ++w) {
            const auto index = OpenTable::indexOf({l.sm, l.cta, std::uint8_t(w)});
            live_[index] = lanesOf(l.threads, w);
            warpAnchor_[index] = anchor;
        }
        smAnchor_[l.sm] = anchor;
        program_.controls.push_back({.dt = r.dt,
                                     .frees = r.frees,
                                     .order = order(),
                                     .what = Control::What::Launch,
                                     .route = {},
                                     .launch = l,
                                     .grid = {}});
    }
    void checkLaunch(const Launch& l)
    {
        if (std::uint64_t{l.base} + l.size > kSharedBytes)
            reader_.fail("the window is outside the SM's shared memory");
        const unsigned warps = warpsOf(l.threads);
        const std::uint64_t slots = (warps == 64 ? 0 : std::uint64_t{1} << warps) - 1;
        std::uint64_t used = 0;
        for (unsigned cta = 0; cta < kMaxCtas; ++cta) {
            bool alive = false;
            for (unsigned w = 0; w < kMaxWarps; ++w)
                alive |= live_[OpenTable::indexOf({l.sm, std::uint8_t(cta), std::uint8_t(w)})] != 0;
            if (!alive)
                slotUse_[l.sm][cta] = 0;
            else if (cta == l.cta)
                reader_.fail("the CTA slot is in use");
            used |= slotUse_[l.sm][cta];
        }
        if ((used & slots << l.wbase) != 0) reader_.fail("warp slots of the SM are in use");
        slotUse_[l.sm][l.cta] = slots << l.wbase;
        if (l.ctas <= 1) return;
        for (unsigned rank = 0; rank < l.ctas; ++rank) {
            const auto found =
                routes_.find(program_.header.chip().clusterOf(l.sm, l.cluster) << 4 | rank);
            if (found == routes_.end() || found->second.ctas != l.ctas)
                reader_.fail(fmt::format("no route for rank {} of the cluster", rank));
            if (rank == l.rank && (found->second.sm != l.sm || found->second.cta != l.cta))
                reader_.fail("the route of this rank names another CTA slot");
        }
    }
    std::size_t checkLanes(WarpRef at, Lanes lanes) const
    {
        checkSm(at.sm);
        const auto index = OpenTable::indexOf(at);
        if ((lanes & ~live_[index]) != 0)
            reader_.fail(fmt::format("warp {}/{}/{} does not have the lanes {:#010x}: {}", at.sm,
                                     at.cta, at.warp, lanes & ~live_[index],
                                     live_[index] == 0
                                         ? "no launch is before this, or all lanes have exited"
                                         : "the launch has fewer, or they have exited"));
        return index;
    }
    void append(std::size_t index, const Step& step)
    {
        const auto number = std::uint32_t(program_.steps.size());
        (tails_[index] == kNoIndex ? program_.heads[index] : program_.steps[tails_[index]].next) =
            number;
        tails_[index] = number;
        warpAnchor_[index] = smAnchor_[step.at.sm] = {false, number};
        program_.steps.push_back(step);
    }
    void take(const ExitRecord& r)
    {
        const auto index = checkLanes(r.exit.at, r.exit.lanes);
        live_[index] &= ~r.exit.lanes;
        append(index, {.dt = r.dt,
                       .order = order(),
                       .lanes = r.exit.lanes,
                       .at = r.exit.at,
                       .flags = std::uint8_t(r.exit.trap ? kTrap : 0)});
    }
    void take(const RequestRecord& r)
    {
        const SyncRequest& q = r.request;
        const auto index = checkLanes(q.at, q.lanes);
        Step s{.dt = r.dt,
               .order = order(),
               .lanes = q.lanes,
               .arg0 = q.arg0,
               .arg1 = q.arg1,
               .pred = q.pred,
               .source = q.source,
               .tag = q.tag,
               .at = q.at,
               .op = q.op,
               .sem = q.sem,
               .scope = q.scope,
               .kind = q.kind};
        s.flags = std::uint8_t((q.aligned ? kAligned : 0) | (q.noComplete ? kNoComplete : 0) |
                               (q.wantValue ? kWantValue : 0) | (q.diverged ? kDiverged : 0) |
                               (q.remote ? kRemote : 0));
        if (anyAddress(q) || anyData(q) || anyLimit(q)) {
            s.operands = std::uint32_t(program_.operands.size());
            for (Lanes rest = q.lanes; rest != 0; rest &= rest - 1) {
                const auto lane = std::size_t(__builtin_ctz(rest));
                program_.operands.push_back(q.addr[lane] | std::uint64_t{q.limit[lane]} << 32);
                program_.operands.push_back(q.data[lane]);
            }
        }
        if (isCancel(q.op))
            cancels_[unsigned{q.at.sm} << 16 | q.tag] = std::uint32_t(program_.steps.size());
        append(index, s);
        open_.present(q, 0);
    }
    void take(const IssueRecord& r)
    {
        checkSm(r.at.sm);
        const Anchor anchor = warpAnchor_[OpenTable::indexOf(r.at)];
        if (anchor.index == kNoIndex) reader_.fail("the warp was never launched");
        if (!issues_.try_emplace(r.id, IssueAnchor{anchor, r.dt}).second)
            reader_.fail("this issue number was used before");
    }
    void take(const AsyncRecord& r)
    {
        checkSm(r.update.sm);
        IssueAnchor from{
            warpAnchor_[OpenTable::indexOf({r.update.sm, r.update.cta, r.update.warp})], 0};
        if (r.id != 0) {
            const auto found = issues_.find(r.id);
            if (found == issues_.end()) reader_.fail("no issue has this number");
            from = found->second;
        }
        if (from.anchor.index == kNoIndex) reader_.fail("the warp was never launched");
        attach(from.anchor,
               {.delta = from.delta + r.dt, .order = order(), .update = r.update, .accesses = {}});
    }
    void take(const StoreRecord& r)
    {
        checkSm(r.sm);
        if (smAnchor_[r.sm].index == kNoIndex) reader_.fail("no CTA was launched on this SM");
        Attachment a{.delta = r.dt,
                     .order = order(),
                     .what = Attachment::What::Store,
                     .update = {},
                     .accesses = {}};
        a.update.sm = r.sm, a.update.addr = r.addr, a.update.amount = r.bytes;
        attach(smAnchor_[r.sm], a);
    }
    void take(const AccessRecord& r)
    {
        checkSm(r.accesses.at.sm);
        const Anchor anchor = warpAnchor_[OpenTable::indexOf(r.accesses.at)];
        if (anchor.index == kNoIndex) reader_.fail("the warp was never launched");
        const bool wide = r.accesses.reach == Reach::Everyone;
        std::uint32_t& left =
            outstanding_[(OpenTable::indexOf(countedFor(r.accesses)) << 1 | (r.accesses.epoch & 1u))
                             << 1 |
                         (wide ? 1u : 0u)];
        if (r.performed && left < r.accesses.count)
            reader_.fail("more accesses are performed than were announced");
        left = r.performed ? left - r.accesses.count : left + r.accesses.count;
        program_.accesses = true;
        attach(anchor,
               {.delta = r.dt,
                .order = order(),
                .what = r.performed ? Attachment::What::Perform : Attachment::What::Announce,
                .update = {},
                .accesses = r.accesses});
    }
    void take(const CancelRecord& r)
    {
        checkSm(r.sm);
        const auto found = cancels_.find(unsigned{r.sm} << 16 | r.tag);
        const Step* step = found == cancels_.end() ? nullptr : &program_.steps[found->second];
        if (step == nullptr || step->at.cta != r.cta || (step->lanes >> r.lane & 1) == 0)
            reader_.fail("no lane of try_cancel has this tag");
        const bool first = program_.cancels
                               .try_emplace(std::uint64_t{found->second} << 5 | r.lane,
                                            CancelOutcome{r.dt, order(), r.canceled, r.first})
                               .second;
        if (!first) reader_.fail("this lane of try_cancel is answered twice");
    }
    void attach(Anchor anchor, Attachment a)
    {
        auto& head = anchor.control ? program_.controls[anchor.index].attached
                                    : program_.steps[anchor.index].attached;
        a.next = head;
        head = std::uint32_t(program_.attachments.size());
        program_.attachments.push_back(a);
    }
    void take(const SyncResponse& r)
    {
        checkSm(r.at.sm);
        open_.response(r, [](WarpRef, const OpenPart&, Lanes, bool) {});
        program_.outcomes.emplace_back(r);
    }
    void take(const Release& r)
    {
        checkSm(r.sm);
        open_.release(r, [](WarpRef, const OpenPart&, Lanes, bool) {});
        program_.outcomes.emplace_back(r);
    }
    void take(const CtaFree& r)
    {
        checkSm(r.sm);
        program_.outcomes.emplace_back(r);
    }
    void take(const CancelQuery& r)
    {
        checkSm(r.sm);
        program_.outcomes.emplace_back(r);
    }
    void take(const StopRecord& r) { program_.stop = r.cycle; }
    void take(const MemoryRecord&) {}
    void take(const Delivered& r)
    {
        checkSm(r.sm);
        program_.outcomes.emplace_back(r);
    }

    Reader& reader_;
    Program& program_;
    OpenTable open_;
    PortHistory port_;
    HistoryOfTrace history_;
    Preflight preflight_;
    MbarPreflight mbarriers_;
    std::vector<Lanes> live_;
    std::vector<std::uint32_t> tails_;
    std::vector<Anchor> warpAnchor_;
    std::vector<std::array<std::uint64_t, kMaxCtas>> slotUse_;
    std::vector<Anchor> smAnchor_;
    std::array<GridUse, kMaxGrids> grids_{};
    std::unordered_map<unsigned, ClusterRoute> routes_;
    std::unordered_map<unsigned, std::uint32_t>
        cancels_;  ///< last step of try_cancel by SM and tag
    std::unordered_map<std::uint32_t, IssueAnchor> issues_;
    std::unordered_map<std::size_t, std::uint32_t>
        outstanding_;  ///< accesses by warp, epoch, reach
};

}  // namespace

Program Program::load(const std::string& path, const std::atomic<bool>* stop)
{
    Reader reader(path);
    Program program;
    program.path = path;
    program.header = reader.header();
    Loader(reader, program).run(stop);
    return program;
}

}  // namespace gsu::trace
