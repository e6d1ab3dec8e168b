// Bulk copies and reductions out of shared memory, into another CTA or into global memory.
#include "fuzz/rounds/cluster.hpp"
#include "fuzz/rounds/reductions.hpp"
#include "fuzz/rounds/rounds.hpp"

namespace gsu::fuzz {
namespace {

/// The words that the members write, one each in ascending order, padded to 16 bytes with zeros.
struct Source {
    unsigned at{}, words{}, leader{};
    std::vector<std::uint32_t> position;

    explicit Source(Round& r) : leader(r.anyTid()), position(r.shape.threads, 0)
    {
        words = (r.members() + 3) / 4 * 4;
        at = r.k.shared(4 * words, 128);
        for (unsigned i = 0; i < r.members(); ++i) position[r.tids()[i]] = i;
        for (unsigned i = r.members(); i < words; ++i) r.initShared(at + 4 * i, 0);
    }
    /// Members write their values and make them visible to the async proxy.
    void fill(Round& r) const
    {
        r.noise();
        r.k.op("st.shared.u32 [{}], %acc", r.cell(at, r.lookUp(position)));
        r.k.line(r.random.chance(50) ? "fence.proxy.async" : "fence.proxy.async.shared::cta");
        r.sync();
    }
};

void finishGroup(Round& r)
{
    r.k.line("cp.async.bulk.commit_group");
    r.noise();
    r.k.op("cp.async.bulk.wait_group{} 0", r.random.chance(40) ? ".read" : "");
}

}  // namespace

/// Copies the tile of a CTA to its peer.
void roundBulkCluster(Round& r)
{
    const Source source(r);
    const unsigned landed = r.k.shared(4 * source.words, 128), object = r.mbarrier(1, true);
    const unsigned distance = r.random.below(r.ranks());
    const auto partner = r.permutation();
    const Mix mix = r.drawMix();
    const std::string p = r.isTid(source.leader), v = r.k.b32(), target = r.rankPlus(distance);
    const std::string to = r.mapa(r.cell(landed, "0"), target),
                      bar = r.mapa(r.cell(object, "0"), target);
    source.fill(r);
    r.only(p, [&] {
        r.k.op("mbarrier.arrive.expect_tx.shared.b64 _, [{}], {}", r.at(object), 4 * source.words);
        r.k.op("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [{}], [{}], "
               "{}, [{}]",
               to, r.at(source.at), r.number(4 * source.words), bar);
    });
    r.wait(object, "0", true);
    std::vector<std::uint32_t> from(r.shape.threads, 0);
    for (const unsigned tid : r.tids()) from[tid] = source.position[partner[tid]];
    r.k.op("ld.shared.u32 {}, [{}]", v, r.cell(landed, r.lookUp(from)));
    r.emitMix(mix, v);
    r.apply(mix, [&](const Thread& t) {
        return r.s.acc[peerOf(r, t, r.ranks() - distance, partner[t.tid])];
    });
}

/// Copies the tile of a CTA to global memory.
void roundBulkOut(Round& r)
{
    const Source source(r);
    const unsigned first = r.aux(std::vector<std::uint32_t>(source.words * r.shape.ctas(), 7));
    const std::string p = r.isTid(source.leader);
    source.fill(r);
    r.only(p, [&] {
        const std::string to = r.word("%aux", first, "%mycta", 4 * source.words);
        r.k.op("cp.async.bulk.global.shared::cta.bulk_group [{}], [{}], {}", to, r.at(source.at),
               r.number(4 * source.words));
        finishGroup(r);
    });
    for (unsigned cta = 0; cta < r.shape.ctas(); ++cta) {
        for (unsigned i = 0; i < source.words; ++i) r.s.aux[first + cta * source.words + i] = 0;
    }
    r.each([&](const Thread& t) {
        r.s.aux[first + t.cta * source.words + source.position[t.tid]] = r.s.acc[t.gid];
    });
}

/// The tiles of all CTAs are reduced into one in global memory.
void roundBulkReduceOut(Round& r)
{
    const Source source(r);
    const Reduction* op = &drawReduction(r.random);
    // a counting reduction would need equal operands
    while (op->counts) op = &drawReduction(r.random);
    const unsigned first = r.aux(std::vector<std::uint32_t>(source.words, op->start));
    const std::string p = r.isTid(source.leader);
    source.fill(r);
    r.only(p, [&] {
        r.k.op("cp.reduce.async.bulk.global.shared::cta.bulk_group.{} [{}], [{}], {}", op->text(),
               r.word("%aux", first, "0"), r.at(source.at), r.number(4 * source.words));
        finishGroup(r);
    });
    for (unsigned cta = 0; cta < r.shape.ctas(); ++cta) {
        std::vector<std::uint32_t> tile(source.words, 0);
        for (const unsigned tid : r.tids())
            tile[source.position[tid]] = r.s.acc[r.thread(cta, tid).gid];
        for (unsigned i = 0; i < source.words; ++i) {
            std::uint32_t& word = r.s.aux[first + i];
            word = op->fold(word, tile[i]);
        }
    }
}

/// The tiles of all CTAs of a cluster are reduced into the one of a drawn rank.
void roundBulkReduceCluster(Round& r)
{
    const Source source(r);
    const Reduction* op = &drawReduction(r.random);
    while (op->counts) op = &drawReduction(r.random);
    const unsigned sum = r.k.shared(4 * source.words, 128), object = r.mbarrier(1, true);
    const unsigned target = r.random.below(r.ranks());
    for (unsigned i = 0; i < source.words; ++i) r.initShared(sum + 4 * i, op->start, true);
    const Mix mix = r.drawMix();
    const std::string p = r.isTid(source.leader), q = r.isRank(target), v = r.k.b32();
    const std::string to = r.mapa(r.cell(sum, "0"), std::to_string(target));
    const std::string bar = r.mapa(r.cell(object, "0"), std::to_string(target));
    source.fill(r);
    r.only(p, [&] {
        r.k.op("@{} mbarrier.arrive.expect_tx.shared.b64 _, [{}], {}", q, r.at(object),
               4 * source.words * r.ranks());
        r.k.op("cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.{} "
               "[{}], [{}], {}, [{}]",
               op->text(), to, r.at(source.at), 4 * source.words, bar);
    });
    const std::string place = r.lookUp(source.position);
    r.only(q, [&] {
        r.wait(object, "0", true);
        r.k.op("ld.shared.u32 {}, [{}]", v, r.cell(sum, place));
        r.emitMix(mix, v);
    });
    std::vector<std::uint32_t> total(r.shape.clusters * r.shape.threads, op->start);
    r.each([&](const Thread& t) {
        std::uint32_t& word = total[t.cta / r.ranks() * r.shape.threads + t.tid];
        word = op->fold(word, r.s.acc[t.gid]);
    });
    r.each([&](const Thread& t) {
        if (t.rank == target)
            r.s.acc[t.gid] =
                mix(r.s.acc[t.gid], total[t.cta / r.ranks() * r.shape.threads + t.tid]);
    });
}

}  // namespace gsu::fuzz
