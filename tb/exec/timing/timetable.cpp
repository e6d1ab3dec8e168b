#include "timing/timetable.hpp"

#include <algorithm>

namespace gsu::timing {

Timetable::Bin& Timetable::at(std::uint64_t number) noexcept
{
    Bin& bin = bins_[number % kBins];
    if (bin.number < number) bin = {number, 0};
    return bin;
}

void Timetable::filled(std::uint64_t number) noexcept
{
    if (number != fullTo_) fullFrom_ = number;
    fullTo_ = number + 1;
}

Span Timetable::take(Ticks ready, Ticks service) noexcept
{
    busy_ += service;
    std::uint64_t number = ready / kBin;
    if (number >= fullFrom_ && number < fullTo_) number = fullTo_;
    Span span{ready, ready};
    bool begun = false;
    while (service != 0) {
        Bin& bin = at(number);
        const Ticks begin = number * kBin;
        // The time before `ready` is over for who comes later, too.
        const Ticks used =
            bin.number > number ? kBin : std::max(bin.used, std::max(ready, begin) - begin);
        const Ticks now = std::min(service, kBin - std::min(used, kBin));
        if (now != 0) {
            if (!begun) span.start = begin + used;
            begun = true;
            span.end = begin + used + now;
            bin.used = used + now;
            service -= now;
        }
        if (bin.number == number && bin.used == kBin) filled(number);
        ++number;
    }
    return span;
}

}  // namespace gsu::timing
