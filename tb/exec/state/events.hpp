/// Queue of events at later cycles: in the order of their cycles, then of their entry.
#pragma once
#include <algorithm>
#include <cassert>
#include <cstdint>
#include <vector>

#include "golden/types.hpp"

namespace gsu::exec {

/// The target of an event: due() is called at its cycle.
class Timed {
public:
    virtual void due(std::uint64_t token) = 0;

protected:
    ~Timed() = default;
};

class EventQueue {
public:
    /// Calls target.due(token) at `when`, but after `now`. The target outlives the queue's content.
    void at(Cycle when, Cycle now, Timed& target, std::uint64_t token)
    {
        heap_.push_back({std::max(when, now + 1), order_++, &target, token});
        std::push_heap(heap_.begin(), heap_.end());
    }
    /// Delivers all events that are due by `now`; events that this adds come later.
    void deliver(Cycle now)
    {
        while (!heap_.empty() && heap_.front().at <= now) {
            std::pop_heap(heap_.begin(), heap_.end());
            const Event event = heap_.back();
            heap_.pop_back();
            assert(event.at >= last_);
            last_ = event.at;
            event.target->due(event.token);
        }
    }
    [[nodiscard]] bool empty() const noexcept { return heap_.empty(); }
    /// The cycle of the first event; kNever if there is none.
    [[nodiscard]] Cycle next() const noexcept { return heap_.empty() ? kNever : heap_.front().at; }

private:
    struct Event {
        Cycle at{};
        std::uint64_t order{};
        Timed* target{};
        std::uint64_t token{};
        bool operator<(const Event& other) const noexcept
        {
            return at != other.at ? at > other.at
                                  : order > other.order;  // earliest on top of the heap
        }
    };
    std::vector<Event> heap_;
    std::uint64_t order_{};
    Cycle last_{};  ///< cycle of the latest delivered event
};

}  // namespace gsu::exec
