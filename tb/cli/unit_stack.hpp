/// The sync unit that a command drives: golden model, RTL, or both in lockstep, with waves.
/// What this build lacks is refused by name.
#pragma once
#include <functional>
#include <memory>

#include "cli/options.hpp"
#include "golden/mbarrier_unit.hpp"
#include "golden/port.hpp"

namespace gsu::cli {

class UnitStack {
public:
    /// Throws InputError. `memory` must outlive it.
    UnitStack(const CommonOptions& options, unsigned sms, const Config& config,
              SharedMemory& memory, std::function<void(const MbarNote&)> onNote = {});
    ~UnitStack();
    UnitStack(const UnitStack&) = delete;
    UnitStack& operator=(const UnitStack&) = delete;

    [[nodiscard]] SyncPort& port();
    /// Finishes the waves under their name. Without it they are removed.
    void finishWaves();

private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

}  // namespace gsu::cli
