// Tensor memory (tcgen05): words that a warp stores in one shape and loads in another, products of bytes, copies from shared memory.
#include <array>

#include "fuzz/rounds/rounds.hpp"

namespace gsu::fuzz {
namespace {

/// columns of a warp's words; each warp that shares a quarter of the lanes has other columns
constexpr unsigned kColumns = 8;

/// Columns of tensor memory that the members share for a time.
class Columns {
public:
    explicit Columns(Round& r) : r_(r), place_(r.k.shared(4, 4)), address_(r.k.b32())
    {
        r.k.needTensor();
        allocator_ = r.k.pred();
        r.k.op("setp.eq.u32 {}, %mywarp, {}", allocator_, r.anyTid() / 32);
        r.only(allocator_, [&] {
            r.k.op("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [{}], {}", r.at(place_),
                   kAllocated);
        });
        meet();
        r.k.op("ld.shared.u32 {}, [{}]", address_, r.at(place_));
    }
    /// Frees the columns: no member uses them any more.
    void giveBack()
    {
        meet();
        r_.only(allocator_, [&] {
            r_.k.op("tcgen05.dealloc.cta_group::1.sync.aligned.b32 {}, {}", address_, kAllocated);
        });
    }
    void meet()
    {
        r_.k.line("tcgen05.fence::before_thread_sync");
        r_.sync();
        r_.k.line("tcgen05.fence::after_thread_sync");
    }
    [[nodiscard]] const std::string& address() const noexcept { return address_; }
    /// Register with the address of this warp's lanes, at `column` after the first.
    [[nodiscard]] std::string ofWarp(unsigned column)
    {
        const std::string at = r_.k.b32();
        r_.k.op("and.b32 {}, %mywarp, 3", at);
        r_.k.op("shl.b32 {0}, {0}, 21", at);
        r_.k.op("add.u32 {0}, {0}, {1}", at, address_);
        if (column != 0) r_.k.op("add.u32 {0}, {0}, {1}", at, column);
        return at;
    }

private:
    static constexpr unsigned kAllocated = 64;
    Round& r_;
    unsigned place_;
    std::string address_, allocator_;
};

/// A shape of ld and st over eight columns.
struct Form {
    const char* name;
    const char* split;  ///< the text after the address
    unsigned registers;
    bool half;  ///< 16 lanes: two instructions cover all lanes
};
constexpr std::array kForms{Form{"32x32b.x8", "", 8, false}, Form{"16x64b.x4", "", 4, true},
                            Form{"16x128b.x2", "", 4, true}, Form{"16x256b.x1", "", 4, true},
                            Form{"16x32bx2.x4", ", 4", 4, true}};

struct Cell {
    unsigned lane, column;
};

/// The place of register `i` of thread `t`; lanes are relative to the instruction's first.
Cell cellOf(std::size_t form, unsigned t, unsigned i)
{
    switch (form) {
        case 0: return {t, i};
        case 1: return {t / 4 + 8 * (t % 2), t / 2 % 2 + 2 * i};
        case 2: return {t / 4 + 8 * (i % 2), t % 4 + 4 * (i / 2)};
        case 3: return {t / 4 + 8 * (i / 2 % 2), 2 * (t % 4) + i % 2};
        default: return {t % 16, i + (t >= 16 ? 4 : 0)};
    }
}

std::string registers(const std::vector<std::string>& names)
{
    return fmt::format("{{{}}}", fmt::join(names, ", "));
}

/// Words of shared memory that products and copies read: word w is acc of one member plus w * step.
struct Tile {
    unsigned offset, words;
    std::uint32_t step;
};

Tile fill(Round& r, unsigned words)
{
    Tile tile{r.k.shared(4 * words, 128), words, r.random.word()};
    const std::string index = r.k.b32(), value = r.k.b32(), in = r.k.pred();
    const std::vector<unsigned>& tids = r.tids();
    std::vector<std::uint32_t> order(r.shape.threads);
    for (unsigned i = 0; i < tids.size(); ++i) order[tids[i]] = i;
    const std::string first = r.lookUp(order);
    for (unsigned from = 0; from < words; from += r.members()) {
        r.k.op("add.u32 {}, {}, {}", index, first, from);
        r.k.op("setp.lt.u32 {}, {}, {}", in, index, words);
        r.k.op("mad.lo.u32 {}, {}, {}, %acc", value, index, tile.step);
        const std::string cell = r.cell(tile.offset, index);
        r.k.op("@{} st.shared.u32 [{}], {}", in, cell, value);
    }
    r.k.line("fence.proxy.async.shared::cta");
    return tile;
}

/// Byte of this CTA's tile before the round.
std::uint32_t byteAt(const Round& r, const Tile& tile, unsigned cta, unsigned at)
{
    const unsigned word = at / 4, member = r.tids()[word % r.members()];
    return (r.s.acc[r.thread(cta, member).gid] + word * tile.step) >> 8 * (at % 4) & 255;
}

/// Register with a descriptor of the place, K-major without swizzle. Groups of eight rows are `rows` bytes apart, columns of 16 bytes are
/// 128 bytes apart.
std::string descriptor(Round& r, unsigned offset, unsigned rows)
{
    const std::string low = r.k.b32(), d = r.k.b64();
    r.k.op("add.u32 {}, %sm, {}", low, offset);
    r.k.op("shr.u32 {0}, {0}, 4", low);
    r.k.op("and.b32 {0}, {0}, 16383", low);  // without the rank of the CTA
    r.k.op("cvt.u64.u32 {}, {}", d, low);
    r.k.op("add.u64 {0}, {0}, {1}", d,
           std::uint64_t{1} << 46 | std::uint64_t{rows / 16} << 32 | 128 / 16 << 16);
    return d;
}

/// One thread issues and commits the tensor core's work, and all threads wait.
template <class F> void onCore(Round& r, const F& work)
{
    const unsigned object = r.mbarrier(1, false);
    r.only(r.isTid(r.anyTid()), [&] {
        work();
        const std::string bar = r.k.b32();
        r.k.op("add.u32 {}, %sm, {}", bar, object);
        r.k.op("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [{}]", bar);
    });
    r.wait(object, "0", false);
    r.k.line("tcgen05.fence::after_thread_sync");
}

/// Register with the word of this thread's row at this column.
std::string load(Round& r, Columns& columns, unsigned column)
{
    const std::string v = r.k.b32(), from = columns.ofWarp(column);
    r.k.op("tcgen05.ld.sync.aligned.32x32b.x1.b32 {{{}}}, [{}]", v, from);
    r.k.line("tcgen05.wait::ld.sync.aligned");
    return v;
}

/// The row of the sums, or of the copy, that a thread reads.
unsigned rowOf(const Thread& t) { return t.warp % 4 * 32 + t.lane; }

using Addends = std::array<std::array<std::uint32_t, 8>, 2>;  ///< by half and register

/// The word that a warp has stored there: `before` of the thread whose register it is, plus that register's addend.
std::uint32_t storedAt(std::size_t form, const Addends& plus,
                       const std::vector<std::uint32_t>& before, const Thread& t, Cell want)
{
    for (unsigned h = 0; h < (kForms[form].half ? 2 : 1); ++h) {
        for (unsigned lane = 0; lane < 32; ++lane) {
            for (unsigned i = 0; i < kForms[form].registers; ++i) {
                const Cell c = cellOf(form, lane, i);
                if (c.lane + 16 * h == want.lane && c.column == want.column)
                    return before[t.gid - t.lane + lane] + plus[h][i];
            }
        }
    }
    return 0;
}

}  // namespace

void roundTensorMoves(Round& r)
{
    if (!r.full()) return;
    const auto stored = r.random.below(kForms.size()), loaded = r.random.below(kForms.size());
    const Form &st = kForms[stored], &ld = kForms[loaded];
    const unsigned half = ld.half ? r.random.below(2) : 0, seen = r.random.below(ld.registers);
    Addends plus{};
    for (auto& row : plus)
        for (std::uint32_t& x : row) x = r.random.word();
    const Mix mix = r.drawMix();
    Columns columns(r);
    const std::string own = columns.ofWarp(0), group = r.k.b32();
    r.k.op("shr.u32 {}, %mywarp, 2", group);  // warps with the same lanes have different columns
    r.k.op("mad.lo.u32 {0}, {1}, {2}, {0}", own, group, kColumns);
    for (unsigned h = 0; h < (st.half ? 2 : 1); ++h) {
        std::vector<std::string> values;
        for (unsigned i = 0; i < st.registers; ++i) {
            values.push_back(r.k.b32());
            r.k.op("add.u32 {}, %acc, {}", values.back(), plus[h][i]);
        }
        r.k.op("tcgen05.st.sync.aligned.{}.b32 [{}+{}]{}, {}", st.name, own, h << 20, st.split,
               registers(values));
    }
    r.noise();
    r.k.line("tcgen05.wait::st.sync.aligned");
    std::vector<std::string> values;
    for (unsigned i = 0; i < ld.registers; ++i) values.push_back(r.k.b32());
    r.k.op("tcgen05.ld.sync.aligned.{}.b32 {}, [{}+{}]{}", ld.name, registers(values), own,
           half << 20, ld.split);
    if (r.random.chance(50)) r.noise();
    r.k.line("tcgen05.wait::ld.sync.aligned");
    columns.giveBack();
    r.emitMix(mix, values[seen]);
    const std::vector<std::uint32_t> before = r.s.acc;
    r.apply(mix, [&](const Thread& t) {
        Cell want = cellOf(loaded, t.lane, seen);
        want.lane += 16 * half;
        return storedAt(stored, plus, before, t, want);
    });
}

void roundTensorProduct(Round& r)
{
    if (!r.full()) return;
    constexpr unsigned kRows = 128, kDepth = 32, kBytesA = kRows * kDepth;
    const unsigned n = 8 * r.random.between(1, 2), times = r.random.between(1, 3),
                   seen = r.random.below(n);
    const Mix mix = r.drawMix();
    Columns columns(r);
    const Tile tile = fill(r, (kBytesA + n * kDepth) / 4);
    columns.meet();
    const std::string a = descriptor(r, tile.offset, 256),
                      b = descriptor(r, tile.offset + kBytesA, 256), i = r.k.b32();
    r.k.op("mov.u32 {}, {}", i, 2 << 4 | n / 8 << 17 | kRows / 16 << 24);
    onCore(r, [&] {
        for (unsigned k = 0; k < times; ++k)
            r.k.op("tcgen05.mma.cta_group::1.kind::i8 [{}], {}, {}, {}, {}", columns.address(), a,
                   b, i, k == 0 ? 0 : 1);
    });
    const std::string v = load(r, columns, seen);
    columns.giveBack();
    r.emitMix(mix, v);
    const auto at = [](unsigned row, unsigned k) {
        return row / 8 * 256 + k / 16 * 128 + row % 8 * 16 + k % 16;
    };
    r.apply(mix, [&](const Thread& t) {
        std::uint32_t sum = 0;
        for (unsigned k = 0; k < kDepth; ++k)
            sum += byteAt(r, tile, t.cta, at(rowOf(t), k)) *
                   byteAt(r, tile, t.cta, kBytesA + at(seen, k));
        return times * sum;
    });
}

void roundTensorCopy(Round& r)
{
    if (!r.full()) return;
    constexpr unsigned kRows = 128;
    const unsigned pitch = 128 * r.random.between(1, 2), seen = r.random.below(4);
    const bool part = r.random.chance(40);  // 32 rows, to all quarters
    const Mix mix = r.drawMix();
    Columns columns(r);
    const Tile tile = fill(r, kRows / 8 * pitch / 4);
    columns.meet();
    const std::string from = descriptor(r, tile.offset, pitch);
    onCore(r, [&] {
        r.k.op("tcgen05.cp.cta_group::1.{} [{}], {}", part ? "32x128b.warpx4" : "128x128b",
               columns.address(), from);
    });
    const std::string v = load(r, columns, seen);
    columns.giveBack();
    r.emitMix(mix, v);
    r.apply(mix, [&](const Thread& t) {
        const unsigned row = part ? t.lane : rowOf(t);
        std::uint32_t word = 0;
        for (unsigned byte = 0; byte < 4; ++byte)
            word |= byteAt(r, tile, t.cta, row / 8 * pitch + row % 8 * 16 + 4 * seen + byte)
                    << 8 * byte;
        return word;
    });
}

}  // namespace gsu::fuzz
