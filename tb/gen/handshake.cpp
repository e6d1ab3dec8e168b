// The lowering of a cluster's barrier and of the handshake on distributed shared memory, as a kernel that exchanges bytes between all CTAs
// and reports what arrived. One form is literally that of compilers' documents, the other is mended (HS-001..HS-029).
#include <fmt/format.h>

#include "base/input_error.hpp"
#include "gen/patterns.hpp"
#include "gen/text.hpp"

namespace gsu::gen {
namespace {

constexpr std::int64_t kPeerStep = 1000;  // between the data of two CTAs

constexpr const char* kHead = R"ptx(.version $VERSION
.target sm_$SM
.address_size 64
$REMARK
.visible .entry handshake(.param .u64 out)$CLUSTER
{
    .reg .pred %p<8>;
    .reg .b32 %r<24>;
    .reg .b64 %rd<8>;
    .shared .align 128 .b8 mine[$BYTES];
    .shared .align 128 .b8 boxes[$BOXBYTES];
    .shared .align 8 .b64 mb;
    .shared .align 4 .b32 phase;
    ld.param.u64 %rd0, [out];
    mov.u32 %r0, %tid.x;
    mov.u32 %r2, %laneid;
    setp.eq.u32 %p0, %r0, 0;
    setp.eq.u32 %p1, %r2, 0;     // the master lane of each warp
    mov.u32 %r3, mb;
    @%p0 st.shared.u32 [phase], 0;
)ptx";

constexpr const char* kAlone = R"ptx($PLAIN    @%p0 ld.shared.u32 %r4, [phase];
    @%p0 xor.b32 %r4, %r4, 1;
    @%p0 st.shared.u32 [phase], %r4;
    @%p0 st.global.u32 [%rd0], %r4;
    ret;
}
)ptx";

constexpr const char* kFill = R"ptx(    mov.u32 %r1, %cluster_ctarank;
    @%p0 mbarrier.init.shared::cta.b64 [%r3], 1;
    mov.u32 %r5, %r0;
FILL:
    setp.ge.u32 %p2, %r5, $WORDS;
    @%p2 bra FILLED;
    mad.lo.u32 %r6, %r1, $STEP, %r5;
    add.u32 %r6, %r6, $SEED;
    shl.b32 %r7, %r5, 2;
    mov.u32 %r8, mine;
    add.u32 %r7, %r7, %r8;
    st.shared.u32 [%r7], %r6;
    add.u32 %r5, %r5, $THREADS;
    bra FILL;
FILLED:
    fence.proxy.async.shared::cta;
    bar.sync 0;
    // plain barrier: from here on the mbarriers exist for all
$PLAIN)ptx";

constexpr const char* kPublish =
    R"ptx(    // publish: the bytes that this CTA sends are expected by each peer
$GUARD    cvt.u64.u32 %rd1, %r3;
    mov.u32 %r9, 0;
PEER:
    setp.eq.u32 %p3, %r9, %r1;
    @%p3 bra NEXTPEER;
    mapa.shared::cluster.u64 %rd2, %rd1, %r9;
    cvta.shared::cluster.u64 %rd3, %rd2;
$FENCE    mbarrier.expect_tx.relaxed.cluster.b64 [%rd3], $BYTES;
NEXTPEER:
    add.u32 %r9, %r9, 1;
    setp.lt.u32 %p4, %r9, $CTAS;
    @%p4 bra PEER;
$AFTER)ptx";

constexpr const char* kFlip = R"ptx(    @%p1 ld.shared.u32 %r4, [phase];
    @%p1 xor.b32 %r4, %r4, 1;
    @%p1 st.shared.u32 [phase], %r4;
)ptx";

constexpr const char* kMended =
    R"ptx(    fence.release.cluster;       // the expectations are there before anybody hears of the arrival
    ld.shared.u32 %r4, [phase];
    xor.b32 %r4, %r4, 1;
    st.shared.u32 [phase], %r4;
PUBLISHED:
    bar.warp.sync 0xffffffff;
)ptx";

constexpr const char* kExchange = R"ptx(    // the bytes, then the own arrival
    @!%p0 bra SENT;
    mov.u32 %r9, 0;
SEND:
    setp.eq.u32 %p3, %r9, %r1;
    @%p3 bra NEXTSEND;
    mov.u32 %r10, boxes;
    mapa.shared::cluster.u32 %r11, %r10, %r9;
    mad.lo.u32 %r11, %r1, $BYTES, %r11;
    mapa.shared::cluster.u32 %r12, %r3, %r9;
    mov.u32 %r13, mine;
    cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r11], [%r13], $DELIVER, [%r12];
NEXTSEND:
    add.u32 %r9, %r9, 1;
    setp.lt.u32 %p4, %r9, $CTAS;
    @%p4 bra SEND;
    mbarrier.arrive.shared::cta.b64 _, [%r3];
SENT:
WAIT:
    mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p5, [%r3], 0;
    @!%p5 bra WAIT;
)ptx";

constexpr const char* kReport = R"ptx(    mov.u32 %r5, %r0;
COPY:
    setp.ge.u32 %p2, %r5, $ALL;
    @%p2 bra COPIED;
    shl.b32 %r7, %r5, 2;
    mov.u32 %r8, boxes;
    add.u32 %r7, %r7, %r8;
    ld.shared.u32 %r6, [%r7];
    mad.lo.u32 %r14, %r1, $ROW, %r5;
    mul.wide.u32 %rd4, %r14, 4;
    add.u64 %rd4, %rd0, %rd4;
    st.global.u32 [%rd4], %r6;
    add.u32 %r5, %r5, $THREADS;
    bra COPY;
COPIED:
    mad.lo.u32 %r14, %r1, $ROW, $ALL;
    mul.wide.u32 %rd4, %r14, 4;
    add.u64 %rd4, %rd0, %rd4;
    ld.shared.u32 %r4, [phase];
    @%p0 st.global.u32 [%rd4], %r4;
    barrier.cluster.arrive.aligned;
    barrier.cluster.wait.aligned;
    ret;
}
)ptx";

struct Handshake {
    std::int64_t ctas, bytes, threads, seed, deliver;
    bool literal, explicitRelease, allPublish, peers, arriveFirst;
    std::string scope;
    unsigned sm;
    [[nodiscard]] std::int64_t words() const { return bytes / 4; }
    /// How often the phase is flipped: in the peers' loop, or once (HS-015).
    [[nodiscard]] std::int64_t flips() const
    {
        if (!peers) return 0;
        return literal ? ctas - 1 : 1;
    }
};

/// PTX of an operation of plainBarrier.
std::string ptxOf(const std::string& op)
{
    if (op == "nvvm.fence.mbarrier.init") return "    fence.mbarrier_init.release.cluster;\n";
    if (op == "nvvm.barrier") return "    bar.sync 0;\n";
    return op == "nvvm.cluster.wait" ? "    barrier.cluster.wait.aligned;\n"
                                     : "    barrier.cluster.arrive.relaxed.aligned;\n";
}

std::string publishOf(const Handshake& h)
{
    if (!h.peers) return {};
    std::string after = h.literal ? (h.allPublish ? "" : "FLIPS:\n") : kMended;
    if (h.literal) {
        for (std::int64_t i = 0; i < h.flips(); ++i) after += kFlip;
        after += "    bar.warp.sync 0xffffffff;\n";
    }
    const std::string guard =
        h.allPublish ? ""
                     : std::string("    @!%p0 bra ") + (h.literal ? "FLIPS;\n" : "PUBLISHED;\n");
    return fill(kPublish,
                {{"GUARD", guard},
                 {"FENCE", h.literal && h.explicitRelease ? "    fence.release.cluster;\n" : ""},
                 {"BYTES", h.bytes},
                 {"CTAS", h.ctas},
                 {"AFTER", after}});
}

std::string ptxOf(const Handshake& h)
{
    std::string plain;
    for (const std::string& op : plainBarrier(h.scope, h.sm)) plain += ptxOf(op);
    const bool alone = h.ctas == 1;
    const char* remark = !h.literal ? ""
                                    : "// literal: *unordered* (HS-021, A-25): the relaxed "
                                      "expect_tx may reach a peer after that peer's own arrival\n";
    const std::vector<Filling> common{{"VERSION", h.sm < 90 ? "8.0" : "8.6"},
                                      {"SM", std::int64_t{h.sm}},
                                      {"REMARK", remark},
                                      {"CLUSTER", clusterOf(h.ctas)},
                                      {"BYTES", h.bytes},
                                      {"BOXBYTES", h.bytes * h.ctas},
                                      {"WORDS", h.words()},
                                      {"STEP", kPeerStep},
                                      {"SEED", h.seed},
                                      {"THREADS", h.threads},
                                      {"CTAS", h.ctas},
                                      {"DELIVER", h.deliver},
                                      {"ALL", h.words() * h.ctas},
                                      {"ROW", h.words() * h.ctas + 1},
                                      {"PLAIN", plain}};
    if (alone) return fill(std::string(kHead) + kAlone, common);
    const std::string tail = std::string("    barrier.cluster.arrive") +
                             (h.explicitRelease ? ".relaxed" : "") +
                             ".aligned;\n    barrier.cluster.wait.aligned;\n";
    const std::string middle = h.arriveFirst ? tail + publishOf(h) : publishOf(h) + tail;
    return fill(std::string(kHead) + kFill + middle + (h.peers ? kExchange : "") + kReport, common);
}

std::vector<std::uint32_t> resultOf(const Handshake& h)
{
    if (h.ctas == 1) return {1};
    std::vector<std::uint32_t> out;
    for (std::int64_t rank = 0; rank < h.ctas; ++rank) {
        for (std::int64_t peer = 0; peer < h.ctas; ++peer)
            for (std::int64_t w = 0; w < h.words(); ++w)
                out.push_back(h.peers && peer != rank
                                  ? static_cast<std::uint32_t>(peer * kPeerStep + w + h.seed)
                                  : 0);
        out.push_back(static_cast<std::uint32_t>(h.flips() & 1));
    }
    return out;
}

void note(const Handshake& h, std::vector<std::string>& notes)
{
    std::string ops;
    for (const std::string& op : plainBarrier(h.scope, h.sm)) ops += (ops.empty() ? "" : ", ") + op;
    notes.push_back(fmt::format("barrier of scope {} on sm_{}: {}", h.scope, h.sm, ops));
    if (h.literal && h.explicitRelease)
        notes.push_back("unordered (HS-021, A-25): the fence stands before the relaxed expect_tx, "
                        "so nothing orders that before the relaxed arrive; "
                        "a peer's own arrival can complete its phase without the bytes, as with "
                        "--set dsm_hop=3000");
    if (h.literal && h.peers && (h.ctas & 1) != 0 && h.ctas > 1)
        notes.push_back(fmt::format("phase trap (HS-015, A-24): the flip stands inside the loop "
                                    "over {} peers, an even number: the phase ends as it began",
                                    h.ctas - 1));
    if (h.arriveFirst)
        notes.push_back(
            "race (HS-013): the cluster arrive comes before the expectations are published");
    if (h.literal && h.threads > 32)
        notes.push_back(fmt::format(
            "every warp's lane 0 is a master lane (HS-014, A-23): {} warps flip the phase",
            h.threads / 32));
    if (h.allPublish && h.ctas > 1)
        notes.push_back(fmt::format("hang (HS-029, A-39): all {} threads publish, each peer "
                                    "expects {} bytes of this CTA and gets {}",
                                    h.threads, h.threads * h.bytes, h.deliver));
    else if (h.deliver != h.bytes && h.ctas > 1)
        notes.push_back(fmt::format(
            "hang (HS-018): {} bytes are expected of each peer, {} delivered", h.bytes, h.deliver));
}

Program handshake(const Values& v)
{
    Handshake h{v["ctas"],
                v["tx-bytes"],
                v["threads"],
                v["seed"],
                v["deliver"],
                v.word("form") == "literal",
                v.word("release") == "explicit",
                v.word("publishers") == "all",
                v.word("peers") == "all",
                v.word("order") == "arrive-first",
                v.word("scope"),
                static_cast<unsigned>(v["sm"])};
    if (h.deliver == 0) h.deliver = h.bytes;
    v.require(h.scope != "CTA" || h.ctas == 1,
              "--scope: CTA orders nothing between CTAs: the handshake needs Cluster or "
              "ClusterAligned, or --ctas 1");
    v.require(h.scope == "CTA" || h.sm >= 90, "--sm: cluster operations need sm_90 (HS-007, A-21); "
                                              "`gsu gen lowering` shows what the documents emit");
    v.require(h.bytes % 16 == 0 && h.deliver % 16 == 0,
              "--tx-bytes, --deliver: a bulk copy takes multiples of 16");
    v.require(h.deliver <= h.bytes, "--deliver: more than the boxes hold");
    v.require(h.threads % 32 == 0, "--threads: whole warps");
    v.require(h.literal || (!h.allPublish && !h.arriveFirst),
              "--form: only the literal form publishes by all threads or arrives first");
    v.require(h.bytes * (h.ctas + 1) <= 200 * 1024,
              "--tx-bytes, --ctas: more than 200 KiB of shared memory");
    Program p;
    p.ptx = ptxOf(h);
    const auto out = resultOf(h);
    const Shape shape{"handshake", h.ctas, h.threads, h.ctas};
    const std::vector<std::string> params{bufferOf(static_cast<std::int64_t>(out.size()))};
    const bool hangs = h.peers && h.ctas > 1 && (h.allPublish || h.deliver != h.bytes);
    p.launch = hangs ? hangOf(shape, params) : launchOf(shape, params, 0, out);
    note(h, p.notes);
    return p;
}

}  // namespace

std::vector<std::string> plainBarrier(const std::string& scope, unsigned sm)
{
    std::vector<std::string> ops;
    if (sm >= 90) ops.emplace_back("nvvm.fence.mbarrier.init");
    if (scope != "Cluster") ops.emplace_back("nvvm.barrier");
    if (scope == "CTA") return ops;
    ops.emplace_back("nvvm.cluster.arrive.relaxed");
    ops.emplace_back("nvvm.cluster.wait");
    return ops;
}

Pattern handshakePattern()
{
    return {
        "handshake",
        "a cluster's barrier and the exchange of bytes on it as compilers lower them, literally or "
        "mended",
        {{"scope", 0, 0, 0, "of the plain barrier", "Cluster|ClusterAligned|CTA"},
         {"sm", 90, 30, 121, "target"},
         {"ctas", 4, 1, 16, "CTAs of the cluster"},
         {"tx-bytes", 128, 16, 65536, "bytes from each CTA to each peer, a multiple of 16"},
         {"deliver", 0, 0, 65536, "bytes really sent; 0: as expected, others hang"},
         {"form", 0, 0, 0, "literal: unordered, as the documents have it", "mended|literal"},
         {"release", 0, 0, 0, "explicit: a fence and a relaxed arrive; arrive: a releasing arrive",
          "explicit|arrive"},
         {"publishers", 0, 0, 0, "who publishes in the literal form; all: hangs", "one|all"},
         {"peers", 0, 0, 0, "none: the arrive and wait alone", "all|none"},
         {"order", 0, 0, 0, "of publishing and arriving in the literal form",
          "publish-first|arrive-first"},
         {"threads", 32, 32, 1024, "threads of a CTA, whole warps"},
         {"seed", 1, 0, 1000000, "seed of the data"}},
        handshake};
}

}  // namespace gsu::gen
