/// TensorWalk: estimates from the boxes that a CTA copies how it walks through a tensor, tile after tile, and so how many different boxes
/// are read at a time by CTAs that all do the same. The CTA walks through a dimension if it moves there by one box, or back to where its
/// tile began. A longer jump in another dimension begins its next tile.
#pragma once
#include <array>
#include <cstdint>

#include "exec/tensormap/tensor_map.hpp"

namespace gsu::exec {

class TensorWalk {
public:
    using Origin = std::array<std::int32_t, TensorMap::kMaxRank>;

    /// Takes the next box. `parts`: number of CTAs that may load a part each of one CTA's advance.
    void visit(const Origin& origin, const TensorMap& map, unsigned parts);
    /// Number of different boxes that `ctas` CTAs read at a time, at least 1. Their tiles are taken to be spread over all dimensions that
    /// the CTA does not walk through. If there are more such boxes than CTAs, the CTAs take tiles in order: as many boxes as the CTA
    /// advances from one tile to the next.
    [[nodiscard]] double boxes(const TensorMap& map, double ctas) const;

private:
    struct Dimension {
        std::int32_t at{}, begin{};  ///< present coordinate, and begin of the tile
        std::int32_t before{};       ///< begin of the preceding tile
        std::int32_t low{}, high{};  ///< range of this tile so far
        std::int32_t step{};         ///< longest step, except the way back
        /// elements that it walks through in a tile, known when it returned; 0: it has not
        std::int32_t reached{};
        bool walked{};
    };
    /// Elements of a dimension that belong to one tile.
    [[nodiscard]] double extent(const TensorMap& map, unsigned d) const;
    [[nodiscard]] double spread(const TensorMap& map) const;
    [[nodiscard]] double advanced(const TensorMap& map) const;

    std::array<Dimension, TensorMap::kMaxRank> dims_{};
    bool begun_{}, moved_{};
    double advance_{};  ///< sum over all tiles so far
    unsigned tiles_{};  ///< tiles after the first
};

}  // namespace gsu::exec
