// The "tensormap" of a launch file: a parameter, or part of an aggregate.
#include <fmt/format.h>

#include "exec/launch/json_view.hpp"
#include "exec/launch/launch_spec.hpp"

namespace gsu {
namespace {

template <class T, std::size_t N>
void fill(std::array<T, N>& to, const JsonView& list, std::size_t count, std::uint64_t limit)
{
    list.array();
    if (list.size() != count)
        list.fail(fmt::format("has {} elements, expected {}", list.size(), count));
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

}  // namespace

TensorParam tensorOf(const JsonView& json)
{
    json.keys({"base", "offset", "type", "sizes", "strides", "box", "element_strides", "swizzle",
               "interleave", "fill"});
    TensorParam tensor;
    TensorMap& map = tensor.map;
    tensor.base = memoryRef(json["base"]);
    if (json.has("offset")) tensor.offset = json["offset"].whole(4ull << 30);
    const int type = tensorElement(json["type"].text());
    if (type < 0) {
        json["type"].fail("'" + json["type"].text() +
                          "' is not one of u8, u16, u32, i32, u64, i64, f16, bf16, f32, f64");
    }
    map.type = static_cast<std::uint8_t>(type);
    const JsonView sizes = json["sizes"];
    sizes.array();
    if (sizes.size() == 0 || sizes.size() > TensorMap::kMaxRank)
        sizes.fail("a tensor has 1 to 5 dimensions");
    map.rank = static_cast<std::uint8_t>(sizes.size());
    fill(map.size, sizes, map.rank, 1ull << 32);
    fill(map.box, json["box"], map.rank, 256);
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
