// mbarrier objects of the executing CTA.
#include "fuzz/rounds/rounds.hpp"

namespace gsu::fuzz {
namespace {

std::uint32_t accAt(const Round& r, const Thread& t, std::uint32_t tid)
{
    return r.s.acc[std::size_t{t.cta} * r.shape.threads + tid];
}

std::string releaseQualifiers(Round& r)
{
    if (!r.sm90()) return r.random.chance(50) ? "" : ".release.cta";
    if (r.random.chance(10)) {
        r.k.line("fence.acq_rel.cta");
        return ".relaxed.cta";
    }
    constexpr const char* kForms[] = {"", ".release.cta", ".release.cluster"};
    return r.random.pick(kForms);
}

/// Emits `count` arrivals in total, in a random way; the state of the last one goes to `state` ("_": nowhere).
void arrive(Round& r, unsigned object, unsigned count, const std::string& state)
{
    const unsigned way = count == 1 ? 0 : r.random.below(r.sm90() ? 3 : 2);
    const std::string any = r.k.b64();
    if (way == 0) {  // one by one
        for (unsigned i = 0; i < count; ++i) {
            const std::string q = releaseQualifiers(r);
            r.k.op("mbarrier.arrive{}{}.b64 {}, [{}]", q, r.sharedSpace(),
                   i + 1 == count ? state : any, r.at(object));
        }
    } else if (way == 1) {
        r.k.op("mbarrier.arrive.noComplete{}{}.b64 {}, [{}], {}",
               r.random.chance(50) ? "" : ".release.cta", r.sharedSpace(), any, r.at(object),
               r.number(count - 1));
        r.k.op("mbarrier.arrive{}.b64 {}, [{}]", r.sharedSpace(), state, r.at(object));
    } else {
        const std::string q = releaseQualifiers(r);
        r.k.op("mbarrier.arrive{}{}.b64 {}, [{}], {}", q, r.sharedSpace(), state, r.at(object),
               r.number(count));
    }
}

}  // namespace

/// All threads write, arrive, wait, and read what another thread wrote; this repeats each phase.
void roundMbarrier(Round& r)
{
    const unsigned n = r.random.between(1, 5),
                   each = r.random.chance(50) ? 1 : r.random.between(2, 3);
    const unsigned object = r.mbarrier(r.members() * each, false),
                   cells = r.k.shared(8 * r.shape.threads, 4);
    const auto partner = r.permutation();
    const Mix mix = r.drawMix();
    const bool byState = r.random.chance(40);
    const std::string own = r.cell(cells, "%me"), other = r.cell(cells, r.lookUp(partner));
    const std::string v = r.k.b32(), a = r.k.b32(), state = byState ? r.k.b64() : "_";
    r.repeat(n, [&](const Iteration& it) {
        r.noise();
        r.k.op("mad.lo.u32 {}, {}, {}, {}", a, it.parity, 4 * r.shape.threads, own);
        r.k.op("st.shared.u32 [{}], %acc", a);
        r.sides([&](Lanes) { arrive(r, object, each, state); });
        r.noise();
        if (byState)
            r.waitState(object, state);
        else
            r.wait(object, it.parity, false);
        r.k.op("mad.lo.u32 {}, {}, {}, {}", a, it.parity, 4 * r.shape.threads, other);
        r.k.op("ld.shared.u32 {}, [{}]", v, a);
        r.emitMix(mix, v);
    });
    for (unsigned i = 0; i < n; ++i)
        r.apply(mix, [&](const Thread& t) { return accAt(r, t, partner[t.tid]); });
}

/// Some threads drop out in the first phase, the others continue to the second.
void roundMbarrierDrop(Round& r)
{
    if (r.members() < 2) return roundMbarrier(r);
    const bool twice = r.random.chance(30);
    const unsigned each = twice ? 2 : 1, cells = r.k.shared(4 * r.shape.threads, 4);
    const unsigned object = r.mbarrier(r.members() * each, false), stays = r.anyTid();
    std::vector<std::uint32_t> drops(r.shape.threads, 0);
    for (const unsigned tid : r.tids()) drops[tid] = tid != stays && r.random.chance(50) ? 1 : 0;
    const auto partner = r.permutation();
    const Mix mix = r.drawMix(), after = r.drawMix();
    const std::string leaves = r.k.pred(), state = r.k.b64(), v = r.k.b32();
    r.k.op("st.shared.u32 [{}], %acc", r.cell(cells, "%me"));
    r.k.op("setp.ne.u32 {}, {}, 0", leaves, r.lookUp(drops));
    r.noise();
    r.only(leaves, [&] {
        if (twice)
            r.k.op("mbarrier.arrive_drop.noComplete{}.b64 {}, [{}], 1", r.sharedSpace(), r.k.b64(),
                   r.at(object));
        r.k.op("mbarrier.arrive_drop{}{}.b64 {}, [{}]", r.random.chance(50) ? "" : ".release.cta",
               r.sharedSpace(), r.random.chance(50) ? state : "_", r.at(object));
    });
    // A thread that has dropped out may not wait for the first phase. Nothing keeps the others from completing the second phase meanwhile,
    // and then the parity says that the first phase is running (a wait may miss a phase at which its thread does not arrive).
    r.only(
        leaves,
        [&] {
            arrive(r, object, each, "_");
            r.wait(object, "0", false);
            r.k.op("ld.shared.u32 {}, [{}]", v, r.cell(cells, r.lookUp(partner)));
            r.emitMix(mix, v);
            r.noise();
            arrive(r, object, each, "_");
            r.wait(object, "1", false);
            r.emitMix(after, v);
        },
        true);
    const std::vector<std::uint32_t> read = r.s.acc;
    r.each([&](const Thread& t) {
        if (drops[t.tid] != 0) return;
        const std::uint32_t seen = read[std::size_t{t.cta} * r.shape.threads + partner[t.tid]];
        r.s.acc[t.gid] = after(mix(r.s.acc[t.gid], seen), seen);
    });
}

/// expect_tx and complete_tx as instructions. They order no data, so no data are exchanged.
void roundMbarrierTx(Round& r)
{
    const unsigned n = r.random.between(1, 3), bytes = r.random.between(1, 2000),
                   leader = r.anyTid();
    const bool everybody = r.random.chance(40), apart = r.random.chance(40);
    const unsigned object = r.mbarrier(everybody ? r.members() : 1, false),
                   total = bytes * r.members();
    const Mix mix = r.drawMix();
    const std::string p = r.isTid(leader);
    constexpr const char* kTx[] = {"", ".relaxed.cta", ".relaxed.cluster"};
    const auto tx = [&](const char* op, unsigned amount) {
        const char* sem = r.random.pick(kTx);
        r.k.op("mbarrier.{}{}{}.b64 [{}], {}", op, sem, r.sharedSpace(), r.at(object),
               r.number(amount));
    };
    const auto arriveExpecting = [&](unsigned amount) {
        if (apart) {
            tx("expect_tx", amount);
            r.k.op("mbarrier.arrive{}.b64 _, [{}]", r.sharedSpace(), r.at(object));
        } else {
            const std::string q = releaseQualifiers(r);
            r.k.op("mbarrier.arrive.expect_tx{}{}.b64 _, [{}], {}", q, r.sharedSpace(),
                   r.at(object), r.number(amount));
        }
    };
    r.repeat(n, [&](const Iteration& it) {
        r.noise();
        if (everybody) {
            arriveExpecting(bytes);
            r.noise();
            tx("complete_tx", bytes);
        } else {
            tx("complete_tx", bytes);
            r.only(p, [&] { arriveExpecting(total); });
        }
        r.wait(object, it.parity, false);
        r.emitMix(mix, it.index);
    });
    for (unsigned i = 0; i < n; ++i) r.apply(mix, [&](const Thread&) { return i; });
}

/// Applies mbarrier.pending_count to the states of one thread.
void roundMbarrierPending(Round& r)
{
    const unsigned a = r.random.between(1, 5000), b = r.random.between(1, 5000),
                   leader = r.anyTid();
    const unsigned object = r.mbarrier(a + b + 1, false);
    const Mix first = r.drawMix(), second = r.drawMix();
    const std::string p = r.isTid(leader), s1 = r.k.b64(), s2 = r.k.b64(), v = r.k.b32();
    r.only(p, [&] {
        r.k.op("mbarrier.arrive.noComplete{}.b64 {}, [{}], {}", r.sharedSpace(), s1, r.at(object),
               r.number(a));
        r.noise();
        r.k.op("mbarrier.arrive.noComplete{}.b64 {}, [{}], {}", r.sharedSpace(), s2, r.at(object),
               r.number(b));
        r.k.op("mbarrier.pending_count.b64 {}, {}", v, s1);
        r.emitMix(first, v);
        r.k.op("mbarrier.pending_count.b64 {}, {}", v, s2);
        r.emitMix(second, v);
        r.k.op("mbarrier.arrive{}.b64 {}, [{}]", r.sharedSpace(), s1, r.at(object));
        r.waitState(object, s1);
    });
    r.each([&](const Thread& t) {
        if (t.tid == leader) r.s.acc[t.gid] = second(first(r.s.acc[t.gid], a + b + 1), b + 1);
    });
}

}  // namespace gsu::fuzz
