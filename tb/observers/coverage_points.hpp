/// Cover points and their bins, as lists that are written down, numbered or crossed.
#pragma once
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

namespace gsu {

struct CoverBin {
    std::string name;
    std::uint64_t hits{};
};
struct CoverPoint {
    const char* id;
    std::vector<CoverBin> bins;
    [[nodiscard]] std::size_t reached() const noexcept;
};

using CoverNames = std::initializer_list<const char*>;
[[nodiscard]] CoverPoint coverPoint(const char* id, CoverNames bins);
/// "what 0" to "what count-1".
[[nodiscard]] CoverPoint numberedPoint(const char* id, const char* what, unsigned count);
/// A bin for each row and column, "row x column", row by row.
[[nodiscard]] CoverPoint crossedPoint(const char* id, CoverNames rows, CoverNames columns);

}  // namespace gsu
