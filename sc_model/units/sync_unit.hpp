/// One synchronization unit behind its port: the golden model, the RTL, or the RTL with the golden model beside it. The program and the C library create
/// their units with this class.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "golden/chip_layout.hpp"
#include "golden/mbarrier_note.hpp"
#include "golden/params.hpp"
#include "golden/port.hpp"
#include "golden/wave_scopes.hpp"
#include "units/model.hpp"

namespace gsu {

enum class UnitKind : std::uint8_t { Rtl, Golden, Lockstep };
/// "rtl", "golden", "lockstep"; nullopt: no such unit.
[[nodiscard]] std::optional<UnitKind> unitKindOf(std::string_view name) noexcept;
[[nodiscard]] const char* nameOf(UnitKind kind) noexcept;
/// Whether this build has this kind of unit.
[[nodiscard]] bool isBuilt(UnitKind kind) noexcept;
/// Whether the built-in RTL can check its own assertions (GSU_ASSERTIONS).
[[nodiscard]] bool hasAssertions() noexcept;

struct UnitOptions {
    UnitKind kind{UnitKind::Lockstep};
    unsigned sms{1};     ///< 1..kMaxSms; any number for a Chip
    unsigned network{};  ///< SMs of each network of a Chip; 0: as in ChipLayout(sms)
    unsigned firstSm{};  ///< number of the first SM in waves and assertions
    bool assertions{};   ///< the RTL checks its assertions
    unsigned threads{};  ///< threads of the RTL, see RtlPort::setThreads
    std::function<void(const MbarNote&)> onNote{};  ///< findings that no commit carries; optional
    Structure structure{};                    ///< structure of the built-in model, or of `model`
    std::shared_ptr<const RtlModel> model{};  ///< model of the RTL; empty: the built-in one

    [[nodiscard]] ChipLayout chip() const noexcept
    {
        return network == 0 ? ChipLayout(sms) : ChipLayout(sms, network);
    }
};

class SyncUnit {
public:
    /// Makes a unit. `memory` must outlive it. Pre: isBuilt(options.kind); assertions only if hasAssertions(), or, with waves, of a full
    /// model; `config` within the structure's ranges.
    SyncUnit(const UnitOptions& options, const Config& config, SharedMemory& memory);
    /// Finishes open waves under their name.
    ~SyncUnit();
    SyncUnit(const SyncUnit&) = delete;
    SyncUnit& operator=(const SyncUnit&) = delete;

    [[nodiscard]] SyncPort& port() const noexcept;
    /// Whether the unit can dump waves: it has RTL.
    [[nodiscard]] bool hasWaves() const noexcept;
    /// Dumps cycles `from` to `to` of the parts in `scopes` (none: of everything) as FST; only before the first step. False: the file
    /// cannot be written. Pre: hasWaves().
    [[nodiscard]] bool openWaves(const std::string& path, Cycle from, Cycle to,
                                 std::vector<WaveScope> scopes = {});
    /// Finishes the wave file under its name. False: it could not be written.
    [[nodiscard]] bool closeWaves();
    /// errno of the first failure, after closeWaves() returned false.
    [[nodiscard]] int waveError() const;
    /// The name under which waves of `path` are written until they are closed.
    [[nodiscard]] static std::string wavesPart(const std::string& path) { return path + ".part"; }

private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

}  // namespace gsu
