// im2col: copies that walk over the pixels of images instead of a box.
#include <fmt/format.h>

#include "exec/tensormap/tensor_map.hpp"
#include "exec/tensormap/tile_rows.hpp"

namespace gsu {
namespace {

constexpr unsigned kGroup = 32,  ///< pixels between halos of im2col::w::128
    kGroups = 4;

/// The base pixels of a copy, one after the other: along W, then H, then D inside the bounding box, then the next image. The modes
/// im2col::w stay in their line and go to the next image from there.
class PixelWalk {
public:
    PixelWalk(const TensorMap& map, const std::array<std::int32_t, 5>& origin, unsigned wOffset)
        : map_(map), spatial_(map.mode == MapMode::Im2col ? map.rank - 2u : 1u)
    {
        for (unsigned d = 0; d < map.rank; ++d) at_[d] = origin[d];
        for (unsigned d = 0; d < spatial_; ++d) {
            low_[d] = map.lower[d];
            high_[d] = static_cast<std::int64_t>(map.size[d + 1]) - 1 + map.upper[d];
        }
        at_[1] += wOffset;
        low_[0] += wOffset;
        high_[0] += wOffset;
    }
    [[nodiscard]] const std::array<std::int64_t, 5>& at() const noexcept { return at_; }
    void next()
    {
        for (unsigned d = 0; d < spatial_; ++d) {
            at_[d + 1] += map_.step[d + 1];
            if (at_[d + 1] <= high_[d]) return;
            at_[d + 1] = low_[d];
        }
        ++at_[map_.rank - 1u];
    }

private:
    const TensorMap& map_;
    const unsigned spatial_;  ///< dimensions that the walk goes through
    std::array<std::int64_t, 5> at_{};
    std::array<std::int64_t, 3> low_{}, high_{};
};

/// The pixel at base + offset, as row `index` in shared memory.
BoxRow rowOf(const TensorMap& m, std::uint32_t index, const std::array<std::int64_t, 5>& base,
             const std::array<std::int64_t, 3>& offset)
{
    BoxRow row{index * m.box[0] * m.elementBytes(), m.address, true};
    for (unsigned d = 1; d < m.rank; ++d) {
        const std::int64_t at = base[d] + (d + 1u < m.rank ? offset[d - 1] : 0);
        row.inside = row.inside && at >= 0 && at < static_cast<std::int64_t>(m.size[d]);
        row.line += static_cast<std::uint64_t>(at) * m.stride[d - 1];
    }
    return row;
}

}  // namespace

std::string PixelInfo::problem(const TensorMap& map) const
{
    if (map.mode == MapMode::Im2col) {
        const unsigned most = map.rank == 3 ? 0xffff : map.rank == 4 ? 0xff : 0x1f;
        for (unsigned d = 0; d + 2u < map.rank; ++d) {
            if (offset[d] > most)
                return fmt::format("im2col offset {} is {}: at most {} with rank {}", d, offset[d],
                                   most, map.rank);
        }
        return {};
    }
    const unsigned most = map.mode == MapMode::Im2colW ? 511 : 31;
    if (halo > most) return fmt::format("wHalo is {}: at most {}", halo, most);
    if (wOffset > 31) return fmt::format("wOffset is {}: at most 31", wOffset);
    return {};
}

std::uint32_t pixelCount(const TensorMap& map, const PixelInfo& info) noexcept
{
    if (map.mode == MapMode::Im2colW128) return kGroups * (kGroup + info.halo);
    return map.box[1] + (map.mode == MapMode::Im2colW ? info.halo : 0u);
}

std::vector<TileRun> pixelRuns(const TensorMap& m, const std::array<std::int32_t, 5>& origin,
                               std::uint32_t shared, const PixelInfo& info)
{
    std::vector<TileRun> runs;
    const unsigned group = m.mode == MapMode::Im2colW128 ? kGroup : m.box[1],
                   halo = m.mode == MapMode::Im2col ? 0 : info.halo;
    PixelWalk walk(m, origin, m.mode == MapMode::Im2col ? 0 : info.wOffset);
    std::array<std::int64_t, 3> offset{info.offset[0], info.offset[1], info.offset[2]};
    const std::uint32_t count = pixelCount(m, info);
    for (std::uint32_t index = 0; index < count;) {
        std::array<std::int64_t, 5> last{};
        for (unsigned i = 0; i < group; ++i, walk.next()) {
            last = walk.at();
            addRow(runs, m, rowOf(m, index++, last, offset), origin[0], shared);
        }
        for (unsigned i = 0; i < halo; ++i) {  // on along W, out of the box
            last[1] += m.step[1];
            addRow(runs, m, rowOf(m, index++, last, offset), origin[0], shared);
        }
    }
    return runs;
}

}  // namespace gsu
