/// Launches that run at the same time on one unit: a launch and those after it that griddepcontrol lets begin before it has ended. They share its SMs (a CTA is
/// placed where slots are free), its network and its grid table, so that a wait in one launch can wait for the CTAs of another.
#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "exec/machine/executor.hpp"
#include "exec/state/shared_unit_resources.hpp"

namespace gsu {

/// Deterministic: launches take their turns in each cycle in the order of their begin, another one first from turn to turn.
class SharedUnit final : private SyncSink {
public:
    /// A unit of so many SMs, 1..148, still without a port.
    explicit SharedUnit(unsigned sms);
    ~SharedUnit() override;
    SharedUnit(const SharedUnit&) = delete;
    SharedUnit& operator=(const SharedUnit&) = delete;

    /// The bytes behind the port's memory port.
    [[nodiscard]] SharedMemory& sharedMemory() noexcept { return resources_.shared; }
    [[nodiscard]] exec::SharedUnitResources& resources() noexcept { return resources_; }
    /// What all of them are run on. Before all that follows; outlives it.
    void attach(SyncPort& port);
    /// What the golden mbarrier unit tells beside a commit; connect it to the `onNote` of the port's options.
    void note(const MbarNote& note);

    /// A port for one launch: passes on what it does, and reports what is about it. To be begun on, perhaps behind something that watches.
    [[nodiscard]] SyncPort& newPort();
    /// A slot of the grid table is free.
    [[nodiscard]] bool hasGridSlot() const noexcept { return resources_.freeGrid() != 0; }
    /// Begins a launch; every one before it that is not complete is its prerequisite (GDC-005). `front`: the last newPort(), or what is in front of it.
    /// Pre: hasGridSlot(), the executor has the resources of this unit, and outlives it.
    void begin(Executor& executor, SyncPort& front);
    /// One evaluated cycle, and the quiet ones behind it. False: nothing gets on what has not ended: giveUp(). Throws as Executor::run().
    [[nodiscard]] bool turn();
    /// Launches that stand still end there, as hangs.
    void giveUp();
    /// The launches that began after this one end where they are, in these words.
    void stopBehind(std::size_t launch, const std::string& why);

    /// One that has ended, and that nothing is under way of, is looked at no more: its executor may go. Its result stays.
    void retire(std::size_t launch);

    /// Launches so far, in the order of their begin.
    [[nodiscard]] std::size_t launches() const noexcept { return members_.size(); }
    /// Some have not ended.
    [[nodiscard]] bool underWay() const noexcept;
    /// What came of one; nullptr: it is under way.
    [[nodiscard]] const RunResult* result(std::size_t launch) const noexcept;
    /// When it began, by the unit's clock.
    [[nodiscard]] Cycle begun(std::size_t launch) const noexcept;
    /// The launch behind it may begin (GDC-002).
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
    std::vector<Port*> owners_;    ///< by SM and CTA slot: the last that launched there
    std::vector<MbarNote> notes_;  ///< of the commit that comes next
    Member* acting_{};
    std::uint64_t turns_{};
};

}  // namespace gsu
