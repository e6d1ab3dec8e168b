// Tensor maps: what the driver encodes is what the unit's copies decode.
#include <cstring>

#include "cuda/driver.hpp"
#include "exec/async/tensor_map.hpp"

using namespace gsu::cuda;

namespace {

/// CUtensorMapDataType to the numbering of tensormap.replace; -1: types that no copy here has.
int elementOf(int type)
{
    enum Driver : int { Float64 = 8, Bfloat16 = 9, Float32Ftz = 10, Tfloat32Ftz = 12 };
    switch (type) {
        case Float64: return 9;
        case Bfloat16: return 10;
        case Float32Ftz: return 8;
        default: return type >= 0 && type <= Tfloat32Ftz ? type : -1;
    }
}

struct TiledArguments {
    int type;
    unsigned rank;
    void* address;
    const std::uint64_t *sizes, *strides;
    const std::uint32_t *box, *steps;
    int interleave, swizzle, fill;
};

gsu::TensorMap mapOf(const TiledArguments& a)
{
    using gsu::TensorMap;
    const auto refuse = [](const std::string& why) { throw Refusal{Status::InvalidValue, why}; };
    const int element = elementOf(a.type);
    if (element < 0)
        throw Refusal{Status::NotSupported, "a tensor of packed 4-bit or 6-bit elements"};
    if (a.rank == 0 || a.rank > TensorMap::kMaxRank) refuse("the rank is not 1 to 5");
    if (a.swizzle < 0 || a.swizzle > 6) refuse("no such swizzle");
    TensorMap map;
    map.address = reinterpret_cast<std::uint64_t>(a.address);
    map.type = static_cast<std::uint8_t>(element);
    map.rank = static_cast<std::uint8_t>(a.rank);
    // Behind the swizzles of 32, 64 and 128 bytes come those of 128 bytes with another atomicity.
    map.swizzle = static_cast<std::uint8_t>(std::min(a.swizzle, 3));
    map.atomicity = static_cast<std::uint8_t>(a.swizzle > 3 ? a.swizzle - 3 : 0);
    map.fill = a.fill != 0 ? 1 : 0;
    map.interleave = static_cast<std::uint8_t>(a.interleave);
    for (unsigned i = 0; i < a.rank; ++i) {
        if (a.box[i] == 0 || a.box[i] > 256) refuse("a side of the box is not 1 to 256");
        if (a.steps[i] == 0 || a.steps[i] > 8) refuse("an element stride is not 1 to 8");
        map.size[i] = a.sizes[i];
        map.box[i] = static_cast<std::uint16_t>(a.box[i]);
        map.step[i] = static_cast<std::uint8_t>(a.steps[i]);
        if (i + 1 < a.rank) map.stride[i] = a.strides[i];
    }
    if (const std::string problem = map.problem(); !problem.empty()) refuse(problem);
    return map;
}

}  // namespace

GSU_DRIVER(cuTensorMapEncodeTiled)
(void* to, int type, unsigned rank, void* address, const std::uint64_t* sizes,
 const std::uint64_t* strides, const std::uint32_t* box, const std::uint32_t* steps, int interleave,
 int swizzle, int, int fill)
{
    return driverCall("cuTensorMapEncodeTiled", [&](Platform&) {
        const bool missing = to == nullptr || address == nullptr || sizes == nullptr ||
                             box == nullptr || steps == nullptr || (strides == nullptr && rank > 1);
        if (missing) return Status::InvalidValue;
        const auto bytes =
            mapOf({type, rank, address, sizes, strides, box, steps, interleave, swizzle, fill})
                .encoded();
        std::memcpy(to, bytes.data(), bytes.size());
        return Status::Success;
    });
}

GSU_DRIVER(cuTensorMapReplaceAddress)(void* map, void* address)
{
    return driverCall("cuTensorMapReplaceAddress", [&](Platform&) {
        auto decoded = gsu::TensorMap::decoded(static_cast<const std::uint8_t*>(map));
        if (!decoded) return Status::InvalidValue;
        decoded->address = reinterpret_cast<std::uint64_t>(address);
        const auto bytes = decoded->encoded();
        std::memcpy(map, bytes.data(), bytes.size());
        return Status::Success;
    });
}
