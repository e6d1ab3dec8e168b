// cp.async and bulk copies from global into shared memory.
#include "fuzz/rounds/rounds.hpp"

namespace gsu::fuzz {
namespace {

/// Register with the first word of the buffer `in` that a thread copies, a multiple of `words`.
std::string source(Round& r, unsigned base, unsigned words)
{
    const std::string i = r.k.b32();
    r.k.op("mad.lo.u32 {}, %mygid, {}, {}", i, words, base);
    r.k.op("and.b32 {0}, {0}, {1}", i, kInWords - 1);
    return r.word("%in", 0, i);
}

/// The way in which the threads learn that all their copies have landed.
struct Landing {
    unsigned way;  ///< 0 wait_group, 1 wait_all, 2 arrive.noinc, 3 arrive
    unsigned object{};
};

void land(Round& r, const Landing& how)
{
    switch (how.way) {
        case 0:
            r.k.line("cp.async.commit_group");
            r.noise();
            r.k.line("cp.async.wait_group 0");
            return r.sync();
        case 1: r.k.line("cp.async.wait_all"); return r.sync();
        case 2:
            r.k.op("cp.async.mbarrier.arrive.noinc{}.b64 [{}]", r.sharedSpace(), r.at(how.object));
            break;
        default:
            r.k.op("cp.async.mbarrier.arrive{}.b64 [{}]", r.sharedSpace(), r.at(how.object));
            r.noise();
            r.k.op("mbarrier.arrive{}.b64 _, [{}]", r.sharedSpace(), r.at(how.object));
    }
    r.wait(how.object, "0", false);
}

}  // namespace

void roundCpAsync(Round& r)
{
    constexpr unsigned kSizes[] = {4, 8, 16, 16};
    const unsigned size = r.random.pick(kSizes), words = size / 4, copies = r.random.between(1, 3);
    const bool cg = size == 16 && r.random.chance(50), partial = r.random.chance(30);
    const unsigned kept = partial ? 4 * r.random.below(words + 1) : size;
    const bool barriers = r.has(Feature::Mbarrier);
    Landing landing{barriers ? r.random.below(4) : r.random.below(2)};
    if (landing.way > 1) landing.object = r.mbarrier(r.members(), false);
    unsigned cells[3]{}, base[3]{};
    for (unsigned i = 0; i < copies; ++i) {
        cells[i] = r.k.shared(size * r.shape.threads, 16);
        base[i] = 4 * r.random.below(kInWords / 4);
    }
    const unsigned seen = r.random.below(copies), part = r.random.below(words);
    const auto partner = r.permutation();
    const Mix mix = r.drawMix();
    r.noise();
    for (unsigned i = 0; i < copies; ++i) {
        const std::string rest = partial ? ", " + r.number(kept) : "";
        const std::string to = r.cell(cells[i], "%me", size), from = source(r, base[i], words);
        r.k.op("cp.async.{}.shared.global [{}], [{}], {}{}", cg ? "cg" : "ca", to, from, size,
               rest);
        if (landing.way == 0 && r.random.chance(30)) r.k.line("cp.async.commit_group");
    }
    land(r, landing);
    const std::string v = r.k.b32();
    r.k.op("ld.shared.u32 {}, [{}]", v, r.cell(cells[seen] + 4 * part, r.lookUp(partner), size));
    r.emitMix(mix, v);
    r.apply(mix, [&](const Thread& t) -> std::uint32_t {
        if (4 * part >= kept) return 0;
        const std::size_t gid = t.gid - t.tid + partner[t.tid];
        return r.s.in((gid * words + base[seen]) % kInWords + part);
    });
}

/// One thread copies a tile and all threads read it, repeatedly.
void roundBulkIn(Round& r)
{
    const unsigned n = r.random.between(1, 4), pieces = r.random.between(1, 3),
                   words = 4 * r.random.between(1, 64);
    const unsigned tile = r.k.shared(4 * words * pieces, 128), object = r.mbarrier(1, false),
                   leader = r.anyTid();
    const unsigned base = 4 * r.random.below(128), stride = r.random.between(1, 31),
                   total = words * pieces;
    const bool late = r.random.chance(30);
    const char* space = r.random.chance(60) ? "shared::cluster" : "shared::cta";
    const Mix mix = r.drawMix();
    const std::string p = r.isTid(leader), v = r.k.b32(), index = r.k.b32(), i = r.k.b32();
    r.k.op("mul.lo.u32 {}, %me, {}", index, stride);
    r.k.op("rem.u32 {0}, {0}, {1}", index, total);
    const std::string cell = r.cell(tile, index);
    r.repeat(n, [&](const Iteration& it) {
        r.noise();
        r.only(p, [&] {
            const auto expect = [&] {
                r.k.op("mbarrier.arrive.expect_tx{}.b64 _, [{}], {}", r.sharedSpace(), r.at(object),
                       4 * total);
            };
            if (!late) expect();
            r.k.op("mul.lo.u32 {}, {}, {}", i, it.index, total);
            const std::string from = r.word("%in", base, i);
            for (unsigned piece = 0; piece < pieces; ++piece)
                r.k.op(
                    "cp.async.bulk.{}.global.mbarrier::complete_tx::bytes [{}], [{}+{}], {}, [{}]",
                    space, r.at(tile + 4 * words * piece), from, 4 * words * piece,
                    r.number(4 * words), r.at(object));
            if (late) expect();
        });
        r.wait(object, it.parity, false);
        r.k.op("ld.shared.u32 {}, [{}]", v, cell);
        r.emitMix(mix, v);
        r.unlessLast(it, [&] { r.sync(); });
    });
    for (unsigned k = 0; k < n; ++k)
        r.apply(mix,
                [&](const Thread& t) { return r.s.in(base + k * total + t.tid * stride % total); });
}

/// One CTA copies into several CTAs of the cluster at once.
void roundBulkMulticast(Round& r)
{
    const unsigned words = 4 * r.random.between(1, 64), tile = r.k.shared(4 * words, 128);
    const unsigned object = r.mbarrier(1, true), leader = r.anyTid(),
                   issuer = r.random.below(r.ranks());
    const unsigned ranks = r.random.between(1, (1u << r.ranks()) - 1),
                   base = 4 * r.random.below(512);
    const Mix mix = r.drawMix();
    const std::string p = r.isTid(leader), q = r.isRank(issuer), b = r.k.b32(), in = r.k.pred(),
                      v = r.k.b32();
    r.k.op("shr.u32 {}, {}, %myrank", b, ranks);
    r.k.op("and.b32 {0}, {0}, 1", b);
    r.k.op("setp.ne.u32 {}, {}, 0", in, b);
    r.noise();
    r.only(p, [&] {
        r.k.op("@{} mbarrier.arrive.expect_tx.shared.b64 _, [{}], {}", in, r.at(object), 4 * words);
        r.only(q, [&] {
            const std::string from = r.word("%in", base, "0");
            r.k.append("  { .reg .b16 ranks;\n");
            r.k.op("mov.u16 ranks, {}", ranks);
            r.k.op("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::"
                   "cluster [{}], [{}], {}, "
                   "[{}], ranks",
                   r.at(tile), from, 4 * words, r.at(object));
            r.k.append("  }\n");
        });
    });
    r.only(in, [&] {
        const std::string index = r.k.b32();
        r.wait(object, "0", true);
        r.k.op("rem.u32 {}, %me, {}", index, words);
        r.k.op("ld.shared.u32 {}, [{}]", v, r.cell(tile, index));
        r.emitMix(mix, v);
    });
    r.each([&](const Thread& t) {
        if ((ranks >> t.rank & 1) != 0)
            r.s.acc[t.gid] = mix(r.s.acc[t.gid], r.s.in(base + t.tid % words));
    });
}

}  // namespace gsu::fuzz
