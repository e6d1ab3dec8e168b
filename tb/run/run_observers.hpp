/// The observers of one run (run_observers.def) and the files they write; files appear only with finish().
#pragma once
#include "exec/machine/executor.hpp"
#include "run/run_observer.hpp"

namespace gsu::run {

/// Reports to port observers which CTA of the grid comes to which slot: the port does not know it.
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
    /// Makes the observers that the options name. The options and `memory` (of the executor, if there is one) must outlive them. Throws InputError.
    RunObservers(const CommonOptions& options, const trace::Header& header,
                 const SharedMemory* memory = nullptr);
    RunObservers(const RunObservers&) = delete;
    RunObservers& operator=(const RunObservers&) = delete;

    /// The writer of --record, or nullptr.
    [[nodiscard]] trace::Writer* writer() const noexcept { return writer_.get(); }
    /// The observers for the port of the run.
    [[nodiscard]] const std::vector<PortObserver*>& ports() const noexcept { return ports_; }
    /// The observer for the tensor memory of the run.
    [[nodiscard]] TensorObserver& tensor() noexcept { return *this; }
    /// Passes on events of this executor that no port knows. The executor must be destroyed before this object.
    void watch(Executor& executor);
    /// Ends the run and writes the files of the observers.
    void finish(const RunEnd& end, Outputs& outputs);
    /// The texts of the observers, after finish(), in the order of run_observers.def.
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
