#include "causes/mbar_text.hpp"

#include <fmt/format.h>

#include "golden/mbarrier.hpp"

namespace gsu {

std::string lacksOf(const std::string& name, std::uint64_t word, std::uint64_t phases)
{
    const MbarState s = unpackMbar(word);
    if (s.pending != 0)
        return fmt::format("{} lacks {} of {} arrivals of phase {}", name, s.pending, s.expected,
                           phases);
    if (s.tx != 0)
        return fmt::format("{} has {} bytes outstanding in phase {}", name, s.tx, phases);
    return name + " does not complete";
}

}  // namespace gsu
