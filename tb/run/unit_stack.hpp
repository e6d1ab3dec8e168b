/// The sync unit that a command drives, with the waves that its options ask for. What this build lacks is refused by name.
#pragma once
#include <functional>
#include <optional>

#include "base/atomic_file.hpp"
#include "run/options.hpp"
#include "units/sync_unit.hpp"

namespace gsu::run {

class UnitStack {
public:
    /// Throws InputError. `memory` must outlive it.
    UnitStack(const CommonOptions& options, unsigned sms, const Config& config,
              SharedMemory& memory, std::function<void(const MbarNote&)> onNote = {});
    ~UnitStack();
    UnitStack(const UnitStack&) = delete;
    UnitStack& operator=(const UnitStack&) = delete;

    [[nodiscard]] SyncPort& port() { return unit_.port(); }
    /// Finishes the waves under their name. Without it they are removed.
    void finishWaves();

private:
    SyncUnit unit_;
    std::string wavesPath_;
    // The unit writes under a temporary name, too; neither is left when the run ends early.
    std::optional<Partial> wavesPart_, wavesPartial_;
};

}  // namespace gsu::run
