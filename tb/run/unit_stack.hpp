/// The sync unit of a command, with the waves that its options ask for. Features that this build lacks are refused by name.
#pragma once
#include <functional>
#include <optional>

#include "base/atomic_file.hpp"
#include "run/options.hpp"
#include "units/chip.hpp"

namespace gsu::run {

/// Options for a unit of this many SMs. Throws InputError for features that this build lacks.
[[nodiscard]] UnitOptions unitOptions(const CommonOptions& options, ChipLayout chip,
                                      std::function<void(const MbarNote&)> onNote);

/// How many threads share the clocks of the unit, 1 or 2: those of one network of the RTL, where waves do not need one.
[[nodiscard]] unsigned networkThreads(const CommonOptions& options, ChipLayout chip);

class UnitStack {
public:
    /// Makes the unit. `memory` must outlive it. Throws InputError.
    UnitStack(const CommonOptions& options, ChipLayout chip, const Config& config,
              SharedMemory& memory, std::function<void(const MbarNote&)> onNote = {});
    ~UnitStack();
    UnitStack(const UnitStack&) = delete;
    UnitStack& operator=(const UnitStack&) = delete;

    [[nodiscard]] SyncPort& port() noexcept;
    /// Finishes the waves under their name. Without this call they are removed.
    void finishWaves();

private:
    void openWaves(const CommonOptions& options, ChipLayout chip);
    void chooseNetwork(std::vector<WaveScope>& scopes, ChipLayout chip);
    /// The network whose waves are written: the only one, or that of the requested parts.
    [[nodiscard]] SyncUnit& waved() noexcept;

    // One of the two is used: a network, or several.
    std::optional<SyncUnit> unit_;
    std::optional<Chip> chip_;
    unsigned network_{};
    std::string wavesPath_;
    // The unit writes under a temporary name, too; neither is left when the run ends early.
    std::optional<Partial> wavesPart_, wavesPartial_;
};

}  // namespace gsu::run
