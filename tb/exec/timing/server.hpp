/// Server: a resource that does one operation after the other. It knows when it is free next, and how long it has been busy.
#pragma once
#include <algorithm>

#include "exec/timing/activity.hpp"

namespace gsu::timing {

class Server {
public:
    /// Occupies it for `service`, from `ready` on or as soon as it is free.
    Span take(Ticks ready, Ticks service) noexcept
    {
        const Ticks start = std::max(ready, free_);
        free_ = start + service;
        busy_ += service;
        if (watched_ != nullptr) watched_->add({start, free_}, service);
        return {start, free_};
    }
    /// Tells it what it does from now on.
    void watch(Activity& activity) noexcept { watched_ = &activity; }
    [[nodiscard]] Ticks free() const noexcept { return free_; }
    [[nodiscard]] Ticks busy() const noexcept { return busy_; }

private:
    Ticks free_{}, busy_{};
    Activity* watched_{};
};

}  // namespace gsu::timing
