/// A line on standard error during long runs, only when that is a terminal; removed at the end.
#pragma once
#include <chrono>

#include "golden/port_observer.hpp"

namespace gsu {

class ProgressMeter final : public PortObserver {
public:
    ProgressMeter();
    ~ProgressMeter() override;
    void onRequest(Cycle, const SyncRequest&) override { ++requests_; }
    void onProgress(Cycle now) override;
    void onEnd(Cycle) override;

private:
    void clear();
    std::chrono::steady_clock::time_point start_, shown_;
    std::uint64_t requests_{};
    bool terminal_{}, visible_{};
};

}  // namespace gsu
