// Named barriers: exchanges among all threads, reductions, producers and consumers.
#include "fuzz/rounds/rounds.hpp"

namespace gsu::fuzz {
namespace {

std::uint32_t accAt(const Round& r, const Thread& t, std::uint32_t tid)
{
    return r.s.acc[std::size_t{t.cta} * r.shape.threads + tid];
}

/// Lanes of the producer whose data a consumer reads, and the warps that produce.
struct Roles {
    std::vector<bool> produces;  ///< per warp
    std::vector<unsigned> producers, consumers;
};

Roles drawRoles(Round& r)
{
    Roles roles;
    roles.produces.resize(r.shape.warps());
    std::vector<unsigned> warps;
    for (unsigned w = 0; w < r.shape.warps(); ++w) {
        if (r.lanes(w) != 0) warps.push_back(w);
    }
    const unsigned sure = r.random.below(static_cast<unsigned>(warps.size()));
    for (std::size_t i = 0; i < warps.size(); ++i) {
        const bool first = i == sure, second = i == (sure + 1) % warps.size();
        roles.produces[warps[i]] = first || (!second && r.random.chance(50));
    }
    for (const unsigned tid : r.tids())
        (roles.produces[tid / 32] ? roles.producers : roles.consumers).push_back(tid);
    return roles;
}

std::string isProducer(Round& r, const Roles& roles)
{
    std::uint32_t bits = 0;
    for (unsigned w = 0; w < roles.produces.size(); ++w) bits |= roles.produces[w] ? 1u << w : 0;
    const std::string t = r.k.b32(), p = r.k.pred();
    r.k.op("shr.u32 {}, {}, %mywarp", t, bits);
    r.k.op("and.b32 {0}, {0}, 1", t);
    r.k.op("setp.ne.u32 {}, {}, 0", p, t);
    return p;
}

}  // namespace

/// All threads write, meet, and read what another thread wrote.
void roundNamed(Round& r)
{
    const unsigned n = r.random.between(1, 4), cells = r.k.shared(8 * r.shape.threads, 4);
    const auto partner = r.permutation();
    const Mix mix = r.drawMix();
    const std::string own = r.cell(cells, "%me"), other = r.cell(cells, r.lookUp(partner));
    const std::string v = r.k.b32(), a = r.k.b32();
    const bool volatileAccess = r.random.chance(20);
    r.repeat(n, [&](const Iteration& it) {
        r.noise();
        r.k.op("mad.lo.u32 {}, {}, {}, {}", a, it.parity, 4 * r.shape.threads, own);
        r.k.op("st{}.shared.u32 [{}], %acc", volatileAccess ? ".volatile" : "", a);
        r.sync();
        r.k.op("mad.lo.u32 {}, {}, {}, {}", a, it.parity, 4 * r.shape.threads, other);
        r.k.op("ld{}.shared.u32 {}, [{}]", volatileAccess ? ".volatile" : "", v, a);
        r.emitMix(mix, v);
    });
    for (unsigned i = 0; i < n; ++i)
        r.apply(mix, [&](const Thread& t) { return accAt(r, t, partner[t.tid]); });
}

/// bar.red.popc, .and, .or over the members.
void roundNamedRed(Round& r)
{
    const unsigned id = r.takeIds(1), bit = r.random.below(32), kind = r.random.below(3),
                   n = r.random.between(1, 3);
    // or: rarely are all values equal
    const std::uint32_t want = r.random.chance(30) ? r.random.word() : 0;
    const bool negate = r.random.chance(30), all = r.whole() && r.random.chance(40);
    const bool cta = r.random.chance(30), bar = r.random.chance(50);
    const Mix mix = r.drawMix();
    const std::string t0 = r.k.b32(), p = r.k.pred(), q = r.k.pred(), d = r.k.b32();
    const std::string count = all ? "" : ", " + r.number(32 * r.warps());
    const char* aligned = bar || r.random.chance(60) ? "" : ".aligned";
    r.repeat(n, [&](const Iteration&) {
        r.noise();
        r.k.op("shr.u32 {}, %acc, {}", t0, bit);
        r.k.op("and.b32 {0}, {0}, 1", t0);
        r.k.op("setp.ne.u32 {}, {}, {}", p, t0, want & 1);
        const std::string op = fmt::format("{}{}.red.", bar ? "bar" : "barrier", cta ? ".cta" : "");
        const std::string c = (negate ? "!" : "") + p;
        if (kind == 0) {
            r.k.op("{}popc{}.u32 {}, {}{}, {}", op, aligned, d, id, count, c);
        } else {
            r.k.op("{}{}{}.pred {}, {}{}, {}", op, kind == 1 ? "and" : "or", aligned, q, id, count,
                   c);
            r.k.op("selp.u32 {}, 3, 5, {}", d, q);
        }
        r.emitMix(mix, d);
    });
    for (unsigned i = 0; i < n; ++i) {
        std::vector<std::uint32_t> set(r.shape.ctas(), 0);
        r.each([&](const Thread& t) {
            const bool pred = (r.s.acc[t.gid] >> bit & 1) != (want & 1);
            set[t.cta] += pred != negate ? 1 : 0;
        });
        r.apply(mix, [&](const Thread& t) -> std::uint32_t {
            if (kind == 0) return set[t.cta];
            return (kind == 1 ? set[t.cta] == r.members() : set[t.cta] != 0) ? 3 : 5;
        });
    }
}

/// Producers arrive, consumers sync; a second barrier frees the memory.
void roundProducer(Round& r)
{
    if (r.warps() < 2) return roundNamed(r);
    const Roles roles = drawRoles(r);
    const unsigned n = r.random.between(1, 4), full = r.takeIds(2), empty = full + 1;
    const unsigned cells = r.k.shared(4 * r.shape.threads, 4), count = 32 * r.warps();
    std::vector<std::uint32_t> from(r.shape.threads, 0);
    for (const unsigned tid : r.tids())
        from[tid] = roles.producers[r.random.below(static_cast<unsigned>(roles.producers.size()))];
    const Mix made = r.drawMix(), taken = r.drawMix();
    const std::string p = isProducer(r, roles), own = r.cell(cells, "%me"),
                      other = r.cell(cells, r.lookUp(from));
    const std::string consume = r.k.newLabel(), end = r.k.newLabel(), v = r.k.b32();
    r.k.op("@!{} bra {}", p, consume);
    r.repeat(n, [&](const Iteration& it) {
        r.noise();
        r.unlessFirst(it, [&] { r.barrier("sync", empty, count); });
        r.emitMix(made, "%me");
        r.k.op("st.shared.u32 [{}], %acc", own);
        r.barrier("arrive", full, count);
    });
    r.k.op("bra {}", end);
    r.k.label(consume);
    r.repeat(n, [&](const Iteration& it) {
        r.noise();
        r.barrier("sync", full, count);
        r.k.op("ld.shared.u32 {}, [{}]", v, other);
        r.emitMix(taken, v);
        r.unlessLast(it, [&] { r.barrier("arrive", empty, count); });
    });
    r.k.label(end);
    for (unsigned i = 0; i < n; ++i) {
        r.each([&](const Thread& t) {
            if (roles.produces[t.warp]) r.s.acc[t.gid] = made(r.s.acc[t.gid], t.tid);
        });
        r.each([&](const Thread& t) {
            if (!roles.produces[t.warp])
                r.s.acc[t.gid] = taken(r.s.acc[t.gid], accAt(r, t, from[t.tid]));
        });
    }
}

/// Threads of one warp publish through ordinary memory; other threads poll it.
void roundFlag(Round& r)
{
    const unsigned words = r.k.shared(4 * r.shape.threads, 4), flag = r.k.shared(4, 4);
    const unsigned writer = r.anyTid();
    r.initShared(flag, 0);
    const Mix mix = r.drawMix();
    const std::string p = r.isTid(writer), q = r.k.pred(), v = r.k.b32(), f = r.k.b32(),
                      top = r.k.newLabel();
    const bool fence = r.random.chance(40);
    r.only(p, [&] {
        r.noise();
        r.k.op("st.shared.u32 [{}], %acc", r.at(words));
        if (fence) r.k.line("fence.acq_rel.cta");
        r.k.op("st.{}.cta.shared.u32 [{}], 1", fence ? "relaxed" : "release", r.at(flag));
    });
    r.k.label(top);
    r.k.op("ld.{}.cta.shared.u32 {}, [{}]", fence ? "relaxed" : "acquire", f, r.at(flag));
    r.k.op("setp.eq.u32 {}, {}, 0", q, f);
    r.k.op("@{} bra {}", q, top);
    if (fence) r.k.line("fence.acq_rel.cta");
    r.k.op("ld.shared.u32 {}, [{}]", v, r.at(words));
    r.emitMix(mix, v);
    r.apply(mix, [&](const Thread& t) { return accAt(r, t, writer); });
}

}  // namespace gsu::fuzz
