// atom and red on global and shared memory, and constructs that programs build from them: locks, last block, grid barrier.
#include <algorithm>
#include <cstring>

#include "fuzz/rounds/reductions.hpp"
#include "fuzz/rounds/rounds.hpp"

namespace gsu::fuzz {
namespace {

std::string order(Round& r, bool red)
{
    constexpr const char* kRed[] = {"", ".relaxed.gpu", ".release.gpu", ".relaxed.sys"};
    constexpr const char* kAtom[] = {
        "", ".relaxed.gpu", ".release.gpu", ".acquire.gpu", ".acq_rel.gpu", ".acq_rel.sys"};
    return red ? r.random.pick(kRed) : r.random.pick(kAtom);
}

/// Adds with a loop of atom.cas.
void casAdd(Round& r, const std::string& space, const std::string& address)
{
    const std::string old = r.k.b32(), seen = r.k.b32(), sum = r.k.b32(), p = r.k.pred(),
                      top = r.k.newLabel();
    r.k.op("ld.relaxed.gpu{}.u32 {}, [{}]", space, old, address);
    r.k.label(top);
    r.k.op("add.u32 {}, {}, %acc", sum, old);
    r.k.op("atom{}{}.cas.b32 {}, [{}], {}, {}", order(r, false), space, seen, address, old, sum);
    r.k.op("setp.ne.u32 {}, {}, {}", p, seen, old);
    r.k.op("mov.u32 {}, {}", old, seen);
    r.k.op("@{} bra {}", p, top);
}

/// A 32-bit reduction of %acc (or a bound) by atom, red or a loop of cas.
void reduce(Round& r, const Reduction& op, std::uint32_t bound, const std::string& space,
            const std::string& address)
{
    if (std::string(op.op) == "add" && r.random.chance(25)) return casAdd(r, space, address);
    const std::string value = op.counts ? r.number(bound) : "%acc", d = r.k.b32();
    if (r.random.chance(50))
        r.k.op("red{}{}.{} [{}], {}", order(r, true), space, op.text(), address, value);
    else
        r.k.op("atom{}{}.{} {}, [{}], {}", order(r, false), space, op.text(),
               r.random.chance(80) ? d : "_", address, value);
}

/// Reduces 64-bit integers and floats: a sum of small numbers, exact in each type.
void wideSum(Round& r)
{
    const unsigned kind = r.random.below(4), first = r.aux({0, 0, 0, 0});
    const std::string v = r.k.b32(), d = r.k.b64(), f = r.k.f32(), a = r.word("%aux", first, "0");
    r.k.op("and.b32 {}, %acc, 15", v);
    std::uint32_t sum = 0;
    r.each([&](const Thread& t) { sum += r.s.acc[t.gid] & 15; });
    switch (kind) {
        case 0:
            r.k.op("mov.b64 {}, {{{}, %mylane}}", d, v);
            r.k.op("red{}.global.add.u64 [{}], {}", order(r, true), a, d);
            r.each([&](const Thread& t) { r.s.aux[first + 1] += t.lane; });
            r.s.aux[first] = sum;
            return;
        case 1:
            r.k.op("cvt.u64.u32 {}, {}", d, v);
            r.k.op("atom{}.global.max.u64 {}, [{}], {}", order(r, false), r.k.b64(), a, d);
            r.each([&](const Thread& t) {
                r.s.aux[first] = std::max(r.s.aux[first], r.s.acc[t.gid] & 15);
            });
            return;
        case 2:
            r.k.op("cvt.rn.f32.u32 {}, {}", f, v);
            r.k.op("red.global.add.f32 [{}], {}", a, f);
            break;
        default:
            r.k.op("cvt.rn.f32.u32 {}, {}", f, v);
            if (r.sm90())
                r.k.op("red.global.add.v2.f32 [{}], {{{}, {}}}", a, f, f);
            else
                r.k.op("red.global.add.f32 [{}+4], {}", a, f);
    }
    const float total = static_cast<float>(sum);
    std::uint32_t bits = 0;
    std::memcpy(&bits, &total, 4);
    if (kind == 2 || r.sm90()) r.s.aux[first] = bits;
    if (kind == 3) r.s.aux[first + 1] = bits;
}

}  // namespace

/// Threads of all CTAs reduce into words of global memory; only the final values are checked.
void roundGlobalAtomics(Round& r)
{
    r.noise();
    if (r.random.chance(30)) return wideSum(r);
    const Reduction& op = drawReduction(r.random);
    const unsigned cells = r.random.between(1, 5),
                   first = r.aux(std::vector<std::uint32_t>(cells, op.start));
    const std::uint32_t bound = r.random.between(1, 100);
    const std::string index = r.k.b32();
    r.k.op("rem.u32 {}, %mygid, {}", index, cells);
    const std::string address = r.word("%aux", first, index);
    reduce(r, op, bound, ".global", address);
    r.each([&](const Thread& t) {
        std::uint32_t& cell = r.s.aux[first + t.gid % cells];
        cell = op.fold(cell, op.counts ? bound : r.s.acc[t.gid]);
    });
}

/// Threads of a CTA reduce into words of shared memory, meet, and read.
void roundSharedAtomics(Round& r)
{
    const Reduction& op = drawReduction(r.random);
    const unsigned cells = r.random.between(1, 5), first = r.k.shared(4 * cells, 4);
    for (unsigned i = 0; i < cells; ++i) r.initShared(first + 4 * i, op.start);
    const std::uint32_t bound = r.random.between(1, 100);
    const Mix mix = r.drawMix();
    const std::string index = r.k.b32(), v = r.k.b32();
    r.k.op("rem.u32 {}, %me, {}", index, cells);
    const std::string address = r.cell(first, index);
    r.noise();
    reduce(r, op, bound, r.sharedSpace(), address);
    r.sync();
    r.k.op("ld.shared.u32 {}, [{}]", v, address);
    r.emitMix(mix, v);
    std::vector<std::uint32_t> total(r.shape.ctas() * cells, op.start);
    r.each([&](const Thread& t) {
        std::uint32_t& cell = total[t.cta * cells + t.tid % cells];
        cell = op.fold(cell, op.counts ? bound : r.s.acc[t.gid]);
    });
    r.apply(mix, [&](const Thread& t) { return total[t.cta * cells + t.tid % cells]; });
}

/// Each thread has its own word, so the value that atom returns is determined.
void roundOwnAtomics(Round& r)
{
    const std::uint32_t start = r.random.word();
    const unsigned first =
        r.aux(std::vector<std::uint32_t>(r.shape.ctas() * r.shape.threads, start));
    const std::string address = r.word("%aux", first, "%mygid"), d = r.k.b32();
    const unsigned n = r.random.between(1, 3);
    for (unsigned i = 0; i < n; ++i) {
        const Mix mix = r.drawMix();
        const auto cell = [&](const Thread& t) -> std::uint32_t& { return r.s.aux[first + t.gid]; };
        if (r.random.chance(30)) {
            r.k.op("atom{}.global.exch.b32 {}, [{}], %acc", order(r, false), d, address);
            r.emitMix(mix, d);
            r.each([&](const Thread& t) {
                const std::uint32_t old = cell(t);
                cell(t) = r.s.acc[t.gid];
                r.s.acc[t.gid] = mix(r.s.acc[t.gid], old);
            });
            continue;
        }
        const Reduction& op = drawReduction(r.random);
        r.k.op("atom{}.global.{} {}, [{}], %acc", order(r, false), op.text(), d, address);
        r.emitMix(mix, d);
        r.each([&](const Thread& t) {
            const std::uint32_t old = cell(t);
            cell(t) = op.fold(old, r.s.acc[t.gid]);
            r.s.acc[t.gid] = mix(r.s.acc[t.gid], old);
        });
    }
}

/// The last CTA to arrive adds up the values of all.
void roundLastBlock(Round& r)
{
    const unsigned ctas = r.shape.ctas(), leader = r.anyTid(), writer = r.anyTid();
    const unsigned data = r.aux(std::vector<std::uint32_t>(ctas + 2, 0)), count = data + ctas,
                   sum = count + 1;
    const std::string w = r.isTid(writer), p = r.isTid(leader),
                      mine = r.word("%aux", data, "%mycta");
    const std::string counter = r.word("%aux", count, "0"), old = r.k.b32(), last = r.k.pred();
    const std::string total = r.k.b32(), v = r.k.b32(), at = r.word("%aux", data, "0");
    r.noise();
    r.k.op("@{} st.global.u32 [{}], %acc", w, mine);
    r.sync();
    r.only(p, [&] {
        r.k.line(r.random.chance(50) ? "fence.acq_rel.gpu" : "membar.gl");
        r.k.op("atom.relaxed.gpu.global.inc.u32 {}, [{}], {}", old, counter, ctas - 1);
        r.k.op("setp.eq.u32 {}, {}, {}", last, old, ctas - 1);
        r.only(last, [&] {
            r.k.line("fence.acq_rel.gpu");
            r.k.op("mov.u32 {}, 0", total);
            for (unsigned i = 0; i < ctas; ++i) {
                r.k.op("ld.global.u32 {}, [{}+{}]", v, at, 4 * i);
                r.k.op("add.u32 {0}, {0}, {1}", total, v);
            }
            r.k.op("st.global.u32 [{}], {}", r.word("%aux", sum, "0"), total);
        });
    });
    for (unsigned cta = 0; cta < ctas; ++cta) {
        r.s.aux[data + cta] = r.s.acc[r.thread(cta, writer).gid];
        r.s.aux[sum] += r.s.aux[data + cta];
    }
}

/// A barrier of all CTAs through global memory; needs all of them resident.
void roundGrid(Round& r)
{
    const unsigned ctas = r.shape.ctas(), n = r.random.between(1, 2), leader = r.anyTid(),
                   far = r.random.below(ctas);
    const unsigned count = r.aux({0}), cells = ctas * r.shape.threads;
    const unsigned data = r.aux(std::vector<std::uint32_t>(cells * n, 0));
    const auto partner = r.permutation();
    const Mix mix = r.drawMix();
    r.s.cooperative = true;
    const std::string p = r.isTid(leader), index = r.k.b32(), v = r.k.b32(),
                      counter = r.word("%aux", count, "0");
    r.k.op("add.u32 {}, %mycta, {}", index, far);
    r.k.op("rem.u32 {0}, {0}, {1}", index, ctas);
    r.k.op("mad.lo.u32 {0}, {0}, {1}, {2}", index, r.shape.threads, r.lookUp(partner));
    for (unsigned i = 0; i < n; ++i) {
        const std::string seen = r.k.b32(), again = r.k.pred(), top = r.k.newLabel();
        r.noise();
        r.k.op("st.global.u32 [{}], %acc", r.word("%aux", data + i * cells, "%mygid"));
        r.sync();
        r.only(p, [&] {
            r.k.op("red.release.gpu.global.add.u32 [{}], 1", counter);
            r.k.label(top);
            r.k.op("ld.acquire.gpu.global.u32 {}, [{}]", seen, counter);
            r.k.op("setp.lt.u32 {}, {}, {}", again, seen, ctas * (i + 1));
            r.k.op("@{} bra {}", again, top);
        });
        r.sync();
        r.k.op("ld.global.u32 {}, [{}]", v, r.word("%aux", data + i * cells, index));
        r.emitMix(mix, v);
        r.each([&](const Thread& t) { r.s.aux[data + i * cells + t.gid] = r.s.acc[t.gid]; });
        r.apply(mix, [&](const Thread& t) {
            return r.s
                .aux[data + i * cells + (t.cta + far) % ctas * r.shape.threads + partner[t.tid]];
        });
    }
    r.s.aux[count] = ctas * n;
}

namespace {

/// Emits a spin lock at the first word of `a`, and an addition to the second word under the lock.
void underLock(Round& r, bool global, const std::string& a, const std::string& v)
{
    const std::string space = global ? ".global" : ".shared", scope = global ? "gpu" : "cta";
    const std::string busy = r.k.pred(), old = r.k.b32(), top = r.k.newLabel();
    r.k.label(top);
    r.k.op("atom.acquire.{}{}.cas.b32 {}, [{}], 0, 1", scope, space, old, a);
    r.k.op("setp.ne.u32 {}, {}, 0", busy, old);
    r.k.op("@{} bra {}", busy, top);
    r.k.op("ld{}.u32 {}, [{}+4]", space, v, a);
    r.noise();
    r.k.op("add.u32 {0}, {0}, %acc", v);
    r.k.op("st{}.u32 [{}+4], {}", space, a, v);
    if (r.random.chance(50))
        r.k.op("atom.release.{}{}.exch.b32 {}, [{}], 0", scope, space, old, a);
    else
        r.k.op("st.release.{}{}.u32 [{}], 0", scope, space, a);
}

}  // namespace

/// One lane of each warp enters a critical section.
void roundLock(Round& r)
{
    const bool global = r.random.chance(40);
    std::vector<std::uint32_t> enters(r.shape.threads, 0);
    unsigned lastWarp = ~0u;
    for (const unsigned tid : r.tids()) {
        enters[tid] = tid / 32 != lastWarp ? 1 : 0;
        lastWarp = tid / 32;
    }
    const unsigned first = global ? r.aux({0, 0}) : r.k.shared(8, 4);
    if (!global) {
        r.initShared(first, 0);
        r.initShared(first + 4, 0);
    }
    const std::string a = global ? r.word("%aux", first, "0") : r.cell(first, "0");
    const std::string p = r.k.pred(), v = r.k.b32();
    const Mix mix = r.drawMix();
    r.k.op("setp.ne.u32 {}, {}, 0", p, r.lookUp(enters));
    r.only(p, [&] { underLock(r, global, a, v); });
    if (global) {
        r.each([&](const Thread& t) {
            r.s.aux[first + 1] += enters[t.tid] != 0 ? r.s.acc[t.gid] : 0;
        });
        return;
    }
    r.sync();
    r.k.op("ld.shared.u32 {}, [{}+4]", v, a);
    r.emitMix(mix, v);
    std::vector<std::uint32_t> total(r.shape.ctas(), 0);
    r.each([&](const Thread& t) { total[t.cta] += enters[t.tid] != 0 ? r.s.acc[t.gid] : 0; });
    r.apply(mix, [&](const Thread& t) { return total[t.cta]; });
}

}  // namespace gsu::fuzz
