// A user's warp model that drives the unit as a gsu::SyncPort, RTL in lockstep with the golden model:
//   1. bar.red.popc of four warps that come at different times: all leave together with the count of set predicates;
//   2. an mbarrier in the model's own shared memory: an arrival that expects 256 bytes, two copies that bring them, three waits.
// Ends with 1 if anything is not as it should be. Argument: the number of bytes to bring (anything but 256 must fail).
// Licence: Apache-2.0.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "golden/params.hpp"
#include "golden/word_memory.hpp"
#include "lockstep/lockstep.hpp"
#include "verilated/rtl_port.hpp"

namespace {

constexpr unsigned kWarps = 4;
constexpr std::uint32_t kBarrier = 3, kMbarrier = 0x40, kBytes = 256;
constexpr gsu::Lanes kAll = ~gsu::Lanes{0};
constexpr int kPatience = 2000;

void check(bool good, const char* what)
{
    if (good) return;
    std::fprintf(stderr, "model.cpp: NOT as it should be: %s\n", what);
    std::exit(1);
}

/// The model's view of its warps; filled by the unit's events.
struct Warps final : gsu::SyncSink {
    std::uint32_t open{}, woken{};
    std::optional<gsu::Release> release;
    gsu::Cycle flipped{};
    bool freed{};

    void onResponse(const gsu::SyncResponse& r) override
    {
        open &= ~(1u << r.at.warp);
        if (r.pred == kAll) woken |= 1u << r.at.warp;
    }
    void onRelease(const gsu::Release& r) override
    {
        open &= ~r.warps;
        release = r;
    }
    void onCommit(const gsu::Commit& c) override
    {
        check(!c.refused, "a request was refused");
        if (c.unit == gsu::Unit::Mbarrier && c.flip) flipped = c.cycle;
    }
    void onDelivered(const gsu::Delivered&) override {}
    void onCtaFree(const gsu::CtaFree&) override { freed = true; }
};

class Model {
public:
    explicit Model(gsu::SyncPort& port) : port_(port) { port_.setSink(warps_); }

    void launch()
    {
        check(port_.launch({.threads = 32 * kWarps, .size = 1024}), "the launch was not taken");
        step();
    }
    void namedBarrier()
    {
        gsu::Cycle last = 0;
        for (unsigned w = 0; w < kWarps; ++w) {
            gsu::SyncRequest r = request(w, gsu::Op::BarRedPopc, kAll);
            r.arg0 = kBarrier;
            r.pred = 0xffu << w;  // eight lanes of each warp
            last = give(r);
            work(50);
        }
        await();
        check(warps_.release.has_value() && warps_.release->cycle >= last,
              "no release after the last arrival");
        check(warps_.release->popc == 8 * kWarps, "bar.red.popc counted wrong");
        std::printf(
            "bar.red.popc: last arrival in cycle %llu, release in cycle %llu, %u predicates\n",
            ull(last), ull(warps_.release->cycle), unsigned{warps_.release->popc});
    }
    void mbarrier(std::uint32_t bytes)
    {
        give(onObject(0, gsu::Op::MbarInit, 1, 1));
        await();
        give(onObject(0, gsu::Op::MbarArriveExpectTx, 1, kBytes));
        await();
        warps_.woken = 0;
        for (unsigned w = 1; w < kWarps; ++w)
            give(onObject(w, gsu::Op::MbarTryWaitParity, kAll, 0));
        work(100);
        const gsu::AsyncUpdate half{
            .kind = gsu::AsyncKind::CompleteTx, .addr = kMbarrier, .amount = bytes / 2};
        port_.notify(half);
        work(100);
        check(warps_.woken == 0, "a wait ended with half of the bytes");
        port_.notify(half);
        await();
        check(warps_.woken == 0xe, "not every waiting warp saw the phase complete");
        std::printf("mbarrier: phase completed by the second copy in cycle %llu\n",
                    ull(warps_.flipped));
    }
    void end()
    {
        for (unsigned w = 0; w < kWarps; ++w)
            port_.exit({.at = {.warp = std::uint8_t(w)}, .lanes = kAll});
        for (int n = 0; !warps_.freed && n < kPatience; ++n) step();
        check(warps_.freed, "the CTA did not end");
    }

private:
    static unsigned long long ull(gsu::Cycle c) { return c; }
    static gsu::SyncRequest request(unsigned warp, gsu::Op op, gsu::Lanes lanes)
    {
        gsu::SyncRequest r;
        r.op = op;
        r.at.warp = std::uint8_t(warp);
        r.tag = std::uint16_t(warp);  // one open request per warp
        r.lanes = lanes;
        return r;
    }
    static gsu::SyncRequest onObject(unsigned warp, gsu::Op op, gsu::Lanes lanes,
                                     std::uint64_t data)
    {
        gsu::SyncRequest r = request(warp, op, lanes);
        r.addr.fill(kMbarrier);
        r.data.fill(data);
        return r;
    }
    gsu::Cycle give(const gsu::SyncRequest& r)
    {
        while (!port_.canPresent(r.at.sm)) step();
        warps_.open |= 1u << r.at.warp;
        port_.present(r);
        return port_.now();
    }
    void work(int clocks)
    {
        for (int n = 0; n < clocks; ++n) step();
    }
    void await()
    {
        for (int n = 0; warps_.open != 0 && n < kPatience; ++n) step();
        check(warps_.open == 0, "an answer is missing");
    }
    void step()
    {
        port_.step();
        if (const auto fault = port_.fault()) check(false, fault->message.c_str());
    }

    gsu::SyncPort& port_;
    Warps warps_;
};

}  // namespace

int main(int argc, char** argv)
{
    gsu::WordMemory memory(1);
    gsu::RtlPort rtl(1, gsu::configOf(gsu::Preset::Hopper));
    rtl.setMemory(memory);
    const auto unit = gsu::makeLockstepPort(rtl);
    Model model(*unit);
    model.launch();
    model.namedBarrier();
    model.mbarrier(argc > 1 ? std::uint32_t(std::stoul(argv[1])) : kBytes);
    model.end();
    std::puts("as it should be");
    return 0;
}
