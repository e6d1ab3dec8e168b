/// TensorWalk: estimates from the boxes that a CTA copies how it goes through a tensor, tile after tile, and so how many different boxes are read at a time by
/// CTAs that all do the same. A dimension in which the CTA moves by one box, or back to where its tile began, is one that it walks through. A longer jump in
/// another dimension begins its next tile.
#pragma once
#include <array>
#include <cstdint>

#include "exec/tensormap/tensor_map.hpp"

namespace gsu::exec {

class TensorWalk {
public:
    using Origin = std::array<std::int32_t, TensorMap::kMaxRank>;

    /// The next box is there. `parts`: CTAs that may load a part each of what one of them goes on by.
    void visit(const Origin& origin, const TensorMap& map, unsigned parts);
    /// Different boxes that `ctas` CTAs read at a time, 1 or more. Their tiles are thought to be spread over all that the CTA does not walk through.
    /// Where that is more than there are CTAs, they take tiles in order: as many as the CTA goes on by from one of its tiles to the next.
    [[nodiscard]] double boxes(const TensorMap& map, double ctas) const;

private:
    struct Dimension {
        std::int32_t at{}, begin{};  ///< now, and where the tile began
        std::int32_t before{};       ///< where the tile before it began
        std::int32_t low{}, high{};  ///< that it has been to in this tile
        std::int32_t step{};         ///< the longest one, but for the way back
        std::int32_t
            reached{};  ///< elements that it walks through in a tile, known when it came back; 0: it has not
        bool walked{};
    };
    /// Elements of a dimension that belong to one tile.
    [[nodiscard]] double extent(const TensorMap& map, unsigned d) const;
    [[nodiscard]] double spread(const TensorMap& map) const;
    [[nodiscard]] double advanced(const TensorMap& map) const;

    std::array<Dimension, TensorMap::kMaxRank> dims_{};
    bool begun_{}, moved_{};
    double advance_{};  ///< over all tiles so far
    unsigned tiles_{};  ///< behind the first
};

}  // namespace gsu::exec
