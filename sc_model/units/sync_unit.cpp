#include "units/sync_unit.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

#include "golden/golden.hpp"
#ifdef GSU_UNITS_RTL
#include "verilated/system_base.hpp"
#endif
#ifdef GSU_UNITS_LOCKSTEP
#include "lockstep/lockstep.hpp"
#endif

namespace gsu {
namespace {

constexpr std::pair<std::string_view, UnitKind> kNames[] = {
    {"rtl", UnitKind::Rtl}, {"golden", UnitKind::Golden}, {"lockstep", UnitKind::Lockstep}};

MbarPolicy policyOf(const Config& config)
{
    return {.lockOnError = (config.mbar_policy & 2) != 0, .sm80 = (config.mbar_policy & 4) != 0};
}

#if defined(GSU_UNITS_RTL) && defined(GSU_UNITS_LOCKSTEP)
/// Clocks within which every due event happens: everything that may queue before one operation, at the slowest rate that these parameters
/// allow. A release waits for the operations of its CTA, each of which may wait for memory, links and the queue at its owner.
Cycle boundOf(const Config& config, const Structure& has)
{
    constexpr Cycle kQueued =
        Cycle{kMaxSms} * kMaxWarpSlots * kLanes;  // all of a network at one mbarrier unit
    constexpr Cycle kMisses = 2'048;  // objects that may be read and written back meanwhile
    // Least number of entries in flight in a delay.
    const Cycle inFlight = std::min({has.mbarAnswers, has.waitAnswers, has.sends, has.receives,
                                     has.packets, std::uint16_t{16}});
    const Cycle rounds = 32 / std::min({has.releases, has.answers, std::uint16_t{16}});
    constexpr Cycle kArrivals = 1'024;  // warps at the named barriers of an SM
    constexpr Cycle kPacket = 64;       // bytes
    Cycle bound = 100'000 + kQueued * (config.mbar_interval - Cycle{1});
    bound += kArrivals * config.bar_interval + 2 * kMisses * config.smem_lat;
    if (config.net_bytes != 0) bound += kQueued * (kPacket / config.net_bytes);
    for (const Cycle latency : {config.dsm_hop, config.mbar_remote_lat, config.mbar_lat})
        bound += kQueued / inFlight * latency;
    for (const Cycle latency :
         {config.cbar_up_lat, config.cbar_down_lat, config.cbar_wait_lat, config.grid_up_lat,
          config.grid_down_lat, config.bar_release_lat, config.bar_arrive_lat})
        bound += 2 * rounds * latency;
    for (const std::uint32_t fence :
         {config.fence_cta_lat, config.fence_gpu_lat, config.fence_sys_lat})
        bound += fence;
    return bound;
}
#endif

}  // namespace

std::optional<UnitKind> unitKindOf(std::string_view name) noexcept
{
    for (const auto& [known, kind] : kNames) {
        if (known == name) return kind;
    }
    return std::nullopt;
}

const char* nameOf(UnitKind kind) noexcept
{
    for (const auto& [name, known] : kNames) {
        if (known == kind) return name.data();
    }
    return "?";
}

bool isBuilt(UnitKind kind) noexcept
{
#if defined(GSU_UNITS_RTL) && defined(GSU_UNITS_LOCKSTEP)
    static_cast<void>(kind);
    return true;
#elif defined(GSU_UNITS_RTL)
    return kind != UnitKind::Lockstep;
#else
    return kind == UnitKind::Golden;
#endif
}

bool hasAssertions() noexcept
{
#ifdef GSU_UNITS_RTL
    return builtInModels().checked != nullptr;
#else
    return false;
#endif
}

struct SyncUnit::Parts {
#ifdef GSU_UNITS_RTL
    std::unique_ptr<RtlPort> rtl;
#endif
    std::unique_ptr<SyncPort> other;  ///< golden, or lockstep in front of the RTL
    SyncPort* port{};
    bool waves{};
};

SyncUnit::SyncUnit(const UnitOptions& options, const Config& config, SharedMemory& memory)
    : parts_(std::make_unique<Parts>())
{
    assert(isBuilt(options.kind));
    Parts& p = *parts_;
    if (options.kind == UnitKind::Golden) {
        p.other = makeGoldenPort(options.sms,
                                 {.policy = policyOf(config),
                                  .waitLimit = config.trywait_limit,
                                  .waitSlots = config.trywait_slots,
                                  .structure = options.structure,
                                  .onNote = options.onNote},
                                 &memory);
        p.port = p.other.get();
        return;
    }
#ifdef GSU_UNITS_RTL
    const RtlModels& models = options.model ? options.model->models() : builtInModels();
    assert(models.structure == options.structure);
    p.rtl =
        std::make_unique<RtlPort>(options.sms, config, options.assertions, models, options.firstSm);
    p.waves = models.traced != nullptr;
    p.rtl->setMemory(memory);
    p.rtl->setThreads(options.threads);
    p.port = p.rtl.get();
#ifdef GSU_UNITS_LOCKSTEP
    if (options.kind == UnitKind::Rtl) return;
    p.other = makeLockstepPort(*p.rtl, {.bound = boundOf(config, options.structure),
                                        .policy = policyOf(config),
                                        .waitLimit = config.trywait_limit,
                                        .onNote = options.onNote});
    p.port = p.other.get();
#endif
#endif
}

SyncUnit::~SyncUnit() = default;
SyncPort& SyncUnit::port() const noexcept { return *parts_->port; }

#ifdef GSU_UNITS_RTL
bool SyncUnit::hasWaves() const noexcept { return parts_->rtl != nullptr && parts_->waves; }
bool SyncUnit::openWaves(const std::string& path, Cycle from, Cycle to,
                         std::vector<WaveScope> scopes)
{
    assert(hasWaves());
    return parts_->rtl->openWaves(
        {.path = path, .from = from, .to = to, .scopes = std::move(scopes)});
}
bool SyncUnit::closeWaves() { return !hasWaves() || parts_->rtl->closeWaves(); }
int SyncUnit::waveError() const { return hasWaves() ? parts_->rtl->waveError() : 0; }
#else
bool SyncUnit::hasWaves() const noexcept { return false; }
bool SyncUnit::openWaves(const std::string&, Cycle, Cycle, std::vector<WaveScope>) { return false; }
bool SyncUnit::closeWaves() { return true; }
int SyncUnit::waveError() const { return 0; }
#endif

}  // namespace gsu
