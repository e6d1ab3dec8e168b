/// Cover points and their bins, as lists that are listed, numbered or crossed.
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
/// A point with the bins "what 0" to "what count-1".
[[nodiscard]] CoverPoint numberedPoint(const char* id, const char* what, unsigned count);
/// A point with a bin for each row and column, "row x column", row by row.
[[nodiscard]] CoverPoint crossedPoint(const char* id, CoverNames rows, CoverNames columns);

/// Counts the points of some units, in a list that also has those of other units.
class CoverPart {
public:
    /// Counts in this list, from its present end.
    void countIn(std::vector<CoverPoint>& points) { points_ = &points, first_ = points.size(); }

protected:
    void hit(unsigned point, std::size_t bin) { ++(*points_)[first_ + point].bins[bin].hits; }

private:
    std::vector<CoverPoint>* points_{};
    std::size_t first_{};
};

}  // namespace gsu
