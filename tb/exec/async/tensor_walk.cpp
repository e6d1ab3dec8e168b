#include "exec/async/tensor_walk.hpp"

#include <algorithm>
#include <cmath>

namespace gsu::exec {

void TensorWalk::visit(const Origin& origin, const TensorMap& map, unsigned parts)
{
    // The parts of a multicast are adjacent in a dimension of several elements.
    const auto step = [&](unsigned d) {
        return std::int64_t{map.box[d]} * (map.box[d] > 1 ? parts : 1);
    };
    bool next = false;
    for (unsigned d = 0; begun_ && d < map.rank; ++d) {
        const std::int64_t by = std::int64_t{origin[d]} - dims_[d].at;
        if (origin[d] != dims_[d].begin && std::abs(by) > step(d)) next = true;
    }
    for (unsigned d = 0; d < map.rank; ++d) {
        Dimension& dim = dims_[d];
        const std::int32_t to = origin[d];
        if (begun_ && to != dim.at) {
            moved_ = true;
            if (!next || to == dim.begin) dim.walked = true;
            if (to == dim.begin)
                dim.reached = dim.high - dim.low + std::max<std::int32_t>(dim.step, map.box[d]);
            else if (!next)
                dim.step = std::max(dim.step, std::abs(to - dim.at));
        }
        if (next) dim.before = dim.begin;
        if (next || !begun_) dim.begin = dim.low = dim.high = to;
        dim.at = to;
        dim.low = std::min(dim.low, to);
        dim.high = std::max(dim.high, to);
    }
    if (next) {
        advance_ += advanced(map);
        ++tiles_;
    }
    begun_ = true;
}

double TensorWalk::extent(const TensorMap& map, unsigned d) const
{
    const Dimension& dim = dims_[d];
    const auto size = static_cast<double>(map.size[d]);
    if (dim.walked) return dim.reached == 0 ? size : std::min<double>(dim.reached, size);
    return !moved_ && d == 0 ? size : std::min<double>(map.box[d], size);
}

double TensorWalk::spread(const TensorMap& map) const
{
    double all = 1;
    for (unsigned d = 0; d < map.rank; ++d)
        all *= static_cast<double>(map.size[d]) / extent(map, d);
    return all;
}

/// The distance from the preceding tile to this one, in the order of tiles; after the last one comes the first.
double TensorWalk::advanced(const TensorMap& map) const
{
    double by = 0, unit = 1;
    for (unsigned d = 0; d < map.rank; ++d) {
        by += unit * (dims_[d].begin - dims_[d].before) / extent(map, d);
        unit *= static_cast<double>(map.size[d]) / extent(map, d);
    }
    by = std::fmod(by, unit);
    return by <= 0 ? by + unit : by;
}

double TensorWalk::boxes(const TensorMap& map, double ctas) const
{
    const double all = std::max(1.0, spread(map));
    if (all <= ctas || tiles_ == 0) return all;
    return std::clamp(advance_ / tiles_, 1.0, all);
}

}  // namespace gsu::exec
