#include "cuda/platform/device_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "exec/storage/global_memory.hpp"
#include "golden/types.hpp"

namespace gsu::cuda {
namespace {

/// An attribute, by number, whose value does not depend on the device.
struct Fixed {
    int id, value;
};
constexpr Fixed kFixed[] = {
    {1, 1024},  // threads of a block
    {2, 1024},  // the same along x, y, z
    {3, 1024},
    {4, 64},
    {5, 0x7fff'ffff},  // blocks of a grid along x, y, z
    {6, 65535},
    {7, 65535},
    {8, 48 * 1024},     // shared memory of a block
    {9, 64 * 1024},     // constant memory
    {10, 32},           // lanes of a warp
    {11, 0x7fff'ffff},  // pitch
    {12, 65536},        // registers of a block
    {14, 512},          // alignment of textures
    {15, 1},            // copies beside kernels
    {17, 0},            // no limit of time
    {18, 0},            // not integrated
    {19, 1},            // maps host memory
    {20, 0},            // compute mode: default
    {30, 512},          // alignment of surfaces
    {31, 1},            // kernels beside kernels
    {32, 0},            // ECC
    {33, 0},            // PCI bus, device
    {34, 0},
    {35, 0},          // TCC
    {36, 2'619'000},  // memory clock, kHz
    {37, 5120},       // bits of the memory bus
    {38, 50 << 20},   // L2
    {39, 2048},       // threads of a multiprocessor
    {40, 1},          // copy engines
    {41, 1},          // one address space
    {50, 0},          // PCI domain
    {51, 32},         // pitch of textures
    {78, 1},          // priorities of streams
    {79, 1},          // L1 for global and local memory
    {80, 1},
    {81, 228 * 1024},  // shared memory and registers of a multiprocessor
    {82, 65536},
    {83, 1},  // managed memory
    {84, 0},  // one GPU
    {85, 0},
    {86, 0},  // native atomics between host and device
    {87, 2},  // single to double precision
    {88, 0},  // pageable memory is not accessed
    {89, 1},  // managed memory is accessed by both at once
    {90, 0},
    {91, 1},  // registered memory has the host's address
    {95, 1},  // cooperative launches
    {96, 0},
    {97, static_cast<int>(
             exec::SharedBytes::kUsablePerSm)},  // shared memory of a block that asks for it
    {98, 0},
    {99, 1},  // registers host memory
    {100, 0},
    {101, 1},                           // managed memory without migration
    {102, 0},                           // virtual memory management
    {106, static_cast<int>(kMaxCtas)},  // blocks of a multiprocessor
    {108, 0},
    {109, 0},
    {111, 1024},  // shared memory that the system keeps
    {112, 0},
    {113, 0},
    {114, 0},
    {115, 1},  // pools
    {116, 0},
    {117, 0},
    {118, 0},
    {119, 0},
    {121, 0},
    {124, 0},
    {125, 0},  // events between processes
    {126, 1},
    {128, 0},
    {129, 1},  // functions have one address
    {132, 0},
    {134, 0},
    {135, 0},
    {138, 0},
    {142, 0},
    {143, 0},
};

/// Whether the attribute is a size of textures: this device has none, so the sizes are 0.
bool ofTextures(int id) noexcept
{
    return (id >= 21 && id <= 29) || (id >= 42 && id <= 49) || (id >= 52 && id <= 74) || id == 77;
}

/// Fields of cudaDeviceProp by attribute, as the documentation of each version lists them; 0 ends a list.
struct Field {
    int id;         ///< attribute
    unsigned at13;  ///< byte in the structure of version 13
    unsigned at12;  ///< the same in versions 11 and 12; ~0: no such field
    bool wide;      ///< 64 bits
};
constexpr unsigned kNone = ~0u;
constexpr Field kFields[] = {
    {8, 296, 296, true},    {12, 304, 304, false},   {10, 308, 308, false},
    {11, 312, 312, true},   {1, 320, 320, false},    {2, 324, 324, false},
    {3, 328, 328, false},   {4, 332, 332, false},    {5, 336, 336, false},
    {6, 340, 340, false},   {7, 344, 344, false},    {13, kNone, 348, false},
    {9, 352, 352, true},    {75, 360, 360, false},   {76, 364, 364, false},
    {14, 368, 368, true},   {51, 376, 376, true},    {15, kNone, 384, false},
    {16, 384, 388, false},  {17, kNone, 392, false}, {18, 388, 396, false},
    {19, 392, 400, false},  {20, kNone, 404, false}, {30, 552, 568, true},
    {31, 560, 576, false},  {32, 564, 580, false},   {33, 568, 584, false},
    {34, 572, 588, false},  {50, 576, 592, false},   {35, 580, 596, false},
    {40, 584, 600, false},  {41, 588, 604, false},   {36, kNone, 608, false},
    {37, 592, 612, false},  {38, 596, 616, false},   {108, 600, 620, false},
    {39, 604, 624, false},  {78, 608, 628, false},   {79, 612, 632, false},
    {80, 616, 636, false},  {81, 624, 640, true},    {82, 632, 648, false},
    {83, 636, 652, false},  {84, 640, 656, false},   {85, 644, 660, false},
    {86, 648, 664, false},  {87, kNone, 668, false}, {88, 652, 672, false},
    {89, 656, 676, false},  {90, 660, 680, false},   {91, 664, 684, false},
    {95, 668, 688, false},  {96, kNone, 692, false}, {97, 672, 696, true},
    {100, 680, 704, false}, {101, 684, 708, false},  {106, 688, 712, false},
    {109, 692, 716, false}, {111, 696, 720, true},
};
/// Fields that versions 12 and 13 have, and 11 does not.
constexpr Field kNewer[] = {
    {99, 704, 728, false},  {112, 708, 732, false}, {113, 712, 736, false}, {114, 716, 740, false},
    {115, 720, 744, false}, {116, 724, 748, false}, {117, 728, 752, false}, {118, 732, 756, false},
    {119, 736, 760, false}, {121, 740, 764, false}, {125, 744, 768, false}, {120, 748, 772, false},
    {129, 752, 776, false},
};

void put(const Platform& platform, char* to, const Field& field, int version)
{
    const unsigned at = version >= 13 ? field.at13 : field.at12;
    if (at == kNone) return;
    const int value = attributeOf(platform, field.id).value_or(0);
    const std::uint64_t wide = static_cast<std::uint64_t>(value);
    if (field.wide)
        std::memcpy(to + at, &wide, 8);
    else
        std::memcpy(to + at, &value, 4);
}

}  // namespace

std::optional<int> attributeOf(const Platform& platform, int id) noexcept
{
    switch (id) {
        case 13: return static_cast<int>(platform.limits.params.clock_mhz * 1000);
        case 16: return static_cast<int>(platform.settings.sms);
        case 75: return static_cast<int>(platform.settings.sm / 10);
        case 76: return static_cast<int>(platform.settings.sm % 10);
        case 120: return platform.settings.sm >= 90 ? 1 : 0;
        case 127:
        case 133: return 0;
        default: break;
    }
    if (ofTextures(id)) return 0;
    const auto found = std::find_if(std::begin(kFixed), std::end(kFixed),
                                    [&](const Fixed& f) { return f.id == id; });
    return found == std::end(kFixed) ? std::nullopt : std::optional(found->value);
}

std::string deviceName(const Platform& platform)
{
    return fmt::format("GSU model of sm_{}", platform.settings.sm);
}

void deviceUuid(const Platform& platform, char* to) noexcept
{
    std::memset(to, 0, 16);
    std::memcpy(to, "GSU", 3);
    to[15] = static_cast<char>(platform.settings.sm);
}

void writeProperties(const Platform& platform, void* to, int version)
{
    constexpr std::size_t kBytes11 = 728, kBytes12 = 1032, kBytes13 = 1008;
    auto* bytes = static_cast<char*>(to);
    std::memset(bytes, 0, version >= 13 ? kBytes13 : version == 12 ? kBytes12 : kBytes11);
    const std::string name = deviceName(platform);
    std::memcpy(bytes, name.data(), name.size());
    deviceUuid(platform, bytes + 256);
    const std::uint64_t memory = platform.heap.capacity();
    std::memcpy(bytes + 288, &memory, 8);
    for (const Field& field : kFields) put(platform, bytes, field, version);
    if (version < 12) return;
    for (const Field& field : kNewer) put(platform, bytes, field, version);
}

}  // namespace gsu::cuda
