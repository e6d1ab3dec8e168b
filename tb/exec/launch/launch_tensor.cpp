// The "tensormap" of a launch file: a parameter, or part of an aggregate.
#include <fmt/format.h>

#include "base/counted.hpp"
#include "exec/launch/json_view.hpp"
#include "exec/launch/launch_spec.hpp"

namespace gsu {
namespace {

template <class T, std::size_t N>
void fill(std::array<T, N>& to, const JsonView& list, std::size_t count, std::uint64_t limit)
{
    list.array();
    if (list.size() != count)
        list.fail(fmt::format("has {}, expected {}", counted(list.size(), "element"), count));
    for (std::size_t i = 0; i < count; ++i) to[i] = static_cast<T>(list.at(i).whole(limit));
}

std::uint8_t choice(const JsonView& json, std::initializer_list<std::string_view> names)
{
    const std::string given = json.text();
    std::string all;
    std::uint8_t index = 0;
    for (const std::string_view name : names) {
        if (name == given) return index;
        all += (index++ == 0 ? "" : ", ") + std::string(name);
    }
    json.fail("'" + given + "' is not one of " + all);
}

/// Reads a corner of the bounding box: W, then H and D if the tensor has them; all modes except im2col have only W.
void corner(std::array<std::int16_t, 3>& to, const JsonView& list, const TensorMap& map)
{
    list.array();
    const std::size_t count = map.mode == MapMode::Im2col ? map.rank - 2u : 1u;
    if (map.rank < 3 || list.size() != count)
        list.fail(fmt::format("has {}, expected {} for this mode and rank",
                              counted(list.size(), "element"), map.rank < 3 ? 0 : count));
    for (std::size_t i = 0; i < count; ++i) {
        const Number n = list.at(i).number();
        if (n.floating || n.integer < -32768 || n.integer > 32767)
            list.at(i).fail("must be a whole number -32768..32767");
        to[i] = static_cast<std::int16_t>(n.integer);
    }
}

/// How copies walk over the tensor.
void walk(TensorMap& map, const JsonView& json)
{
    if (json.has("mode"))
        map.mode = static_cast<MapMode>(
            choice(json["mode"], {"tile", "im2col", "im2col::w", "im2col::w::128"}));
    const bool tile = map.mode == MapMode::Tile;
    for (const char* key : {"channels", "pixels", "lower", "upper"}) {
        if (tile && json.has(key)) json[key].fail("goes with the im2col modes only");
    }
    if (tile) return fill(map.box, json["box"], map.rank, 256);
    if (json.has("box")) json["box"].fail("goes with mode tile; im2col has channels and pixels");
    map.box[0] = static_cast<std::uint16_t>(json["channels"].whole(256));
    const bool fixed = map.mode == MapMode::Im2colW128;
    if (fixed && json.has("pixels")) json["pixels"].fail("im2col::w::128 always takes 128");
    map.box[1] = fixed ? 128 : static_cast<std::uint16_t>(json["pixels"].whole(1024));
    if (json.has("lower")) corner(map.lower, json["lower"], map);
    if (json.has("upper")) corner(map.upper, json["upper"], map);
}

}  // namespace

TensorParam tensorOf(const JsonView& json)
{
    json.keys({"base", "offset", "type", "sizes", "strides", "mode", "box", "channels", "pixels",
               "lower", "upper", "element_strides", "swizzle", "interleave", "fill"});
    TensorParam tensor;
    TensorMap& map = tensor.map;
    tensor.base = memoryRef(json["base"]);
    if (json.has("offset")) tensor.offset = json["offset"].whole(4ull << 30);
    const int type = tensorElement(json["type"].text());
    if (type < 0) {
        json["type"].fail(
            "'" + json["type"].text() +
            "' is not one of u8, u16, u32, i32, u64, i64, f16, bf16, f32, f64, b4x16, "
            "b4x16_p64, b6x16_p32");
    }
    map.type = static_cast<std::uint8_t>(type);
    const JsonView sizes = json["sizes"];
    sizes.array();
    if (sizes.size() == 0 || sizes.size() > TensorMap::kMaxRank)
        sizes.fail("a tensor has 1 to 5 dimensions");
    map.rank = static_cast<std::uint8_t>(sizes.size());
    fill(map.size, sizes, map.rank, 1ull << 32);
    walk(map, json);
    if (json.has("element_strides")) fill(map.step, json["element_strides"], map.rank, 8);
    if (map.rank > 1 || json.has("strides"))
        fill(map.stride, json["strides"], map.rank - 1u, 1ull << 40);
    if (json.has("swizzle")) {
        const std::uint8_t n = choice(json["swizzle"], {"none", "32B", "64B", "128B", "128B_32B",
                                                        "128B_32B_flip", "128B_64B"});
        map.swizzle = std::min<std::uint8_t>(n, 3);
        map.atomicity = static_cast<std::uint8_t>(n - map.swizzle);
    }
    if (json.has("interleave")) map.interleave = choice(json["interleave"], {"none"});
    if (json.has("fill")) map.fill = choice(json["fill"], {"zeros", "nan"});
    map.address = tensor.offset;  // relative to a base that is aligned to 256
    if (const std::string why = map.problem(); !why.empty()) json.fail(why);
    return tensor;
}

}  // namespace gsu
