/// PriorityServer: a server where accesses of warps go first. Work that is announced in advance (operands of products, copies) takes the rest.
#pragma once
#include "exec/timing/server.hpp"
#include "exec/timing/timetable.hpp"

namespace gsu::timing {

class PriorityServer {
public:
    Span first(Ticks ready, Ticks service) noexcept { return first(ready, service, service); }
    /// The same of one that has the server for `service` of `within`, in turn with the rest.
    Span first(Ticks ready, Ticks service, Ticks within) noexcept
    {
        const Span span = first_.take(ready, within);
        rest_.take(span.start, service);
        return span;
    }
    Span rest(Ticks ready, Ticks service) noexcept { return rest_.take(ready, service); }
    void watch(Activity& activity) noexcept { rest_.watch(activity); }
    /// Of both.
    [[nodiscard]] Ticks busy() const noexcept { return rest_.busy(); }

private:
    Server first_;
    Timetable rest_;  ///< with what goes first
};

}  // namespace gsu::timing
