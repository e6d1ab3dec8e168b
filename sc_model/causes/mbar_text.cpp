#include "causes/mbar_text.hpp"

#include <fmt/format.h>

#include "golden/mbarrier.hpp"

namespace gsu {

std::string lacksOf(const std::string& name, std::uint64_t word, const std::string& phase)
{
    const MbarState s = unpackMbar(word);
    if (s.pending != 0)
        return fmt::format("{} lacks {} of {} arrivals of {}", name, s.pending, s.expected, phase);
    if (s.tx != 0) return fmt::format("{} has {} bytes outstanding in {}", name, s.tx, phase);
    return name + " does not complete";
}

}  // namespace gsu
