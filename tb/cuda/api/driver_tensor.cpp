// Tensor maps: the driver encodes what the unit's copies decode.
#include <cstring>

#include "cuda/api/driver.hpp"
#include "exec/tensormap/tensor_map.hpp"

using namespace gsu::cuda;
using gsu::MapMode;
using gsu::TensorMap;

namespace {

/// Converts CUtensorMapDataType to the numbering of tensormap.replace; -1: no copy here supports the type.
int elementOf(int type)
{
    enum Driver : int { Float64 = 8, Bfloat16 = 9, Float32Ftz = 10, Packed6 = 15 };
    switch (type) {
        case Float64: return 9;
        case Bfloat16: return 10;
        case Float32Ftz: return 8;
        default: return type >= 0 && type <= Packed6 ? type : -1;
    }
}

[[noreturn]] void refuse(const std::string& why) { throw Refusal{Status::InvalidValue, why}; }

/// Arguments that all modes have.
struct TensorArguments {
    int type;
    unsigned rank;
    void* address;
    const std::uint64_t *sizes, *strides;
    const std::uint32_t* steps;
    int interleave, swizzle, fill;

    /// Whether a pointer is missing. `address` may be null: kernels set it by tensormap.replace.
    [[nodiscard]] bool missing() const noexcept
    {
        return sizes == nullptr || steps == nullptr || (strides == nullptr && rank > 1);
    }
};

TensorMap tensorOf(const TensorArguments& a)
{
    const int element = elementOf(a.type);
    if (element < 0) throw Refusal{Status::InvalidValue, "no such type of elements"};
    if (a.rank == 0 || a.rank > TensorMap::kMaxRank) refuse("the rank is not 1 to 5");
    if (a.swizzle < 0 || a.swizzle > 6) refuse("no such swizzle");
    TensorMap map;
    map.address = reinterpret_cast<std::uint64_t>(a.address);
    map.type = static_cast<std::uint8_t>(element);
    map.rank = static_cast<std::uint8_t>(a.rank);
    // The swizzles of 32, 64 and 128 bytes come first, then those of 128 bytes with another atomicity.
    map.swizzle = static_cast<std::uint8_t>(std::min(a.swizzle, 3));
    map.atomicity = static_cast<std::uint8_t>(a.swizzle > 3 ? a.swizzle - 3 : 0);
    map.fill = a.fill != 0 ? 1 : 0;
    map.interleave = static_cast<std::uint8_t>(a.interleave);
    for (unsigned i = 0; i < a.rank; ++i) {
        if (a.steps[i] == 0 || a.steps[i] > 8) refuse("an element stride is not 1 to 8");
        map.size[i] = a.sizes[i];
        map.step[i] = static_cast<std::uint8_t>(a.steps[i]);
        if (i + 1 < a.rank) map.stride[i] = a.strides[i];
    }
    return map;
}

/// Writes a map that meets the demands of the hardware.
Status write(void* to, const TensorMap& map)
{
    if (const std::string problem = map.problem(); !problem.empty()) refuse(problem);
    const auto bytes = map.encoded();
    std::memcpy(to, bytes.data(), bytes.size());
    return Status::Success;
}

void takePixels(TensorMap& map, MapMode mode, std::uint32_t channels, std::uint32_t pixels)
{
    constexpr std::uint32_t kMostChannels = 256, kMostPixels = 1024;
    if (channels == 0 || channels > kMostChannels)
        refuse("the channels per pixel are not 1 to 256");
    if (pixels == 0 || pixels > kMostPixels) refuse("the pixels per column are not 1 to 1024");
    map.mode = mode;
    map.box[0] = static_cast<std::uint16_t>(channels);
    map.box[1] = static_cast<std::uint16_t>(pixels);
}

std::int16_t cornerOf(int value)
{
    if (value < -32768 || value > 32767)
        refuse("a corner of the bounding box does not fit 16 bits");
    return static_cast<std::int16_t>(value);
}

}  // namespace

GSU_DRIVER(cuTensorMapEncodeTiled)
(void* to, int type, unsigned rank, void* address, const std::uint64_t* sizes,
 const std::uint64_t* strides, const std::uint32_t* box, const std::uint32_t* steps, int interleave,
 int swizzle, int, int fill)
{
    return driverCall("cuTensorMapEncodeTiled", [&](Platform&) {
        const TensorArguments all{type,  rank,       address, sizes, strides,
                                  steps, interleave, swizzle, fill};
        if (to == nullptr || box == nullptr || all.missing()) return Status::InvalidValue;
        TensorMap map = tensorOf(all);
        for (unsigned i = 0; i < rank; ++i) {
            if (box[i] == 0 || box[i] > 256) refuse("a side of the box is not 1 to 256");
            map.box[i] = static_cast<std::uint16_t>(box[i]);
        }
        return write(to, map);
    });
}

// Corners begin with the one along the width, then height and depth in the order of the tensor.
GSU_DRIVER(cuTensorMapEncodeIm2col)
(void* to, int type, unsigned rank, void* address, const std::uint64_t* sizes,
 const std::uint64_t* strides, const int* lower, const int* upper, std::uint32_t channels,
 std::uint32_t pixels, const std::uint32_t* steps, int interleave, int swizzle, int, int fill)
{
    return driverCall("cuTensorMapEncodeIm2col", [&](Platform&) {
        const TensorArguments all{type,  rank,       address, sizes, strides,
                                  steps, interleave, swizzle, fill};
        if (to == nullptr || lower == nullptr || upper == nullptr || all.missing())
            return Status::InvalidValue;
        TensorMap map = tensorOf(all);
        takePixels(map, MapMode::Im2col, channels, pixels);
        for (unsigned d = 0; d + 2 < rank; ++d) {
            map.lower[d] = cornerOf(lower[d]);
            map.upper[d] = cornerOf(upper[d]);
        }
        return write(to, map);
    });
}

// `wide`: 0 any number of pixels along the width, 1 always 128 of them.
GSU_DRIVER(cuTensorMapEncodeIm2colWide)
(void* to, int type, unsigned rank, void* address, const std::uint64_t* sizes,
 const std::uint64_t* strides, int lower, int upper, std::uint32_t channels, std::uint32_t pixels,
 const std::uint32_t* steps, int interleave, int wide, int swizzle, int, int fill)
{
    return driverCall("cuTensorMapEncodeIm2colWide", [&](Platform&) {
        const TensorArguments all{type,  rank,       address, sizes, strides,
                                  steps, interleave, swizzle, fill};
        if (to == nullptr || all.missing() || wide < 0 || wide > 1) return Status::InvalidValue;
        TensorMap map = tensorOf(all);
        takePixels(map, wide == 1 ? MapMode::Im2colW128 : MapMode::Im2colW, channels,
                   wide == 1 ? 128 : pixels);
        map.lower[0] = cornerOf(lower);
        map.upper[0] = cornerOf(upper);
        return write(to, map);
    });
}

GSU_DRIVER(cuTensorMapReplaceAddress)(void* map, void* address)
{
    return driverCall("cuTensorMapReplaceAddress", [&](Platform&) {
        auto decoded = gsu::TensorMap::decoded(&in(static_cast<const std::uint8_t*>(map)));
        if (!decoded) return Status::InvalidValue;
        decoded->address = reinterpret_cast<std::uint64_t>(address);
        const auto bytes = decoded->encoded();
        std::memcpy(map, bytes.data(), bytes.size());
        return Status::Success;
    });
}
