// A ring of mbarriers that tcgen05.commit frees. One thread copies tiles into its stages, one issues the products to the tensor core, and
// four warps read the sums from tensor memory. The products are of bytes, so that every sum is exact.
#include <fmt/format.h>

#include "gen/patterns.hpp"
#include "gen/text.hpp"

namespace gsu::gen {
namespace {

constexpr std::int64_t kRows = 128, kDepth = 32, kBytesA = kRows * kDepth;

constexpr const char* kCommitRing = R"ptx(.version 8.6
.target sm_100a
.address_size 64
.visible .entry commitring(.param .u64 source, .param .u64 sums)
{
    .reg .pred %p<8>;
    .reg .b32 %r<32>;
    .reg .b32 %v<$COLUMNS>;
    .reg .b64 %rd<12>;
    .shared .align 128 .b8 tiles[$RINGBYTES];
    .shared .align 8 .b64 full[$STAGES];
    .shared .align 8 .b64 empty[$STAGES];
    .shared .align 8 .b64 done;
    .shared .align 4 .b32 place;
    ld.param.u64 %rd0, [source];
    ld.param.u64 %rd1, [sums];
    mov.u32 %r0, %tid.x;
    shr.u32 %r1, %r0, 5;
    and.b32 %r2, %r0, 31;
    setp.eq.u32 %p0, %r2, 0;
    setp.ne.u32 %p1, %r0, 0;
    @%p1 bra MADE;
    mov.u32 %r3, full;
    mov.u32 %r4, empty;
    mov.u32 %r5, 0;
INIT:
    mbarrier.init.shared::cta.b64 [%r3], 1;
    mbarrier.init.shared::cta.b64 [%r4], 1;
    add.u32 %r3, %r3, 8;
    add.u32 %r4, %r4, 8;
    add.u32 %r5, %r5, 1;
    setp.lt.u32 %p2, %r5, $STAGES;
    @%p2 bra INIT;
    mbarrier.init.shared::cta.b64 [done], 1;
    fence.mbarrier_init.release.cluster;
MADE:
    setp.ne.u32 %p3, %r1, 1;
    @%p3 bra MEET;
    tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [place], $ALLOCATED;
MEET:
    tcgen05.fence::before_thread_sync;
    bar.sync 0;
    tcgen05.fence::after_thread_sync;
    ld.shared.u32 %r6, [place];
    mov.u32 %r7, 0;          // round
    mov.u32 %r8, 0;          // stage
    mov.u32 %r9, 0;          // parity of this lap
    setp.ge.u32 %p4, %r1, 2;
    @%p4 bra EPILOGUE;
    @!%p0 bra END;           // the other lanes of warps 0 and 1
    setp.eq.u32 %p4, %r1, 1;
    @%p4 bra MULTIPLY;

COPY:                        // thread 0
    shl.b32 %r10, %r8, 3;
    mov.u32 %r3, full;
    add.u32 %r3, %r3, %r10;
    mov.u32 %r4, empty;
    add.u32 %r4, %r4, %r10;
    xor.b32 %r11, %r9, 1;
FREE:                        // the products of the lap before have read the stage
    mbarrier.try_wait.parity.shared::cta.b64 %p5, [%r4], %r11;
    @!%p5 bra FREE;
    mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r3], $BYTES;
    mul.lo.u32 %r12, %r8, $BYTES;
    mov.u32 %r13, tiles;
    add.u32 %r13, %r13, %r12;
    mul.wide.u32 %rd2, %r7, $BYTES;
    add.u64 %rd2, %rd0, %rd2;
    cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r13], [%rd2], $BYTES, [%r3];
    add.u32 %r7, %r7, 1;
    add.u32 %r8, %r8, 1;
    setp.eq.u32 %p6, %r8, $STAGES;
    @%p6 mov.u32 %r8, 0;
    @%p6 xor.b32 %r9, %r9, 1;
    setp.lt.u32 %p7, %r7, $ROUNDS;
    @%p7 bra COPY;
    bra END;

MULTIPLY:                    // thread 32
    shl.b32 %r10, %r8, 3;
    mov.u32 %r3, full;
    add.u32 %r3, %r3, %r10;
    mov.u32 %r4, empty;
    add.u32 %r4, %r4, %r10;
FULL:
    mbarrier.try_wait.parity.shared::cta.b64 %p5, [%r3], %r9;
    @!%p5 bra FULL;
    tcgen05.fence::after_thread_sync;
    mul.lo.u32 %r12, %r8, $BYTES;
    mov.u32 %r13, tiles;
    add.u32 %r13, %r13, %r12;
    shr.u32 %r14, %r13, 4;
    cvt.u64.u32 %rd3, %r14;
    add.u64 %rd4, %rd3, $LAYOUT;    // cores of 8 x 16 bytes, two along k
    add.u64 %rd5, %rd4, $UNITSA;
    setp.ne.u32 %p6, %r7, 0;
    tcgen05.mma.cta_group::1.kind::i8 [%r6], %rd4, %rd5, $PRODUCT, %p6;
    tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%r4];
    add.u32 %r7, %r7, 1;
    add.u32 %r8, %r8, 1;
    setp.eq.u32 %p6, %r8, $STAGES;
    @%p6 mov.u32 %r8, 0;
    @%p6 xor.b32 %r9, %r9, 1;
    setp.lt.u32 %p7, %r7, $ROUNDS;
    @%p7 bra MULTIPLY;
    mov.u32 %r15, done;
    tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%r15];
    bra END;

EPILOGUE:                    // each warp has the 32 rows of its number modulo 4
    mbarrier.try_wait.parity.shared::cta.b64 %p5, [done], 0;
    @!%p5 bra EPILOGUE;
    tcgen05.fence::after_thread_sync;
    and.b32 %r16, %r1, 3;
    shl.b32 %r17, %r16, 21;
    add.u32 %r17, %r17, %r6;
    tcgen05.ld.sync.aligned.32x32b.x$COLUMNS.b32 {$VALUES}, [%r17];
    tcgen05.wait::ld.sync.aligned;
    shl.b32 %r18, %r16, 5;
    add.u32 %r18, %r18, %r2;
    mul.wide.u32 %rd6, %r18, $ROWBYTES;
    add.u64 %rd6, %rd1, %rd6;
$STORES
END:
    tcgen05.fence::before_thread_sync;
    bar.sync 0;
    @%p3 bra LEAVE;
    tcgen05.fence::after_thread_sync;
    tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;
    tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r6, $ALLOCATED;
LEAVE:
    ret;
}
)ptx";

/// Byte of row and k of an operand in its tile: cores of 8 rows by 16 bytes, two along k, then the next rows.
std::int64_t placeOf(std::int64_t row, std::int64_t k)
{
    return row / 8 * 256 + k / 16 * 128 + row % 8 * 16 + k % 16;
}

/// The sums as the launch file has them. Word w of the source is seed + w.
std::vector<std::uint32_t> sumsOf(std::int64_t rounds, std::int64_t columns, std::int64_t bytes,
                                  std::int64_t seed)
{
    const auto byteAt = [seed](std::int64_t at) {
        return static_cast<std::uint32_t>(seed + at / 4) >> 8 * (at % 4) & 255;
    };
    std::vector<std::uint32_t> sums(static_cast<std::size_t>(kRows * columns));
    for (std::int64_t round = 0; round < rounds; ++round) {
        const std::int64_t a = round * bytes, b = a + kBytesA;
        for (std::int64_t row = 0; row < kRows; ++row) {
            for (std::int64_t column = 0; column < columns; ++column) {
                std::uint32_t& sum = sums[static_cast<std::size_t>(row * columns + column)];
                for (std::int64_t k = 0; k < kDepth; ++k)
                    sum += byteAt(a + placeOf(row, k)) * byteAt(b + placeOf(column, k));
            }
        }
    }
    return sums;
}

Program commitRing(const Values& v)
{
    const auto stages = v["stages"], rounds = v["rounds"], columns = v["columns"], seed = v["seed"];
    const auto bytes = kBytesA + columns * kDepth;
    v.require((columns & (columns - 1)) == 0, "--columns: a power of two");
    v.require(stages * bytes <= 160 * 1024,
              "--stages, --columns: more than 160 KiB of shared memory");
    std::string values, stores;
    for (std::int64_t c = 0; c < columns; ++c) {
        values += fmt::format("{}%v{}", c == 0 ? "" : ", ", c);
        stores += fmt::format("    st.global.u32 [%rd6+{}], %v{};\n", 4 * c, c);
    }
    stores.pop_back();
    constexpr std::int64_t kVersion = std::int64_t{1} << 46;
    Program p;
    p.ptx = fill(kCommitRing, {{"RINGBYTES", stages * bytes},
                               {"STAGES", stages},
                               {"BYTES", bytes},
                               {"ROUNDS", rounds},
                               {"ROWBYTES", columns * 4},
                               {"COLUMNS", columns},
                               {"ALLOCATED", std::max<std::int64_t>(32, columns)},
                               {"LAYOUT", kVersion | std::int64_t{256 / 16} << 32 | 128 / 16 << 16},
                               {"UNITSA", kBytesA / 16},
                               {"PRODUCT", 2 << 4 | columns / 8 << 17 | kRows / 16 << 24},
                               {"VALUES", values},
                               {"STORES", stores}});
    p.launch = launchOf({"commitring", 1, 192, 1},
                        {bufferOf(rounds * bytes / 4, seed), bufferOf(kRows * columns)}, 1,
                        sumsOf(rounds, columns, bytes, seed));
    return p;
}

}  // namespace

Pattern commitRingPattern()
{
    return {"commitring",
            "one thread copies into a ring of mbarrier stages, one multiplies by tcgen05.mma, and "
            "its commits free the stages; warps bring the sums from tensor memory (sm_100a)",
            {{"stages", 4, 1, 16, "stages of the ring"},
             {"rounds", 10, 1, 1000, "tiles multiplied"},
             {"columns", 16, 8, 64, "columns of the sums, a power of two"},
             {"seed", 1, 0, 1000000, "seed of the data"}},
            commitRing};
}

}  // namespace gsu::gen
