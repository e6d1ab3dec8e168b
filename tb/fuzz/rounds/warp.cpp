// Operations of the lanes of a warp: shfl, vote, match, redux, elect, activemask, bar.warp.sync.
#include <bit>

#include "fuzz/rounds/rounds.hpp"

namespace gsu::fuzz {
namespace {

std::uint32_t accOf(const Round& r, const Thread& t, unsigned lane)
{
    return r.s.acc[t.gid - t.lane + lane];
}

Lanes together(const Round& r, const Thread& t, Lanes select) { return r.lanes(t.warp) & select; }

/// Value and predicate as "value + (pred ? k : 0)" in one register.
std::string withPred(Round& r, const std::string& value, const std::string& pred)
{
    const std::string flag = r.k.b32();
    r.k.op("selp.u32 {}, 1000, 0, {}", flag, pred);
    r.k.op("add.u32 {0}, {0}, {1}", flag, value);
    return flag;
}

void shuffleIndexed(Round& r, Lanes select)
{
    std::vector<std::uint32_t> from(r.shape.threads, 0);
    for (const unsigned tid : r.tids()) {
        const Lanes all = r.lanes(tid / 32) & select;
        unsigned lane = r.random.below(32);
        while ((all & Lanes{1} << lane) == 0 && all != 0) lane = (lane + 1) % 32;
        from[tid] = lane;
    }
    const Mix mix = r.drawMix();
    const std::string d = r.k.b32(), p = r.k.pred();
    const std::string lane = r.lookUp(from), mask = r.mask(select);
    r.k.op("shfl.sync.idx.b32 {}|{}, %acc, {}, 31, {}", d, p, lane, mask);
    r.emitMix(mix, withPred(r, d, p));
    r.apply(
        mix, [&](const Thread& t) { return accOf(r, t, from[t.tid]) + 1000; }, select);
}

struct Shuffle {
    unsigned kind, b, c;
    /// Source lane and whether it is in range, for a whole warp.
    [[nodiscard]] std::pair<unsigned, bool> source(unsigned lane) const
    {
        const unsigned segment = c >> 8 & 31, clamp = c & 31, low = lane & segment;
        const int most = static_cast<int>(low | (clamp & ~segment));
        const int here = static_cast<int>(lane), step = static_cast<int>(b);
        int j = 0;
        bool in = false;
        switch (kind) {
            case 0: j = here - step, in = j >= most; break;
            case 1: j = here + step, in = j <= most; break;
            case 2: j = here ^ step, in = j <= most; break;
            default: j = static_cast<int>(low | (b & ~segment)), in = j <= most;
        }
        return {static_cast<unsigned>(in ? j : here), in};
    }
};

}  // namespace

void roundShuffle(Round& r)
{
    r.noise();
    if (!r.full() || r.random.chance(30))
        return r.sides([&](Lanes select) { shuffleIndexed(r, select); });
    constexpr const char* kNames[] = {"up", "down", "bfly", "idx"};
    const Shuffle f{r.random.below(4), r.random.below(32),
                    r.random.below(32) | r.random.below(32) << 8};
    const Mix mix = r.drawMix();
    const std::string d = r.k.b32(), p = r.k.pred();
    r.k.op("shfl.sync.{}.b32 {}|{}, %acc, {}, {}, {}", kNames[f.kind], d, p, r.number(f.b),
           r.number(f.c), r.mask(~Lanes{0}));
    r.emitMix(mix, withPred(r, d, p));
    r.apply(mix, [&](const Thread& t) {
        const auto [lane, in] = f.source(t.lane);
        return accOf(r, t, lane) + (in ? 1000 : 0);
    });
}

void roundVote(Round& r)
{
    const unsigned bit = r.random.below(32), kind = r.random.below(4);
    const bool negate = r.random.chance(30);
    constexpr const char* kNames[] = {"all", "any", "uni", "ballot"};
    r.noise();
    const std::string t0 = r.k.b32(), p = r.k.pred();
    r.k.op("shr.u32 {}, %acc, {}", t0, bit);
    r.k.op("and.b32 {0}, {0}, 1", t0);
    r.k.op("setp.ne.u32 {}, {}, 0", p, t0);
    r.sides([&](Lanes select) {
        const Mix mix = r.drawMix();
        const std::string mask = r.mask(select), d = r.k.b32(), q = r.k.pred();
        if (kind == 3) {
            r.k.op("vote.sync.ballot.b32 {}, {}{}, {}", d, negate ? "!" : "", p, mask);
        } else {
            r.k.op("vote.sync.{}.pred {}, {}{}, {}", kNames[kind], q, negate ? "!" : "", p, mask);
            r.k.op("selp.u32 {}, 7, 11, {}", d, q);
        }
        r.emitMix(mix, d);
        r.apply(
            mix,
            [&](const Thread& t) -> std::uint32_t {
                const Lanes all = together(r, t, select);
                Lanes set = 0;
                for (unsigned l = 0; l < 32; ++l) {
                    if ((all >> l & 1) != 0 && ((accOf(r, t, l) >> bit & 1) != 0) != negate)
                        set |= Lanes{1} << l;
                }
                if (kind == 3) return set;
                const bool yes = kind == 0   ? set == all
                                 : kind == 1 ? set != 0
                                             : set == all || set == 0;
                return yes ? 7 : 11;
            },
            select);
    });
}

void roundMatch(Round& r)
{
    const bool wide = r.random.chance(35), all = r.random.chance(40);
    const std::uint32_t bits = r.random.pick({0u, 1u, 3u, 0x10u});
    r.noise();
    const std::string v = r.k.b32(), v64 = r.k.b64();
    r.k.op("and.b32 {}, %acc, {}", v, bits);
    if (wide) r.k.op("mov.b64 {}, {{{}, %mywarp}}", v64, v);
    r.sides([&](Lanes select) {
        const Mix mix = r.drawMix();
        const std::string mask = r.mask(select), d = r.k.b32(), q = r.k.pred();
        const std::string source = wide ? v64 : v, type = wide ? "b64" : "b32";
        if (all)
            r.k.op("match.all.sync.{} {}|{}, {}, {}", type, d, q, source, mask);
        else
            r.k.op("match.any.sync.{} {}, {}, {}", type, d, source, mask);
        r.emitMix(mix, all ? withPred(r, d, q) : d);
        r.apply(
            mix,
            [&](const Thread& t) -> std::uint32_t {
                const Lanes members = together(r, t, select);
                Lanes same = 0;
                for (unsigned l = 0; l < 32; ++l) {
                    if ((members >> l & 1) != 0 &&
                        (accOf(r, t, l) & bits) == (r.s.acc[t.gid] & bits))
                        same |= Lanes{1} << l;
                }
                if (!all) return same;
                return same == members ? members + 1000 : 0;
            },
            select);
    });
}

void roundRedux(Round& r)
{
    struct Op {
        const char* name;
        std::uint32_t (*fold)(std::uint32_t, std::uint32_t);
    };
    constexpr Op kOps[] = {
        {"add.u32", [](std::uint32_t a, std::uint32_t b) { return a + b; }},
        {"add.s32", [](std::uint32_t a, std::uint32_t b) { return a + b; }},
        {"min.u32", [](std::uint32_t a, std::uint32_t b) { return a < b ? a : b; }},
        {"max.u32", [](std::uint32_t a, std::uint32_t b) { return a < b ? b : a; }},
        {"min.s32", [](std::uint32_t a,
                       std::uint32_t b) { return std::int32_t(a) < std::int32_t(b) ? a : b; }},
        {"max.s32", [](std::uint32_t a,
                       std::uint32_t b) { return std::int32_t(a) < std::int32_t(b) ? b : a; }},
        {"and.b32", [](std::uint32_t a, std::uint32_t b) { return a & b; }},
        {"or.b32", [](std::uint32_t a, std::uint32_t b) { return a | b; }},
        {"xor.b32", [](std::uint32_t a, std::uint32_t b) { return a ^ b; }}};
    const Op& op = r.random.pick(kOps);
    r.noise();
    r.sides([&](Lanes select) {
        const Mix mix = r.drawMix();
        const std::string d = r.k.b32();
        r.k.op("redux.sync.{} {}, %acc, {}", op.name, d, r.mask(select));
        r.emitMix(mix, d);
        r.apply(
            mix,
            [&](const Thread& t) {
                const Lanes all = together(r, t, select);
                std::uint32_t total = r.s.acc[t.gid];
                bool own = false;
                for (unsigned l = 0; l < 32; ++l) {
                    if ((all >> l & 1) == 0) continue;
                    if (l == t.lane && !own)
                        own = true;
                    else
                        total = op.fold(total, accOf(r, t, l));
                }
                return total;
            },
            select);
    });
}

/// The machine chooses which lane is elected (here the lowest: D-21). All lanes must agree, and exactly one has the predicate.
void roundElect(Round& r)
{
    r.noise();
    r.sides([&](Lanes select) {
        const Mix mix = r.drawMix();
        const std::string d = r.k.b32(), q = r.k.pred(), mask = r.mask(select);
        r.k.op("elect.sync {}|{}, {}", d, q, mask);
        r.emitMix(mix, withPred(r, d, q));
        r.apply(
            mix,
            [&](const Thread& t) -> std::uint32_t {
                const auto leader = static_cast<unsigned>(std::countr_zero(together(r, t, select)));
                return leader + (leader == t.lane ? 1000 : 0);
            },
            select);
    });
}

/// activemask is determined only where a single lane of the warp can be active.
void roundActive(Round& r)
{
    const unsigned lane = r.random.below(32);
    const Mix mix = r.drawMix();
    const std::string p = r.k.pred(), d = r.k.b32();
    r.k.op("setp.eq.u32 {}, %mylane, {}", p, lane);
    r.only(p, [&] {
        r.k.op("activemask.b32 {}", d);
        r.emitMix(mix, d);
    });
    r.apply(
        mix, [&](const Thread&) { return Lanes{1} << lane; }, Lanes{1} << lane);
}

/// Lanes exchange through shared memory, ordered by bar.warp.sync.
void roundWarpSync(Round& r)
{
    const unsigned n = r.random.between(1, 4), cells = r.k.shared(8 * r.shape.threads, 4);
    r.sides([&](Lanes select) {
        std::vector<std::uint32_t> from(r.shape.threads, 0);
        for (const unsigned tid : r.tids()) {
            const Lanes all = r.lanes(tid / 32) & select;
            unsigned lane = r.random.below(32);
            while ((all & Lanes{1} << lane) == 0 && all != 0) lane = (lane + 1) % 32;
            from[tid] = tid / 32 * 32 + lane;
        }
        const Mix mix = r.drawMix();
        const std::string own = r.cell(cells, "%me"), other = r.cell(cells, r.lookUp(from));
        const std::string mask = r.mask(select), v = r.k.b32(), a = r.k.b32();
        r.repeat(n, [&](const Iteration& it) {
            r.k.op("mad.lo.u32 {}, {}, {}, {}", a, it.parity, 4 * r.shape.threads, own);
            r.k.op("st.shared.u32 [{}], %acc", a);
            r.noise();
            r.k.op("bar.warp.sync {}", mask);
            r.k.op("mad.lo.u32 {}, {}, {}, {}", a, it.parity, 4 * r.shape.threads, other);
            r.k.op("ld.shared.u32 {}, [{}]", v, a);
            r.emitMix(mix, v);
        });
        for (unsigned i = 0; i < n; ++i)
            r.apply(
                mix, [&](const Thread& t) { return accOf(r, t, from[t.tid] % 32); }, select);
    });
}

}  // namespace gsu::fuzz
