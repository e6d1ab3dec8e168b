/// Observers of memory accesses of a unit's launches: the race detector (--check race) and the trace (--record-accesses).
#pragma once
#include "observers/tap_port.hpp"
#include "races/access_recorder.hpp"
#include "races/detector.hpp"
#include "run/run_observers.hpp"

namespace gsu::run {

class RaceWatch {
public:
    /// Makes the detector alone.
    RaceWatch(const ptx::Module& module, ChipLayout chip) : detector_(std::in_place, module, chip)
    {
        observers_ = {&detector_->port()};
        places_.emplace(observers_);
    }
    /// Makes the observers that the options want; `port`: of the unit. Both outlive this.
    RaceWatch(const CommonOptions& files, const ptx::Module& module, const RunObservers& observers,
              const SyncPort& port)
    {
        if (files.recordAccesses && observers.writer() != nullptr)
            recorder_.emplace(*observers.writer(), port, races::Detector::linesOf(module));
        if (files.checksRaces()) detector_.emplace(module, port.sms());
        if (recorder_ && detector_) recorder_->setNext(*detector_);
        if (detector_) observers_.push_back(&detector_->port());
        if (recorder_) observers_.push_back(&*recorder_);
        places_.emplace(observers_);
    }
    RaceWatch(const RaceWatch&) = delete;
    RaceWatch& operator=(const RaceWatch&) = delete;
    [[nodiscard]] static bool wanted(const CommonOptions& files) noexcept
    {
        return files.checksRaces() || files.recordAccesses;
    }
    /// Watches this executor, which must be destroyed before this object.
    void watch(Executor& executor)
    {
        executor.addObserver(*places_);
        if (recorder_)
            executor.watchAccesses(*recorder_);
        else if (detector_)
            executor.watchAccesses(*detector_);
    }
    [[nodiscard]] const std::vector<PortObserver*>& observers() const noexcept
    {
        return observers_;
    }

private:
    std::optional<races::Detector> detector_;
    std::optional<races::AccessRecorder> recorder_;
    std::vector<PortObserver*> observers_;
    std::optional<PlaceTeller> places_;
};

}  // namespace gsu::run
