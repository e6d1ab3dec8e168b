// Warp-wide operations in a closed loop: each warp executes vote, match and redux in turn, its next one when the last one is answered.
#include <fmt/core.h>

#include <array>

#include "bench.hpp"
#include "lockstep/lockstep_port.hpp"
#include "verilated/rtl_port.hpp"

namespace gsu::bench {

namespace {

constexpr unsigned kWarps = 32;
constexpr std::uint64_t kOperations = 60'000;

class WarpLoop final : public SyncSink {
public:
    explicit WarpLoop(SyncPort& port) : port_(port)
    {
        port.setSink(*this);
        while (!port.launch({.threads = 32 * kWarps, .size = 1024})) port.step();
        for (unsigned warp = 0; warp < kWarps; ++warp) ready_[count_++] = std::uint8_t(warp);
        request_.lanes = request_.arg0 = ~Lanes{0};
        request_.pred = 0x5555'5555;
        for (unsigned lane = 0; lane < 32; ++lane) request_.data[lane] = lane / 8;
    }
    void run(std::uint64_t operations)
    {
        while (done_ < operations) {
            if (count_ != 0 && port_.canPresent(0)) present();
            if (const Cycle quiet = port_.quietUntil(); quiet > port_.now() && quiet != kNever)
                port_.skipTo(quiet);
            else
                port_.step();
        }
    }

private:
    void present()
    {
        constexpr Op kOps[] = {Op::VoteSync, Op::MatchAny, Op::Redux};
        const std::uint8_t warp = ready_[--count_];
        request_.op = kOps[turn_[warp]++ % 3];
        request_.at.warp = warp;
        request_.tag = warp;
        request_.kind = request_.op == Op::VoteSync ? kVoteBallot : 0;
        port_.present(request_);
    }
    void onResponse(const SyncResponse& r) override
    {
        if (!r.last) return;
        ++done_;
        ready_[count_++] = r.at.warp;
    }
    void onRelease(const Release&) override {}
    void onCommit(const Commit&) override {}
    void onDelivered(const Delivered&) override {}
    void onCtaFree(const CtaFree&) override {}

    SyncPort& port_;
    SyncRequest request_;
    std::array<std::uint8_t, kWarps> ready_{};
    std::array<unsigned, kWarps> turn_{};
    unsigned count_{};
    std::uint64_t done_{};
};

double rate(bool lockstep)
{
    return kOperations / best(3, [&] {
               RtlPort rtl(1, configOf(Preset::Hopper));
               LockstepPort follower(rtl);
               SyncPort& port = lockstep ? static_cast<SyncPort&>(follower) : rtl;
               WarpLoop(port).run(kOperations);
           });
}

}  // namespace

void measureWarps(std::vector<Figure>& figures)
{
    figures.push_back(
        {"vote, match.any of 4 sets, redux: 32 warps, --unit rtl", rate(false), "ops/s", ""});
    figures.push_back({"vote, match.any of 4 sets, redux: 32 warps, --unit lockstep", rate(true),
                       "ops/s", ">= 200000"});
}

}  // namespace gsu::bench
