// mbarrier objects of other CTAs of the cluster, st.async and red.async.
#include "fuzz/rounds/cluster.hpp"
#include "fuzz/rounds/rounds.hpp"

namespace gsu::fuzz {
namespace {

/// The other parity, which is that of the preceding phase.
std::string before(Round& r, const Iteration& it)
{
    if (it.known >= 0) return std::to_string((it.known + 1) & 1);
    const std::string p = r.k.b32();
    r.k.op("xor.b32 {}, {}, 1", p, it.parity);
    return p;
}

/// Without a scope an arrive orders nothing between CTAs (GEN-004), and on an H200 stores into the peer were seen to arrive after it. So
/// such an arrive only frees what has been read.
void arriveRemote(Round& r, const std::string& address, bool gives)
{
    const bool counted = r.random.chance(20), scoped = r.random.chance(60);
    r.k.op("mbarrier.arrive{}.shared::cluster.b64 _, [{}]{}",
           scoped || gives ? ".release.cluster" : "", address, counted ? ", 1" : "");
}

/// A ring: data and a full barrier in the CTA `distance` ranks further, an empty barrier in this CTA.
struct Ring {
    unsigned distance, full, empty;
    std::string rfull, rempty;

    Ring(Round& r, unsigned fullCount, unsigned nearest)
        : distance(r.random.between(nearest, r.ranks() - 1)),
          full(r.mbarrier(fullCount, true)),
          empty(r.mbarrier(r.members(), true))
    {
        rfull = r.mapa(r.cell(full, "0"), r.rankPlus(distance));
        rempty = r.mapa(r.cell(empty, "0"), r.rankPlus(r.ranks() - distance));
    }
    /// One pass: send when the peer has read, wait for the data of this CTA, read, free.
    void pass(Round& r, const Iteration& it, const std::function<void()>& send,
              const std::function<void()>& read) const
    {
        r.noise();
        r.unlessFirst(it, [&] { r.wait(empty, before(r, it), true); });
        send();
        r.noise();
        r.wait(full, it.parity, true);
        read();
        r.unlessLast(it, [&] { r.sides([&](Lanes) { arriveRemote(r, rempty, false); }); });
    }
};

}  // namespace

/// Ordinary stores into the peer, remote arrives.
void roundRemoteRing(Round& r)
{
    const unsigned n = r.random.between(1, 5), cells = r.k.shared(4 * r.shape.threads, 4);
    const Ring ring(r, r.members(), 0);
    const auto partner = r.permutation();
    const Mix mix = r.drawMix();
    const std::string remote = r.mapa(r.cell(cells, "%me"), r.rankPlus(ring.distance));
    const std::string other = r.cell(cells, r.lookUp(partner)), v = r.k.b32();
    r.repeat(n, [&](const Iteration& it) {
        ring.pass(
            r, it,
            [&] {
                r.k.op("st.shared::cluster.u32 [{}], %acc", remote);
                r.sides([&](Lanes) { arriveRemote(r, ring.rfull, true); });
            },
            [&] { r.k.op("ld.shared.u32 {}, [{}]", v, other); });
        r.emitMix(mix, v);
    });
    for (unsigned i = 0; i < n; ++i)
        r.apply(mix, [&](const Thread& t) {
            return r.s.acc[peerOf(r, t, r.ranks() - ring.distance, partner[t.tid])];
        });
}

namespace {

/// Emits one arrival of a thread at the object at `a` in one of four ways; `amount`: bytes, or arrivals of kind 2.
void arriveMixed(Round& r, unsigned kind, const std::string& a, unsigned amount)
{
    switch (kind) {
        case 0:
            r.k.op("mbarrier.expect_tx.relaxed.cluster.shared::cluster.b64 [{}], {}", a,
                   r.number(amount));
            r.k.op("mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [{}], {}", a,
                   r.number(amount));
            arriveRemote(r, a, true);
            break;
        case 1:
            r.k.op("mbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64 _, [{}], {}", a,
                   r.number(amount));
            r.noise();
            r.k.op("mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [{}], {}", a,
                   r.number(amount));
            break;
        case 2:
            r.k.op("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [{}], {}", a,
                   r.number(amount));
            break;
        default: {  // one arrival stays, or none would be left to expect
            const std::string stays = r.isTid(r.tids().front());
            r.k.op("@{} mbarrier.arrive.release.cluster.shared::cluster.b64 _, [{}]", stays, a);
            r.k.op("@!{} mbarrier.arrive_drop.release.cluster.shared::cluster.b64 _, [{}]", stays,
                   a);
        }
    }
}

}  // namespace

/// Remote expect_tx, complete_tx, arrive.expect_tx and counted arrives on one object, one phase.
void roundRemoteMixed(Round& r)
{
    const unsigned kind = r.random.below(4), count = kind == 2 ? r.random.between(2, 4) : 1;
    const unsigned bytes = r.random.between(1, 1000), distance = r.random.below(r.ranks());
    const unsigned object = r.mbarrier(r.members() * count, true),
                   cells = r.k.shared(4 * r.shape.threads, 4);
    const auto partner = r.permutation();
    const Mix mix = r.drawMix();
    const std::string target = r.rankPlus(distance), a = r.mapa(r.cell(object, "0"), target),
                      v = r.k.b32();
    r.noise();
    r.k.op("st.shared::cluster.u32 [{}], %acc", r.mapa(r.cell(cells, "%me"), target));
    arriveMixed(r, kind, a, kind == 2 ? count : bytes);
    r.wait(object, "0", true);
    r.k.op("ld.shared.u32 {}, [{}]", v, r.cell(cells, r.lookUp(partner)));
    r.emitMix(mix, v);
    r.apply(mix, [&](const Thread& t) {
        return r.s.acc[peerOf(r, t, r.ranks() - distance, partner[t.tid])];
    });
}

namespace {

struct StoreForm {
    const char* type;
    unsigned words;
};

/// The words in the form of operand that the instruction takes: a register, a pair made in `wide`, or a vector.
std::string storedOperand(Round& r, const StoreForm& form, const std::string (&w)[4],
                          const std::string& wide)
{
    if (form.words == 1) return w[0];
    if (form.words == 4) return fmt::format("{{{}, {}, {}, {}}}", w[0], w[1], w[2], w[3]);
    const std::string pair = fmt::format("{{{}, {}}}", w[0], w[1]);
    if (form.type[1] == 'v') return pair;
    r.k.op("mov.b64 {}, {}", wide, pair);
    return wide;
}

}  // namespace

/// st.async: the stores themselves complete the phase.
void roundStAsync(Round& r)
{
    constexpr StoreForm kForms[] = {{".b32", 1},    {".u32", 1}, {".s32", 1}, {".v2.b32", 2},
                                    {".v4.b32", 4}, {".b64", 2}, {".u64", 2}};
    const StoreForm form = r.random.pick(kForms);
    const unsigned n = r.random.between(1, 4), stride = 4 * form.words, leader = r.anyTid();
    const unsigned cells = r.k.shared(stride * r.shape.threads, 16),
                   part = r.random.below(form.words);
    const std::uint32_t step = r.random.word();
    const Ring ring(r, 1, 1);  // the executing CTA: RASYNC-016
    const auto partner = r.permutation();
    const Mix mix = r.drawMix();
    const std::string remote = r.mapa(r.cell(cells, "%me", stride), r.rankPlus(ring.distance));
    const std::string other = r.cell(cells + 4 * part, r.lookUp(partner), stride), v = r.k.b32(),
                      p = r.isTid(leader);
    const std::string w[] = {"%acc", r.k.b32(), r.k.b32(), r.k.b32()}, wide = r.k.b64();
    const char* space = r.random.chance(80) ? ".shared::cluster" : ".weak.shared::cluster";
    r.repeat(n, [&](const Iteration& it) {
        r.only(p, [&] {
            r.k.op("mbarrier.arrive.expect_tx.shared.b64 _, [{}], {}", r.at(ring.full),
                   stride * r.members());
        });
        ring.pass(
            r, it,
            [&] {
                for (unsigned i = 1; i < form.words; ++i)
                    r.k.op("add.u32 {}, {}, {}", w[i], w[i - 1], step);
                const std::string source = storedOperand(r, form, w, wide);
                r.k.op("st.async{}.mbarrier::complete_tx::bytes{} [{}], {}, [{}]", space, form.type,
                       remote, source, ring.rfull);
            },
            [&] { r.k.op("ld.shared.u32 {}, [{}]", v, other); });
        r.emitMix(mix, v);
    });
    for (unsigned i = 0; i < n; ++i)
        r.apply(mix, [&](const Thread& t) {
            return r.s.acc[peerOf(r, t, r.ranks() - ring.distance, partner[t.tid])] + part * step;
        });
}

/// red.async of all threads into a few words of the peer.
void roundRedAsync(Round& r)
{
    const Reduction& op = drawReduction(r.random);
    const unsigned cells = r.random.between(1, 4), first = r.k.shared(4 * cells, 4),
                   leader = r.anyTid();
    const unsigned object = r.mbarrier(1, true), distance = r.random.between(1, r.ranks() - 1);
    for (unsigned i = 0; i < cells; ++i) r.initShared(first + 4 * i, op.start, true);
    const std::uint32_t bound = r.random.between(1, 40);
    const Mix mix = r.drawMix();
    const std::string index = r.k.b32(), v = r.k.b32(), target = r.rankPlus(distance),
                      p = r.isTid(leader);
    r.k.op("rem.u32 {}, %me, {}", index, cells);
    const std::string home = r.cell(first, index), remote = r.mapa(home, target);
    const std::string bar = r.mapa(r.cell(object, "0"), target), value = r.k.b32();
    if (op.counts)
        r.k.op("mov.u32 {}, {}", value, bound);
    else
        r.k.op("mov.u32 {}, %acc", value);
    r.noise();
    r.only(p, [&] {
        r.k.op("mbarrier.arrive.expect_tx.shared.b64 _, [{}], {}", r.at(object), 4 * r.members());
    });
    const bool generic = r.random.chance(30);
    r.k.op("red.async.relaxed.cluster{}.mbarrier::complete_tx::bytes.{} [{}], {}, [{}]",
           generic ? "" : ".shared::cluster", op.text(), generic ? r.generic(remote) : remote,
           value, generic ? r.generic(bar) : bar);
    r.wait(object, "0", true);
    r.k.op("ld.shared.u32 {}, [{}]", v, home);
    r.emitMix(mix, v);
    applyPeerCells(r, op, {cells, distance, bound}, mix);
}

}  // namespace gsu::fuzz
