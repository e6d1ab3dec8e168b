/// The race detector of a run (tb/races/README.md). The executor reports every access, and the port all synchronization; it finds accesses that conflict and
/// that nothing orders.
#pragma once
#include "ptx/ast.hpp"
#include "races/access_text.hpp"
#include "races/order.hpp"

namespace gsu::races {

class Detector final : public AccessObserver {
public:
    explicit Detector(ChipLayout chip = kMaxChipSms)
        : state_{.chip = chip, .ctas = {}, .slots = {}, .endings = {}}
    {
    }
    explicit Detector(const ptx::Module& module, ChipLayout chip = kMaxChipSms) : Detector(chip)
    {
        learn(linesOf(module));
    }
    /// Sets the lines of a module that is not at hand.
    void learn(ModuleLines lines);
    /// The observer for the run's port; it must also be notified where CTAs are placed (PortObserver::onPlace).
    [[nodiscard]] PortObserver& port() noexcept { return order_; }

    [[nodiscard]] static ModuleLines linesOf(const ptx::Module& module);

    void onAccess(const Access& access) override;
    void onAsync(const AsyncOp& op) override;
    void completes(std::uint64_t name) override { order_.completes(name); }
    void onGroup(const GroupStep& step) override;
    [[nodiscard]] std::vector<Finding> takeFindings() override { return findings_.take(); }

private:
    DetectorState state_;
    RaceFindings findings_{state_};
    Checks checks_{state_, findings_};
    MbarrierPhaseChecks phases_{state_, findings_};
    Order order_{state_, checks_, phases_};
};

}  // namespace gsu::races
