/// The race detector of a unit, and what it listens to (--check race).
#pragma once
#include "observers/tap_port.hpp"
#include "races/detector.hpp"
#include "run/run_observers.hpp"

namespace gsu::run {

class RaceWatch {
public:
    RaceWatch() : places_({&detector_.port()}) {}
    /// What this executor does is watched. It must be gone before.
    void watch(Executor& executor)
    {
        executor.addObserver(places_);
        executor.watchAccesses(detector_);
    }
    [[nodiscard]] PortObserver& observer() noexcept { return detector_.port(); }

private:
    races::Detector detector_;
    PlaceTeller places_;
};

}  // namespace gsu::run
