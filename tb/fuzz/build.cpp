#include "fuzz/build.hpp"

#include <algorithm>
#include <utility>

#include "fuzz/pattern.hpp"
#include "fuzz/round.hpp"

namespace gsu::fuzz {
namespace {

class Builder {
public:
    explicit Builder(const ProgramPlan& plan)
        : plan_(plan), k_(plan.shape, plan.sm80), random_(plan.seed ^ 0x5eed)
    {
        const std::uint32_t scale = random_.word() | 1, start = random_.word();
        s_.live.resize(plan.shape.warps());
        for (unsigned w = 0; w < s_.live.size(); ++w) s_.live[w] = plan.shape.lanesOf(w);
        s_.acc.resize(std::size_t{plan.shape.ctas()} * plan.shape.threads);
        for (std::size_t i = 0; i < s_.acc.size(); ++i)
            s_.acc[i] = static_cast<std::uint32_t>(i) * scale + start;
        s_.inStart = random_.below(1u << 20);
        s_.inStep = random_.between(1, 1u << 16);
        k_.op("mad.lo.u32 %acc, %mygid, {}, {}", scale, start);
    }

    Built run()
    {
        // No thread may access another CTA's shared memory before that CTA has started.
        if (clusters() && plan_.features.has(Feature::Cluster)) join(plan_.seed ^ 0x57a7, true);
        for (const SegmentPlan& segment : plan_.segments) add(segment);
        const std::string place = everybody(random_.next()).word("%out", 0, "%mygid");
        k_.op("st.global.u32 [{}], %acc", place);
        if (clusters()) join(random_.next(), true);
        k_.line("ret");
        Built b;
        b.ptx = k_.module();
        b.out = s_.acc;
        b.aux = s_.aux;
        b.auxInit = s_.auxInit;
        if (b.aux.empty()) b.aux = b.auxInit = {0};
        b.inStart = s_.inStart;
        b.inStep = s_.inStep;
        b.cooperative = s_.cooperative;
        if (s_.cooperative) b.sms = std::max(plan_.shape.clusterSize, (plan_.shape.ctas() + 3) / 4);
        b.forms = k_.forms();
        b.patterns = made_;
        return b;
    }

private:
    [[nodiscard]] bool clusters() const noexcept { return plan_.shape.clusterSize > 1; }
    [[nodiscard]] Round everybody(std::uint64_t seed)
    {
        return {k_, s_, plan_, seed, s_.live, unused_};
    }
    [[nodiscard]] unsigned firstLive() { return everybody(0).tids().front(); }

    void join(std::uint64_t seed, bool cluster)
    {
        Round all = everybody(seed);
        const bool leavers = std::exchange(leavers_, false);
        if (cluster && plan_.features.has(Feature::Cluster)) return clusterBarrier(all, [] {});
        // A barrier with a count waits for the warps that come. One without also waits for the end of the others.
        const bool counted = all.random.chance(30) && !leavers;
        all.barrier("sync", 0, counted ? 32 * all.warps() : 0);
    }

    void inject(Round& r)
    {
        switch (plan_.injection) {
            case Injection::None: return;
            case Injection::Value: ++s_.acc[r.thread(0, r.tids().front()).gid]; return;
            case Injection::Wait: k_.line("barrier.sync 15, 1024"); return;
            case Injection::Misuse:
                const std::string id = k_.b32();
                k_.op("mov.u32 {}, 16", id);
                k_.op("barrier.sync {}", id);
        }
    }

    void add(const RoundPlan& plan, const std::vector<Lanes>& lanes, Preamble& before)
    {
        const Pattern* pattern = patternOf(plan.pattern);
        const unsigned room = 48 * plan_.shape.threads + 4096;
        if (pattern == nullptr || k_.idsLeft() < 4 || k_.sharedLeft() < room) return;
        Round r(k_, s_, plan_, plan.seed, lanes, before);
        if (r.tids().empty() || (pattern->whole && !r.whole()) || r.ranks() < pattern->minRanks)
            return;
        k_.comment(plan.pattern);
        pattern->make(r);
        ++made_[plan.pattern];
        if (plan_.injectAt.empty() || plan_.injectAt == plan.pattern) inject(r);
    }

    /// Emits code that only the warps with a lane in `lanes` execute.
    void strand(const StrandPlan& plan, const std::vector<Lanes>& lanes, bool alone,
                Preamble& before)
    {
        std::uint32_t bits = 0;
        for (unsigned w = 0; w < lanes.size(); ++w) bits |= lanes[w] != 0 ? 1u << w : 0;
        if (bits == 0) return;
        const auto rounds = [&] {
            for (const RoundPlan& round : plan.rounds) add(round, lanes, before);
        };
        if (alone) return rounds();
        const std::string t = k_.b32(), p = k_.pred();
        k_.op("shr.u32 {}, {}, %mywarp", t, bits);
        k_.op("and.b32 {0}, {0}, 1", t);
        k_.op("setp.ne.u32 {}, {}, 0", p, t);
        everybody(0).only(p, rounds);
    }

    void add(const SegmentPlan& segment)
    {
        Random random(segment.seed);
        unsigned owner[32];
        for (unsigned& o : owner)
            o = random.below(static_cast<std::uint32_t>(segment.strands.size()));
        Preamble before;
        std::string text = k_.swapText({});
        for (unsigned i = 0; i < segment.strands.size(); ++i) {
            std::vector<Lanes> lanes = s_.live;
            for (unsigned w = 0; w < lanes.size(); ++w) lanes[w] = owner[w] == i ? lanes[w] : 0;
            strand(segment.strands[i], lanes, segment.strands.size() == 1, before);
        }
        text = k_.swapText(std::move(text));
        prepare(before, random.next());
        k_.append(text);
        objects_.insert(objects_.end(), before.objects.begin(), before.objects.end());
        const bool low = k_.idsLeft() < 10 || k_.sharedLeft() < kSharedBytes / 2;
        if (low || random.chance(60)) renew(random);
        if (segment.exits) leave(random);
    }

    [[nodiscard]] static bool onlyInits(const Preamble& before)
    {
        return !before.instructions.empty() &&
               std::all_of(before.instructions.begin(), before.instructions.end(),
                           [](const std::string& i) { return i.starts_with("mbarrier.init"); });
    }

    void prepare(const Preamble& before, std::uint64_t seed)
    {
        const bool cluster = before.cluster && clusters();
        if (before.instructions.empty() && (!cluster || peersStarted_)) return;
        Round all = everybody(seed);
        // If the preamble only inits mbarriers, the fence for inits and a barrier that releases nothing may publish them.
        const bool byFence = cluster && plan_.features.has(Feature::Cluster) && onlyInits(before) &&
                             all.random.chance(50);
        if (!before.instructions.empty()) {
            all.only(all.isTid(all.tids().front()), [&] {
                for (const std::string& line : before.instructions) k_.line(line);
                if (cluster)
                    k_.line("fence.mbarrier_init.release.cluster", byFence ? nullptr : kIdle);
            });
        }
        if (byFence) {
            k_.line("barrier.cluster.arrive.relaxed");
            k_.line("barrier.cluster.wait");
        } else {
            join(seed, cluster);
        }
        peersStarted_ = peersStarted_ || cluster;
    }

    /// Lets all threads meet: objects end, and memory and barriers may be used again.
    void renew(Random& random)
    {
        const bool cluster = clusters();
        join(random.next(), cluster);
        if (!objects_.empty()) {
            Round all = everybody(random.next());
            all.only(all.isTid(all.tids().front()), [&] {
                for (const unsigned o : objects_)
                    k_.op("mbarrier.inval{}.b64 [{}]", all.sharedSpace(), all.at(o));
            });
            join(random.next(), cluster);
            objects_.clear();
        }
        peersStarted_ = peersStarted_ || cluster;
        k_.reuse(true);
    }

    /// Lets some threads store their value and end.
    void leave(Random& random)
    {
        const unsigned stays = firstLive();
        std::vector<std::uint32_t> ends(plan_.shape.threads, 0);
        bool any = false;
        for (unsigned w = 0; w < s_.live.size(); ++w) {
            const Lanes which = random.chance(50) ? ~Lanes{0} : random.word();
            if (!random.chance(50)) continue;
            for (unsigned l = 0; l < 32; ++l) {
                const unsigned tid = 32 * w + l;
                if ((s_.live[w] & which & Lanes{1} << l) == 0 || tid == stays) continue;
                ends[tid] = 1;
                any = true;
            }
        }
        if (!any) return;
        Round all = everybody(random.next());
        const std::string p = k_.pred();
        k_.op("setp.ne.u32 {}, {}, 0", p, all.lookUp(ends));
        all.only(p, [&] {
            k_.op("st.global.u32 [{}], %acc", all.word("%out", 0, "%mygid"));
            k_.line(random.chance(50) ? "exit" : "ret");
        });
        leavers_ = true;
        for (unsigned tid = 0; tid < ends.size(); ++tid) {
            if (ends[tid] != 0) s_.live[tid / 32] &= ~(Lanes{1} << tid % 32);
        }
    }

    const ProgramPlan& plan_;
    Kernel k_;
    Random random_;
    State s_;
    Preamble unused_;
    std::vector<unsigned> objects_;
    std::map<std::string, unsigned> made_;
    bool peersStarted_{};
    bool leavers_{};  ///< threads have ended since all have met
};

}  // namespace

Built build(const ProgramPlan& plan) { return Builder(plan).run(); }

std::string launchText(const ProgramPlan& plan, const Built& built, const std::string& ptx)
{
    std::string out = fmt::format("{{\"ptx\": \"{}\", \"grid\": [{}], \"block\": [{}]", ptx,
                                  plan.shape.ctas(), plan.shape.threads);
    if (built.sms != 0) out += fmt::format(", \"sms\": {}", built.sms);
    if (built.cooperative) out += ", \"cooperative\": true";
    out += fmt::format(",\n \"params\": [{{\"buffer\": {{\"type\": \"u32\", \"count\": {}}}}},\n",
                       built.out.size());
    out += fmt::format("  {{\"buffer\": {{\"type\": \"u32\", \"count\": {}, \"init\": {{\"iota\": "
                       "[{}, {}]}}}}}},\n",
                       kInWords, built.inStart, built.inStep);
    out += fmt::format("  {{\"buffer\": {{\"type\": \"u32\", \"count\": {}, \"init\": "
                       "{{\"values\": [{}]}}}}}}],\n",
                       built.auxInit.size(), fmt::join(built.auxInit, ", "));
    out += fmt::format(" \"expect\": [{{\"param\": 0, \"values\": [{}]}},\n  {{\"param\": 2, "
                       "\"values\": [{}]}}]}}\n",
                       fmt::join(built.out, ", "), fmt::join(built.aux, ", "));
    return out;
}

}  // namespace gsu::fuzz
