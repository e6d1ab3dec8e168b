#include "cli/unit_stack.hpp"

#include <cstring>
#include <optional>
#include <thread>

#include "base/atomic_file.hpp"
#include "base/input_error.hpp"
#include "golden/golden_port.hpp"
#ifdef GSU_CLI_RTL
#include "verilated/rtl_port.hpp"
#endif
#ifdef GSU_CLI_LOCKSTEP
#include "lockstep/lockstep_port.hpp"
#endif

namespace gsu::cli {

namespace {

MbarPolicy policyOf(const Config& config)
{
    return {.lockOnError = (config.mbar_policy & 2) != 0, .sm80 = (config.mbar_policy & 4) != 0};
}

/// Clocks in which everything that is due happens: what may queue before one operation, at the slowest rate that these parameters
/// allow. A release waits for the operations of its CTA, each of which may wait for memory, links and the queue at its owner.
Cycle boundOf(const Config& config)
{
    constexpr Cycle kQueued = 32'768;  // lanes of all warps of 16 SMs at one mbarrier unit
    constexpr Cycle kMisses =
        2'048;  // objects of which each may be read and written back meanwhile
    constexpr Cycle kInFlight =
        16;  // entries under way in a delay of the network or of an owner, at least
    constexpr Cycle kArrivals = 1'024;  // warps at the named barriers of an SM
    constexpr Cycle kPacket = 64;       // bytes
    Cycle bound = 100'000 + kQueued * (config.mbar_interval - Cycle{1});
    bound += kArrivals * config.bar_interval + 2 * kMisses * config.smem_lat;
    if (config.net_bytes != 0) bound += kQueued * (kPacket / config.net_bytes);
    for (const Cycle latency : {config.dsm_hop, config.mbar_remote_lat, config.mbar_lat})
        bound += kQueued / kInFlight * latency;
    for (const Cycle latency : {config.cbar_up_lat, config.cbar_down_lat, config.cbar_wait_lat,
                                config.bar_release_lat, config.bar_arrive_lat})
        bound += 4 * latency;
    for (const std::uint32_t fence :
         {config.fence_cta_lat, config.fence_gpu_lat, config.fence_sys_lat})
        bound += fence;
    return bound;
}

}  // namespace

struct UnitStack::Parts {
    std::unique_ptr<GoldenPort> golden;
#ifdef GSU_CLI_RTL
    std::unique_ptr<RtlPort> rtl;
    /// Opens the waves under a temporary name.
    void build(const CommonOptions& options, unsigned sms, const Config& config,
               SharedMemory& memory)
    {
        if (options.assertions && !options.fst.empty())
            throw InputError("--assertions", 0, 0,
                             "not together with --fst: the models that dump waves have none");
        rtl = std::make_unique<RtlPort>(sms, config, options.assertions);
        rtl->setMemory(memory);
        const unsigned processors = std::thread::hardware_concurrency() > 1 ? 2 : 1;
        const unsigned useful =
            sms > 2 && !options.assertions && options.fst.empty() ? processors : 1;
        rtl->setThreads(options.threads != 0 ? options.threads : useful);
        if (options.fst.empty()) return;
        WaveOptions waves{.path = partialName(options.fst)};
        options.window(waves.from, waves.to);
        wavesPath = options.fst;
        wavesPartial.emplace(waves.path);
        wavesPart.emplace(waves.path + ".part");
        if (!rtl->openWaves(waves)) throw InputError(options.fst, 0, 0, "cannot be written");
    }
#endif
#ifdef GSU_CLI_LOCKSTEP
    std::unique_ptr<LockstepPort> lockstep;
#endif
    SyncPort* port{};
    std::string wavesPath;
    // The port writes under a temporary name, too; neither is left when the run ends early.
    std::optional<Partial> wavesPart, wavesPartial;
};

UnitStack::UnitStack(const CommonOptions& options, unsigned sms, const Config& config,
                     SharedMemory& memory, std::function<void(const MbarNote&)> onNote)
    : parts_(std::make_unique<Parts>())
{
    Parts& p = *parts_;
    switch (options.unit()) {
        case UnitChoice::Golden:
            p.golden =
                std::make_unique<GoldenPort>(sms, GoldenOptions{.policy = policyOf(config),
                                                                .waitLimit = config.trywait_limit,
                                                                .waitSlots = config.trywait_slots,
                                                                .onNote = std::move(onNote)});
            p.golden->setMemory(memory);
            p.port = p.golden.get();
            break;
        case UnitChoice::Rtl:
#ifdef GSU_CLI_RTL
            p.build(options, sms, config, memory);
            p.port = p.rtl.get();
#else
            throw InputError("--unit", 0, 0, "rtl is not built into this gsu");
#endif
            break;
        case UnitChoice::Lockstep:
#if defined(GSU_CLI_RTL) && defined(GSU_CLI_LOCKSTEP)
            p.build(options, sms, config, memory);
            p.lockstep = std::make_unique<LockstepPort>(
                *p.rtl, LockstepOptions{.bound = boundOf(config),
                                        .policy = policyOf(config),
                                        .waitLimit = config.trywait_limit,
                                        .onNote = std::move(onNote)});
            p.port = p.lockstep.get();
#else
            throw InputError("--unit", 0, 0,
                             "lockstep is not built into this gsu; use --unit golden");
#endif
            break;
    }
}

UnitStack::~UnitStack()
{
#ifdef GSU_CLI_RTL
    if (parts_->wavesPartial) static_cast<void>(parts_->rtl->closeWaves());
#endif
}

SyncPort& UnitStack::port() { return *parts_->port; }

void UnitStack::finishWaves()
{
#ifdef GSU_CLI_RTL
    Parts& p = *parts_;
    if (!p.wavesPartial) return;
    if (!p.rtl->closeWaves())
        throw InputError(p.wavesPath, 0, 0,
                         std::string("writing failed: ") + std::strerror(p.rtl->waveError()));
    renameInto(p.wavesPartial->name(), p.wavesPath);
    p.wavesPartial->release();
    p.wavesPart->release();
    p.wavesPart.reset(), p.wavesPartial.reset();
#endif
}

}  // namespace gsu::cli
