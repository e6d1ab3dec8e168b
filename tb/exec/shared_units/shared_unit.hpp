/// Launches that run at the same time on one unit: a launch and later ones that griddepcontrol lets begin before it has ended. They share
/// its SMs (a CTA is placed where slots are free), its network and its grid table, so that a wait in one launch can wait for the CTAs of
/// another.
#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "exec/machine/executor.hpp"
#include "exec/state/shared_unit_resources.hpp"

namespace gsu {

/// A unit with several launches. The order is fixed: in each cycle every launch gets one turn, and the launch that goes first changes from
/// cycle to cycle.
class SharedUnit final : private SyncSink {
public:
    /// A unit of this many SMs, 1..148, still without a port.
    explicit SharedUnit(unsigned sms);
    ~SharedUnit() override;
    SharedUnit(const SharedUnit&) = delete;
    SharedUnit& operator=(const SharedUnit&) = delete;

    /// The memory for the port's memory port.
    [[nodiscard]] SharedMemory& sharedMemory() noexcept { return resources_.shared; }
    [[nodiscard]] exec::SharedUnitResources& resources() noexcept { return resources_; }
    /// Sets the port of all launches. Call before all functions below; the port outlives this object.
    void attach(SyncPort& port);
    /// Takes a remark of the golden mbarrier unit; connect it to the `onNote` of the port's options.
    void note(const MbarNote& note);

    /// Makes a port for one launch: it passes on its inputs, and reports its events. An observer may be put in front of it.
    [[nodiscard]] SyncPort& newPort();
    /// Whether a slot of the grid table is free.
    [[nodiscard]] bool hasGridSlot() const noexcept { return resources_.freeGrid() != 0; }
    /// Begins a launch; every earlier one that is not complete is its prerequisite (GDC-005). `front`: the last newPort(), or the port in
    /// front of it. Pre: hasGridSlot(), the executor has the resources of this unit, and outlives it.
    void begin(Executor& executor, SyncPort& front);
    /// Executes one cycle, and skips the quiet ones after it. False: all launches that have not ended are blocked: giveUp(). Throws as
    /// Executor::run().
    [[nodiscard]] bool turn();
    /// Ends blocked launches where they are, as hangs.
    void giveUp();
    /// Ends the launches that began after this one, with this text.
    void stopBehind(std::size_t launch, const std::string& why);

    /// Releases an ended launch with nothing in flight: its executor may be destroyed. Its result stays.
    void retire(std::size_t launch);

    /// Number of launches so far.
    [[nodiscard]] std::size_t launches() const noexcept { return members_.size(); }
    /// Whether a launch has not ended.
    [[nodiscard]] bool underWay() const noexcept;
    /// The result of a launch; nullptr: it is running.
    [[nodiscard]] const RunResult* result(std::size_t launch) const noexcept;
    /// The cycle in which a launch began, by the unit's clock.
    [[nodiscard]] Cycle begun(std::size_t launch) const noexcept;
    /// Whether the dependent launch may begin (GDC-002).
    [[nodiscard]] bool signalled(std::size_t launch) const noexcept;

private:
    class Port;
    struct Member;
    void end(Member& member);
    [[nodiscard]] bool actAll();
    void wakeOthers();
    [[nodiscard]] bool somebodyReleased();
    [[nodiscard]] Port* ownerOf(unsigned sm, unsigned cta) noexcept;
    [[nodiscard]] Port* holderOf(const Delivered& delivered) noexcept;

    void onResponse(const SyncResponse& response) override;
    void onRelease(const Release& release) override;
    void onCommit(const Commit& commit) override;
    void onDelivered(const Delivered& delivered) override;
    void onCtaFree(const CtaFree& free) override;
    void onGrid(const GridEvent& event) override;
    void onCancel(const CancelQuery& query) override;

    exec::SharedUnitResources resources_;
    SyncPort* port_{};
    std::vector<std::unique_ptr<Port>> ports_;
    std::vector<std::unique_ptr<Member>> members_;
    std::vector<Port*> owners_;    ///< by SM and CTA slot: last launch there
    std::vector<MbarNote> notes_;  ///< remarks on the next commit
    Member* acting_{};
    std::uint64_t turns_{};
};

}  // namespace gsu
