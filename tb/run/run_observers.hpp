/// The observers of one run (run_observers.def) and the files they write; files appear only with finish().
#pragma once
#include "exec/machine/executor.hpp"
#include "run/run_observer.hpp"

namespace gsu::run {

/// Tells port observers which CTA of the grid comes to which slot, which the port does not know.
class PlaceTeller final : public ExecObserver {
public:
    explicit PlaceTeller(const std::vector<PortObserver*>& observers) : observers_(observers) {}
    void onPlaced(const CtaPlace& place) override
    {
        for (PortObserver* o : observers_) o->onPlace(place.launch, place.linear);
    }

private:
    std::vector<PortObserver*> observers_;
};

class RunObservers final : private TensorObserver {
public:
    /// Opens what the options name; these and `memory` (of the executor, if there is one) must outlive it. Throws InputError.
    RunObservers(const CommonOptions& options, const trace::Header& header,
                 const SharedMemory* memory = nullptr);
    RunObservers(const RunObservers&) = delete;
    RunObservers& operator=(const RunObservers&) = delete;

    /// nullptr without --record.
    [[nodiscard]] trace::Writer* writer() const noexcept { return writer_.get(); }
    /// For the port of the run.
    [[nodiscard]] const std::vector<PortObserver*>& ports() const noexcept { return ports_; }
    /// For the tensor memory of the run.
    [[nodiscard]] TensorObserver& tensor() noexcept { return *this; }
    /// What this executor tells that no port knows. It must be gone before.
    void watch(Executor& executor);
    /// The run is over and its files are wanted.
    void finish(const RunEnd& end, Outputs& outputs);
    /// What they tell, after finish(), in the order of run_observers.def.
    [[nodiscard]] std::string text(const ReportStyle& style) const;
    void addTo(nlohmann::ordered_json& out) const;

private:
    void onTensor(const TensorActivity& activity) override;

    std::unique_ptr<trace::Writer> writer_;
    std::vector<std::unique_ptr<RunObserver>> all_;
    std::vector<PortObserver*> ports_;
    std::vector<TensorObserver*> tensor_;
    std::unique_ptr<PlaceTeller> places_;
};

}  // namespace gsu::run
