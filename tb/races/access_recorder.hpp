/// Records the memory accesses of a run in its trace, with the same writer as trace::Recorder.
#pragma once
#include "golden/port_observer.hpp"
#include "races/access_text.hpp"
#include "trace/writer.hpp"

namespace gsu::races {

class AccessRecorder final : public AccessObserver, public PortObserver {
public:
    /// A recorder into `writer`. All arguments outlive it. `port`: has the time. The writer's header has version trace::kAccessVersion.
    AccessRecorder(trace::Writer& writer, const SyncPort& port, const ModuleLines& lines);
    /// Sets an observer that gets the same accesses; it must outlive this.
    void setNext(AccessObserver& next) noexcept { next_ = &next; }

    void onAccess(const Access& access) override;
    void onAsync(const AsyncOp& op) override;
    void completes(std::uint64_t name) override;
    void onGroup(const GroupStep& step) override;
    [[nodiscard]] std::vector<Finding> takeFindings() override;
    void onPlace(const Launch& launch, std::uint32_t linear) override;

private:
    void write(Cycle cycle, std::string text);

    trace::Writer& writer_;
    const SyncPort& port_;
    Cycle last_{};  ///< cycle of the record before
    AccessObserver* next_{};
};

}  // namespace gsu::races
