// gsu_model_workload: workload for the profile of the models (GSU_PROFILE, scripts/cmake/GsuVerilate.cmake). Runs while the project is
// built, on models that count their branches: barriers of full warps, a token over mbarriers of two SMs, cluster barriers; much idle time
// in between. Then a part of it with waves.
#include <array>
#include <cstdio>
#include <filesystem>

#include "golden/word_memory.hpp"
#include "verilated/system_base.hpp"

namespace gsu {

// This program is linked with the instrumented models only; these stubs satisfy the linker.
std::unique_ptr<RtlPort::System> makeCheckedSystem(unsigned, const Config&, unsigned)
{
    return nullptr;
}
#ifdef GSU_WORKLOAD_WAVES
constexpr bool kWaves = true;
#else
constexpr bool kWaves = false;
std::unique_ptr<RtlPort::System> makeTracedSystem(unsigned, const Config&, unsigned)
{
    return nullptr;
}
#endif

namespace {

/// Warps that repeat one script each: arrive at a barrier, wait for an mbarrier, ... A warp continues when all its lanes were answered.
class ProfileWorkload final : public SyncSink {
public:
    static constexpr unsigned kSms = 2, kWarps = 16;

    /// `waves`: a file for them; empty: none.
    explicit ProfileWorkload(const std::string& waves) : port_(kSms, configOf(Preset::Hopper))
    {
        if (!waves.empty() && !port_.openWaves({.path = waves}))
            std::fprintf(stderr, "%s: cannot be written\n", waves.c_str());
        port_.setMemory(memory_);
        port_.setSink(*this);
        for (std::uint8_t rank = 0; rank < kSms; ++rank) port_.route({1, rank, rank, 0, kSms});
        for (std::uint8_t sm = 0; sm < kSms; ++sm) {
            const Launch launch{.sm = sm,
                                .cluster = 1,
                                .rank = sm,
                                .ctas = kSms,
                                .threads = kWarps * 32,
                                .size = 4096};
            while (!port_.launch(launch)) port_.step();
        }
        for (int i = 0; i < 50; ++i) port_.step();
    }

    /// Executes steps of all warps; returns how many were made within the limit.
    std::uint64_t run(std::uint64_t steps, bool mbarriers)
    {
        mbarriers_ = mbarriers;
        made_ = 0;
        const Cycle limit = port_.now() + 400 * steps;
        while (made_ < steps && port_.now() < limit) {
            for (std::uint8_t sm = 0; sm < kSms; ++sm)
                if (port_.canPresent(sm)) presentNext(sm);
            if (const Cycle quiet = port_.quietUntil(); quiet != kNever && quiet > port_.now())
                port_.skipTo(quiet);
            port_.step();
        }
        return made_;
    }

    void onResponse(const SyncResponse& r) override { answered(r.at, r.lanes); }
    void onRelease(const Release& r) override
    {
        for (std::uint8_t warp = 0; warp < kWarps; ++warp)
            if ((r.warps >> warp & 1) != 0) answered({r.sm, r.cta, warp}, r.lanes);
    }
    void onCommit(const Commit&) override {}
    void onDelivered(const Delivered&) override {}
    void onCtaFree(const CtaFree&) override {}

private:
    struct Warp {
        unsigned step{};
        Lanes open{};  ///< lanes not yet answered
    };

    void answered(WarpRef at, Lanes lanes)
    {
        Warp& warp = warps_[at.sm][at.warp];
        if (warp.open == 0) return;
        warp.open &= ~lanes;
        if (warp.open == 0) {
            ++warp.step;
            ++made_;
        }
    }
    void presentNext(std::uint8_t sm)
    {
        for (unsigned tries = 0; tries < kWarps; ++tries) {
            const auto index = static_cast<std::uint8_t>(next_[sm]++ % kWarps);
            Warp& warp = warps_[sm][index];
            if (warp.open != 0) continue;
            SyncRequest r = mbarriers_ ? mbarrier(sm, index, warp.step) : barrier(warp.step);
            r.at = {sm, 0, index};
            r.tag = tag_++ & 0xfff;
            warp.open = r.lanes;
            port_.present(r);
            return;
        }
    }
    static SyncRequest barrier(unsigned step)
    {
        SyncRequest r;
        r.lanes = ~Lanes{0};
        r.sem = step % 256 < 16 ? Sem::Release : Sem::Relaxed;  // a release waits for long
        r.aligned = true;
        r.op = step % 16 == 14   ? Op::ClusterArrive
               : step % 16 == 15 ? Op::ClusterWait
                                 : Op::BarSync;
        r.scope = r.op == Op::BarSync ? Scope::Cta : Scope::Cluster;
        return r;
    }
    /// Every second step waits for the phase that the arrivals of its own and the other SM complete.
    static SyncRequest mbarrier(std::uint8_t sm, std::uint8_t warp, unsigned step)
    {
        SyncRequest r;
        r.lanes = step % 8 < 4 ? 1 : ~Lanes{0};
        r.sem = step % 64 == 1 ? Sem::Release : Sem::Relaxed;
        const auto offset = std::uint32_t{8} * (warp % 4);
        if (step == 0) {
            r.op = Op::MbarInit;
            r.lanes = 1;
            r.data.fill(1 + warp % 3);
        } else if (step % 2 == 1) {
            r.op = Op::MbarArrive;
            r.remote = step % 4 == 1;
            r.data.fill(1);
        } else {
            r.op = Op::MbarTryWaitParity;
            r.wantValue = true;
            r.data.fill(step / 2 % 2);
        }
        r.addr.fill(clusterAddress(r.remote ? 1u - sm : sm, offset));
        return r;
    }

    WordMemory memory_{kSms};
    RtlPort port_;
    std::array<std::array<Warp, kWarps>, kSms> warps_{};
    std::array<unsigned, kSms> next_{};
    std::uint64_t made_{};
    std::uint16_t tag_{};
    bool mbarriers_{};
};

}  // namespace
}  // namespace gsu

int main()
{
    constexpr std::uint64_t kBarriers = 200'000, kMbarriers = 40'000;
    const std::string waves = std::filesystem::temp_directory_path() / "gsu_model_workload.fst";
    bool made = true;
    for (const std::uint64_t part : {1, 10}) {
        const std::string file = part == 1 ? "" : waves;
        if (!file.empty() && !gsu::kWaves) break;
        const std::uint64_t barriers = gsu::ProfileWorkload(file).run(kBarriers / part, false);
        const std::uint64_t mbarriers = gsu::ProfileWorkload(file).run(kMbarriers / part, true);
        std::printf("%llu steps at barriers, %llu at mbarriers\n",
                    static_cast<unsigned long long>(barriers),
                    static_cast<unsigned long long>(mbarriers));
        made = made && barriers >= kBarriers / part && mbarriers >= kMbarriers / part / 2;
    }
    std::error_code error;
    std::filesystem::remove(waves, error);
    return made ? 0 : 1;
}
