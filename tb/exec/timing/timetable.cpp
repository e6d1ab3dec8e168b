#include "exec/timing/timetable.hpp"

#include <algorithm>

namespace gsu::timing {

Timetable::Bin& Timetable::at(std::uint64_t number) noexcept
{
    Bin& bin = bins_[number % kBins];
    if (bin.number < number) bin = {number, 0, 0, 0};
    return bin;
}

void Timetable::filled(std::uint64_t number) noexcept
{
    if (number != fullTo_) fullFrom_ = number;
    fullTo_ = number + 1;
}

/// Up to `service` of one bin's time. Who comes in order gets what lies behind the others; who comes for a time before theirs, what is left at all.
Span Timetable::Bin::take(Ticks begin, Ticks ready, Ticks service) noexcept
{
    const Ticks end = begin + kBin;
    ready = std::max(ready, begin);
    edge = std::max(edge, begin);
    const Ticks start = std::max(ready, edge);
    const bool inOrder = ready >= latest;
    const Ticks room = inOrder ? end - start : std::min(kBin - used, end - ready);
    latest = std::max(latest, ready);
    const Ticks now = std::min(service, room);
    used += now;
    edge = std::min(start + now, end);
    return {edge - now, edge};
}

Span Timetable::take(Ticks ready, Ticks service) noexcept
{
    busy_ += service;
    const Ticks whole = service;
    std::uint64_t number = ready / kBin;
    if (number >= fullFrom_ && number < fullTo_) number = fullTo_;
    Span span{ready, ready};
    for (bool begun = false; service != 0; ++number) {
        Bin& bin = at(number);
        if (bin.number != number) continue;  // so long past that it was forgotten
        const Span part = bin.take(number * kBin, ready, service);
        if (part.end != part.start) {
            span = {begun ? span.start : part.start, part.end};
            begun = true;
            service -= part.end - part.start;
        }
        if (bin.used == kBin) filled(number);
    }
    if (watched_ != nullptr) watched_->add(span, whole);
    return span;
}

}  // namespace gsu::timing
