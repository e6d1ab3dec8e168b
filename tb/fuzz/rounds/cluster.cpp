// Clusters: exchanges through distributed shared memory after barrier.cluster.
#include "fuzz/rounds/cluster.hpp"

#include "fuzz/rounds/rounds.hpp"

namespace gsu::fuzz {

std::size_t peerOf(const Round& r, const Thread& t, unsigned distance, unsigned tid)
{
    const std::size_t cta = t.cta - t.rank + (t.rank + distance) % r.ranks();
    return cta * r.shape.threads + tid;
}

void applyPeerCells(Round& r, const Reduction& op, const PeerCells& at, const Mix& mix)
{
    const unsigned cells = at.cells;
    std::vector<std::uint32_t> total(r.shape.ctas() * cells, op.start);
    r.each([&](const Thread& t) {
        std::uint32_t& cell =
            total[peerOf(r, t, at.distance, 0) / r.shape.threads * cells + t.tid % cells];
        cell = op.fold(cell, op.counts ? at.bound : r.s.acc[t.gid]);
    });
    r.apply(mix, [&](const Thread& t) { return total[t.cta * cells + t.tid % cells]; });
}

/// Each thread writes in its own CTA and reads from a peer.
void roundCluster(Round& r)
{
    const unsigned n = r.random.between(1, 3), cells = r.k.shared(8 * r.shape.threads, 4);
    const unsigned distance = r.random.below(r.ranks());
    const auto partner = r.permutation();
    const Mix mix = r.drawMix(), idle = r.drawMix();
    const bool works = r.random.chance(50);
    const std::string own = r.cell(cells, "%me");
    const std::string other = r.mapa(r.cell(cells, r.lookUp(partner)), r.rankPlus(distance));
    const std::string v = r.k.b32(), a = r.k.b32();
    r.repeat(n, [&](const Iteration& it) {
        r.noise();
        r.k.op("mad.lo.u32 {}, {}, {}, {}", a, it.parity, 4 * r.shape.threads, own);
        r.k.op("st.shared.u32 [{}], %acc", a);
        clusterBarrier(r, [&] {
            if (works) r.emitMix(idle, "%me");
            r.noise();
        });
        r.k.op("mad.lo.u32 {}, {}, {}, {}", a, it.parity, 4 * r.shape.threads, other);
        r.k.op("ld.shared::cluster.u32 {}, [{}]", v, a);
        r.emitMix(mix, v);
    });
    for (unsigned i = 0; i < n; ++i) {
        const std::vector<std::uint32_t> before = r.s.acc;
        if (works) r.apply(idle, [](const Thread& t) { return t.tid; });
        r.apply(mix,
                [&](const Thread& t) { return before[peerOf(r, t, distance, partner[t.tid])]; });
    }
}

/// Each thread writes into a peer and reads in its own CTA, by shared::cluster or generic addresses.
void roundClusterPush(Round& r)
{
    const unsigned n = r.random.between(1, 3), cells = r.k.shared(8 * r.shape.threads, 4);
    const unsigned distance = r.random.below(r.ranks());
    const auto partner = r.permutation();
    const Mix mix = r.drawMix();
    const bool generic = r.random.chance(40);
    const std::string home = r.cell(cells, "%me"), target = r.rankPlus(distance);
    const std::string own = generic ? home : r.mapa(home, target),
                      other = r.cell(cells, r.lookUp(partner));
    const std::string v = r.k.b32(), a = r.k.b32(), wide = r.k.b64();
    r.repeat(n, [&](const Iteration& it) {
        r.noise();
        r.k.op("mad.lo.u32 {}, {}, {}, {}", a, it.parity, 4 * r.shape.threads, own);
        if (generic) {
            r.k.op("mapa.u64 {}, {}, {}", wide, r.generic(a), target);
            r.k.op("st.u32 [{}], %acc", wide);
        } else {
            r.k.op("st.shared::cluster.u32 [{}], %acc", a);
        }
        clusterBarrier(r, [] {});
        r.k.op("mad.lo.u32 {}, {}, {}, {}", a, it.parity, 4 * r.shape.threads, other);
        r.k.op("ld.shared.u32 {}, [{}]", v, a);
        r.emitMix(mix, v);
    });
    for (unsigned i = 0; i < n; ++i)
        r.apply(mix, [&](const Thread& t) {
            return r.s.acc[peerOf(r, t, r.ranks() - distance, partner[t.tid])];
        });
}

/// All threads of the cluster reduce into cells of their peers.
void roundClusterAtomics(Round& r)
{
    const unsigned distance = r.random.below(r.ranks()), cells = r.random.between(1, 4);
    const Reduction& op = drawReduction(r.random);
    const unsigned first = r.k.shared(4 * cells, 4);
    for (unsigned i = 0; i < cells; ++i) r.initShared(first + 4 * i, op.start, true);
    const std::uint32_t bound = r.random.between(1, 40);
    const Mix mix = r.drawMix();
    const bool atom = r.random.chance(50);
    constexpr const char* kSems[] = {"", ".relaxed.cluster", ".release.cluster", ".relaxed.gpu"};
    const std::string index = r.k.b32(), v = r.k.b32();
    r.k.op("rem.u32 {}, %me, {}", index, cells);
    const std::string home = r.cell(first, index), remote = r.mapa(home, r.rankPlus(distance));
    const std::string value = op.counts ? r.number(bound) : "%acc";
    r.noise();
    r.k.op("{}{}.shared::cluster.{} {}[{}], {}", atom ? "atom" : "red", r.random.pick(kSems),
           op.text(), atom ? v + ", " : "", remote, value);
    clusterBarrier(r, [] {});
    r.k.op("ld.shared.u32 {}, [{}]", v, home);
    r.emitMix(mix, v);
    applyPeerCells(r, op, {cells, distance, bound}, mix);
}

/// Remote arrives that are observed after a cluster barrier, by one test only.
void roundPosted(Round& r)
{
    const unsigned object = r.mbarrier(r.members(), true), distance = r.random.below(r.ranks());
    const Mix mix = r.drawMix();
    const std::string base = r.cell(object, "0"), p = r.k.pred(), v = r.k.b32();
    r.noise();
    r.k.op("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [{}]",
           r.mapa(base, r.rankPlus(distance)));
    clusterBarrier(r, [] {});
    r.k.op("mbarrier.test_wait.parity.acquire.cluster.shared::cta.b64 {}, [{}], 0", p,
           r.at(object));
    r.k.op("selp.u32 {}, 21, 34, {}", v, p);
    r.emitMix(mix, v);
    r.apply(mix, [](const Thread&) { return 21; });
}

}  // namespace gsu::fuzz
